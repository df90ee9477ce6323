#include "html/html_sections.h"
#include "page/interval_text.h"

static void put_texts(FILE *f, const struct sd_texts *t)
{
	fputs("<td class=\"wrap\">", f);
	for (size_t i = 0; i < t->n; i++) {
		fputs(i ? "<br>" : "", f);
		sd_html_text(f, t->text[i]);
	}
	fputs("</td>", f);
}

/* No advice here: most of these are not the program's. */
static void put_cause(FILE *f, const struct sd_finding *x, const struct sd_point *p)
{
	const int known = sd_interval_text_has(x->cores);

	fprintf(f,
		"<tr data-cause=\"%s\" data-verdict=\"%s\"><td>%s</td><td class=\"left\">%s</td>",
		sd_cause_info[x->cause].name, sd_verdict_name[x->verdict],
		sd_cause_info[x->cause].label, sd_verdict_label[x->verdict]);
	if (known)
		sd_html_cell(f, x->cores, p->runs, 1, 2, "");
	else
		fputs("<td class=\"soft\">unknown</td>", f);
	put_texts(f, &x->evidence);
	sd_html_around(f, "<td class=\"wrap\">", x->next ? x->next : "", "</td></tr>\n");
}

void sd_html_causes(FILE *f, const struct sd_analysis *a)
{
	const struct sd_point *const p = &a->point[a->n_point - 1];

	fprintf(f,
		"<details id=\"all-causes\"><summary>All %d causes, with those that are ruled out or "
		"cannot be measured here</summary><div class=\"scroll\"><table><thead><tr>"
		"<th>cause</th><th class=\"left\">verdict</th><th>cores of %u</th><th "
		"class=\"left\">evidence</th><th class=\"left\">what would decide it</th></tr>"
		"</thead><tbody>\n",
		(int)SD_CAUSE_COUNT, p->n);
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		put_cause(f, &a->finding[i], p);
	fputs("</tbody></table></div></details>\n", f);
}
