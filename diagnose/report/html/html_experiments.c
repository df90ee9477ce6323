#include "html/html_sections.h"

#include <stdio.h>

#include "facts/facts.h"
#include "render/render.h"

void sd_html_experiments(FILE *f, const struct sd_analysis *a)
{
	const struct sd_fact_rows rows = sd_facts_tested_table(a, 1);

	if (!sd_fact_any(&rows))
		return;
	fputs("<h2 id=\"experiments\">Experiments</h2>\n", f);
	sd_render_html_table(f, &rows);
}

void sd_html_experiments_not_done(FILE *f, const struct sd_analysis *a)
{
	const struct sd_fact_rows rows = sd_facts_tested_table(a, 0);
	char summary[64];
	size_t n = 0;

	for (size_t i = 0; i < rows.n; i++)
		n += (size_t)sd_fact_wanted(&rows, i);
	snprintf(summary, sizeof summary, "%zu experiment%s not done", n,
		n == 1 ? " was" : "s were");
	if (n)
		sd_render_html_folded(f, "not-done", summary, &rows);
}

void sd_html_outlook(FILE *f, const struct sd_analysis *a)
{
	const struct sd_outlook *const o = &a->outlook;
	const struct sd_fact_rows rows = sd_facts_predicted_table(a);

	if (!o->n_count)
		return;
	fputs("<details><summary>Counts that were not measured</summary>", f);
	sd_render_html_table(f, &rows);
	fputs("<ul>", f);
	for (size_t i = 0; i < o->basis.n; i++)
		sd_html_around(f, "<li>", o->basis.text[i], "</li>");
	fputs("</ul></details>\n", f);
}
