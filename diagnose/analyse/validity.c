#include "validity.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "adjusted.h"
#include "disturbed.h"
#include "shown.h"
#include "statistics.h"

/* The plan asks for efficiencies to within 2 % (DESIGN 9): less drift than that does no harm. */
#define DRIFT_HARMLESS .02

/* More than this share of the loss in `unaccounted`, and the accounting is incomplete (DESIGN 7).
 */
#define UNACCOUNTED_MOST .15

/* Fewer moments than this say little about where a run's time went. */
#define POLLS_LEAST 4

/* Timers end a program to within far less than this; work that takes as long is a coincidence. */
#define FIXED_TIME_WITHIN .01
#define FIXED_TIME_VARIES .005 /* of one wall time: likewise */

#define WARN(c, ...)                                              \
	do {                                                      \
		if (sd_texts_add(&(c)->a->warnings, __VA_ARGS__)) \
			(c)->rc = -ENOMEM;                        \
	} while (0)

static const char *plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

static void check_runs(struct sd_case *c)
{
	size_t few = 0, least = SIZE_MAX;

	for (size_t i = 0; i < c->choice->n_point; i++) {
		const struct sd_chosen *p = &c->choice->point[i];

		if (p->n_failed)
			WARN(c, "%zu run%s at %u core%s ended badly and are not used", p->n_failed,
				plural((unsigned)p->n_failed), p->cores, plural(p->cores));
		if (p->n_disturbed)
			WARN(c,
				"%zu of %zu runs at %u core%s are left out: other processes or the "
				"hypervisor took more than %.1f %% of the CPUs meanwhile, or more "
				"than %.0f %% of what their cores can do",
				p->n_disturbed, p->n_run + p->n_disturbed, p->cores,
				plural(p->cores), 100 * SD_DISTURBED_FROM,
				100 * SD_DISTURBED_SHARED_FROM);
		if (p->n_lacking)
			WARN(c, "%zu run%s at %u core%s lack CPU times and are not used",
				p->n_lacking, plural((unsigned)p->n_lacking), p->cores,
				plural(p->cores));
		few += p->n_run < SD_STATISTICS_FEW;
		least = p->n_run < least ? p->n_run : least;
	}
	if (few)
		WARN(c,
			"fewer than %d runs at %zu of %zu core counts (at least %zu): their "
			"intervals are the range of what was seen",
			SD_STATISTICS_FEW, few, c->choice->n_point, least);
	if (c->ref->n_run < SD_STATISTICS_FEW || c->last->n_run < SD_STATISTICS_FEW) {
		WARN(c,
			"with fewer than %d runs no verdict is stronger than possible, "
			"unless several core counts show the same",
			SD_STATISTICS_FEW);
		c->capped = 1;
	}
	if (c->last->cores > c->last->n)
		WARN(c, "%u threads share %u CPU%s at the largest count: oversubscribed",
			c->last->cores, c->last->n, plural(c->last->n));
	c->capped |= c->last->cores > c->last->n;
}

/* What a run shorter than a few polls did was hardly seen, and much of it was its start and end. */
static void check_short(struct sd_case *c)
{
	struct sd_value period = sd_shown_median(c->last, SD_METRIC_POLL_PERIOD);
	struct sd_value wall = sd_shown_median(c->last, SD_METRIC_WALL);

	if (!sd_has(period) || !sd_has(wall) || wall.value >= POLLS_LEAST * period.value)
		return;
	WARN(c,
		"a run takes only %.2g ms at %u core%s: its start and end are much of that, and "
		"its threads are looked at every %.2g ms; give it more work. No verdict is "
		"stronger than possible",
		1e3 * wall.value, c->last->cores, plural(c->last->cores), 1e3 * period.value);
	c->capped = 1;
}

static void check_flags(struct sd_case *c)
{
	unsigned seen = 0;

	for (size_t i = 0; i < c->choice->n_point; i++)
		for (size_t j = 0; j < c->choice->point[i].n_run; j++)
			seen |= c->choice->point[i].run[j]->flags;
	if ((seen & SD_RUN_REBOUND) && !(seen & SD_RUN_HELD)) {
		WARN(c, "the program moved threads outside the CPUs it was given: the core counts "
			"are not what they say, and no verdict is stronger than possible");
		c->capped = 1;
	}
	if (seen & SD_RUN_LEFTOVER)
		WARN(c, "the program left processes behind when it ended; they were killed, and "
			"what they still did is not counted");
}

