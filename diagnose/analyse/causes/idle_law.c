#include "causes/idle_law.h"

#include <math.h>

#include "accounting/run_parts.h"
#include "case/stated.h"

/*
 * The serial fraction with which Amdahl's law meets the speedup of each count to SD_CASE_GATE of
 * its cores: the mean of what Karp and Flatt's formula gives at each. Negative if there is none, or
 * fewer than three counts, which some fraction always meets. Work that grows with the cores obeys
 * another law.
 */
static double one_fraction(const struct sd_analysis *a)
{
	double sum = 0;

	if (a->n_point < 3)
		return -1;
	for (size_t i = 1; i < a->n_point; i++) {
		const struct sd_interval *const e = &a->point[i].karp_flatt;

		if (e->status == SD_STATUS_ABSENT || !isfinite(e->value))
			return -1;
		sum += e->value;
	}
	sum /= (double)(a->n_point - 1);
	for (size_t i = 1; i < a->n_point; i++) {
		const double p = (double)a->point[i].cores / a->point[0].cores;
		const double by_law = 1 / (sum + (1 - sum) / p);

		if (fabs(by_law - a->point[i].speedup.value) > SD_CASE_GATE * p)
			return -1;
	}
	return sum;
}

void sd_idle_law_state(struct sd_case *c, struct sd_finding *f)
{
	const unsigned known = c->loss->known_ref & c->loss->known;
	const struct sd_interval idle = sd_stated_added(c, SD_BIT(UNACCOUNTED)),
				 grown = sd_stated_added(c, SD_CASE_GROWTH | SD_BIT(SYSTEM));
	const double gate = SD_CASE_GATE * c->loss->n, fraction = one_fraction(c->a);
	const int is_serial = f->cause == SD_CAUSE_SERIAL_CODE;
	struct sd_statement s = {.cause = f->cause,
		.kind = SD_STATEMENT_MODEL,
		.at_least = is_serial ? (struct sd_interval){idle.value, 0, idle.high, SD_STATUS_OK}
				      : sd_stated_unsized(c),
		.at_most = idle,
		.unsized = !is_serial,
		.sees = SD_SEES_WHOLE,
		.disturbed_by = sd_stated_disturbed(c, SD_BIT(UNACCOUNTED)),
		.id = "idle-law"};

	if (!(known & SD_RUN_PARTS_CPU) || known & SD_RUN_PARTS_POLLER || fraction < 0 ||
		idle.status == SD_STATUS_ABSENT || idle.value < gate || grown.value >= gate)
		return;
	sd_case_say(c, f,
		"a serial fraction of %.3f meets the speedup at all %zu core counts while CPU time "
		"stays the same, as %s",
		fraction, c->a->n_point,
		is_serial ? "Amdahl's law has it of serial code; waits of another kind may, too"
			  : "of serial code; waits of this kind may, too");
	sd_stated_keep(c, &s);
}
