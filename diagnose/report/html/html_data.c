#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "html/html_sections.h"
#include "render/json_values.h"

/* The cause that a component's verdict belongs to. */
static json_t *put_causes(void)
{
	json_t *out = json_object();

	for (int k = 0; k < SD_COMPONENT_COUNT; k++)
		if (sd_component_info[k].cause != SD_CAUSE_COUNT)
			sd_json_put(&out, sd_component_info[k].name,
				sd_cause_info[sd_component_info[k].cause].name);
	return out;
}

/* [cores, wall s, kind, s since the first run]; runs without a time are not drawn. */
static json_t *put_runs(const struct sd_record *r)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < r->n_run; i++) {
		const struct sd_run *x = &r->run[i];

		if (!sd_has(x->metric[SD_METRIC_WALL]))
			continue;
		sd_json_add(&out,
			sd_json_list(r->plan.point[x->point].cores, x->metric[SD_METRIC_WALL].value,
				x->kind, x->start - r->run[0].start));
	}
	return out;
}

static json_t *put_loaded(const struct sd_machine_layout *l)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < l->n_loaded; i++) {
		json_t *points = json_array();

		for (size_t k = 0; points && k < l->loaded[i].n; k++)
			sd_json_add(&points,
				sd_json_list(l->loaded[i].bandwidth[k], l->loaded[i].latency[k]));
		sd_json_add(&out, sd_json("mix", l->loaded[i].mix, "points", points));
	}
	return out;
}

static json_t *put_cpus(const struct sd_pairs *p)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < p->n; i++)
		sd_json_add(&out, json_integer(p->cpu[i]));
	return out;
}

/* The triangle below the diagonal, line by line, to a tenth of a nanosecond. */
static json_t *put_triangle(const struct sd_pairs *p)
{
	json_t *out = json_array();

	for (size_t a = 0; out && a < p->n; a++)
		for (size_t b = 0; out && b < a; b++) {
			const double s = p->s[a * p->n + b];

			sd_json_add(
				&out, s < 0 ? json_null() : sd_json_real(round(s * 1e10) * 1e-10));
		}
	return out;
}

static int put_report(FILE *f, const struct sd_record *r, const struct sd_analysis *a)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const memory = open_memstream(&text, &size);
	int rc = memory ? sd_report_json(memory, r, a) : -ENOMEM;

	if (memory && fclose(memory) != 0)
		rc = -ENOMEM;
	if (!rc)
		sd_html_json(f, text);
	free(text);
	return rc;
}

int sd_html_data(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *style)
{
	json_t *const more = sd_json("cause", put_causes(), "runs", put_runs(r), "loaded",
		put_loaded(&r->layout), "pairs",
		sd_json("cpus", put_cpus(&r->layout.pairs), "s", put_triangle(&r->layout.pairs)));
	char *const text =
		more ? json_dumps(more, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6))
		     : NULL;
	int rc = text ? 0 : -ENOMEM;

	if (!rc) {
		/* one object: what is behind the report's is the other's without its brace */
		fputs("{\"report\":", f);
		rc = put_report(f, r, a);
		rc = rc ? rc : sd_html_stacks_data(f, r, style);
		fputc(',', f);
		sd_html_json(f, text + 1);
	}
	free(text);
	json_decref(more);
	return rc;
}