static void check_states(struct sd_case *c)
{
	const struct sd_states *s = &c->choice->states;

	c->a->states = s->n;
	c->a->state_line[0] = s->line[0];
	c->a->state_line[1] = s->line[1];
	if (s->n < 2)
		return;
	if (!c->choice->pooled) {
		WARN(c,
			"this machine has two speeds: a cache line goes back and forth in %.0f ns "
			"or in %.0f ns; only runs of the %s state are compared",
			1e9 * s->line[0].value, 1e9 * s->line[1].value,
			c->choice->kept == SD_LABEL_NEAR ? "fast" : "slow");
		return;
	}
	WARN(c,
		"this machine has two speeds: a cache line goes back and forth in %.0f ns or in "
		"%.0f ns; no state was seen at every core count, so all runs are used together, "
		"and no verdict is stronger than possible",
		1e9 * s->line[0].value, 1e9 * s->line[1].value);
	c->capped = 1;
}

/* Times of the runs of a point, or of the drift runs in the kept state. */
static size_t times(const struct sd_case *c, const struct sd_run *const *run, size_t n, double *out)
{
	const struct sd_choice *choice = c->choice;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		enum sd_label l = sd_states_label(&choice->states, run[i]);

		if (choice->kept == SD_LABEL_NONE || l == SD_LABEL_NONE || l == choice->kept)
			out[k++] = sd_choice_time(c->record, run[i]);
	}
	return k;
}

static void check_drift(struct sd_case *c)
{
	const struct sd_choice *choice = c->choice;
	size_t most = c->ref->n_run > choice->n_drift ? c->ref->n_run : choice->n_drift, n_ref, n;
	const double e = c->a->point[c->a->n_point - 1].efficiency.value;
	double *v = calloc(most, sizeof *v), cv, before, least, drift;

	if (!v) {
		c->rc = -ENOMEM;
		return;
	}
	n_ref = times(c, c->ref->run, c->ref->n_run, v);
	cv = sd_statistics_cv(v, n_ref);
	before = n_ref ? sd_statistics_median(v, n_ref) : 0;
	n = times(c, choice->drift, choice->n_drift, v);
	if (n && c->ref->plan == 0 && before > 0) {
		drift = sd_statistics_median(v, n) / before - 1;
		least = fmax(DRIFT_HARMLESS, sd_statistics_smallest(cv, n_ref, cv, n));
		c->a->drift = SD_OK(drift);
		if (fabs(drift) > least) {
			/* of the cores, as much as a cause must have */
			const int matters = fabs(drift) * e >= SD_RULES_GATE;

			WARN(c,
				"the machine drifted: %u core%s took %.1f %% %s at the end than "
				"before (more than %.1f %% is not noise)%s",
				c->ref->cores, plural(c->ref->cores), 100 * fabs(drift),
				drift > 0 ? "longer" : "shorter", 100 * least,
				matters ? "; no verdict is stronger than possible"
					: "; that is little against what is lost");
			c->capped |= matters;
		}
	}
	free(v);
}

/* Mean share of a point's cores that others took; the largest of any run goes to *most. */
static double mean_disturbed(const struct sd_chosen *p, double *most, int *known)
{
	double sum = 0;

	for (size_t j = 0; j < p->n_run; j++) {
		double x = sd_disturbed_share(p->run[j], p->n, known);

		sum += x;
		*most = fmax(*most, x);
	}
	return sum / (double)p->n_run;
}

static void check_noise(struct sd_case *c)
{
	double most = 0, worst = 0;
	unsigned cores = 0;
	int known = 0;

	for (size_t i = 0; i < c->choice->n_point; i++) {
		const struct sd_chosen *p = &c->choice->point[i];
		double x = mean_disturbed(p, &most, &known);

		c->together = (1 - x) * (1 - x); /* of the last, in the end */
		/* Only the two points that the verdicts compare. */
		if ((i == 0 || i + 1 == c->choice->n_point) && x > worst) {
			worst = x;
			cores = p->cores;
		}
	}
	if (known)
		c->a->noise = SD_OK(most);
	if (worst < SD_RULES_GATE)
		return;
	WARN(c,
		"the machine was busy: other processes and the hypervisor took %.0f %% of the CPUs "
		"at %u core%s; no verdict on the program itself is stronger than possible",
		100 * worst, cores, plural(cores));
	c->disturbed = 1;
}

