#include "calibration/bench_sections.h"

#include <stdio.h>

static void put_states(struct sd_page *g, const struct sd_profile *p)
{
	for (unsigned i = 0; p->states.n > 1 && i < p->states.n; i++)
		sd_page_put(g, SD_TONE_DOUBT,
			"  state %u (%s): line round trip %.0f ns, seen %zu times\n", i,
			sd_bench_state_name(i), 1e9 * p->states.line[i], p->states.seen[i]);
	for (unsigned i = 0; i < p->states.n; i++)
		if (p->states.split[i][0] > 0)
			sd_page_wrap_tone(g, SD_TONE_DOUBT, "  ", 2,
				"state %u was seen at %.0f ns and at %.0f ns with nothing between: "
				"two states too near to tell every sample's apart, so its numbers "
				"may mix both",
				i, 1e9 * p->states.split[i][0], 1e9 * p->states.split[i][1]);
	if (p->states.n > 1)
		sd_page_wrap(g, "  ", 2,
			"This machine changes its state while it runs (a hypervisor moves its "
			"CPUs): every "
			"number holds for one of these states, and none is an average over them.");
	else if (p->states.n == 1)
		sd_page_put(g, SD_TONE_PLAIN, "  one state: line round trip %.0f ns\n",
			1e9 * p->states.line[0]);
}

static void put_quiet(struct sd_page *g, const struct sd_profile *p)
{
	const struct sd_quiet *q = &p->quiet;

	if (sd_profile_was_quiet(p)) {
		sd_page_wrap_tone(g, SD_TONE_GOOD, "  ", 2,
			"quiet: %zu disturbed samples dropped, %zu of %zu results vary by more than 3 %%",
			q->dropped, q->spread, p->rows.n);
		return;
	}
	sd_page_wrap_tone(g, SD_TONE_BAD, "  ", 2,
		"Noisy: %zu of %zu results vary by more than 3 %%; %zu made of disturbed samples, "
		"%zu samples dropped.",
		q->spread, p->rows.n, q->noisy, q->dropped);
	if (sd_has(q->steal) && sd_has(q->psi_cpu))
		sd_page_wrap(g, "  ", 2,
			"stolen %.2f %% of CPU time; some task waited for a CPU %.0f %% of the "
			"time",
			100 * q->steal.value, 100 * q->psi_cpu.value);
}

static void put_title(struct sd_page *g, const struct sd_profile *p)
{
	char times[32] = "";

	if (p->calibrations > 1)
		snprintf(times, sizeof times, ", %u times", p->calibrations);
	sd_page_wrap_tone(g, SD_TONE_BOLD, "", 0,
		"scalediag calibrate · %s · %u CPU%s granted · kernel %s · %s%s (%.0f s)",
		p->key.cpu, p->granted, p->granted == 1 ? "" : "s", p->key.kernel,
		p->quick ? "quick" : "full", times, p->seconds);
}

void sd_bench_section_trust(struct sd_page *g, const struct sd_profile *p)
{
	const struct sd_quiet *q = &p->quiet;

	put_title(g, p);
	if (sd_profile_was_quiet(p))
		sd_page_wrap_tone(g, SD_TONE_GOOD, "Trust: ", 2, "the machine was quiet");
	else
		sd_page_wrap_tone(g, SD_TONE_BAD, "Trust: ", 2,
			"not a quiet machine: %zu of %zu results vary by more than 3 %%, %zu (?) "
			"are made of disturbed samples; calibrate again while nothing else runs",
			q->spread, p->rows.n, q->noisy);
	if (p->states.n > 1)
		sd_page_wrap_tone(g, SD_TONE_DOUBT, "", 2,
			"A hypervisor moves these CPUs: this is the %s state; the other%s in --long",
			sd_bench_state_name(sd_profile_main_state(p)),
			p->states.n > 2 ? "s are" : " is");
}

void sd_bench_section_head(struct sd_page *g, const struct sd_profile *p)
{
	put_title(g, p);
	put_states(g, p);
	put_quiet(g, p);
	if (p->blocks == 1 && p->calibrations < 2)
		sd_page_wrap_tone(g, SD_TONE_DOUBT, "  ", 2,
			"There was no time to measure anything again: quartiles are of a moment, and a "
			"second calibration may differ by more.");
	sd_page_wrap_tone(g, SD_TONE_DIM, "  ", 2,
		"GB = 1e9 bytes, MiB = 2^20 bytes; medians, and in brackets, where they fit, %s; "
		"? noisy: made of disturbed samples",
		p->calibrations > 1
			? "what one more calibration shows 19 times in 20"
			: "the quartiles; a second calibration differs by more than these, see --repeat");
}
