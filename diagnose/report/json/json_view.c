#include "json/json_view.h"

#include "render/json_values.h"
#include "view/view.h"
#include "view/view_family.h"

static const char *const mood_name[] = {
	[SD_VIEW_GOOD] = "good",
	[SD_VIEW_BAD] = "bad",
	[SD_VIEW_UNSURE] = "unsure",
	[SD_VIEW_NOTHING] = "nothing",
};

/* Puts the rows of the stack; one that prints as nothing is left out. */
static json_t *put_rows(const struct sd_view *v)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < v->n_row; i++) {
		const struct sd_view_row *const r = &v->row[i];

		if (r->component == SD_COMPONENT_COUNT)
			continue;
		sd_json_add(&out, json_pack("{s:s, s:s, s:s, s:o}", "component",
					  sd_component_info[r->component].name, "label", r->label,
					  "family", sd_view_family(r->component), "number",
					  r->cause ? json_integer(r->cause) : json_null()));
	}
	return out;
}

static json_t *put_cause(const struct sd_view_cause *c)
{
	json_t *out = json_pack("{s:I, s:o, s:o}", "number", (json_int_t)c->number, "cause",
		c->of ? json_string(sd_cause_info[c->of->cause].name) : json_null(), "title",
		sd_json_text(c->title));

	for (int i = 0; out && i < SD_VIEW_ITEM_COUNT; i++)
		sd_json_set(&out, sd_view_item_name[i], sd_json_text(c->item[i]));
	return out;
}

json_t *sd_json_view_causes(const struct sd_view *v)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < v->n_cause; i++)
		sd_json_add(&out, put_cause(&v->cause[i]));
	return out;
}

json_t *sd_json_view(const struct sd_record *r, const struct sd_analysis *a)
{
	struct sd_view v;
	json_t *out;

	if (sd_view_make(&v, r, a, NULL))
		return NULL;
	out = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "mood",
		mood_name[v.mood], "answer", sd_json_text(v.answer), "main_cause",
		sd_json_text(v.main_cause), "background", sd_json_text(v.banner), "reference",
		sd_json_text(v.wasted), "measured", sd_json_text(v.measured), "quality",
		sd_json_text(v.quality), "outlook",
		*v.outlook ? sd_json_text(v.outlook) : json_null(), "more_time",
		*v.more_time ? sd_json_text(v.more_time) : json_null(), "missing",
		*v.missing ? sd_json_text(v.missing) : json_null(), "rows", put_rows(&v), "causes",
		sd_json_view_causes(&v));
	sd_view_free(&v);
	return out;
}
