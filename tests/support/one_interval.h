/*
 * A cost has one interval wherever a report prints it.
 */
#ifndef ONE_INTERVAL_H
#define ONE_INTERVAL_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "page/interval_text.h"
#include "view/view.h"

static int prints_alike(double x, double y)
{
	char one[32], other[32];

	sd_interval_text_number(one, sizeof one, x, 2);
	sd_interval_text_number(other, sizeof other, y, 2);
	return strcmp(one, other) == 0;
}

/* Does a sentence of evidence begin with the cause's own amount, and another interval? */
static int has_other_interval(const struct sd_finding *f)
{
	for (size_t i = 0; i < f->evidence.n; i++) {
		double value, low, high;
		unsigned n;

		if (sscanf(f->evidence.text[i], "%lf of %u cores (95 %%: %lf to %lf)", &value, &n,
			    &low, &high) == 4 &&
			prints_alike(value, f->cores.value) &&
			!(prints_alike(low, f->cores.low) && prints_alike(high, f->cores.high)))
			return 1;
	}
	return 0;
}

/* A cost has one interval, in the stack, its title and its evidence; and the rows sum to N. */
static void one_interval_must_hold(const char *name, const struct sd_view *v)
{
	const unsigned n = v->a->point[v->a->n_point - 1].n;
	double sum = 0;

	for (size_t i = 0; i < v->n_row; i++) {
		const struct sd_view_row *const r = &v->row[i];
		const struct sd_finding *const f = r->cause ? v->cause[r->cause - 1].of : NULL;

		sum += r->cores.value;
		if (f && sd_status_measured(f->cores) &&
			prints_alike(r->cores.value, f->cores.value) &&
			!(prints_alike(r->cores.low, f->cores.low) &&
				prints_alike(r->cores.high, f->cores.high)))
			fail_msg("%s: %s: the row and the cause differ", name, r->label);
	}
	if (v->n_row && fabs(sum - n) > .005 * (double)v->n_row)
		fail_msg("%s: rows sum to %g of %u cores", name, sum, n);
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (sd_status_measured(v->a->finding[i].cores) &&
			has_other_interval(&v->a->finding[i]))
			fail_msg("%s: %s has two intervals", name,
				sd_cause_info[v->a->finding[i].cause].name);
}

#endif
