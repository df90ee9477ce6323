#include "bench_sections.h"

#include <string.h>

#include "plot.h"

static void put_states(struct sd_page *g, const struct sd_profile *p)
{
	static const char *const name[] = {"near", "far", "third", "fourth"};

	for (unsigned i = 0; p->states.n > 1 && i < p->states.n; i++)
		sd_page_put(g, SD_TONE_DOUBT,
			"  state %u (%s): line round trip %.0f ns, seen %zu times\n", i, name[i],
			1e9 * p->states.line[i], p->states.seen[i]);
	if (p->states.n > 1)
		sd_page_wrap(g, "  ", 2,
			"This machine changes its state while it runs (a hypervisor moves its "
			"CPUs): every "
			"number holds for one state, and none is an average over them.");
	else if (p->states.n == 1)
		sd_page_put(g, SD_TONE_PLAIN, "  one state: line round trip %.0f ns\n",
			1e9 * p->states.line[0]);
}

static void put_quiet(struct sd_page *g, const struct sd_profile *p)
{
	const struct sd_quiet *q = &p->quiet;

	if (sd_profile_was_quiet(p)) {
		sd_page_put(g, SD_TONE_GOOD, "  quiet machine");
		sd_page_put(g, SD_TONE_PLAIN,
			": %zu samples dropped, %zu of %zu rows spread over 3 %%\n", q->dropped,
			q->spread, p->rows.n);
		return;
	}
	sd_page_wrap_tone(g, SD_TONE_BAD, "  ", 2,
		"Not a quiet machine: %zu of %zu rows spread over 3 %%, %zu made of disturbed "
		"samples, "
		"%zu samples dropped.",
		q->spread, p->rows.n, q->noisy, q->dropped);
	if (sd_has(q->steal) && sd_has(q->psi_cpu))
		sd_page_put(g, SD_TONE_PLAIN,
			"  stolen %.2f %% of CPU time; some task waited for a CPU %.0f %% of the "
			"time\n",
			100 * q->steal.value, 100 * q->psi_cpu.value);
}

void sd_bench_section_head(struct sd_page *g, const struct sd_profile *p)
{
	char llc[32];

	sd_page_wrap_tone(g, SD_TONE_BOLD, "", 0,
		"scalediag calibrate · %s · %u CPUs granted · kernel %s · %s (%.0f s)", p->key.cpu,
		p->granted, p->key.kernel, p->quick ? "quick" : "full", p->seconds);
	put_states(g, p);
	put_quiet(g, p);
	if (sd_has(p->visible_llc)) {
		sd_plot_bytes(p->visible_llc.value, llc, sizeof llc);
		sd_page_put(
			g, SD_TONE_DIM, "  last-level cache as the machine shows it: %s\n", llc);
	}
	sd_page_put(g, SD_TONE_DIM,
		"  GB = 1e9 bytes, MiB = 2^20 bytes; median, and the quartiles in brackets\n");
}
