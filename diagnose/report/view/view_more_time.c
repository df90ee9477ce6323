#include <stdio.h>
#include <stdlib.h>

#include "page/interval_text.h"
#include "view/view_parts.h"
#include "page/page.h"

#define MOST 3 /* causes named */

static const struct sd_point *last(const struct sd_analysis *a)
{
	return &a->point[a->n_point - 1];
}

/* Cores between what a cause has at least and at most; of one that nobody has measured all that is
 * lost, and of one whose cost no time of this program can tell nothing. */
static double width(const struct sd_analysis *a, const struct sd_finding *f)
{
	if (f->cause == SD_CAUSE_NOISE || f->verdict > SD_VERDICT_POSSIBLE)
		return 0;
	if (!sd_status_measured(f->cores))
		return f->verdict == SD_VERDICT_POSSIBLE ? a->lost.value : 0;
	return f->cores.high - f->cores.low;
}

/* The widest that was not named yet, of those that matter; NULL: none is left. */
static const struct sd_finding *widest(const struct sd_analysis *a, unsigned long named)
{
	const double least = SD_VIEW_LEAST * last(a)->n;
	const struct sd_finding *best = NULL;

	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_finding *const f = &a->finding[i];
		const double w = width(a, f);

		if (!(named >> f->cause & 1) && w >= least && (!best || w > width(a, best)))
			best = f;
	}
	return best;
}

static void put_open(FILE *f, const struct sd_analysis *a)
{
	const struct sd_interval e = last(a)->efficiency;
	const char *between = "More time would narrow: ";
	const struct sd_finding *x;
	unsigned long named = 0;
	char bounds[96];

	if (a->scales == SD_SCALES_UNKNOWN && sd_status_measured(e) && e.high > SD_SCALES_FROM) {
		fprintf(f, "%swhether it scales", between);
		if (sd_interval_text_tells(e))
			fprintf(f, " (efficiency %.0f to %.0f %%)", 100 * e.low, 100 * e.high);
		between = ", ";
	}
	for (int i = 0; i < MOST && (x = widest(a, named)); i++) {
		sd_interval_text_bounds(bounds, sizeof bounds, x->cores, 2);
		fprintf(f, "%s%s (%s)", between, sd_cause_info[x->cause].label,
			sd_status_measured(x->cores) ? bounds : "not measured");
		between = ", ";
		named |= 1ul << x->cause;
	}
	if (*between == ',')
		fputs(". ", f);
}

static void put_left_out(FILE *f, const struct sd_analysis *a)
{
	const char *between = "No time was left for: --experiments ";

	for (size_t i = 0; i < a->n_tested; i++)
		if (a->tested[i].lacked_time) {
			fprintf(f, "%s%s", between,
				sd_experiment_info[a->tested[i].experiment].name);
			between = ",";
		}
	if (*between == ',')
		fputc('.', f);
}

char *sd_view_more_time(const struct sd_record *r, const struct sd_analysis *a)
{
	char *text = NULL;
	size_t size = 0, lacked = 0;
	FILE *const f = open_memstream(&text, &size);

	for (size_t i = 0; i < a->n_tested; i++)
		lacked += a->tested[i].lacked_time;
	if (!f)
		return NULL;
	if (a->n_point > 1 && (r->plan.quick || lacked))
		put_open(f, a);
	if (r->plan.quick)
		fprintf(f,
			"Quick look: %u runs a count, no experiments; leave out --quick for "
			"more of both.",
			r->plan.min_repeats);
	else
		put_left_out(f, a);
	return sd_page_written(f, &text);
}