/* Nothing is known to have been taken, and yet a CPU is not always worth a core. */
static void check_neighbours(struct sd_case *c)
{
	const struct sd_neighbours *n = &c->neighbours;
	const double ref = 1 - n->ref / n->whole, last = 1 - n->last / n->whole;

	c->a->whole = (struct sd_interval){.status = SD_STATUS_ABSENT};
	if (!n->known || fmax(fmax(ref, last), n->uneven) < SD_RULES_GATE)
		return;
	if (n->comparable)
		c->a->whole = sd_adjusted_efficiency(c->record, c->ref, c->last);
	WARN(c,
		"the cores of these CPUs were shared, unseen by the kernel: others used their "
		"other hardware threads, or the hypervisor has two of these CPUs on one core. A "
		"CPU had %.0f %% of what a core can do at %u core%s, %.0f %% at %u, and the "
		"slowest of a moment %.0f %%",
		100 * (1 - ref), c->ref->cores, plural(c->ref->cores), 100 * (1 - last),
		c->last->cores, 100 * (1 - last) * (1 - n->uneven));
}

static void check_own_waits(struct sd_case *c)
{
	static const struct {
		unsigned long set;
		const char *what;
	} row[] = {
		{SD_BIT(SLEEP), "sleep on a timer"},
		{SD_BIT(NETWORK), "wait for pipes, sockets or a terminal"},
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		unsigned long set = row[i].set & c->loss->components;
		struct sd_interval v;

		if (!set)
			continue;
		v = sd_rules_added(c, set);
		if (v.low >= SD_RULES_GATE)
			WARN(c,
				"%.2f of %u cores (95 %%: %.2f to %.2f) %s, beyond what did so at "
				"%u core%s: the program chose to wait, and no cause is listed for "
				"that",
				v.value * c->loss->n, c->last->n, v.low * c->loss->n,
				v.high * c->loss->n, row[i].what, c->ref->cores,
				plural(c->ref->cores));
	}
}

/* How much the times of a point vary: a timer's hardly do, on a busy machine either. */
static double variation(const struct sd_chosen *p)
{
	double mean = 0, sum = 0;

	for (size_t j = 0; j < p->n_run; j++)
		mean += p->parts[j].time / (double)p->n_run;
	for (size_t j = 0; j < p->n_run; j++)
		sum += (p->parts[j].time - mean) * (p->parts[j].time - mean);
	return mean > 0 ? sqrt(sum / (double)p->n_run) / mean : 0;
}

/*
 * A benchmark that runs for a fixed time looks exactly like a program whose cores all wait for one
 * saturated resource while they count as busy: only its user knows which it is.
 */
static void check_fixed_time(struct sd_case *c)
{
	const double more = (double)c->last->n / c->ref->n;
	const double ref = c->ref->mean.part[SD_PART_USER], last = c->last->mean.part[SD_PART_USER];

	if (c->ref == c->last || c->choice->rates ||
		c->record->program.scaling != SD_SCALING_STRONG ||
		!(c->loss->known_ref & c->loss->known & SD_PARTS_CPU) || ref < SD_RULES_GATE)
		return;
	/* the rest of the CPU time may be lost to others, without the timer knowing */
	if (fabs(c->last->median_time / c->ref->median_time - 1) > FIXED_TIME_WITHIN ||
		more * last < ref * (1 + (more - 1) / 2))
		return;
	if (fmax(variation(c->ref), variation(c->last)) > FIXED_TIME_VARIES)
		return;
	/* more time for the same instructions is no more work */
	if ((c->loss->known_ref & c->loss->known & SD_PARTS_COUNTERS) &&
		more * c->last->mean.instructions <
			c->ref->mean.instructions * (1 + (more - 1) / 2))
		return;
	c->fixed_time = 1;
	WARN(c,
		"the time is the same at %u core%s and at %u while the CPU time grows with the "
		"cores. If the program runs for a fixed time, compare what it prints (--rate "
		"REGEX) or say that its work grows (--weak); if its work is fixed, the growth of "
		"user time is a loss",
		c->ref->cores, plural(c->ref->cores), c->last->cores);
}

static void check_throttling(struct sd_case *c)
{
	unsigned long set = SD_BIT(THROTTLED) & c->loss->components;

	if (!set || sd_rules_added(c, set).low < SD_RULES_GATE)
		return;
	WARN(c, "the CPU quota stopped the program for part of the time: no verdict on the "
		"program itself is stronger than possible");
	c->disturbed = 1;
}

