#include "validity/validity.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "runs/adjusted_efficiency.h"
#include "record/disturbed_runs.h"
#include "validity/compared_state.h"
#include "validity/drift.h"
#include "validity/named_neighbours.h"
#include "validity/fixed_time.h"
#include "validity/scaling_verdict.h"
#include "metrics/os_metrics.h"
#include "base/statistics.h"
#include "validity/open_load.h"
#include "validity/superlinear.h"
#include "validity/varied_work.h"
#include "case/cause_weights.h"

/* More than this share of the loss in `unaccounted`, and the accounting is incomplete
 * (DESIGN 7). */
#define UNACCOUNTED_MOST .15

/* Fewer moments than this say little about where a run's time went. */
#define POLLS_LEAST 4

static const char *plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

/* Warns of too few runs at either of the two points that the verdicts compare. */
static void check_few(struct sd_case *c)
{
	const struct sd_chosen *const p = c->ref->n_run < c->last->n_run ? c->ref : c->last;
	/* it was the time that ended, unless one was asked for */
	const int budget = c->record->plan.budget_s > 0 && c->record->plan.max_repeats > 1;
	/* what was imported has no options, and no machine */
	const int measured = c->record->layout.n_pu > 0;

	if (p->n_run >= SD_STATISTICS_FEW || p->exact)
		return;
	if (p->n_run > 1 || c->ref == c->last || c->choice->n_point >= SD_RUN_SELECTION_CURVE)
		return;
	c->no_loss = 1;
	c->a->no_verdict = budget     ? "one run has no interval: a longer --budget would decide"
			   : measured ? "one run has no interval: more --repeats would decide"
				      : "one run has no interval: more runs of each count would "
					"decide";
	sd_case_warn(c,
		"there is one run at %u core%s: one run has no interval, and decides nothing "
		"(%s)",
		p->cores, plural(p->cores),
		budget     ? "a longer --budget"
		: measured ? "--repeats 5 or more"
			   : "5 runs of each count or more");
}

/* Says which runs a signal stopped, whose time is not the program's, and which others disturbed. */
static void check_disturbed(struct sd_case *c, const struct sd_chosen *p)
{
	const size_t all = p->n_run + p->n_disturbed;
	size_t stopped = 0, used = 0;

	for (size_t j = 0; j < p->n_disturbed; j++)
		stopped += (p->disturbed[j]->flags & SD_RUN_STOPPED) != 0;
	for (size_t j = 0; j < p->n_run; j++)
		used += (p->run[j]->flags & SD_RUN_STOPPED) != 0;
	if (stopped)
		sd_case_warn(c,
			"discarded %zu of %zu runs at %u core%s: a signal stopped the program "
			"meanwhile (SIGSTOP, Ctrl-Z)",
			stopped, all, p->cores, plural(p->cores));
	if (used)
		sd_case_warn(c,
			"in all %zu runs at %u core%s a signal stopped the program for a while "
			"(SIGSTOP, Ctrl-Z): their times hold that",
			used, p->cores, plural(p->cores));
	if (p->n_disturbed > stopped)
		sd_case_warn(c,
			"discarded %zu of %zu runs at %u core%s: disturbed by background load",
			p->n_disturbed - stopped, all, p->cores, plural(p->cores));
}

static void check_runs(struct sd_case *c)
{
	size_t few = 0, least = SIZE_MAX;

	for (size_t i = 0; i < c->choice->n_point; i++) {
		const struct sd_chosen *p = &c->choice->point[i];

		if (p->n_failed)
			sd_case_warn(c, "%zu run%s at %u core%s ended badly and are not used",
				p->n_failed, plural((unsigned)p->n_failed), p->cores,
				plural(p->cores));
		check_disturbed(c, p);
		if (p->n_lacking)
			sd_case_warn(c, "%zu run%s at %u core%s lack CPU times and are not used",
				p->n_lacking, plural((unsigned)p->n_lacking), p->cores,
				plural(p->cores));
		few += p->n_run < SD_STATISTICS_FEW && !p->exact;
		least = p->n_run < least ? p->n_run : least;
	}
	if (few)
		sd_case_warn(c,
			"fewer than %d runs at %zu of %zu core count%s (at least %zu): their "
			"intervals are the range of what was seen, and bounds are wide%s",
			SD_STATISTICS_FEW, few, c->choice->n_point,
			plural((unsigned)c->choice->n_point), least,
			least < 2 ? "; a count that ran once has none" : "");
	check_few(c);
	if (c->last->cores > c->last->n)
		sd_case_warn(c, "%u threads share %u CPU%s at the largest count: oversubscribed",
			c->last->cores, c->last->n, plural(c->last->n));
}

