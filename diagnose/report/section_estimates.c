#include "sections.h"

#include <math.h>
#include <stdio.h>

/* An estimate that is off by more than half says nothing. */
#define USELESS .5

/* Counts that were not measured, by the simulated runs; and how far off that was where they were.
 */
void sd_section_estimates(struct sd_page *p, const struct sd_analysis *a)
{
	double worst = 0;
	size_t checked = 0, new = 0;
	int partial = 0;

	for (size_t i = 0; i < a->n_estimate; i++) {
		partial |= a->estimate[i].partial;
		new += !a->estimate[i].timed;
		if (!sd_has(a->estimate[i].error))
			continue;
		checked++;
		worst = fmax(worst, fabs(a->estimate[i].error.value));
	}
	if (new == 0)
		return;
	if (worst > USELESS) {
		sd_page_wrap(p, "Estimates: ", 2,
			"none of the counts that were only simulated: where it was measured too, "
			"the "
			"latency model is off by %.0f %%",
			100 * worst);
		return;
	}
	sd_page_put(p, SD_TONE_BOLD, "Estimated by the simulated runs, not measured\n");
	for (size_t i = 0; i < a->n_estimate; i++) {
		const struct sd_estimate *e = &a->estimate[i];

		if (!e->timed)
			sd_page_wrap(p, "  ", 4, "%5u cores  %.3g s, speedup about %.2f", e->cores,
				e->wall, e->speedup);
	}
	if (checked)
		sd_page_wrap(p, "  ", 4,
			"at %zu count%s that %s measured too, the estimated time was off by up to "
			"%.0f %%",
			checked, checked == 1 ? "" : "s", checked == 1 ? "was" : "were",
			100 * worst);
	else
		sd_page_wrap(p, "  ", 4, "at no other count was it measured: its error is unknown");
	if (partial)
		sd_page_wrap(p, "  ", 4, "only a part of the program was simulated");
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}
