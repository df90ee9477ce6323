#include "accounting/run_parts.h"

#include <math.h>

#include "accounting/mpi_parts.h"

const enum sd_component sd_stall_component[SD_STALL_COUNT] = {
#define X(id, component) [SD_STALL_##id] = SD_COMPONENT_##component,
	SD_STALLS(X)
#undef X
};

/* No count or time of a run is larger; a record that says so is damaged. */
#define MOST 1e18

/* s; what was seen for less than a nanosecond is no share of anything. */
#define LEAST 1e-9

/* No machine has more CPUs than this, so no run has more CPU time a second. */
#define MOST_CPUS 65536

int sd_run_parts_usable(struct sd_value v)
{
	return sd_has(v) && isfinite(v.value) && v.value >= 0 && v.value <= MOST;
}

static double or_zero(struct sd_value v)
{
	return sd_run_parts_usable(v) ? v.value : 0;
}

/* s of a context switch, at most: on virtual machines 5 to 11 us were seen. */
#define SWITCH_S 20e-6

/* Takes the time of context switches out of the user time. The kernel's sum has them, while the
 * ticks that divide it never meet one, with interrupts off, nor does perf's clock run then: the sum
 * is divided like what these saw, and user time grows with the waits though no code got slower. */
static void give_switches(const struct sd_run *run, double *user, double *system)
{
	const double sum = *user + *system, clock = or_zero(run->metric[SD_METRIC_TASK_CLOCK]);
	const double switches = or_zero(run->metric[SD_METRIC_VOLUNTARY_SWITCHES]) +
				or_zero(run->metric[SD_METRIC_INVOLUNTARY_SWITCHES]);
	const double unseen = fmin(sum - clock, SWITCH_S * switches);

	if (!(clock > 0 && unseen > 0))
		return;
	*user *= 1 - unseen / sum;
	*system = sum - *user;
}

/* CPU time in core-seconds, user and system; returns SD_RUN_PARTS_CPU and SD_RUN_PARTS_SPLIT as
 * known. */
static unsigned cpu_time(const struct sd_run *run, double *user, double *system)
{
	struct sd_value u = run->metric[SD_METRIC_USER], s = run->metric[SD_METRIC_SYSTEM];
	struct sd_value clock = run->metric[SD_METRIC_TASK_CLOCK];
	double sum, scale;

	*user = *system = 0;
	if (!sd_run_parts_usable(u) || !sd_run_parts_usable(s)) {
		*user = or_zero(clock);
		return sd_run_parts_usable(clock) ? SD_RUN_PARTS_CPU : 0;
	}
	/* task-clock also covers children nobody waited for; their split into user and system is
	 * assumed to be that of the others. Differences below 1 % are rounding. */
	sum = u.value + s.value;
	scale = sum > LEAST && or_zero(clock) > 1.01 * sum ? clock.value / sum : 1;
	*user = u.value * scale;
	*system = s.value * scale;
	give_switches(run, user, system);
	return SD_RUN_PARTS_CPU | SD_RUN_PARTS_SPLIT;
}

double sd_run_parts_user(const struct sd_run_parts *p)
{
	double user = p->part[SD_PART_USER];

	for (int k = 0; k < SD_PART_COUNT; k++)
		user += sd_part_info[k].of == SD_PART_OF_USER ? p->part[k] : 0;
	return user;
}

double sd_run_parts_spun(const struct sd_run_parts *p, enum sd_part spin)
{
	const enum sd_part yield = spin == SD_PART_SPIN_SERIAL      ? SD_PART_YIELD_SERIAL
				   : spin == SD_PART_SPIN_IMBALANCE ? SD_PART_YIELD_IMBALANCE
								    : SD_PART_COUNT;

	return p->part[spin] + (yield < SD_PART_COUNT ? p->part[yield] : 0);
}