/* What is known about the noise of the two points that are compared. */
static int compare_times(struct sd_case *c)
{
	const struct sd_chosen *r = c->ref, *p = c->last;
	size_t most = r->n_run > p->n_run ? r->n_run : p->n_run;
	double *v = calloc(most, sizeof *v);
	struct sd_group ref = {r->median_time * p->work * r->n / p->n, 0, r->n_run};
	struct sd_group now = {p->median_time, 0, p->n_run};

	if (!v)
		return -ENOMEM;
	ref.cv = sd_statistics_cv(v, times(c, r->run, r->n_run, v));
	now.cv = sd_statistics_cv(v, times(c, p->run, p->n_run, v));
	free(v);
	c->lost = r != p && now.median > ref.median && sd_statistics_differ(&ref, &now);
	if (r != p && r->n_run > 1 && p->n_run > 1)
		c->a->smallest = SD_OK(c->a->point[c->a->n_point - 1].efficiency.value *
				       sd_statistics_smallest(ref.cv, ref.n, now.cv, now.n));
	return 0;
}

/* Waits of the reference, but for those that the machine imposed. */
static void check_reference(struct sd_case *c)
{
	static const enum sd_part own[] = {SD_PART_LOCK, SD_PART_DISK, SD_PART_IMBALANCE,
		SD_PART_SERIAL, SD_PART_SLEEP, SD_PART_NETWORK, SD_PART_MPI, SD_PART_SPIN,
		SD_PART_SPIN_LOCK, SD_PART_SPIN_MPI, SD_PART_SPIN_SERIAL, SD_PART_SPIN_IMBALANCE};
	double capacity = c->ref->n * c->ref->median_time, waits = 0;

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		waits += c->ref->mean.part[own[i]];
	if (waits > SD_RULES_GATE)
		WARN(c,
			"at %u core%s the program itself waits %.2f of %.2f core-seconds; these "
			"waits appear in the stacks of all counts",
			c->ref->cores, plural(c->ref->cores), waits * capacity, capacity);
}

static void check_accounting(struct sd_case *c)
{
	double n = c->loss->n, lost = n - c->loss->stack[SD_COMPONENT_USEFUL];
	double rest = fabs(c->loss->stack[SD_COMPONENT_UNACCOUNTED]);

	if (!(c->loss->known_ref & c->loss->known & SD_PARTS_CPU)) {
		WARN(c, "this record has no CPU times: the loss cannot be divided among causes");
		c->capped = 1;
		return;
	}
	if (lost < SD_RULES_GATE * n || rest <= UNACCOUNTED_MOST * lost)
		return;
	WARN(c,
		"the accounting is incomplete: %.2f of the %.2f cores lost at %u cores are not "
		"accounted for; no verdict is stronger than possible",
		c->loss->stack[SD_COMPONENT_UNACCOUNTED], lost, c->last->cores);
	c->capped = c->incomplete = 1;
}

/* Share of the cores lost to the machine and not to the program: it says nothing about the
 * program's scaling. */
static struct sd_interval machine_share(const struct sd_case *c)
{
	unsigned long set =
		c->loss->components & (SD_BIT(STOLEN) | SD_BIT(RUN_QUEUE) | SD_BIT(THROTTLED));

	return set ? sd_rules_added(c, set) : (struct sd_interval){.status = SD_STATUS_OK};
}

static int lost_to_machine(const struct sd_case *c, struct sd_interval s)
{
	return s.low >= SD_RULES_GATE &&
	       s.value > (1 - c->a->point[c->a->n_point - 1].efficiency.value) / 2;
}

/*
 * It scales when the efficiency at the largest count is at least 95 % by the best estimate, and at
 * least 90 % with 95 % confidence: on a machine that others share, the times of a program without
 * any loss seldom agree to 5 %. It does not scale when it is below 95 % with the same confidence
 * (the gate of METHODS 3: no cause can be worth 5 % of the cores when all of them together are
 * not), also with what the machine took given back. Else it is not known. Causes are named only for
 * a loss that is beyond doubt: a cause named wrongly costs more than one named a few runs later.
 */
static int scales_on_whole_cores(const struct sd_case *c, struct sd_interval machine)
{
	const struct sd_interval e = c->a->whole;

	return e.status == SD_STATUS_OK && e.value + fmax(0, machine.value) >= 1 - SD_RULES_GATE &&
	       e.low + fmax(0, machine.low) >= 1 - 2 * SD_RULES_GATE;
}

/* What is lost stays lost with all that neighbours may have taken, or with what they took by the
 * runs' own evidence. */
static int is_lost_on_whole_cores(const struct sd_case *c, double machine)
{
	const struct sd_interval e = c->a->point[c->a->n_point - 1].efficiency, w = c->a->whole;

	return (e.high + machine) * c->neighbours.more < 1 - SD_RULES_GATE ||
	       (w.status == SD_STATUS_OK && w.high + machine < 1 - SD_RULES_GATE);
}

