#include "accounting/account.h"

#include <math.h>
#include <string.h>

#define BIT(component) (1ul << SD_COMPONENT_##component)

void sd_account_make(
	struct sd_account *a, double n, unsigned known, const struct sd_run_parts *parts)
{
	double capacity = n * parts->time;

	*a = (struct sd_account){.n = n, .time = parts->time, .known = known};
	for (int i = 0; i < SD_PART_COUNT; i++)
		a->part[i] = parts->part[i] * capacity;
	a->instructions = parts->instructions * capacity;
	a->cycles = parts->cycles * capacity;
	for (int k = 0; k < SD_STALL_COUNT; k++)
		a->stall[k] = parts->stall[k];
	a->spin = parts->spin;
	a->spin_instructions = parts->spin_instructions;
}

/* Logarithmic mean of two positive numbers. */
static double log_mean(double a, double b)
{
	double x = (b - a) / a;

	if (fabs(x) < 1e-9)
		return a + (b - a) / 2; /* the series' next term is below rounding */
	return (b - a) / log1p(x);
}

struct sd_growth sd_account_growth(double from, double from_instructions, double from_cycles,
	double to, double to_instructions, double to_cycles)
{
	double l = log_mean(from, to);
	double cpi_from = from_cycles / from_instructions, cpi_to = to_cycles / to_instructions;

	return (struct sd_growth){
		.instructions = l * log(to_instructions / from_instructions),
		.cpi = l * log(cpi_to / cpi_from),
		.frequency = l * log((from_cycles / from) / (to_cycles / to)),
	};
}

static int split_by_counters(const struct sd_account *ref, const struct sd_account *now)
{
	/* Less than a nanosecond of user time has no logarithm worth taking. */
	return (ref->known & now->known & SD_RUN_PARTS_COUNTERS) &&
	       ref->part[SD_PART_USER] > 1e-9 && now->part[SD_PART_USER] > 1e-9;
}

/* User time, instructions and cycles without spinning. */
struct work {
	double time, instructions, cycles, spin; /* core-s, counts, core-s */
};

/* Samples have already removed spinning from user time, but not from the counts. */
static struct work useful_sampled(const struct sd_account *a, double omega, int spin)
{
	double user = a->part[SD_PART_USER], all = user, p, q;

	for (int k = 0; k < SD_PART_COUNT; k++)
		all += sd_part_info[k].of == SD_PART_OF_USER ? a->part[k] : 0;
	p = all > 0 ? 1 - user / all : 0;
	q = spin ? a->spin_instructions : p;
	return (struct work){
		.time = omega * user,
		.instructions = omega * a->instructions * (1 - q),
		.cycles = omega * a->cycles * (1 - p),
	};
}

static struct work useful(const struct sd_account *a, double omega, int spin)
{
	double p = spin ? a->spin : 0, q = spin ? a->spin_instructions : 0;
	double user = omega * a->part[SD_PART_USER];

	if (a->known & SD_RUN_PARTS_SAMPLED)
		return useful_sampled(a, omega, spin);

	return (struct work){
		.time = user * (1 - p),
		.instructions = omega * a->instructions * (1 - q),
		.cycles = omega * a->cycles * (1 - p),
		.spin = user * p,
	};
}

static struct sd_growth growth_of(const struct work *from, const struct work *to)
{
	return sd_account_growth(from->time, from->instructions, from->cycles, to->time,
		to->instructions, to->cycles);
}

/* Core-seconds added by each mechanism's higher cost per instruction (METHODS 2.2.6); returns their
 * sum. */
static double stalls(const struct sd_account *ref, const struct sd_account *now,
	const struct work *to, double raw[SD_STALL_COUNT])
{
	unsigned known = ref->known & now->known;
	double sum = 0;

	for (int k = 0; k < SD_STALL_COUNT; k++) {
		raw[k] = 0;
		if (known & SD_RUN_PARTS_STALL(k))
			raw[k] = fmax(0, now->stall[k] - ref->stall[k]) * to->instructions *
				 to->time / to->cycles;
		sum += raw[k];
	}
	return sum;
}

/* Divides the growth of user time (METHODS 2.2.5 and 2.2.6). Mechanisms overlap, since a cycle may
 * wait for two of them, so that their sum is scaled down to the growth of CPI; what they do not
 * explain is cpi-other and never spread over them. */
static void add_growth(
	const struct sd_account *ref, const struct sd_account *now, double omega, double *seconds)
{
	int spin = (ref->known & now->known & SD_RUN_PARTS_SPIN) != 0;
	double raw[SD_STALL_COUNT], sum, scale, split = 0;
	struct work from, to;
	struct sd_growth g;

	if (!split_by_counters(ref, now)) {
		seconds[(ref->known & now->known & SD_RUN_PARTS_COUNTERS) ? SD_COMPONENT_CPI_OTHER
									  : SD_COMPONENT_GROWTH] +=
			now->part[SD_PART_USER] - omega * ref->part[SD_PART_USER];
		return;
	}
	from = useful(ref, omega, spin);
	to = useful(now, 1, spin);
	g = growth_of(&from, &to);
	seconds[SD_COMPONENT_INSTRUCTIONS] += g.instructions;
	seconds[SD_COMPONENT_FREQUENCY] += g.frequency;
	seconds[SD_COMPONENT_SPINNING] += to.spin - from.spin;
	sum = stalls(ref, now, &to, raw);
	scale = g.cpi <= 0 || sum <= 0 ? 0 : sum > g.cpi ? g.cpi / sum : 1;
	for (int k = 0; k < SD_STALL_COUNT; k++) {
		seconds[sd_stall_component[k]] += scale * raw[k];
		split += scale * raw[k];
	}
	seconds[SD_COMPONENT_CPI_OTHER] += g.cpi - split;
}