/* Seconds of the samples in user code, by the part they belong to; 0 when there are none. */
static double sampled(const struct sd_run *run, double part[SD_PART_COUNT])
{
	const struct sd_sampled *s = &run->sampled;
	double all = 0;

	for (size_t i = 0; s->status == SD_STATUS_OK && i < s->n_use; i++) {
		const struct sd_use *u = &s->use[i];
		enum sd_activity_group group = sd_activity_info[u->activity].group;

		if (group != SD_GROUP_RUNNING && group != SD_GROUP_SPINNING)
			continue;
		if (!sd_run_parts_usable(SD_OK(u->seconds)))
			return 0;
		part[sd_activity_info[u->activity].part] += u->seconds;
		all += u->seconds;
	}
	return all;
}

/* Moves spinning that is known to wait for others' useful work to serial code or imbalance: as much
 * of what spins in user code as of what gives up the CPU and gets it back. */
static void explain_spin(const struct sd_sampled *s, double part[SD_PART_COUNT], enum sd_part spin,
	enum sd_part serial, enum sd_part imbalance)
{
	const double alone = or_zero(s->spun_serial), late = or_zero(s->spun_imbalance);
	double all = 0, whole;

	for (size_t i = 0; i < s->n_use; i++)
		if (sd_spins_for_peers(s->use[i].activity))
			all += s->use[i].seconds;
	whole = fmax(all, alone + late);
	if (!(whole > 0))
		return;
	part[serial] = part[spin] * alone / whole;
	part[imbalance] = part[spin] * late / whole;
	part[spin] = fmax(0, part[spin] - part[serial] - part[imbalance]);
}

/* Divides user time into work and spinning like the samples. */
static unsigned divide_user(const struct sd_run *run, double *part)
{
	double share[SD_PART_COUNT] = {0}, user = part[SD_PART_USER];
	double all = sampled(run, share);

	if (sd_mpi_parts_known(run)) { /* what polls in MPI is not in the user time any more */
		all -= share[SD_PART_SPIN_MPI];
		share[SD_PART_SPIN_MPI] = 0;
	}
	if (!(all > 0))
		return 0;
	explain_spin(
		&run->sampled, share, SD_PART_SPIN, SD_PART_SPIN_SERIAL, SD_PART_SPIN_IMBALANCE);
	part[SD_PART_USER] = user;
	for (int k = 0; k < SD_PART_COUNT; k++)
		if (sd_part_info[k].of == SD_PART_OF_USER) {
			part[k] = user * share[k] / all;
			part[SD_PART_USER] -= part[k];
		}
	part[SD_PART_USER] = fmax(0, part[SD_PART_USER]);
	return SD_RUN_PARTS_SAMPLED;
}

/* Divides system time by what the kernel did it for, like the samples in the kernel. */
static unsigned divide_system(const struct sd_run *run, double *part)
{
	const struct sd_sampled *s = &run->sampled;
	const double system = part[SD_PART_SYSTEM];
	double share[SD_PART_COUNT] = {0}, all = 0;

	if (s->status != SD_STATUS_OK || s->kernel != SD_STATUS_OK)
		return 0;
	for (size_t i = 0; i < s->n_use; i++) {
		const struct sd_use *u = &s->use[i];

		if (sd_activity_info[u->activity].group != SD_GROUP_KERNEL)
			continue;
		if (!sd_run_parts_usable(SD_OK(u->seconds)))
			return 0;
		all += u->seconds;
		share[sd_activity_info[u->activity].part] += u->seconds;
	}
	explain_spin(s, share, SD_PART_SYSTEM_YIELD, SD_PART_YIELD_SERIAL, SD_PART_YIELD_IMBALANCE);
	for (int k = 0; k < SD_PART_COUNT && all > 0; k++)
		if (sd_part_info[k].of == SD_PART_OF_SYSTEM)
			part[k] = system * share[k] / all;
	for (int k = 0; k < SD_PART_COUNT; k++)
		part[SD_PART_SYSTEM] -= sd_part_info[k].of == SD_PART_OF_SYSTEM ? part[k] : 0;
	part[SD_PART_SYSTEM] = fmax(0, part[SD_PART_SYSTEM]);
	return SD_RUN_PARTS_KERNEL;
}

/* Takes up to `most` of the gap. */
static double fill(double *gap, double most)
{
	double taken = fmin(*gap, fmax(0, most));

	*gap -= taken;
	return taken;
}