static void decide_scales(struct sd_case *c)
{
	const struct sd_interval e = c->a->point[c->a->n_point - 1].efficiency;
	struct sd_interval machine;
	int sure;

	c->a->scales = SD_SCALES_UNKNOWN;
	if (c->a->n_point < 2)
		return;
	sure = e.value >= 1 - SD_RULES_GATE && e.low * c->neighbours.less >= 1 - 2 * SD_RULES_GATE;
	machine = machine_share(c);
	sure = sure || scales_on_whole_cores(c, machine);
	c->scales = sure || e.value >= 1;
	c->lost = !c->scales && e.high < 1 && c->lost;
	if (sure) {
		c->a->scales = SD_SCALES_YES;
	} else if (c->scales || !(c->lost || sd_rules_any_certain(c))) {
		WARN(c, "%s: efficiency at %u cores is %.1f %% (95 %%: %.1f to %.1f %%)",
			e.high < 1 ? "a scaling loss is not certain" : "no scaling loss measurable",
			c->last->cores, 100 * e.value, 100 * e.low, 100 * e.high);
		if (sd_has(c->a->smallest))
			WARN(c,
				"with these runs only a difference of efficiency of %.1f %% or "
				"more is likely to be seen",
				100 * c->a->smallest.value);
	} else if (c->fixed_time) {
		return; /* said where that was found */
	} else if (lost_to_machine(c, machine)) {
		WARN(c,
			"more than half of what is lost at %u cores went to other processes, the "
			"hypervisor or a quota: that says nothing about the program",
			c->last->cores);
	} else if (e.high + fmax(0, machine.value) < 1 - SD_RULES_GATE &&
		   is_lost_on_whole_cores(c, fmax(0, machine.value))) {
		c->a->scales = SD_SCALES_NO;
	} else if (e.high + fmax(0, machine.value) < 1 - SD_RULES_GATE) {
		WARN(c,
			"on cores that nobody else uses the efficiency, %.1f %% (95 %%: %.1f to "
			"%.1f %%), may be up to %.2f times that: that of a program that scales",
			100 * e.value, 100 * e.low, 100 * e.high, c->neighbours.more);
	} else if (e.high < 1 - SD_RULES_GATE) {
		WARN(c,
			"%.1f %% of %.0f cores went to other processes, the hypervisor or to "
			"waiting "
			"for a CPU: without them the efficiency, %.1f %% (95 %%: %.1f to %.1f %%), "
			"may be that of a program that scales",
			100 * machine.value, c->loss->n, 100 * e.value, 100 * e.low, 100 * e.high);
	} else {
		WARN(c,
			"something is lost, but efficiency at %u cores is only known to be between "
			"%.1f and %.1f %% (95 %%): more runs narrow it (--repeats)",
			c->last->cores, 100 * e.low, 100 * e.high);
	}
}

int sd_validity_missing(
	const struct sd_record *record, const struct sd_choice *choice, struct sd_analysis *a)
{
	size_t k = 0;

	for (size_t i = 0; i < record->plan.n_point; i++) {
		if (k < choice->n_point && choice->point[k].plan == i) {
			k++;
			continue;
		}
		if (record->plan.point[i].simulated)
			continue;
		if (sd_texts_add(&a->warnings, "no usable run at %u core%s%s",
			    record->plan.point[i].cores, plural(record->plan.point[i].cores),
			    i == 0 && choice->n_point ? ": the next count is the reference" : ""))
			return -ENOMEM;
	}
	if (!record->complete &&
		sd_texts_add(&a->warnings, "the measurement is not complete (--resume goes on)"))
		return -ENOMEM;
	return 0;
}

int sd_validity_check(struct sd_case *c)
{
	struct sd_interval useful = c->a->point[c->a->n_point - 1].stack[SD_COMPONENT_USEFUL];
	double n = c->loss->n;

	c->a->lost = (struct sd_interval){
		n - useful.value, n - useful.high, n - useful.low, useful.status};
	if (compare_times(c))
		return -ENOMEM;
	check_runs(c);
	check_short(c);
	check_flags(c);
	check_states(c);
	check_drift(c);
	check_noise(c);
	check_neighbours(c);
	check_throttling(c);
	check_own_waits(c);
	check_reference(c);
	check_fixed_time(c);
	check_accounting(c);
	decide_scales(c);
	return c->rc;
}