double sd_account_explained(
	const struct sd_account *ref, const struct sd_account *now, double omega)
{
	int spin = (ref->known & now->known & SD_RUN_PARTS_SPIN) != 0;
	double raw[SD_STALL_COUNT];
	struct work from, to;
	struct sd_growth g;

	if (!split_by_counters(ref, now))
		return 0;
	from = useful(ref, omega, spin);
	to = useful(now, 1, spin);
	g = growth_of(&from, &to);
	return g.cpi > 0 ? stalls(ref, now, &to, raw) / g.cpi : 0;
}

static double base(const struct sd_account *ref, double omega)
{
	if (!(ref->known & SD_RUN_PARTS_CPU))
		return omega * ref->n * ref->time;
	return omega * (ref->part[SD_PART_USER] + ref->part[SD_PART_SYSTEM]);
}

void sd_account_stack(const struct sd_account *ref, const struct sd_account *now, double omega,
	double cores[SD_COMPONENT_COUNT])
{
	memset(cores, 0, SD_COMPONENT_COUNT * sizeof *cores);
	cores[SD_COMPONENT_USEFUL] = base(ref, omega);
	if (!(ref->known & now->known & SD_RUN_PARTS_CPU)) {
		cores[SD_COMPONENT_UNACCOUNTED] = now->n * now->time - cores[SD_COMPONENT_USEFUL];
	} else {
		add_growth(ref, now, omega, cores);
		cores[SD_COMPONENT_SYSTEM] +=
			now->part[SD_PART_SYSTEM] - omega * ref->part[SD_PART_SYSTEM];
		for (int i = SD_PART_STOLEN; i < SD_PART_COUNT; i++)
			cores[sd_part_info[i].component] += now->part[i];
	}
	for (int i = 0; i < SD_COMPONENT_COUNT; i++)
		cores[i] /= now->time;
}

void sd_account_added(const struct sd_account *ref, const struct sd_account *now, double omega,
	double cores[SD_COMPONENT_COUNT])
{
	sd_account_stack(ref, now, omega, cores);
	cores[SD_COMPONENT_USEFUL] = 0;
	if (!(ref->known & now->known & SD_RUN_PARTS_CPU)) {
		if (ref->known & SD_RUN_PARTS_CPU) /* the reference's own waits are not a loss */
			cores[SD_COMPONENT_UNACCOUNTED] =
				now->n - omega * ref->n * ref->time / now->time;
		return;
	}
	for (int i = SD_PART_STOLEN; i < SD_PART_COUNT; i++)
		cores[sd_part_info[i].component] -= omega * ref->part[i] / now->time;
}

unsigned long sd_account_components(unsigned known_ref, unsigned known_now)
{
	unsigned known = known_ref & known_now;
	unsigned long set = BIT(USEFUL) | BIT(UNACCOUNTED);

	if (!(known & SD_RUN_PARTS_CPU))
		return set;
	if (known_now & SD_RUN_PARTS_SAMPLED)
		set |= BIT(SPINNING) | BIT(LOCK) | BIT(MPI) | BIT(IMBALANCE) | BIT(SERIAL);
	if (known_now & SD_RUN_PARTS_KERNEL)
		set |= BIT(THREADS) | BIT(LOCK);
	if (known & SD_RUN_PARTS_COUNTERS) {
		set |= BIT(INSTRUCTIONS) | BIT(CPI_OTHER);
		set |= known & SD_RUN_PARTS_BY_CYCLES ? 0 : BIT(FREQUENCY);
		set |= known & SD_RUN_PARTS_SPIN ? BIT(SPINNING) : 0;
		for (int k = 0; k < SD_STALL_COUNT; k++)
			set |= known & SD_RUN_PARTS_STALL(k) ? 1ul << sd_stall_component[k] : 0;
	} else {
		set |= BIT(GROWTH);
	}
	if ((known & SD_RUN_PARTS_SPLIT) || (known_now & SD_RUN_PARTS_POLLER))
		set |= BIT(SYSTEM); /* CPU time in the kernel, and waits for its locks */
	/* Waits appear if this side measured them, independent of the reference. */
	if (known_now & SD_RUN_PARTS_STEAL)
		set |= BIT(STOLEN);
	if (known_now & (SD_RUN_PARTS_QUOTA | SD_RUN_PARTS_POLLER))
		set |= BIT(THROTTLED);
	if (known_now & SD_RUN_PARTS_QUEUE)
		set |= BIT(RUN_QUEUE);
	if (known_now & SD_RUN_PARTS_MPI)
		set |= BIT(MPI);
	if (known_now & SD_RUN_PARTS_RANKS)
		set |= BIT(LAUNCH);
	if (known_now & SD_RUN_PARTS_POLLER)
		set |= BIT(LOCK) | BIT(IMBALANCE) | BIT(SERIAL) | BIT(DISK) | BIT(SLEEP) |
		       BIT(NETWORK);
	return set;
}
