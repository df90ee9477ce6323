#include "ledger/disturbance.h"

#include <math.h>

#include "base/statistics.h"

#define BIT(id) SD_DISTURBANCE_BIT(id)
#define TIMES (BIT(TWO_SPEEDS) | BIT(DRIFT) | BIT(FEW_RUNS))
#define CODE (TIMES | BIT(SHARED_CORES) | BIT(OTHERS_APART))
#define WAIT (TIMES | BIT(SHORT_RUNS) | BIT(NOT_ACCOUNTED) | BIT(QUOTA))
/* waits for a thread, which others can have kept from its CPU or slowed down */
#define PEER (WAIT | BIT(OTHERS_PEERS) | BIT(OTHERS_APART) | BIT(UNEVEN_CORES))

const unsigned sd_disturbance_of[SD_COMPONENT_COUNT] = {
	[SD_COMPONENT_GROWTH] = CODE,
	[SD_COMPONENT_INSTRUCTIONS] = TIMES,
	[SD_COMPONENT_CPI_BANDWIDTH] = CODE,
	[SD_COMPONENT_CPI_LLC] = CODE,
	[SD_COMPONENT_CPI_DTLB] = CODE,
	[SD_COMPONENT_CPI_SHARING] = CODE,
	[SD_COMPONENT_CPI_SMT] = CODE,
	[SD_COMPONENT_CPI_NUMA] = CODE,
	[SD_COMPONENT_CPI_OTHER] = CODE,
	[SD_COMPONENT_FREQUENCY] = TIMES,
	[SD_COMPONENT_SPINNING] = TIMES | BIT(OTHERS_PEERS) | BIT(OTHERS_APART) | BIT(UNEVEN_CORES),
	[SD_COMPONENT_SYSTEM] = CODE,
	[SD_COMPONENT_THREADS] = CODE,
	[SD_COMPONENT_RUN_QUEUE] = WAIT | BIT(OTHERS_CPU),
	[SD_COMPONENT_THROTTLED] = TIMES,
	[SD_COMPONENT_STOLEN] = TIMES,
	[SD_COMPONENT_LOCK] = PEER,
	[SD_COMPONENT_IMBALANCE] = PEER,
	[SD_COMPONENT_SERIAL] = PEER,
	[SD_COMPONENT_DISK] = WAIT,
	[SD_COMPONENT_SLEEP] = WAIT,
	[SD_COMPONENT_NETWORK] = WAIT,
	[SD_COMPONENT_MPI] = PEER,
	[SD_COMPONENT_LAUNCH] = WAIT,
	[SD_COMPONENT_UNACCOUNTED] = TIMES | BIT(NOT_ACCOUNTED),
};

static double known(struct sd_value v)
{
	return sd_has(v) && isfinite(v.value) ? fmax(0, v.value) : 0;
}

static int is_known(struct sd_value v)
{
	return sd_has(v) && isfinite(v.value);
}

/* Cores whose threads waited for a CPU because others had it: at most what they waited, and at most
 * what others ran. Where nobody knows how long others ran, all waiting may be for them. */
static double taken(const struct sd_disturbance_facts *f)
{
	if (!is_known(f->queue))
		return known(f->others) + known(f->stolen);
	if (!is_known(f->others))
		return known(f->queue);
	return fmin(known(f->queue), known(f->others) + known(f->stolen));
}

double sd_disturbance_apart(double x)
{
	return x < 1 ? 1 / ((1 - x) * (1 - x)) : INFINITY;
}

double sd_disturbance_had(const struct sd_disturbance_facts *f)
{
	return (is_known(f->others) ? known(f->others) + known(f->stolen)
				    : fmax(known(f->stolen), known(f->queue))) /
	       f->n;
}

/* A core that others had while no thread of the program was ready to run kept none apart. */
static double kept_apart(const struct sd_disturbance_facts *f)
{
	const double had = sd_disturbance_had(f);

	return is_known(f->waited) ? fmin(had, known(f->waited) / f->n) : had;
}

static void set(struct sd_disturbance *d, int measured, double added, double removed)
{
	d->status = measured ? SD_STATUS_OK : SD_STATUS_ABSENT;
	d->added = measured && isfinite(added) ? fmax(0, added) : 0;
	d->removed = measured && isfinite(removed) ? fmax(0, removed) : 0;
}

/* A shared core costs the program time only while the program runs there, and then its CPU time
 * grows: others took no more than that differs by, also where idle CPUs were looked at on cores
 * that others had. */