/* Warns of runs shorter than a few polls, which mostly see their start and end. */
static void check_short(struct sd_case *c)
{
	struct sd_value period = sd_os_metrics_median(c->last, SD_METRIC_POLL_PERIOD);
	struct sd_value wall = sd_os_metrics_median(c->last, SD_METRIC_WALL);

	if (!sd_has(period) || !sd_has(wall) || wall.value >= POLLS_LEAST * period.value)
		return;
	sd_case_warn(c,
		"runs are too short (%.2g ms at %u core%s): start-up dominates, and threads are "
		"looked at only every %.2g ms. Use a larger input",
		1e3 * wall.value, c->last->cores, plural(c->last->cores), 1e3 * period.value);
}

static void check_flags(struct sd_case *c)
{
	unsigned seen = 0;

	for (size_t i = 0; i < c->choice->n_point; i++)
		for (size_t j = 0; j < c->choice->point[i].n_run; j++)
			seen |= c->choice->point[i].run[j]->flags;
	if ((seen & SD_RUN_REBOUND) && !(seen & SD_RUN_HELD)) {
		sd_case_warn(c,
			"the program moved threads outside the CPUs it was given: the core counts "
			"are not what they say, and these runs decide nothing");
		c->no_loss = 1;
		if (!c->a->no_verdict)
			c->a->no_verdict = "the program moved threads outside the CPUs it was "
					   "given: without that, runs would decide";
	}
	if (seen & SD_RUN_UNREADABLE)
		sd_case_warn(c,
			"the kernel ended counting and sampling when the program, or a part of it, "
			"was executed: it runs as another user (setuid, sudo), or may be executed "
			"and not read. Its CPU time is from the kernel's own accounting. Run "
			"scalediag as the user it runs as or as its owner, or ask for a copy that "
			"you may read and that is not setuid");
	if (seen & SD_RUN_UNLOADED)
		sd_case_warn(c,
			"the process with most CPU time did not load the libraries that scalediag "
			"preloads (it is static, changes its user, or a script cleared "
			"LD_PRELOAD): its OpenMP regions, MPI calls and other tools' markers are not "
			"known, rather than none");
	if (seen & SD_RUN_GOES_ON) {
		sd_case_warn(c,
			"processes that the program left went on working after its end, and were "
			"killed: its time is not that of the work. Run it in the foreground");
		c->no_loss = 1;
		if (!c->a->no_verdict)
			c->a->no_verdict = "the program ends before its work does: in the "
					   "foreground, runs would decide";
	} else if (seen & SD_RUN_LEFTOVER)
		sd_case_warn(c,
			"the program left processes behind when it ended; they were killed, and "
			"what they still did is not counted");
}

/* Mean share of a point's cores that others took; the largest of any run goes to *most. */
static double mean_disturbed(const struct sd_chosen *p, double *most, int *known)
{
	double sum = 0;

	for (size_t j = 0; j < p->n_run; j++) {
		double x = sd_disturbed_runs_share(p->run[j], p->n, known);

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

		/* Only the two points that the verdicts compare. */
		if ((i == 0 || i + 1 == c->choice->n_point) && x > worst) {
			worst = x;
			cores = p->cores;
		}
	}
	if (known)
		c->a->noise = SD_OK(most);
	if (worst < SD_CASE_GATE)
		return;
	sd_case_warn(c,
		"the machine was busy: other processes and the hypervisor took %.0f %% of the CPUs "
		"at %u core%s; what waits for a CPU may wait for them, not for the program",
		100 * worst, cores, plural(cores));
	sd_named_neighbours_warn(c);
}

/* Nothing is known to have been taken, and yet a CPU is not always worth a core. */
static void check_neighbours(struct sd_case *c)
{
	const struct sd_shared_cores *n = &c->neighbours;
	const double ref = 1 - n->ref / n->whole, last = 1 - n->last / n->whole;

	c->a->whole = (struct sd_interval){.status = SD_STATUS_ABSENT};
	if (!n->known || fmax(fmax(ref, last), n->uneven) < SD_CASE_GATE)
		return;
	if (n->comparable)
		c->a->whole = sd_adjusted_efficiency(c->record, c->ref, c->last);
	if (c->ref == c->last) {
		sd_case_warn(c,
			"other virtual machines or processes used part of these cores: %.0f %% of a "
			"core's speed was left at %u core%s, %.0f %% on the slowest of a moment",
			100 * (1 - ref), c->ref->cores, plural(c->ref->cores),
			100 * (1 - ref) * (1 - n->uneven));
		return;
	}
	sd_case_warn(c,
		"other virtual machines or processes used part of these cores: %.0f %% of a core's "
		"speed was left at %u core%s, %.0f %% at %u, and %.0f %% on the slowest of a "
		"moment",
		100 * (1 - ref), c->ref->cores, plural(c->ref->cores), 100 * (1 - last),
		c->last->cores, 100 * (1 - last) * (1 - n->uneven));
}

