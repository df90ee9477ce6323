#include "render/render.h"

#include "base/near_path.h"
#include "render/json_values.h"

static json_t *put_file(const char *file, const char *folder)
{
	return sd_json_text(file ? sd_near_path(file, folder) : NULL);
}

json_t *sd_render_json_where(const struct sd_where *w, const char *folder)
{
	return sd_json("function", w->function, "file", put_file(w->file, folder), "line",
		sd_json_number(w->line), "module", put_file(w->module, folder));
}

json_t *sd_render_json_places(const struct sd_where *w, size_t n, const char *folder)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < n; i++, w++) {
		json_t *place = sd_render_json_where(w, folder);

		sd_json_put(&place, "in", w->in, "from", w->from, "object", w->object, "share",
			w->share);
		sd_json_add(&out, place);
	}
	return out;
}

static json_t *put_cell(const struct sd_fact_rows *rows, const struct sd_cell *f)
{
	const struct sd_value v = {.value = f->number.value, .status = f->number.status};

	switch (f->type) {
	case SD_CELL_TEXT:
	case SD_CELL_CHARS:
	case SD_CELL_NAME:
		return sd_json_text(f->text);
	case SD_CELL_COUNT:
	case SD_CELL_SIZE:
	case SD_CELL_INT:
		return json_integer((json_int_t)f->number.value);
	case SD_CELL_REAL:
	case SD_CELL_BAR:
		return sd_json_real(f->number.value);
	case SD_CELL_VALUE:
		return sd_json_value(v);
	case SD_CELL_INTERVAL:
		return sd_json_interval(f->number, f->runs);
	case SD_CELL_FLAG:
		return json_boolean(f->number.value > 0);
	case SD_CELL_PLACES:
		return sd_render_json_places(f->place, f->n, rows->folder);
	case SD_CELL_TEXTS:
		return sd_json_texts(f->texts);
	case SD_CELL_ROWS:
		return sd_render_json(&f->table);
	case SD_CELL_ROW:
		return f->table.n ? sd_render_json_row(&f->table, 0) : json_null();
	case SD_CELL_NONE:
	default:
		return json_null();
	}
}

void sd_render_json_members(json_t **object, const struct sd_fact_rows *rows, size_t i)
{
	for (size_t k = 0; k < rows->table->n_column; k++) {
		const struct sd_fact_column *const c = &rows->table->column[k];
		struct sd_cell f;

		if (!c->key || (c->key_kind && !(c->key_kind & rows->kind)))
			continue;
		sd_fact_read(rows, c, i, &f);
		sd_json_set(object, c->key, put_cell(rows, &f));
	}
}

json_t *sd_render_json_row(const struct sd_fact_rows *rows, size_t i)
{
	json_t *out = json_object();

	sd_render_json_members(&out, rows, i);
	return out;
}

json_t *sd_render_json(const struct sd_fact_rows *rows)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < rows->n; i++)
		sd_json_add(&out, sd_render_json_row(rows, i));
	return out;
}
