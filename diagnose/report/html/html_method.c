#include <stdlib.h>

#include "html/html_sections.h"

/* Metrics are told apart by name; a point may lack one. */
static const struct sd_shown *shown(const struct sd_point *p, const struct sd_shown *like)
{
	for (size_t i = 0; i < p->n_shown; i++)
		if (p->shown[i].name == like->name)
			return &p->shown[i];
	return NULL;
}

static int is_new(const struct sd_analysis *a, size_t point, const struct sd_shown *s)
{
	for (size_t i = 0; i < point; i++)
		if (shown(&a->point[i], s))
			return 0;
	return 1;
}

static void put_metric(FILE *f, const struct sd_analysis *a, const struct sd_shown *s)
{
	sd_html_around(f, "<tr><td>", s->name, "</td><td class=\"left\">");
	sd_html_text(f, s->unit);
	fputs("</td>", f);
	for (size_t i = 0; i < a->n_point; i++) {
		const struct sd_shown *v = shown(&a->point[i], s);
		const struct sd_interval nothing = {.status = SD_STATUS_ABSENT};

		sd_html_cell(f, v ? v->value : nothing, a->point[i].runs, 1, 3,
			v && v->over ? " !" : "");
	}
	fprintf(f, "<td class=\"left\">%s</td><td class=\"wrap\">", s->source);
	sd_html_text(f, s->meaning);
	fputs("</td></tr>\n", f);
}

void sd_html_metrics(FILE *f, const struct sd_analysis *a)
{
	fputs("<details><summary>All metrics</summary><div class=\"scroll\"><table><thead><tr>"
	      "<th>metric</th><th class=\"left\">unit</th>",
		f);
	for (size_t i = 0; i < a->n_point; i++)
		fprintf(f, "<th>%u</th>", a->point[i].cores);
	fputs("<th class=\"left\">source</th><th class=\"left\">meaning (! = over its "
	      "threshold)</th>"
	      "</tr></thead><tbody>\n",
		f);
	for (size_t i = 0; i < a->n_point; i++)
		for (size_t k = 0; k < a->point[i].n_shown; k++)
			if (is_new(a, i, &a->point[i].shown[k]))
				put_metric(f, a, &a->point[i].shown[k]);
	fputs("</tbody></table></div></details>\n", f);
}

void sd_html_runs(FILE *f, const struct sd_record *r)
{
	static const char *const kind[] = {
		[SD_RUN_WARMUP] = "warm-up, discarded",
		[SD_RUN_BLOCK] = "block",
		[SD_RUN_DRIFT] = "drift check",
		[SD_RUN_EXPERIMENT] = "experiment",
		[SD_RUN_SIMULATED] = "simulated",
		[SD_RUN_MEMORY] = "memory samples",
		[SD_RUN_EVENTS] = "event samples",
		[SD_RUN_COST] = "cost of a probe",
	};

	fputs("<details><summary>All runs</summary><div "
	      "class=\"scroll\"><table><thead><tr><th>run</th>"
	      "<th>cores</th><th class=\"left\">kind</th><th>wall s</th><th>user s</th><th>system s"
	      "</th></tr></thead><tbody>\n",
		f);
	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_run *x = &r->run[i];
		static const enum sd_metric shown_metric[] = {
			SD_METRIC_WALL, SD_METRIC_USER, SD_METRIC_SYSTEM};

		fprintf(f, "<tr><td>%zu</td><td>%u</td><td class=\"left\">%s</td>", i + 1,
			r->plan.point[x->point].cores, kind[x->kind]);
		for (size_t k = 0; k < 3; k++) {
			const struct sd_value v = x->metric[shown_metric[k]];
			const struct sd_interval one = {v.value, v.value, v.value, v.status};

			sd_html_cell(f, one, 0, 1, 4, "");
		}
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table></div></details>\n", f);
}
