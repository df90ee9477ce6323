#include "text/sections.h"

#include <stdio.h>
#include <stdlib.h>

#include "page/short_names.h"
#include "page/interval_text.h"

#define ROWS 4u /* of the default report */
#define SHOWN 0.005
#define WIDE 78u /* columns for all of a lock's numbers */

static void put_percent(struct sd_page *p, struct sd_value v, size_t columns)
{
	char text[32] = "";

	if (sd_has(v))
		snprintf(text, sizeof text, "%.0f %%", 100 * v.value);
	sd_page_cell(p, SD_TONE_PLAIN, text, columns, 1);
}

static void put_number(struct sd_page *p, double v, int decimals, size_t columns)
{
	char text[32];

	sd_interval_text_number(text, sizeof text, v, decimals);
	sd_page_cell(p, SD_TONE_PLAIN, text, columns, 1);
}

static void put_places(
	struct sd_page *p, const char *head, const struct sd_where *w, size_t n, size_t most)
{
	for (size_t i = 0; i < n && i < most; i++) {
		char *name = sd_name_place(&w[i], p->width > 44 ? p->width - 34 : 10);

		p->failed |= !name;
		if (name)
			sd_page_wrap(p, i ? "            " : head, 12, "%s, %.0f %%", name,
				100 * w[i].share);
		free(name);
	}
}

static void put_lock(struct sd_page *p, const struct sd_lock_row *l, size_t runs, int all)
{
	char half[32];

	put_number(p, l->waits, 0, 9);
	put_number(p, l->wait_s, 3, 10);
	put_number(p, 1e3 * l->longest_s, 1, 12);
	put_number(p, l->cores.value, 2, 7);
	sd_interval_text_half(half, sizeof half, l->cores, runs, 1, 2);
	sd_page_cell(p, SD_TONE_DIM, half, 6, 1);
	if (p->width >= WIDE) {
		put_percent(p, l->conflict, 10);
		put_percent(p, l->busy, 7);
	}
	sd_page_wrap(p, "  ", 4, "%s", l->kind);
	sd_page_wrap(p, "    ", 6, "%s", l->name ? l->name : "a lock without a name");
	put_places(p, "    holder  ", l->holder, l->n_holder, all ? l->n_holder : 2);
	put_places(p, "    waiter  ", l->waiter, l->n_waiter, all ? l->n_waiter : 1);
}

void sd_section_locks(
	struct sd_page *p, const struct sd_analysis *a, const struct sd_report_style *s)
{
	const struct sd_point *pt = &a->point[a->n_point - 1];
	const int all = s && s->all;
	size_t n = 0;

	for (size_t i = 0; i < a->n_lock && (all || n < ROWS); i++) {
		if (!all && a->lock[i].cores.value < SHOWN)
			break;
		if (n++ == 0) {
			sd_page_put(p, SD_TONE_BOLD, "Locks that threads waited for");
			sd_page_put(p, SD_TONE_DIM, " (a run at %u cores%s)\n", pt->cores,
				a->sampling.unwatched > 0
					? "; estimated, and the longest of what was seen"
					: "");
			sd_page_put(p, SD_TONE_DIM, "    waits  waited s  longest ms  cores     ±");
			sd_page_put(p, SD_TONE_DIM, "%s  kind\n",
				p->width >= WIDE ? " contended   util" : "");
		}
		put_lock(p, &a->lock[i], pt->runs, all);
	}
	if (n > 0 && a->n_lock_seen > n)
		sd_page_wrap_tone(p, SD_TONE_DIM, "  ", 4,
			"%zu more locks were waited for, each for less", a->n_lock_seen - n);
	if (n > 0)
		sd_page_put(p, SD_TONE_PLAIN, "\n");
}