#define OWN_WAIT "the program chose to wait, and no cause is listed for that"

static void check_own_waits(struct sd_case *c)
{
	static const struct {
		unsigned long set;
		const char *what, *so;
	} row[] = {
		{SD_BIT(SLEEP), "sleep on a timer", OWN_WAIT},
		{SD_BIT(NETWORK), "wait for pipes, sockets or a terminal", OWN_WAIT},
		{SD_BIT(LAUNCH), "wait for MPI ranks to start and to end",
			"a longer run has the same once: it is no property of the program's work"},
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		unsigned long set = row[i].set & c->loss->components;
		struct sd_interval v;

		if (!set)
			continue;
		v = sd_statistics_widen_part(sd_cause_weights_added(c, set), c->loss->runs, 1);
		if (v.low >= SD_CASE_GATE)
			sd_case_warn(c,
				"%.2f of %u cores (95 %%: %.2f to %.2f) %s, beyond what did so at %u core%s: %s",
				v.value * c->loss->n, c->last->n, v.low * c->loss->n,
				v.high * c->loss->n, row[i].what, c->ref->cores,
				plural(c->ref->cores), row[i].so);
	}
}

static void check_throttling(struct sd_case *c)
{
	unsigned long set = SD_BIT(THROTTLED) & c->loss->components;

	if (!set || sd_cause_weights_added(c, set).low < SD_CASE_GATE)
		return;
	sd_case_warn(c, "the CPU quota stopped the program for part of the time: what waits for "
			"threads may wait for that");
}

/* Waits of the reference, but for those that the machine imposed. */
static void check_reference(struct sd_case *c)
{
	static const enum sd_part own[] = {SD_PART_LOCK, SD_PART_DISK, SD_PART_IMBALANCE,
		SD_PART_SERIAL, SD_PART_SLEEP, SD_PART_NETWORK, SD_PART_MPI, SD_PART_SPIN,
		SD_PART_SPIN_LOCK, SD_PART_SPIN_MPI, SD_PART_SPIN_SERIAL, SD_PART_SPIN_IMBALANCE,
		SD_PART_YIELD_SERIAL, SD_PART_YIELD_IMBALANCE};
	double capacity = c->ref->n * c->ref->median_time, waits = 0;

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		waits += c->ref->mean.part[own[i]];
	if (waits > SD_CASE_GATE)
		sd_case_warn(c,
			"at %u core%s the program itself waits %.2f of %.2f core-seconds; these "
			"waits appear in the stacks of all counts",
			c->ref->cores, plural(c->ref->cores), waits * capacity, capacity);
}

static void check_accounting(struct sd_case *c)
{
	double n = c->loss->n, lost = n - c->loss->stack[SD_COMPONENT_USEFUL];
	double rest = fabs(c->loss->stack[SD_COMPONENT_UNACCOUNTED]);

	if (!(c->loss->known_ref & c->loss->known & SD_RUN_PARTS_CPU)) {
		sd_case_warn(
			c, "this record has no CPU times: the loss cannot be divided among causes");
		return;
	}
	if (lost < SD_CASE_GATE * n || rest <= UNACCOUNTED_MOST * lost)
		return;
	sd_case_warn(c,
		"%.0f %% of the loss could not be attributed (%.2f of %.2f cores at %u): any wait "
		"may be among it",
		100 * rest / lost, c->loss->stack[SD_COMPONENT_UNACCOUNTED], lost, c->last->cores);
}

/* Warns, with the reason, of a simulated run at the largest count that has less than the program,
 * unless a part was asked for. */
static void check_simulation(struct sd_case *c)
{
	const struct sd_simulated *last = NULL;

	for (size_t i = 0; i < c->record->n_run; i++) {
		const struct sd_run *const run = &c->record->run[i];

		if (run->kind == SD_RUN_SIMULATED && run->simulated && run->point == c->last->plan)
			last = run->simulated;
	}
	if (last && last->partial && !(last->from_s > 0) && !(last->for_s > 0))
		sd_case_warn(c, "the software PMU has a part of the program only: %s", last->why);
}

int sd_validity_missing(const struct sd_record *record, const struct sd_run_selection *choice,
	struct sd_analysis *a)
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
	if (sd_scaling_verdict_compare(c))
		return -ENOMEM;
	check_runs(c);
	check_short(c);
	check_flags(c);
	sd_compared_state_check(c);
	sd_varied_work_check(c);
	sd_drift_check(c);
	check_noise(c);
	check_neighbours(c);
	check_throttling(c);
	check_own_waits(c);
	check_reference(c);
	sd_fixed_time_check(c);
	check_accounting(c);
	sd_open_load_check(c);
	sd_superlinear_check(c);
	check_simulation(c);
	sd_scaling_verdict_decide(c);
	return c->rc;
}
