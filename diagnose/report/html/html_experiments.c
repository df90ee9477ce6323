#include "html/html_sections.h"

#include <math.h>

#include "page/interval_text.h"

/* Units of the drawing: the axis reaches from half the time to twice the time. */
#define WIDE 240.0
#define REACH log(2)

static double place(double ratio)
{
	const double x = ratio > 0 ? log(ratio) / REACH : -1;

	return WIDE / 2 * (1 + fmin(1, fmax(-1, x)));
}

/* A whisker around the ratio, and a line where nothing changed. */
static void put_whisker(FILE *f, struct sd_interval v, size_t pairs)
{
	fprintf(f,
		"<td><svg class=\"forest\" viewBox=\"0 0 %.0f 16\" aria-hidden=\"true\">"
		"<line x1=\"%.0f\" y1=\"0\" x2=\"%.0f\" y2=\"16\" class=\"one\"/>",
		WIDE, WIDE / 2, WIDE / 2);
	if (pairs > 1 && sd_status_bounded(v))
		fprintf(f, "<line x1=\"%.1f\" y1=\"8\" x2=\"%.1f\" y2=\"8\"/>", place(v.low),
			place(v.high));
	fprintf(f, "<circle cx=\"%.1f\" cy=\"8\" r=\"4\"/></svg></td>", place(v.value));
}

static void put_done(FILE *f, const struct sd_tested *t)
{
	/* what was done beneath its name: a column of its own leaves none for what was seen */
	fprintf(f, "<tr data-experiment=\"%s\"><td class=\"wrap\">%s<br><span class=\"soft\">",
		sd_experiment_info[t->experiment].name, sd_experiment_info[t->experiment].name);
	sd_html_text(f, sd_experiment_info[t->experiment].does);
	fputs("</span></td>", f);
	if (sd_interval_text_has(t->time))
		put_whisker(f, t->time, t->pairs);
	else
		fputs("<td></td>", f);
	if (sd_interval_text_has(t->time))
		sd_html_cell(f, t->time, t->pairs, 1, 2, "x");
	else
		fputs("<td>–</td>", f);
	fprintf(f, "<td>%u</td><td>%zu</td><td class=\"wrap\">", t->cores, t->pairs);
	for (size_t k = 0; k < t->seen.n; k++) {
		fputs(k ? "<br>" : "", f);
		sd_html_text(f, t->seen.text[k]);
	}
	fputs("</td></tr>\n", f);
}

static void put_skipped(FILE *f, const struct sd_tested *t)
{
	fprintf(f, "<tr data-experiment=\"%s\"><td>%s</td><td class=\"wrap\">",
		sd_experiment_info[t->experiment].name, sd_experiment_info[t->experiment].name);
	sd_html_text(f, t->skipped);
	fputs("</td></tr>\n", f);
}

static int was_done(const struct sd_tested *t)
{
	return t->pairs > 0 || t->seen.n > 0 || !t->skipped;
}

void sd_html_experiments(FILE *f, const struct sd_analysis *a)
{
	int any = 0;

	for (size_t i = 0; i < a->n_tested; i++) {
		if (!was_done(&a->tested[i]))
			continue;
		if (!any++)
			fputs("<h2 id=\"experiments\">Experiments</h2>\n<div class=\"scroll\">"
			      "<table><thead><tr><th>experiment</th><th>half the time … twice</th>"
			      "<th>time with / without</th><th>cores</th><th>pairs</th><th "
			      "class=\"left\">seen</th></tr></thead><tbody>\n",
				f);
		put_done(f, &a->tested[i]);
	}
	fputs(any ? "</tbody></table></div>\n" : "", f);
}

void sd_html_experiments_not_done(FILE *f, const struct sd_analysis *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n_tested; i++)
		n += !was_done(&a->tested[i]);
	if (!n)
		return;
	fprintf(f,
		"<details id=\"not-done\"><summary>%zu experiment%s not done</summary><div "
		"class=\"scroll\"><table><tbody>\n",
		n, n == 1 ? " was" : "s were");
	for (size_t i = 0; i < a->n_tested; i++)
		if (!was_done(&a->tested[i]))
			put_skipped(f, &a->tested[i]);
	fputs("</tbody></table></div></details>\n", f);
}
