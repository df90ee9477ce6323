#include "text/sections.h"

#include <stdio.h>
#include <stdlib.h>

#include "page/sanitize.h"
#include "page/short_names.h"

#define SHOWN .005 /* share of the time */
#define BAR 20

static void put_row(struct sd_page *p, const char *head, double share, const char *tail)
{
	unsigned drawn;

	sd_page_cell(p, SD_TONE_PLAIN, head, 24, 0);
	sd_page_put(p, SD_TONE_PLAIN, "%5.1f %%  ", 100 * share);
	drawn = sd_page_bar(p, share, BAR, 0);
	if (*tail)
		sd_page_put(p, SD_TONE_PLAIN, "%*s  %s", drawn < BAR ? (int)(BAR - drawn) : 0, "",
			tail);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

static void put_together(struct sd_page *p, const struct sd_busiest_threads *t)
{
	char head[48];

	sd_page_put(p, SD_TONE_BOLD, "Threads at a time");
	sd_page_put(p, SD_TONE_DIM, " (on a CPU or ready, share of the time, by %s)\n",
		t->by_switches ? "context switches" : "looking at thread states");
	for (size_t k = 0; k < t->n_together; k++) {
		if (t->together[k] < SHOWN)
			continue;
		snprintf(head, sizeof head, "  %9zu thread%s", k, k == 1 ? "" : "s");
		put_row(p, head, t->together[k], "");
		for (size_t i = 0; k == 1 && i < t->n_alone; i++) {
			char *name =
				sd_name_place(&t->alone[i], p->width > 44 ? p->width - 34 : 10);

			p->failed |= !name;
			if (name)
				sd_page_wrap(p, "    then in  ", 15, "%s, %.0f %%", name,
					100 * t->alone[i].share);
			free(name);
		}
	}
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

static void put_threads(struct sd_page *p, const struct sd_busiest_threads *t)
{
	char head[64], tail[128], stage[64];

	sd_page_put(p, SD_TONE_BOLD, "Critical path by thread");
	sd_page_put(p, SD_TONE_DIM, " (one run; share of the time, and threads at once)\n");
	for (size_t i = 0; i < t->n_row; i++) {
		char *name;

		if (t->row[i].share < SHOWN)
			continue;
		name = sd_sanitize(t->row[i].name);
		p->failed |= !name;
		snprintf(head, sizeof head, "  %7d %.14s", t->row[i].tid, name ? name : "");
		snprintf(
			stage, sizeof stage, ", stage %u of %u", t->row[i].stage, t->row[i].stages);
		snprintf(tail, sizeof tail, "%.3f s, %.1f threads%s", t->row[i].height_s,
			t->row[i].width, t->row[i].stages ? stage : "");
		put_row(p, head, t->row[i].share, tail);
		free(name);
	}
	if (t->n_seen > t->n_row)
		sd_page_wrap_tone(p, SD_TONE_DIM, "  ", 4, "%zu more threads, each with less",
			t->n_seen - t->n_row);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

void sd_section_threads(
	struct sd_page *p, const struct sd_analysis *a, const struct sd_report_style *s)
{
	if (!s || !s->all)
		return;
	if (a->threads.n_together)
		put_together(p, &a->threads);
	if (a->threads.n_row)
		put_threads(p, &a->threads);
}
