#include "validity/superlinear.h"

#include <math.h>

#include "case/cause_weights.h"

double sd_superlinear_most(const struct sd_calibration *k, double cores, int weak)
{
	double step = 0;

	if (weak || !(cores > 1))
		return 1;
	if (sd_has(k->llc) && sd_has(k->l2) && k->l2.value > 0)
		step = k->llc.value / k->l2.value;
	if (sd_has(k->dram) && sd_has(k->llc) && k->llc.value > 0)
		step = fmax(step, k->dram.value / k->llc.value);
	return step > 1 ? step : sqrt(cores);
}

/* Share of the cores that is gained, beyond doubt and at most, in anything but user time. */
static double gained_elsewhere(const struct sd_case *c, double *most)
{
	const unsigned long set = c->loss->components &
				  ~(SD_BIT(USEFUL) | SD_BIT(GROWTH) | SD_BIT(CPI_BANDWIDTH) |
					  SD_BIT(CPI_LLC) | SD_BIT(CPI_DTLB) | SD_BIT(CPI_SHARING) |
					  SD_BIT(CPI_SMT) | SD_BIT(CPI_NUMA) | SD_BIT(CPI_OTHER));
	struct sd_interval v;

	*most = INFINITY;
	if (!set || !(c->loss->known_ref & c->loss->known & SD_RUN_PARTS_CPU))
		return 0;
	v = sd_cause_weights_added(c, set);
	if (!sd_status_bounded(v))
		return 0;
	*most = fmax(0, -v.low);
	return fmax(0, -v.high);
}

void sd_superlinear_check(struct sd_case *c)
{
	const struct sd_interval e = c->a->point[c->a->n_point - 1].efficiency;
	const int weak = c->record->program.scaling == SD_SCALING_WEAK;
	double most, elsewhere, elsewhere_most;

	if (c->a->no_verdict || c->ref == c->last || !sd_status_bounded(e) ||
		e.low < 1 + SD_CASE_GATE)
		return;
	most = sd_superlinear_most(&c->record->calibration, (double)c->last->n / c->ref->n, weak);
	elsewhere = gained_elsewhere(c, &elsewhere_most);
	if (elsewhere >= SD_CASE_GATE && e.low < most + SD_CASE_GATE &&
		e.low - elsewhere_most >= SD_SCALES_FROM) {
		sd_case_warn(c,
			"efficiency %.0f %% (95 %%: %.0f to %.0f %%): at least %.0f %% of the cores "
			"are gained outside of user time, which no cache explains: the reference, "
			"%u core%s, took longer for another reason. Without these it is still above "
			"%.0f %%",
			100 * e.value, 100 * e.low, 100 * e.high, 100 * elsewhere, c->ref->cores,
			c->ref->cores == 1 ? "" : "s", 100 * SD_SCALES_FROM);
		return;
	}
	if (elsewhere >= SD_CASE_GATE)
		sd_case_warn(c,
			"efficiency %.0f %% (95 %%: %.0f to %.0f %%): "
			"at least %.0f %% of the cores are gained outside of user time, which no cache explains: "
			"the reference, %u core%s, is not to be trusted, and these runs decide nothing",
			100 * e.value, 100 * e.low, 100 * e.high, 100 * elsewhere, c->ref->cores,
			c->ref->cores == 1 ? "" : "s");
	else if (e.low >= most + SD_CASE_GATE)
		sd_case_warn(c,
			"efficiency %.0f %% (95 %%: %.0f to %.0f %%) is more than larger caches "
			"explain, %.0f %% at most%s: the reference, %u core%s, is not to be "
			"trusted, and these runs decide nothing",
			100 * e.value, 100 * e.low, 100 * e.high, 100 * most,
			weak ? " when the work grows with the cores" : "", c->ref->cores,
			c->ref->cores == 1 ? "" : "s");
	else
		return;
	c->no_loss = 1;
	c->a->no_verdict = "the efficiency is more than caches can explain: the reference took too "
			   "long for another reason";
}
