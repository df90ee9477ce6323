#include <math.h>

#include "html/html_sections.h"
#include "page/interval_text.h"
#include "view/view.h"
#include "view/view_family.h"
#include "view/view_parts.h"

/* Printed at any count? */
static int is_seen(const struct sd_analysis *a, int k)
{
	for (size_t i = 0; i < a->n_point; i++)
		if (sd_status_measured(a->point[i].stack[k]) &&
			fabs(a->point[i].stack[k].value) >= .005)
			return 1;
	return 0;
}

/* A cell in % of all cores; the colour is of the family, as dense as the share. */
static void put_share(FILE *f, const struct sd_point *p, struct sd_interval c)
{
	char low[32], high[32], number[32];

	if (!sd_status_measured(c) || p->n == 0) {
		fputs("<td class=\"soft\">-</td>", f);
		return;
	}
	sd_interval_text_number(number, sizeof number, 100 * c.value / p->n, 0);
	fprintf(f, "<td class=\"share\" style=\"--part:%.0f%%\" title=\"%.2f of %u cores",
		fmin(100, fabs(100 * c.value / p->n)), c.value, p->n);
	if (p->runs > 1 && sd_status_bounded(c)) {
		sd_interval_text_number(low, sizeof low, c.low, 2);
		sd_interval_text_number(high, sizeof high, c.high, 2);
		fprintf(f, ", 95 %%: %s to %s", low, high);
	}
	fprintf(f, "\">%s</td>", number);
}

static const struct sd_view_row *row_of(const struct sd_view *v, enum sd_component k)
{
	for (size_t i = 0; i < v->n_row; i++)
		if (v->row[i].component == k)
			return &v->row[i];
	return NULL;
}

static void put_heat_row(FILE *f, const struct sd_view *v, enum sd_component k)
{
	const struct sd_component_info *const info = &sd_component_info[k];
	const struct sd_view_row *const row = row_of(v, k);
	const char *const label = sd_view_label(v->r, v->a, k);

	fprintf(f,
		"<tr class=\"family-%s\" data-component=\"%s\" data-label=\"%s\" "
		"data-family=\"%s\"><td>%s",
		sd_view_family(k), info->name, label, sd_view_family(k), label);
	if (row && row->cause)
		fprintf(f, " <span class=\"number\">cause %u</span>", row->cause);
	fputs("</td>", f);
	for (size_t i = 0; i < v->a->n_point; i++)
		put_share(f, &v->a->point[i],
			row && i + 1 == v->a->n_point ? row->cores : v->a->point[i].stack[k]);
	fputs("</tr>\n", f);
}

void sd_html_heat(FILE *f, const struct sd_view *v)
{
	const struct sd_analysis *const a = v->a;

	fputs("<h2 id=\"heat-components\">Where the time of the cores goes</h2>\n<p "
	      "class=\"soft\">In % of all cores; rest the pointer on a cell for cores and "
	      "interval.</p><div class=\"grid\"><div class=\"scroll\" tabindex=\"0\"><table class=\"shares\">"
	      "<thead><tr><th>cores</th>",
		f);
	for (size_t i = 0; i < a->n_point; i++)
		fprintf(f, "<th>%u</th>", a->point[i].cores);
	fputs("</tr></thead><tbody>\n", f);
	/* in the order of the first screen, then what is small there or only smaller counts had */
	for (size_t i = 0; i < v->n_row; i++)
		if (v->row[i].component != SD_COMPONENT_COUNT)
			put_heat_row(f, v, v->row[i].component);
	for (int k = 0; k < SD_COMPONENT_COUNT; k++)
		if (!row_of(v, (enum sd_component)k) && is_seen(a, k))
			put_heat_row(f, v, (enum sd_component)k);
	fputs("</tbody></table></div>\n", f);
	if (a->n_point > 1)
		sd_html_chart(f, "stack", "The same in cores");
	fputs("</div>\n", f);
}
