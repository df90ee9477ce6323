#include "plugin/sampled_parts.h"

#include <inttypes.h>
#include <stdio.h>

#define FEWEST 5 /* parts that tell a spread */

void sim_sampled_parts_open(struct sim_sampled_parts *s)
{
	*s = (struct sim_sampled_parts){.next = SIM_SAMPLED_PART, .stretch = 1, .random = 1};
}

/* Below n; the same in every run. */
static uint64_t below(struct sim_sampled_parts *s, uint64_t n)
{
	s->random = s->random * 6364136223846793005ull + 1442695040888963407ull;
	return n ? (s->random >> 33) % n : 0;
}

static void totals(const struct sim_run *r, double *instructions, double count[SIM_SAMPLED_RATES])
{
	*instructions = 0;
	for (size_t k = 0; k < SIM_SAMPLED_RATES; k++)
		count[k] = 0;
	for (size_t i = 0; i < r->n_thread; i++) {
		const struct sim_thread *const t = r->thread[i];

		*instructions += (double)(t->base + t->block->n_ins - t->skipped);
		count[SIM_SAMPLED_L1] += (double)(t->count.l1_misses + t->late.l1_misses);
		count[SIM_SAMPLED_LLC] += (double)t->late.llc_misses;
		count[SIM_SAMPLED_MOVES] += (double)(t->late.hitm_load + t->late.hitm_store);
	}
}

void sim_sampled_parts_end(struct sim_sampled_parts *s, const struct sim_run *r, unsigned share)
{
	const uint64_t stretch = (uint64_t)SIM_SAMPLED_PART * 100 / share;
	double now, count[SIM_SAMPLED_RATES], part;

	totals(r, &now, count);
	part = now - s->instructions;
	s->sum_squares += part * part;
	for (size_t k = 0; k < SIM_SAMPLED_RATES; k++) {
		const double c = count[k] - s->count[k];

		s->sum_count[k] += c;
		s->sum_count_squares[k] += c * c;
		s->sum_products[k] += c * part;
		s->count[k] = count[k];
	}
	s->instructions = now;
	s->n++;
	if (s->stretch <= sim_run_instructions(r) / stretch) /* it ended late */
		s->stretch = sim_run_instructions(r) / stretch + 1;
	s->next = s->stretch++ * stretch + below(s, stretch - SIM_SAMPLED_PART);
}

void sim_sampled_parts_begin(struct sim_sampled_parts *s, uint64_t instructions)
{
	s->next = instructions + SIM_SAMPLED_PART;
}

/* Student's, two-sided 95 %, of n - 1 degrees of freedom: within 2 % from four on. */
static double quantile(uint64_t n)
{
	const double f = (double)n - 1;

	return 1.96 + 2.4 / f + 5.0 / (f * f);
}

/* Nothing here is linked with the mathematics of C. */
static double square_root(double x)
{
	double root = x > 1 ? x : 1;

	for (int i = 0; i < 200 && x > 0; i++)
		root = (root + x / root) / 2;
	return x > 0 ? root : 0;
}

double sim_sampled_parts_half(const struct sim_sampled_parts *s, enum sim_sampled_rate rate)
{
	const double n = (double)s->n, count = s->sum_count[rate];
	const double ratio = s->instructions > 0 ? count / s->instructions : 0;
	double squares;

	if (s->n < FEWEST || count <= 0)
		return -1;
	/* the ratio estimator's: what is left of each part's count beside the common rate */
	squares = s->sum_count_squares[rate] - 2 * ratio * s->sum_products[rate] +
		  ratio * ratio * s->sum_squares;
	return quantile(s->n) * square_root(squares * n / (n - 1)) / count;
}

void sim_sampled_parts_say(
	const struct sim_sampled_parts *s, double instructions, char *text, size_t n)
{
	static const char *const name[SIM_SAMPLED_RATES] = {
		"L1 misses", "last-level misses", "moved lines"};
	int at = snprintf(text, n, "sampled: %.0f %% of its instructions, in %" PRIu64 " part%s",
		100 * s->instructions / instructions, s->n, s->n == 1 ? "" : "s");

	if (s->n < FEWEST) {
		snprintf(text + at, n - (size_t)at, ", too few to tell how precise");
		return;
	}
	for (enum sim_sampled_rate k = 0; k < SIM_SAMPLED_RATES; k++) {
		const double half = sim_sampled_parts_half(s, k);

		if (half >= 0 && at >= 0 && (size_t)at < n)
			at += snprintf(text + at, n - (size_t)at, "; %s ±%.*f %%", name[k],
				half < 0.0995 ? 1 : 0, 100 * half);
	}
}
