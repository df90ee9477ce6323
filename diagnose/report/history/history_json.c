#include "history/history_report.h"

#include <errno.h>
#include <jansson.h>

#include "render/json_values.h"

#define SCHEMA 1

static json_t *put_points(const struct sd_history_row *row)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < row->n_point; i++) {
		const struct sd_history_point *const p = &row->point[i];

		sd_json_add(&out,
			json_pack("{s:i, s:I, s:o, s:o, s:o}", "cores", (int)p->cores, "runs",
				(json_int_t)p->runs, "wall", sd_json_interval(p->wall, p->runs),
				"speedup", sd_json_interval(p->speedup, p->runs), "efficiency",
				sd_json_interval(p->efficiency, p->runs)));
	}
	return out;
}

static json_t *put_cause(const struct sd_history_row *row)
{
	const size_t runs = row->point[row->n_point - 1].runs;

	if (row->cause >= SD_CAUSE_COUNT)
		return json_null();
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:I}", "cause", sd_cause_info[row->cause].name,
		"verdict", sd_verdict_name[row->verdict], "lost",
		sd_json_interval(row->cores, runs), "function", sd_json_text(row->where.function),
		"file", sd_json_text(row->where.file), "line", (json_int_t)row->where.line);
}

static json_t *put_row(const struct sd_history_row *row)
{
	json_t *const out = json_pack("{s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:s}", "record",
		sd_json_text(row->file), "program", sd_json_text(row->program), "time", row->time,
		"commit", row->commit[0] ? sd_json_text(row->commit) : json_null(), "branch",
		row->branch[0] ? sd_json_text(row->branch) : json_null(), "cpu",
		sd_json_text(row->cpu), "points", put_points(row), "main_cause", put_cause(row),
		"change", sd_change_name[row->change]);

	return out;
}

int sd_history_json(FILE *f, const struct sd_history *h, const char *folder)
{
	json_t *const rows = json_array();

	for (size_t i = 0; rows && i < h->n; i++)
		if (json_array_append_new(rows, put_row(&h->row[i])) != 0) {
			json_decref(rows);
			return -ENOMEM;
		}
	return sd_json_print(
		f, json_pack("{s:s, s:i, s:o, s:o}", "kind", "scalediag-history", "schema", SCHEMA,
			   "folder", sd_json_text(folder), "records", rows));
}
