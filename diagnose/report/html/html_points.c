#include "html/html_sections.h"
#include "page/markup.h"
#include "page/interval_text.h"

void sd_html_text(FILE *f, const char *text)
{
	sd_markup_xml(f, text);
}

void sd_html_cell(
	FILE *f, struct sd_interval v, size_t runs, double factor, int decimals, const char *unit)
{
	char number[48], half[48], low[48], high[48];

	if (!sd_interval_text_has(v)) {
		fprintf(f, "<td class=\"soft\">%s</td>", sd_status_name(v.status));
		return;
	}
	sd_interval_text_number(number, sizeof number, factor * v.value, decimals);
	if (runs == 0) {
		fprintf(f, "<td>%s%s</td>", number, unit);
		return;
	}
	if (runs < 2 || !sd_status_bounded(v)) {
		fprintf(f,
			"<td title=\"one run: no interval\">%s%s <span "
			"class=\"soft\">±?</span></td>",
			number, unit);
		return;
	}
	sd_interval_text_half(half, sizeof half, v, runs, factor, decimals);
	sd_interval_text_number(low, sizeof low, factor * v.low, decimals + 1);
	sd_interval_text_number(high, sizeof high, factor * v.high, decimals + 1);
	fprintf(f, "<td title=\"95 %%: %s to %s\">%s%s <span class=\"soft\">±%s</span></td>", low,
		high, number, unit, half);
}

void sd_html_points(FILE *f, const struct sd_analysis *a)
{
	const int decimals = sd_interval_text_decimals(a);

	fprintf(f,
		"<div class=\"scroll tall\" tabindex=\"0\"><table><thead><tr><th>cores</th><th>%s"
		"</th><th>speedup</th>"
		"<th>efficiency</th><th>active cores</th><th>runs</th></tr></thead><tbody>\n",
		a->work > 0 ? "work/s" : "wall s");
	for (size_t i = 0; i < a->n_point; i++) {
		const struct sd_point *p = &a->point[i];

		fprintf(f, "<tr><td>%u</td>", p->cores);
		sd_html_cell(f, sd_interval_text_amount(a, p), p->runs, 1, decimals, "");
		sd_html_cell(f, p->speedup, i ? p->runs : 0, 1, 2, "");
		sd_html_cell(f, p->efficiency, i ? p->runs : 0, 100, 0, " %");
		sd_html_cell(f, p->parallelism, p->runs, 1, 2, "");
		fprintf(f, "<td>%zu</td></tr>\n", p->runs);
	}
	fputs("</tbody></table></div>\n", f);
}
