#include "text/sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/short_names.h"

#define SHOWN_MOST 5u     /* functions of the default report */
#define SHOWN_SHARE .0995 /* of a metric's events, that one is named for: prints as 10 % */

/* "hitm-per-1000 31 1/1000 instructions, past its threshold (99 % of it)" */
static void put_cell(
	struct sd_page *p, const struct sd_event_metric *m, const struct sd_event_cell *c)
{
	char value[96] = "";

	if (sd_status_measured(c->metric))
		snprintf(value, sizeof value, " %.3g %s%s", c->metric.value, m->unit,
			c->over ? ", past its threshold" : "");
	sd_page_wrap(
		p, "        ", 10, "%s%s: %.0f %% of its events", m->name, value, 100 * c->share);
}

static void put_row(
	struct sd_page *p, const struct sd_event_hotspots *h, const struct sd_event_row *r)
{
	char *const name = sd_name_place(r->at, p->width > 24 ? p->width - 12 : 12);

	p->failed |= !name;
	if (!name)
		return;
	sd_page_put(p, SD_TONE_PLAIN, "    %s\n", name);
	free(name);
	for (size_t m = 0; m < h->n_metric; m++)
		if (r->cell[m].share >= SHOWN_SHARE || r->cell[m].over)
			put_cell(p, &h->metric[m], &r->cell[m]);
}

/* Puts where samples are late, and what they do not see. */
static void put_limits(struct sd_page *p, const struct sd_event_hotspots *h)
{
	char late[256] = "";
	size_t used = 0, n = 0;

	for (size_t m = 0; m < h->n_metric && used < sizeof late; m++)
		if (!h->metric[m].precise) {
			used += (size_t)snprintf(late + used, sizeof late - used, "%s%s",
				n ? ", " : "", h->metric[m].name);
			n++;
		}
	if (n == h->n_metric)
		snprintf(late, sizeof late, "all");
	sd_page_wrap_tone(p, SD_TONE_DIM, "    ", 6,
		"Samples by events, of user code only, in a run of its own.%s%s%s%s%s",
		n ? " Not precise: " : " All are precise.", late,
		n ? ". Those stand some instructions behind their events (skid), so that the line "
		    "may be one of the next, and events shortly before a system call or an "
		    "interrupt, which holds the counters' interrupt off, are missing."
		  : "",
		*h->why ? " " : "", h->why);
}

void sd_section_events(
	struct sd_page *p, const struct sd_analysis *a, const struct sd_report_style *s)
{
	const struct sd_event_hotspots *const h = &a->events;
	const size_t most = s && s->all ? h->n_row : SHOWN_MOST;

	if (h->n_row == 0)
		return;
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	sd_page_wrap_tone(p, SD_TONE_BOLD, "", 2,
		"Hotspots by events at %u cores, and their metrics", h->cores);
	for (size_t i = 0; i < h->n_row && i < most; i++)
		put_row(p, h, &h->row[i]);
	if (h->n_row > most)
		sd_page_wrap_tone(
			p, SD_TONE_DIM, "    ", 6, "and %zu more: --long", h->n_row - most);
	put_limits(p, h);
}