static void set_cores(const struct sd_disturbance_facts *f, struct sd_disturbance *out)
{
	const double width = known(f->width), ref = known(f->width_ref);
	const double least = known(f->width_least), whole = known(f->width_whole);
	const int both = width > 0 && ref > 0;
	const double differs = is_known(f->cpu_differs) ? known(f->cpu_differs) : INFINITY;
	/* the reference, too, took longer than it would have on whole cores */
	const double slowed = both && whole > ref && is_known(f->user)
				      ? differs + known(f->user) * (1 - ref / whole)
				      : differs;

	/* user time goes with the inverse of the width, at most */
	set(&out[SD_DISTURBANCE_SHARED_CORES], both && is_known(f->user),
		both ? fmin(differs, known(f->user) * (1 - width / ref)) : 0,
		both ? known(f->user) * (width / ref - 1) : 0);
	/* who waits for the thread on the narrowest core waits for the machine, at most, and each
	 * of the others as long as that thread took longer */
	set(&out[SD_DISTURBANCE_UNEVEN_CORES], width > 0 && least > 0,
		width > 0 ? fmin((f->n - 1) * slowed, f->n * (1 - least / width)) : 0, 0);
}

void sd_disturbance_make(const struct sd_disturbance_facts *f, struct sd_disturbance *out)
{
	const double unseen =
		known(f->wall) > 0 ? f->n * fmin(1, 2 * known(f->period) / known(f->wall)) : 0;
	const int others = is_known(f->others) || is_known(f->stolen) || is_known(f->queue);
	const double q = taken(f), of_all = f->efficiency * f->n;
	const double drift = is_known(f->drift) ? fabs(f->drift.value) - f->drift_noise : 0;

	for (int i = 0; i < SD_DISTURBANCE_COUNT; i++)
		out[i] = (struct sd_disturbance){.times = 1, .spread = 1};
	set(&out[SD_DISTURBANCE_OTHERS_CPU], others, q, 0);
	/* each of the other threads may wait for the one without its CPU */
	set(&out[SD_DISTURBANCE_OTHERS_PEERS], others, (f->n - 1) * q, 0);
	set(&out[SD_DISTURBANCE_OTHERS_APART], others, 0, 0);
	out[SD_DISTURBANCE_OTHERS_APART].times = others ? sd_disturbance_apart(kept_apart(f)) : 1;
	set(&out[SD_DISTURBANCE_QUOTA], is_known(f->throttled), f->n * known(f->throttled), 0);
	set_cores(f, out);
	/* E = T_1 / (N T_N): a change of a time by x changes N E by x N E */
	set(&out[SD_DISTURBANCE_TWO_SPEEDS], is_known(f->states), known(f->states) * of_all,
		known(f->states) * of_all);
	set(&out[SD_DISTURBANCE_DRIFT], is_known(f->drift), drift * of_all, drift * of_all);
	/* before the first look and after the last, one period each, nobody saw what threads did */
	set(&out[SD_DISTURBANCE_SHORT_RUNS], is_known(f->period) && known(f->wall) > 0, unseen,
		unseen);
	set(&out[SD_DISTURBANCE_NOT_ACCOUNTED], f->unaccounted.status == SD_STATUS_OK,
		-f->unaccounted.low, f->unaccounted.high);
	set(&out[SD_DISTURBANCE_FEW_RUNS], 1, 0, 0);
	out[SD_DISTURBANCE_FEW_RUNS].spread = sd_statistics_spread(f->runs, f->student);
}

struct sd_disturbance_bounds sd_disturbance_widen(struct sd_interval at_least,
	struct sd_interval at_most, unsigned disturbed_by, const struct sd_disturbance *d, double n)
{
	struct sd_disturbance_bounds out = {0, n};
	double added = 0, removed = 0, times = 1, wide = 1;

	for (int i = 0; i < SD_DISTURBANCE_COUNT; i++) {
		if (!(disturbed_by >> i & 1) || d[i].status != SD_STATUS_OK)
			continue;
		added += d[i].added;
		removed += d[i].removed;
		times *= d[i].times;
		wide = fmax(wide, d[i].spread);
	}
	if (!isfinite(wide))
		return out;
	if (at_least.status == SD_STATUS_OK && isfinite(at_least.value) && isfinite(at_least.low))
		out.lower = fmin(
			n, fmax(0, at_least.value - fmax(0, at_least.value - at_least.low) * wide -
					   added));
	if (at_most.status == SD_STATUS_OK && isfinite(at_most.value) && isfinite(at_most.high) &&
		isfinite(times))
		out.upper = fmin(
			n, fmax(0, (at_most.value + fmax(0, at_most.high - at_most.value) * wide +
					   removed) *
					   times));
	return out;
}
