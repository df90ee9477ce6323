#include "html/html_sections.h"
#include "text/sections.h"
#include "page/interval_text.h"

void sd_html_place(FILE *f, const struct sd_where *w)
{
	fputs("<span class=\"code\">", f);
	sd_html_text(f, w->function ? w->function : "unknown function");
	fputs("</span>", f);
	if (w->file) {
		fputs(" <span class=\"soft code\">", f);
		sd_html_text(f, w->file);
		if (w->line)
			fprintf(f, ":%u", w->line);
		fputs("</span>", f);
	}
}

static void put_item(FILE *f, const char *term, const char *text)
{
	fprintf(f, "<dt>%s</dt><dd>", term);
	sd_html_text(f, text);
	fputs("</dd>", f);
}

static void put_details(FILE *f, const struct sd_finding *x, const struct sd_point *p)
{
	char bounds[128];

	fputs("<dl>", f);
	for (size_t i = 0; i < x->n_where; i++) {
		fprintf(f, "<dt>%s</dt><dd>", i ? "" : "where");
		sd_html_place(f, &x->where[i]);
		fprintf(f, ", %.0f %% of it</dd>", 100 * x->where[i].share);
	}
	for (size_t i = 0; i < x->advice.n; i++)
		put_item(f, i ? "" : "do", x->advice.text[i]);
	if (sd_interval_text_has(x->worth)) {
		sd_interval_text_bounds(bounds, sizeof bounds, x->worth, 2);
		fprintf(f, "<dt>worth</dt><dd>%s times as fast at %u cores</dd>", bounds, p->cores);
	}
	if (x->next)
		put_item(f, "next", x->next);
	fputs("</dl>", f);
}

static void put_card(FILE *f, const struct sd_finding *x, const struct sd_point *p)
{
	char bounds[128];

	fprintf(f,
		"<article class=\"card\" data-cause=\"%s\" data-verdict=\"%s\"><h3>%s "
		"<span class=\"verdict %s\">%s</span></h3>\n",
		sd_cause_info[x->cause].name, sd_verdict_name[x->verdict],
		sd_cause_info[x->cause].label, x->verdict == SD_VERDICT_POSSIBLE ? "doubt" : "bad",
		sd_verdict_name[x->verdict]);
	if (sd_interval_text_has(x->cores)) {
		sd_interval_text_bounds(bounds, sizeof bounds, x->cores, 2);
		fprintf(f, "<p>%s of %u cores</p>", bounds, p->n);
	}
	fputs("<ul>", f);
	for (size_t i = 0; i < x->evidence.n; i++) {
		fputs("<li>", f);
		sd_html_text(f, x->evidence.text[i]);
		fputs("</li>\n", f);
	}
	fputs("</ul>", f);
	put_details(f, x, p);
	fputs("</article>\n", f);
}

static void put_undecided(FILE *f, const struct sd_analysis *a, const struct sd_point *p)
{
	const struct sd_interval growth = sd_section_growth(a);
	char half[48];

	if (!sd_section_undecided(a))
		return;
	sd_interval_text_half(half, sizeof half, growth, p->runs, 1, 2);
	fprintf(f,
		"<p class=\"warning\">Undecided: %.2f (±%s) of %u cores. The program's own time grows with the cores, by shared hardware or by sharing data; these runs alone cannot tell which.</p>\n",
		growth.value, half, p->n);
}

static void put_ruled_out(FILE *f, const struct sd_analysis *a)
{
	int any = 0;

	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (a->finding[i].verdict == SD_VERDICT_RULED_OUT)
			fprintf(f, "%s%s", any++ ? ", " : "<p>Ruled out: ",
				sd_cause_info[a->finding[i].cause].label);
	fputs(any ? ".</p>\n" : "", f);
}

static void put_unmeasurable(FILE *f, const struct sd_analysis *a)
{
	int any = 0;

	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_finding *x = &a->finding[i];

		if (x->verdict != SD_VERDICT_NOT_MEASURABLE)
			continue;
		if (!any++)
			fputs("<details><summary>Not measurable here</summary><div "
			      "class=\"scroll\">"
			      "<table><tbody>\n",
				f);
		fprintf(f, "<tr><td>%s</td><td class=\"wrap\">", sd_cause_info[x->cause].label);
		sd_html_text(f, x->evidence.n ? x->evidence.text[0] : "");
		for (size_t k = x->named; x->named && k < x->evidence.n; k++) {
			fputs("<br>", f);
			sd_html_text(f, x->evidence.text[k]);
		}
		fputs("</td><td class=\"wrap\">", f);
		sd_html_text(f, x->next);
		fputs("</td></tr>\n", f);
	}
	fputs(any ? "</tbody></table></div></details>\n" : "", f);
}

void sd_html_findings(FILE *f, const struct sd_analysis *a)
{
	const struct sd_point *p = &a->point[a->n_point - 1];
	int said = 0;

	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		if (a->finding[i].verdict > SD_VERDICT_POSSIBLE)
			continue;
		if (!said && sd_section_undecided_before(a, &a->finding[i])) {
			put_undecided(f, a, p);
			said = 1;
		}
		put_card(f, &a->finding[i], p);
	}
	if (!said)
		put_undecided(f, a, p);
	put_ruled_out(f, a);
	put_unmeasurable(f, a);
}
