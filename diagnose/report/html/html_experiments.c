#include "html/html_sections.h"

static void put_ratio(FILE *f, struct sd_interval v, size_t pairs)
{
	sd_html_cell(f, v, pairs, 1, 2, "x");
}

void sd_html_experiments(FILE *f, const struct sd_analysis *a)
{
	if (!a->n_tested)
		return;
	fputs("<h2 id=\"experiments\">Experiments</h2>\n"
	      "<div class=\"scroll\"><table><thead><tr><th>experiment</th><th class=\"left\">what it does</th><th>cores</th><th>pairs</th><th>time with it / without</th><th>cost s</th><th class=\"left\">seen</th></tr></thead><tbody>\n",
		f);
	for (size_t i = 0; i < a->n_tested; i++) {
		const struct sd_tested *t = &a->tested[i];

		fprintf(f, "<tr data-experiment=\"%s\"><td>%s</td><td class=\"wrap\">",
			sd_experiment_info[t->experiment].name,
			sd_experiment_info[t->experiment].name);
		sd_html_text(f, sd_experiment_info[t->experiment].does);
		fprintf(f, "</td><td>%u</td><td>%zu</td>", t->cores, t->pairs);
		put_ratio(f, t->time, t->pairs);
		fprintf(f, "<td>%.3g</td><td class=\"wrap\">", t->cost_s);
		for (size_t k = 0; k < t->seen.n; k++) {
			fputs(k ? "<br>" : "", f);
			sd_html_text(f, t->seen.text[k]);
		}
		if (t->skipped) {
			fputs(t->seen.n ? "<br>" : "", f);
			fputs("not done: ", f);
			sd_html_text(f, t->skipped);
		}
		fputs("</td></tr>\n", f);
	}
	fputs("</tbody></table></div>\n", f);
}
