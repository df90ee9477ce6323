#include "native/known_code.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"

#define ONE                                                                                       \
	(UINT64_C(1) << 32) /* the upper half of a value counts touches, the lower those that met \
			     */

/* Adds the touches by each operand of the plans, of which first[plan] is the first one's number. */
static void count(const struct sd_native_watch *w, const size_t *first, uint64_t *of)
{
	for (size_t i = 0; i < w->touches.n; i++) {
		const struct sd_touch *const e = &w->touches.touch[i];

		of[first[w->touches.sample[e->sample].plan] + e->operand] +=
			ONE + (e->met != SD_TOUCH_ALONE);
	}
}

/* Adds them up by instruction: plans of neighbours have the same ones. */
static int fold(struct sd_known_code *k, const struct sd_native_watch *w, const size_t *first,
	const uint64_t *of)
{
	for (size_t i = 0; i < w->plans.n; i++) {
		const struct sd_code_plan *const code = &w->plans.code[i];

		for (unsigned j = 0; code->plan && j < code->plan->n; j++) {
			uint64_t *const slot = of[first[i] + j]
						       ? sd_key_table_add(&k->by, code->space,
								 code->plan->operand[j].ip)
						       : NULL;

			if (!slot && of[first[i] + j])
				return -ENOMEM;
			if (slot)
				*slot += of[first[i] + j];
		}
	}
	return 0;
}

int sd_known_code_make(struct sd_known_code *k, const struct sd_native_watch *w)
{
	size_t *const first = calloc(w->plans.n + 1, sizeof *first);
	uint64_t *of = NULL;
	size_t n = 0;
	int rc = -ENOMEM;

	for (size_t i = 0; first && i < w->plans.n; i++) {
		first[i] = n;
		n += w->plans.code[i].plan ? w->plans.code[i].plan->n : 0;
	}
	if (first)
		of = calloc(n + 1, sizeof *of);
	if (of) {
		count(w, first, of);
		rc = fold(k, w, first, of);
	}
	free(first);
	free(of);
	return rc;
}

static double open_at(const struct sd_known_code *k, uint64_t space, uint64_t ip)
{
	const uint64_t *const slot = sd_key_table_find(&k->by, space, ip);

	return slot ? sd_statistics_share((double)(*slot % ONE), (double)(*slot / ONE)).high : 1;
}

double sd_known_code_open(const struct sd_known_code *k, const struct sd_native_watch *w,
	const struct sd_touch_sample *s)
{
	const struct sd_code_plan *const code = &w->plans.code[s->plan];
	double open = 0;

	if (s->unknown == SD_TOUCH_UNSEEN || !code->plan)
		return s->unknown ? 1 : 0;
	for (uint64_t left = s->unknown; left; left &= left - 1)
		open = fmax(open,
			open_at(k, code->space, code->plan->operand[__builtin_ctzll(left)].ip));
	return open;
}

void sd_known_code_free(struct sd_known_code *k)
{
	sd_key_table_free(&k->by);
}
