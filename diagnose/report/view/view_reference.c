/* Waste of the reference, where more cores are more than so many times as fast. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "page/interval_text.h"
#include "page/short_names.h"
#include "view/view_parts.h"

#define PLACE 60 /* columns */

/* "user" of "user time": what the costs of a function are called in a sentence. */
static const char *const time_of[SD_COST_COUNT] = {
	[SD_COST_GROWTH] = "user time",
	[SD_COST_KERNEL] = "kernel time",
	[SD_COST_SPINNING] = "spinning",
	[SD_COST_LOCK] = "waiting for locks",
	[SD_COST_IMBALANCE] = "waiting for slower threads",
	[SD_COST_SERIAL] = "one thread alone",
	[SD_COST_WAITS] = "waiting",
};

/* The function that surely took most from the reference; NULL: none took what matters. */
static const struct sd_loss_row *most_gained(const struct sd_analysis *a, unsigned n)
{
	const struct sd_loss_row *best = NULL;

	for (size_t i = 0; i < a->losses.n_row; i++) {
		const struct sd_loss_row *const r = &a->losses.row[i];

		if (r->own && sd_status_measured(r->total) && r->total.high < 0 &&
			-r->total.value >= SD_VIEW_LEAST * n &&
			(!best || r->total.value < best->total.value))
			best = r;
	}
	return best;
}

int sd_view_reference(struct sd_view *v)
{
	const struct sd_analysis *const a = v->a;
	const struct sd_point *const ref = &a->point[0], *const last = &a->point[a->n_point - 1];
	const struct sd_loss_row *const row = most_gained(a, last->n);
	enum sd_cost cost = 0;
	char *place;
	int n;

	if (a->n_point < 2 || !row || !sd_status_measured(last->efficiency) ||
		last->efficiency.low <= 1)
		return 0;
	for (int k = 1; k < SD_COST_COUNT; k++)
		if (row->cost[k] < row->cost[cost])
			cost = (enum sd_cost)k;
	place = sd_name_place(&row->at, PLACE);
	n = place ? asprintf(&v->wasted,
			    "At %u core%s %s costs more than at %u: %s worth %.2f of %u cores. "
			    "Ask first why: the speedup is that of a reference that spends it.",
			    ref->cores, ref->cores == 1 ? "" : "s", place, last->cores,
			    time_of[cost], -row->total.value, last->n)
		  : -1;
	free(place);
	if (n < 0)
		v->wasted = NULL;
	return n < 0 ? -ENOMEM : 0;
}
