#include "html/html_sections.h"
#include "page/interval_text.h"

static void put_count(FILE *f, const struct sd_predicted *p)
{
	char low[48], high[48];

	fprintf(f, "<tr><td>%u</td>", p->cores);
	if (p->refused) {
		fputs("<td class=\"soft\">", f);
		sd_html_text(f, p->refused);
	} else {
		sd_interval_text_number(low, sizeof low, p->speedup.low, 2);
		sd_interval_text_number(high, sizeof high, p->speedup.high, 2);
		fprintf(f, "<td>%s to %s%s", low, high,
			p->beyond ? " <span class=\"soft\">as if there were more of the same "
				    "CPUs</span>"
				  : "");
	}
	fputs("</td></tr>\n", f);
}

void sd_html_outlook(FILE *f, const struct sd_analysis *a)
{
	const struct sd_outlook *o = &a->outlook;

	if (!o->n_count)
		return;
	fputs("<details><summary>Counts that were not measured</summary><table><thead><tr><th>"
	      "cores</th><th>speedup</th></tr></thead><tbody>\n",
		f);
	for (size_t i = 0; i < o->n_count; i++)
		put_count(f, &o->count[i]);
	fputs("</tbody></table>\n<ul>", f);
	for (size_t i = 0; i < o->basis.n; i++) {
		sd_html_around(f, "<li>", o->basis.text[i], "</li>");
	}
	fputs("</ul></details>\n", f);
}
