#include "html/html_sections.h"

#include <stdlib.h>

#include "page/short_names.h"

#define NAME 80u /* columns of a place */

static void put_head(FILE *f, const struct sd_event_hotspots *h)
{
	fprintf(f,
		"<h2 id=\"events\">Hotspots by events at %u cores</h2>\n<p class=\"soft\">Samples by the "
		"counters' events, of user code only, in a run of its own: each function's share of a "
		"metric's events, and its own metric.</p>\n"
		"<div class=\"scroll\"><table><thead><tr><th class=\"left\">function</th>",
		h->cores);
	for (size_t m = 0; m < h->n_metric; m++) {
		sd_html_around(f, "<th title=\"", h->metric[m].meaning, "\">");
		sd_html_text(f, h->metric[m].name);
		fprintf(f, "%s</th>", h->metric[m].precise ? "" : " *");
	}
	fputs("</tr></thead><tbody>\n", f);
}

static void put_cell(FILE *f, const struct sd_event_metric *m, const struct sd_event_cell *c)
{
	fprintf(f, "<td>%.0f %%", 100 * c->share);
	if (sd_status_measured(c->metric)) {
		fprintf(f, "<br>%.3g ", c->metric.value);
		sd_html_text(f, m->unit);
		fputs(c->over ? "<br><b>past its threshold</b>" : "", f);
	}
	fputs("</td>", f);
}

static void put_row(FILE *f, const struct sd_event_hotspots *h, const struct sd_event_row *r)
{
	char *const name = sd_name_place(r->at, NAME);

	fputs("<tr><td class=\"left\">", f);
	if (name)
		sd_html_text(f, name);
	fputs("</td>", f);
	free(name);
	for (size_t m = 0; m < h->n_metric; m++)
		put_cell(f, &h->metric[m], &r->cell[m]);
	fputs("</tr>\n", f);
}

void sd_html_events(FILE *f, const struct sd_analysis *a)
{
	const struct sd_event_hotspots *const h = &a->events;
	int late = 0;

	if (h->n_row == 0)
		return;
	put_head(f, h);
	for (size_t i = 0; i < h->n_row; i++)
		put_row(f, h, &h->row[i]);
	fputs("</tbody></table></div>\n", f);
	for (size_t m = 0; m < h->n_metric; m++)
		late |= !h->metric[m].precise;
	if (late)
		fputs("<p class=\"soft\">* not precise: samples stand some instructions behind their "
		      "events (skid), and those shortly before a system call or an interrupt are "
		      "missing.</p>\n",
			f);
	if (*h->why) {
		sd_html_around(f, "<p class=\"soft\">", h->why, "</p>\n");
	}
}