/* Seconds between observations of what idle cores wait for: with recorded switches the sampling
 * period, since samples tell the reasons, or the mean distance of windows; else the poll period. */
static double looked_every(const struct sd_run *run)
{
	if (run->sampled.idle && run->sampled.unwatched > 0 && run->sampled.unwatched < 1)
		return SD_SAMPLED_WINDOW_S / (1 - run->sampled.unwatched);
	if (run->sampled.idle && run->sampled.hz > 0)
		return 1 / run->sampled.hz;
	return or_zero(run->metric[SD_METRIC_POLL_PERIOD]);
}

/* Divides `idle` core-seconds among the classes seen (see the header). Observed classes are scaled
 * down if they exceed `idle`. If they fall short, what the kernel itself counted (throttling, run
 * delay) is filled first, then the observed classes up to two standard errors of a sampled sum, and
 * the rest is unknown instead of guessed. */
static void divide_idle(const struct sd_run *run, unsigned n, double idle, double *part)
{
	double seen[SD_PART_COUNT] = {0}, total = 0, gap, scale = 1;
	const double period = looked_every(run);

	for (int i = 0; i < SD_IDLE_COUNT; i++)
		seen[sd_idle_part[i]] += or_zero(run->idle[i]);
	for (int i = 0; i < SD_PART_COUNT; i++)
		total += seen[i];
	gap = fmax(0, idle - total);
	if (total > idle)
		scale = idle / total;
	part[SD_PART_THROTTLED] +=
		fill(&gap, or_zero(run->metric[SD_METRIC_THROTTLED]) - seen[SD_PART_THROTTLED]);
	part[SD_PART_RUN_QUEUE] +=
		fill(&gap, or_zero(run->metric[SD_METRIC_RUN_DELAY]) - seen[SD_PART_RUN_QUEUE]);
	if (total > LEAST && gap > 0)
		scale = 1 + fill(&gap, 2 * sqrt(total * period * n)) / total;
	for (int i = 0; i < SD_PART_COUNT; i++)
		part[i] += scale * seen[i];
	part[SD_PART_UNKNOWN] += gap;
}

static unsigned idle_known(const struct sd_run *run)
{
	unsigned known = 0;

	for (int i = 0; i < SD_IDLE_COUNT; i++)
		if (sd_run_parts_usable(run->idle[i]))
			known |= SD_RUN_PARTS_POLLER;
	if (sd_run_parts_usable(run->idle[SD_IDLE_MPI]))
		known |= SD_RUN_PARTS_MPI;
	return known;
}

/* Splits a run of MPI ranks: their logs say how much they lost, the poller or the recorded switches
 * what their threads did meanwhile. */
static unsigned split_ranks(const struct sd_run *run, unsigned n, double *part)
{
	const unsigned known = idle_known(run);
	const double idle = sd_mpi_parts_split(run, n, part);

	if (known & SD_RUN_PARTS_POLLER)
		divide_idle(run, n, idle, part);
	else
		part[SD_PART_UNKNOWN] += idle;
	return known | SD_RUN_PARTS_POLLER | SD_RUN_PARTS_MPI | SD_RUN_PARTS_QUEUE |
	       SD_RUN_PARTS_RANKS;
}

/* Core-seconds of the parts of a run whose CPU time is known. */
static unsigned split(const struct sd_run *run, unsigned n, double capacity, double *part)
{
	double busy = part[SD_PART_USER] + part[SD_PART_SYSTEM], idle;
	unsigned known = idle_known(run);

	if (sd_run_parts_usable(run->metric[SD_METRIC_STEAL]))
		known |= SD_RUN_PARTS_STEAL;
	if (sd_run_parts_usable(run->metric[SD_METRIC_THROTTLED]))
		known |= SD_RUN_PARTS_QUOTA;
	if ((known & SD_RUN_PARTS_POLLER) &&
		(sd_run_parts_usable(run->metric[SD_METRIC_RUN_DELAY]) ||
			sd_run_parts_usable(run->idle[SD_IDLE_RUNNABLE])))
		known |= SD_RUN_PARTS_QUEUE;
	part[SD_PART_STOLEN] =
		fmax(0, fmin(or_zero(run->metric[SD_METRIC_STEAL]), capacity - busy));
	idle = capacity - busy - part[SD_PART_STOLEN];
	if (idle > 0 && (known & SD_RUN_PARTS_POLLER)) {
		divide_idle(run, n, idle, part);
	} else if (idle > 0) {
		part[SD_PART_THROTTLED] = fill(&idle, or_zero(run->metric[SD_METRIC_THROTTLED]));
		part[SD_PART_UNKNOWN] = idle;
	} else {
		part[SD_PART_UNKNOWN] = idle; /* more CPU time than n cores have */
	}
	return known;
}

