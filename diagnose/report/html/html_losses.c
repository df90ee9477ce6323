#include "html/html_sections.h"

#include "facts/facts_functions.h"
#include "render/render.h"
#include "text/sections.h"
#include "view/view.h"

static void put_lines(FILE *f, const struct sd_view *v)
{
	const struct sd_losses *const l = &v->a->losses;

	if (!l->n_line)
		return;
	fputs("<details><summary>By source line</summary><div class=\"scroll\"><table><thead><tr>"
	      "<th>line</th><th>cores</th></tr></thead><tbody>\n",
		f);
	for (size_t i = 0; i < l->n_line; i++) {
		struct sd_where at = l->row[l->line[i].row].at;

		at.line = l->line[i].line;
		fputs("<tr><td class=\"wrap\">", f);
		sd_html_place(f, &at, v->r->program.cwd);
		fprintf(f, "</td><td>%.3f</td></tr>\n", l->line[i].cores);
	}
	fputs("</tbody></table></div></details>\n", f);
}

static double cores_of(const struct sd_losses *l, size_t row, unsigned line)
{
	for (size_t i = 0; i < l->n_line; i++)
		if (l->line[i].row == row && l->line[i].line == line)
			return l->line[i].cores;
	return 0;
}

/* As an editor shows it: a tab is no strange character here. */
static void put_code(FILE *f, const char *line)
{
	for (; *line == '\t'; line++)
		fputs("    ", f);
	sd_html_text(f, line);
}

static double most_of(const struct sd_losses *l, size_t row)
{
	double most = 0;

	for (size_t i = 0; i < l->n_line; i++)
		if (l->line[i].row == row && l->line[i].cores > most)
			most = l->line[i].cores;
	return most;
}

static void put_source_line(FILE *f, const struct sd_losses *l, const struct sd_source *s, size_t i)
{
	const unsigned line = s->first + (unsigned)i;
	const double cores = cores_of(l, s->row, line), most = most_of(l, s->row);

	fputs("<tr", f);
	if (line == l->row[s->row].at.line)
		fputs(" class=\"hot\"", f);
	if (cores > 0 && most > 0)
		fprintf(f, " style=\"--part:%.0f%%\"", 100 * cores / most);
	fputs("><td>", f);
	if (cores >= .005)
		fprintf(f, "%.2f", cores);
	fprintf(f, "</td><td class=\"soft\">%u</td><td class=\"left code\">", line);
	put_code(f, s->line[i]);
	fputs("</td></tr>\n", f);
}

/* The whole function as far as it was sampled; the redder a line, the more it costs, and the worst
 * one is marked. */
static void put_source(FILE *f, const struct sd_view *v, const struct sd_source *s)
{
	const struct sd_losses *const l = &v->a->losses;

	fputs("<p>", f);
	sd_html_place(f, &l->row[s->row].at, v->r->program.cwd);
	if (s->state != SD_SOURCE_READ) {
		fprintf(f, ": %s</p>\n", sd_section_sources_why(s->state));
		return;
	}
	fputs("</p>\n<div class=\"scroll tall\" tabindex=\"0\"><table class=\"source\"><tbody>\n",
		f);
	for (size_t i = 0; i < s->n; i++)
		put_source_line(f, l, s, i);
	fputs("</tbody></table></div>\n", f);
}

void sd_html_sources(FILE *f, const struct sd_view *v, const struct sd_report_style *s)
{
	int any = 0;

	for (size_t i = 0; s && i < s->n_source; i++) {
		if (s->source[i].row >= v->a->losses.n_row)
			continue;
		if (!any++)
			fputs("<h2 id=\"source\">Source lines (cores lost)</h2>\n", f);
		put_source(f, v, &s->source[i]);
	}
}

void sd_html_losses(FILE *f, const struct sd_view *v)
{
	const struct sd_analysis *const a = v->a;
	const struct sd_fact_rows rows = sd_facts_function_table(a, v->r->program.cwd);

	if (!rows.n)
		return;
	fprintf(f, "<h2 id=\"functions\">Lost cores by function (of %u)</h2>\n",
		a->point[a->n_point - 1].n);
	/* callers that lose nothing themselves stand in the flame graph */
	sd_render_html_table(f, &rows);
	put_lines(f, v);
}
