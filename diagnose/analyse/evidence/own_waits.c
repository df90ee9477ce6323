#include "evidence/own_waits.h"

#include <errno.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "case/cause_weights.h"
#include "evidence/stack_shares.h"
#include "hotspots/top_functions.h"

#define MOST                                                                                      \
	.5 /* of the loss, and of the waits in one function: it is what a reader is to know first \
	    */

/* Every name has this. */
static const char *const any[] = {"", NULL};

static void find_place(struct sd_case *c)
{
	const struct sd_code_places *const p = &c->spread->places;
	double *const weight = calloc(p->n_spot + 1, sizeof *weight), all;
	struct sd_where *where = NULL;
	size_t n = 0;

	if (!weight) {
		c->rc = -ENOMEM;
		return;
	}
	if (sd_stack_shares_seconds(c, SD_ACTIVITY_SLEEP, any, &all, weight) > 0)
		c->rc |= sd_top_functions(p, weight, 0, MOST, 1, &where, &n);
	if (n)
		c->a->own_wait_at = where[0];
	free(where);
	free(weight);
}

void sd_own_waits_find(struct sd_case *c)
{
	static const enum sd_component own[] = {SD_COMPONENT_SLEEP, SD_COMPONENT_NETWORK};
	const struct sd_interval e = c->a->point[c->a->n_point - 1].efficiency;
	struct sd_analysis *const a = c->a;

	a->own_wait = (struct sd_interval){.status = SD_STATUS_ABSENT};
	if (c->ref == c->last || !sd_status_bounded(e) || !(e.value < 1 - SD_CASE_GATE))
		return;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		const unsigned long set = 1ul << own[i] & c->loss->components;
		struct sd_interval v = {.status = SD_STATUS_ABSENT};

		if (set)
			v = sd_statistics_widen_part(
				sd_cause_weights_added(c, set), c->loss->runs, 1);
		if (!sd_status_bounded(v) || v.low < SD_CASE_GATE ||
			!(v.value >= MOST * (1 - e.value)))
			continue;
		a->own_wait_of = own[i];
		a->own_wait = (struct sd_interval){v.value * c->loss->n, v.low * c->loss->n,
			v.high * c->loss->n, SD_STATUS_OK};
	}
	if (sd_status_measured(a->own_wait) && a->own_wait_of == SD_COMPONENT_SLEEP &&
		c->spread->now)
		find_place(c);
}
