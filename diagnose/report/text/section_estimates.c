#include "text/sections.h"

#include <math.h>
#include <stdio.h>

/* An estimate that is off by more than half says nothing. */
#define USELESS .5

/* Share of the count; a smaller loss is not told. */
#define TOLD .05

/* "; of 15.7 cores lost false sharing 14.9, DTLB 0.1". */
static void say_costs(const struct sd_estimate *e, char *out, size_t size)
{
	double rest = e->lost;
	size_t n = 0, told = 0;

	*out = 0;
	if (!(e->lost >= TOLD * e->cores) || e->partial)
		return; /* of a part the costs are not known */
	n = (size_t)snprintf(out, size, "; of the %.1f cores lost ", e->lost);
	for (int i = 0; i < SD_CAUSE_COUNT && n < size; i++) {
		if (!sd_has(e->cost[i]) || e->cost[i].value < TOLD * e->cores)
			continue;
		n += (size_t)snprintf(out + n, size - n, "%s%.1f %s", told++ ? ", " : "",
			e->cost[i].value,
			i == SD_CAUSE_EXTRA_WORK ? "more instructions" : sd_cause_info[i].label);
		rest -= e->cost[i].value;
	}
	if (rest >= TOLD * e->cores && n < size)
		snprintf(out + n, size - n, "%s%.1f waits and uneven shares", told ? ", " : "",
			rest);
}

/* Counts that were not measured, by the simulated runs; and how far off that was where
 * they were. */
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
			"the latency model is off by %.0f %%",
			100 * worst);
		return;
	}
	sd_page_put(p, SD_TONE_BOLD, "Estimated by the simulated runs, not measured\n");
	for (size_t i = 0; i < a->n_estimate; i++) {
		const struct sd_estimate *e = &a->estimate[i];
		char costs[400];

		if (e->timed)
			continue;
		say_costs(e, costs, sizeof costs);
		if (isfinite(e->wall))
			sd_page_wrap(p, "  ", 4, "%5u cores  %.3g s, speedup about %.2f%s",
				e->cores, e->wall, e->speedup, costs);
		else
			sd_page_wrap(p, "  ", 4, "%5u cores  speedup about %.2f%s", e->cores,
				e->speedup, costs);
	}
	if (checked)
		sd_page_wrap(p, "  ", 4,
			"at %zu count%s that %s measured too, the estimated time was off by up to %.0f %%",
			checked, checked == 1 ? "" : "s", checked == 1 ? "was" : "were",
			100 * worst);
	else
		sd_page_wrap(p, "  ", 4, "at no other count was it measured: its error is unknown");
	if (a->estimate[0].usual)
		sd_page_wrap(p, "  ", 4, "by what misses and moves of lines usually cost: %s",
			isfinite(a->estimate[0].wall) ? "this node is not calibrated"
						      : "this is another machine");
	if (partial)
		sd_page_wrap(p, "  ", 4, "only a part of the program was simulated");
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}
