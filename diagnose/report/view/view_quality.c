#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "page/page.h"
#include "view/view_parts.h"

int sd_view_is_loaded(const struct sd_analysis *a)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (a->finding[i].cause == SD_CAUSE_NOISE &&
			a->finding[i].verdict <= SD_VERDICT_POSSIBLE)
			return 1;
	return 0;
}

int sd_view_shielded(const struct sd_record *r)
{
	size_t plain = 0, shielded = 0;

	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].kind == SD_RUN_BLOCK) {
			plain++;
			shielded += (r->run[i].flags & SD_RUN_SHIELDED) != 0;
		}
	return plain > 0 && shielded == plain;
}

/* Share of the CPUs: a load below it is what any idle machine has. */
#define QUIET .01
#define DRIFTED .01 /* of the time, from the first runs to the last: less is nobody's concern */
/* An efficiency that is known to no more does not tell good from poor scaling. */
#define COARSE .2

char *sd_view_quality(const struct sd_record *r, const struct sd_analysis *a)
{
	const size_t doubts = a->warnings.n > r->warnings.n ? a->warnings.n : r->warnings.n;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	if (a->n_point && a->point[0].exact)
		fputs("modelled, another run would take exactly as long", f);
	else if (r->program.attached && a->n_point == 1) /* whose times are all the same */
		fprintf(f, "%zu look%s at it", a->point[0].runs, a->point[0].runs == 1 ? "" : "s");
	else if (sd_has(a->smallest) && a->smallest.value >= 1)
		fputs("the times vary too much to resolve any efficiency", f);
	else if (sd_has(a->smallest))
		fprintf(f, "efficiency known %sto %.1f %%",
			a->smallest.value >= COARSE ? "only " : "", 100 * a->smallest.value);
	else
		fputs("too few runs to say how far the times vary", f);
	/* a banner says it where it decides */
	if (sd_has(a->noise) && !sd_view_is_loaded(a) && a->noise.value < QUIET)
		fputs("; the machine was quiet", f);
	else if (sd_has(a->noise) && !sd_view_is_loaded(a))
		fprintf(f, "; others used up to %.1f %% of the CPUs", 100 * a->noise.value);
	if (sd_has(a->drift) && fabs(a->drift.value) >= DRIFTED)
		fprintf(f, "; drift %+.1f %%", 100 * a->drift.value);
	if (doubts)
		fprintf(f, "; %zu warning%s: --long", doubts, doubts == 1 ? "" : "s");
	return sd_page_written(f, &text);
}