static int counted(struct sd_value v)
{
	/* A multiplexed count is not good enough for differences (DESIGN 6). */
	return v.status == SD_STATUS_OK && sd_run_parts_usable(v) && v.value >= 1;
}

/* Counted as a role instead: with multiplexing, at least so much of the time. */
static int role_counted(const struct sd_run *run, enum sd_role role, double *out, int *user)
{
	const struct sd_role_count *c = sd_run_role(run, role);

	if (!c || !sd_run_parts_usable(c->value) || c->value.value < 1 ||
		!(c->running >= SD_RUN_PARTS_RUNNING) || c->running > 1)
		return 0;
	*out = c->value.value / c->running;
	*user = c->user;
	return 1;
}

/* Instructions and cycles of user code; `busy` core-seconds of which `user` in user code. */
static unsigned count(const struct sd_run *run, double user, double busy, struct sd_run_parts *out)
{
	double cycles, instructions;
	int of_user[2] = {1, 1};

	if (counted(run->metric[SD_METRIC_CYCLES]) &&
		counted(run->metric[SD_METRIC_INSTRUCTIONS])) {
		out->cycles = run->metric[SD_METRIC_CYCLES].value;
		out->instructions = run->metric[SD_METRIC_INSTRUCTIONS].value;
		return SD_RUN_PARTS_COUNTERS;
	}
	if (!role_counted(run, SD_ROLE_CYCLES, &cycles, &of_user[0]) ||
		!role_counted(run, SD_ROLE_INSTRUCTIONS, &instructions, &of_user[1]) || busy <= 0)
		return 0;
	/* If counts include the kernel, user code is assumed to have its share of both. */
	out->cycles = of_user[0] ? cycles : cycles * user / busy;
	out->instructions = of_user[1] ? instructions : instructions * user / busy;
	return SD_RUN_PARTS_COUNTERS;
}

unsigned sd_run_parts_split(const struct sd_run *run, unsigned n, struct sd_run_parts *out)
{
	double capacity = n * run->metric[SD_METRIC_WALL].value;
	unsigned known;

	*out = (struct sd_run_parts){.time = run->metric[SD_METRIC_WALL].value};
	known = cpu_time(run, &out->part[SD_PART_USER], &out->part[SD_PART_SYSTEM]);
	if (out->part[SD_PART_USER] + out->part[SD_PART_SYSTEM] > MOST_CPUS * out->time) {
		known = 0;
		out->part[SD_PART_USER] = out->part[SD_PART_SYSTEM] = 0;
	}
	if (!(known & SD_RUN_PARTS_CPU)) {
		out->part[SD_PART_UNKNOWN] = 1;
		return 0;
	}
	known |= sd_mpi_parts_known(run) ? split_ranks(run, n, out->part)
					 : split(run, n, capacity, out->part);
	known |= count(run, out->part[SD_PART_USER],
		out->part[SD_PART_USER] + out->part[SD_PART_SYSTEM], out);
	known |= run->flags & SD_RUN_BY_CYCLES ? SD_RUN_PARTS_BY_CYCLES : 0;
	known |= divide_user(run, out->part);
	if (known & SD_RUN_PARTS_SPLIT)
		known |= divide_system(run, out->part);
	out->cycles /= capacity;
	out->instructions /= capacity;
	for (int i = 0; i < SD_PART_COUNT; i++)
		out->part[i] /= capacity;
	return known;
}
