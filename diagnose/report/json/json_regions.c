#include "json/json_regions.h"

#include "json/json_values.h"

/* What only OpenMP's have. */
static void put_losses(json_t *out, const struct sd_region_point *t)
{
	const struct {
		const char *name;
		double value;
	} number[] = {{"ideal_s", t->ideal}, {"gain_s", t->gain}, {"imbalance_s", t->imbalance},
		{"lock_s", t->lock}, {"scheduling_s", t->scheduling}, {"barrier_s", t->barrier},
		{"serial_before_s", t->serial}, {"tasks", t->tasks}, {"nested", t->nested},
		{"undivided", t->whole}};

	for (size_t i = 0; i < sizeof number / sizeof *number; i++)
		json_object_set_new(out, number[i].name, sd_json_real(number[i].value));
}

static json_t *put_points(const struct sd_region_row *r)
{
	json_t *const out = json_array();

	for (size_t i = 0; out && i < r->n_point; i++) {
		const struct sd_region_point *const t = &r->point[i];
		json_t *const point = json_pack(
			"{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o}", "cores",
			(json_int_t)t->cores, "runs", (json_int_t)t->runs, "entries",
			sd_json_real(t->entries), "elapsed_s",
			sd_json_interval(t->elapsed, t->runs), "speedup",
			sd_json_interval(t->speedup, t->runs), "efficiency",
			sd_json_interval(t->efficiency, t->runs), "threads",
			sd_json_real(t->threads), "threads_least", (json_int_t)t->least,
			"threads_most", (json_int_t)t->most, "cores_used", sd_json_value(t->used),
			"cores_lost", sd_json_value(t->lost), "share", sd_json_real(t->share));

		if (point && r->kind == SD_REGION_OPENMP)
			put_losses(point, t);
		json_array_append_new(out, point);
	}
	return out;
}

json_t *sd_json_regions(const struct sd_region_losses *l)
{
	static const char *const kind[SD_REGION_KIND_COUNT] = {
#define X(id, name) [SD_REGION_##id] = name,
		SD_REGION_KINDS(X)
#undef X
	};
	json_t *const rows = json_array();

	for (size_t i = 0; rows && i < l->n_row; i++)
		json_array_append_new(rows,
			json_pack("{s:s, s:o, s:o, s:o}", "kind", kind[l->row[i].kind], "name",
				sd_json_text(l->row[i].name), "points", put_points(&l->row[i]),
				"notes", sd_json_texts(&l->row[i].notes)));
	return json_pack("{s:o, s:o, s:I, s:o}", "judged", sd_json_text(l->judged), "notes",
		sd_json_texts(&l->notes), "seen", (json_int_t)l->n_seen, "rows", rows);
}
