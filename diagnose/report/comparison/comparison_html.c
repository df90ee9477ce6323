#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "comparison/comparison_report.h"
#include "html/html_sections.h"
#include "page/interval_text.h"

static void put_points(FILE *f, const struct sd_comparison *c)
{
	const char *const unit = c->work > 0 ? "/s" : "s";
	const int decimals = c->work > 0 ? 1 : 3;

	fprintf(f,
		"<div class=\"scroll\"><table><thead><tr><th>cores</th><th>before %s</th><th>after %s</th><th>gain</th><th>efficiency before</th><th>after</th><th class=\"left\">%s</th></tr></thead><tbody>\n",
		unit, unit, c->work > 0 ? "time per work" : "wall time");
	for (size_t i = 0; i < c->n_point; i++) {
		const struct sd_compared_point *p = &c->point[i];

		fprintf(f, "<tr><td>%u</td>", p->cores);
		sd_html_cell(f, sd_comparison_amount(c, p->wall_before), 2, 1, decimals, "");
		sd_html_cell(f, sd_comparison_amount(c, p->wall_after), 2, 1, decimals, "");
		sd_html_cell(f, p->gain, 2, 1, 3, "x");
		sd_html_cell(f, p->efficiency_before, 2, 100, 0, " %");
		sd_html_cell(f, p->efficiency_after, 2, 100, 0, " %");
		fprintf(f, "<td class=\"left\">%s</td></tr>\n", sd_change_name[p->time]);
	}
	fputs("</tbody></table></div>\n", f);
}

/* Prints as 0.000: a row of noughts tells nothing. */
static int is_nothing(struct sd_interval v)
{
	return sd_interval_text_has(v) && fabs(v.value) < .0005;
}

static void put_parts(FILE *f, const struct sd_compared_point *p)
{
	fprintf(f,
		"<h2 id=\"moved\">What moved at %u cores, in core-seconds a run</h2>\n"
		"<div class=\"scroll\"><table><thead><tr><th>core-seconds</th><th>before</th><th>after</th><th>difference</th><th class=\"left\">change</th></tr></thead><tbody>\n",
		p->cores);
	for (size_t i = 0; i < p->n_part; i++) {
		const struct sd_compared_part *x = &p->part[i];
		const struct sd_component_info *const info = &sd_component_info[x->component];

		if (is_nothing(x->before) && is_nothing(x->after))
			continue;
		fprintf(f, "<tr data-component=\"%s\" data-label=\"%s\"><td>%s</td>", info->name,
			info->label, info->label);
		sd_html_cell(f, x->before, 2, 1, 3, "");
		sd_html_cell(f, x->after, 2, 1, 3, "");
		sd_html_cell(f, x->difference, 2, 1, 3, "");
		fprintf(f, "<td class=\"left\">%s</td></tr>\n", sd_change_name[x->change]);
	}
	fputs("</tbody></table></div>\n", f);
}

static void put_causes(FILE *f, const struct sd_comparison *c)
{
	fputs("<h2 id=\"causes\">Causes</h2>\n<div "
	      "class=\"scroll\"><table><thead><tr><th>cause</th>"
	      "<th class=\"left\">fate</th><th class=\"left\">before</th><th class=\"left\">after"
	      "</th><th>cores before</th><th>after</th></tr></thead><tbody>\n",
		f);
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_compared_cause *x = &c->cause[i];

		if (x->fate == SD_FATE_NEVER)
			continue;
		fprintf(f,
			"<tr data-fate=\"%s\"><td>%s</td><td class=\"left\">%s</td>"
			"<td class=\"left\">%s</td><td class=\"left\">%s</td>",
			sd_fate_name[x->fate], sd_cause_info[x->cause].label,
			sd_comparison_fate(x->fate), sd_verdict_label[x->before],
			sd_verdict_label[x->after]);
		sd_html_cell(f, x->cores_before, 2, 1, 2, "");
		sd_html_cell(f, x->cores_after, 2, 1, 2, "");
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table></div>\n"
	      "<p class=\"soft\">Causes that neither record names are left out.</p>\n",
		f);
}

static int put_data(FILE *f, const struct sd_comparison *c, const struct sd_sides *s)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const memory = open_memstream(&text, &size);
	int rc = memory ? sd_comparison_json(memory, c, s) : -ENOMEM;

	if (memory && fclose(memory) != 0)
		rc = -ENOMEM;
	if (!rc)
		sd_html_json(f, text);
	free(text);
	return rc;
}

int sd_comparison_html(FILE *f, const struct sd_comparison *c, const struct sd_sides *s)
{
	char *const sentence = sd_comparison_sentence(c), *const moved = sd_comparison_moved(c);
	const size_t n = c->n_point;
	int rc;

	sd_html_head(f, s->after);
	sd_html_around(f,
		"<header><div class=\"bar\"><button id=\"theme\" type=\"button\" hidden>light or dark"
		"</button></div><h1>scalediag</h1><p class=\"soft code\">",
		s->before, ", then ");
	sd_html_text(f, s->after);
	fprintf(f, "</p></header>\n<main>\n<p class=\"answer %s\">",
		n && c->point[n - 1].time == SD_CHANGE_LESS   ? "good"
		: n && c->point[n - 1].time == SD_CHANGE_MORE ? "bad"
							      : "");
	sd_html_text(f, sentence);
	sd_html_around(f, "</p>\n<p class=\"main-cause\">", moved, "</p>\n");
	free(sentence);
	free(moved);
	fputs("<div class=\"grid\">\n", f);
	sd_html_chart(f, "times", "Time before and after");
	sd_html_chart(
		f, "sides", "Where the core-seconds went: before on the left, after on the right");
	fputs("</div>\n", f);
	put_points(f, c);
	if (n)
		put_parts(f, &c->point[n - 1]);
	put_causes(f, c);
	for (size_t i = 0; i < c->warnings.n; i++) {
		sd_html_around(f, "<p class=\"warning\">", c->warnings.text[i], "</p>\n");
	}
	sd_html_scripts(f);
	rc = put_data(f, c, s);
	sd_html_end(f);
	return rc ? rc : fflush(f) != 0 || ferror(f) ? -EIO : 0;
}
