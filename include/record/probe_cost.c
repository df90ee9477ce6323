#include "record/probe_cost.h"

#include <math.h>
#include <string.h>

static double cpu_of(const struct sd_run *run)
{
	const struct sd_value user = run->metric[SD_METRIC_USER],
			      system = run->metric[SD_METRIC_SYSTEM];

	return sd_has(user) && sd_has(system) ? user.value + system.value : NAN;
}

static double or_zero(struct sd_value v)
{
	return sd_has(v) ? v.value : 0;
}

/* ---- what each costs by ---------------------------------------------------------------------- */

static int was_counted(const struct sd_record *r, const struct sd_run *run)
{
	(void)r;
	return sd_has(run->metric[SD_METRIC_TASK_CLOCK]);
}

/* Others may have made them; but each thread of its own switched once at least, to end. */
static double threads_made(const struct sd_run *run)
{
	const struct sd_value *const m = run->metric;

	return fmin(or_zero(m[SD_METRIC_TASKS_MADE]),
		or_zero(m[SD_METRIC_VOLUNTARY_SWITCHES]) +
			or_zero(m[SD_METRIC_INVOLUNTARY_SWITCHES]));
}

static double entries_of(const struct sd_run *run, enum sd_region_kind kind)
{
	double n = 0;

	for (size_t i = 0; run->regions && i < run->regions->n_row; i++)
		if (run->regions->row[i].kind == kind)
			n += run->regions->row[i].entries;
	return n;
}

static int has_openmp(const struct sd_record *r, const struct sd_run *run)
{
	(void)r;
	return entries_of(run, SD_REGION_OPENMP) > 0;
}

static double openmp_calls(const struct sd_run *run)
{
	return run->regions ? run->regions->calls : 0;
}

static double marks(const struct sd_run *run)
{
	return entries_of(run, SD_REGION_MARKED);
}

static int has_marks(const struct sd_record *r, const struct sd_run *run)
{
	(void)r;
	return marks(run) > 0;
}

static int has_ranks(const struct sd_record *r, const struct sd_run *run)
{
	(void)r;
	return run->mpi && run->mpi->n_rank > 0;
}

/* On one node: elsewhere the library is what measures the ranks. */
static double mpi_calls(const struct sd_run *run)
{
	double n = 0;

	for (size_t i = 0; run->mpi && run->mpi->n_host < 2 && i < run->mpi->n_rank; i++)
		n += run->mpi->rank[i].calls;
	return n;
}

static int has_heap_log(const struct sd_record *r, const struct sd_run *run)
{
	(void)r;
	return run->native && run->native->heap_asked;
}

static int needs_ranks(const struct sd_record *r)
{
	return r->plan.n_point > 0 && r->plan.point->shape.ranks > 0;
}

static int was_sampled(const struct sd_record *r, const struct sd_run *run)
{
	(void)r;
	return run->sampled.status == SD_STATUS_OK;
}

/* Each is recorded, with its stack, or not where they are too many (SD_SAMPLED_WINDOW_S); a
 * thread's start and end are two records more, as a switch and its wake-up. */
static double switches(const struct sd_run *run)
{
	const struct sd_value *const m = run->metric;

	return was_sampled(NULL, run)
		       ? or_zero(m[SD_METRIC_VOLUNTARY_SWITCHES]) +
				 or_zero(m[SD_METRIC_INVOLUNTARY_SWITCHES]) + threads_made(run)
		       : 0;
}

/* A virtual machine of Java was seen in it, so that it was asked for names (jvm_names.h). */
static int has_jvm(const struct sd_record *r, const struct sd_run *run)
{
	int found = 0;

	for (size_t i = 0; i < r->stacks.n_text && !found && was_sampled(r, run); i++)
		found = r->stacks.text[i] && strstr(r->stacks.text[i], "/libjvm.so") != NULL;
	return found;
}

static double nothing(const struct sd_run *run)
{
	(void)run;
	return 0;
}

/*
 * Measured on a guest of an AMD EPYC. The kernel copies some counters into each new thread and adds
 * them up at its end: 3 of them took 8 to 14 us, 1 % at some 1,000 threads a second of CPU time. A
 * call of OpenMP's runtime that is not timed takes the library 2 to 3 ns: 1 % at 4 million of them.
 * A region that was marked took 90 ns, 1 % at 100,000; a call of MPI that was logged 320 ns, 1 % at
 * 30,000.
 */
const struct sd_probe_cost_row sd_probe_cost_row[SD_PROBE_COSTS] = {
	{SD_RUN_UNCOUNTED, 0, "counters of its processes",
		"less than some 1 %: it makes few threads", "threads", 1000, SD_PROBE_COST_MOST,
		NULL, NULL, NULL, was_counted, threads_made},
	{SD_RUN_UNLOGGED, 0, "OpenMP's library",
		"less than some 1 %: it seldom calls OpenMP's runtime", "calls", 4e6,
		SD_PROBE_COST_MOST, NULL, NULL, NULL, has_openmp, openmp_calls},
	{SD_RUN_UNMARKED, 0, "markers of regions", "less than some 1 %: it seldom enters one",
		"entries", 1e5, SD_PROBE_COST_MOST, NULL, NULL, NULL, has_marks, marks},
	{SD_RUN_UNTRACED, 0, "log of MPI's calls", "less than some 1 %: it seldom calls MPI",
		"calls", 3e4, SD_PROBE_COST_MOST, "only the launch is logged",
		"it stays: --ranks asks for it", needs_ranks, has_ranks, mpi_calls},
	{0, 0, "log of the heap's blocks",
		"less than 1 %: 2 runs a count, of a program that allocates little", "", INFINITY,
		INFINITY, NULL, NULL, NULL, has_heap_log, nothing},
	{SD_PROBE_COST_UNSAMPLED, SD_RUN_THINNED, "samples and switches",
		"little beyond what the samples take: its threads seldom switch",
		"switches and threads", 2e4, SD_PROBE_COST_MOST, NULL,
		"it stays: nothing else tells what its threads do", NULL, was_sampled, switches},
	{0, 0, "names of a JVM's code",
		"2 us a compiled function, asked after .4 s and each time it has run twice as long",
		"", INFINITY, INFINITY, NULL, NULL, NULL, has_jvm, nothing},
};

/* ---- what is known of it --------------------------------------------------------------------- */

int sd_probe_cost_ran(const struct sd_record *r, const struct sd_probe_cost_row *row)
{
	for (size_t i = 0; i < r->n_run; i++)
		if (row->ran(r, &r->run[i]))
			return 1;
	return 0;
}

/* CPU time; of a run that mostly sleeps its wall time, which must not become longer. NAN: not
 * known. */
static double spent(const struct sd_run *run)
{
	return isfinite(cpu_of(run)) ? fmax(cpu_of(run), sd_run_whole(run).value) : NAN;
}

double sd_probe_cost_rate(const struct sd_record *r, const struct sd_probe_cost_row *row)
{
	double most = 0;

	for (size_t i = 0; i < r->n_run; i++)
		if (row->ran(r, &r->run[i]) && spent(&r->run[i]) > 0)
			most = fmax(most, row->count(&r->run[i]) / spent(&r->run[i]));
	return most;
}

unsigned sd_probe_cost_may(const struct sd_run *run)
{
	unsigned may = 0;

	for (size_t i = 0; i < SD_PROBE_COSTS; i++)
		if (sd_probe_cost_row[i].count(run) > sd_probe_cost_row[i].a_second * spent(run))
			may |= sd_probe_cost_row[i].flag;
	return may & ~run->flags;
}

/* All flags of rows. */
static unsigned flags_of_all(void)
{
	unsigned all = 0;

	for (size_t i = 0; i < SD_PROBE_COSTS; i++)
		all |= sd_probe_cost_row[i].flag | sd_probe_cost_row[i].thinned;
	return all;
}

/* Were any of the runs that are compared sampled? Where nothing can be, none lacks samples. */
static int any_sampled(const struct sd_record *r)
{
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].kind == SD_RUN_COST && was_sampled(r, &r->run[i]))
			return 1;
	return 0;
}

/* Flags of the probes that the run was made without. */
static unsigned lacks(const struct sd_record *r, const struct sd_run *run)
{
	return (run->flags & flags_of_all()) |
	       (was_sampled(r, run) || !any_sampled(r) ? 0 : SD_PROBE_COST_UNSAMPLED);
}

/* The least CPU time of the runs without these probes, and the most. */
static void look_at(const struct sd_record *r, unsigned flags, double *least, double *most)
{
	*least = INFINITY;
	*most = 0;
	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_run *const run = &r->run[i];

		if (run->kind != SD_RUN_COST || !sd_run_ended_well(run) || lacks(r, run) != flags)
			continue;
		*least = fmin(*least, cpu_of(run));
		*most = fmax(*most, cpu_of(run));
	}
}

/* Cost of runs without `with`, beside those without `flag`. */
static struct sd_value cost_beside(const struct sd_record *r, unsigned with, unsigned flag)
{
	double least, without, most;

	look_at(r, with, &least, &most);
	look_at(r, flag, &without, &most);
	return isfinite(least) && isfinite(without) && without > 0 ? SD_OK(least / without - 1)
								   : SD_NOT(ABSENT);
}

struct sd_value sd_probe_cost(const struct sd_record *r, unsigned flag)
{
	return flag ? cost_beside(r, 0, flag) : SD_NOT(ABSENT);
}

struct sd_value sd_probe_cost_thinned(
	const struct sd_record *r, const struct sd_probe_cost_row *row)
{
	return row->thinned ? cost_beside(r, row->thinned, row->flag) : SD_NOT(ABSENT);
}

/* Nobody knows whether it costs too much, and it may: that it is not needed decides. */
static int is_left_unweighed(const struct sd_record *r, const struct sd_probe_cost_row *row)
{
	if (!row->unweighed || !(sd_probe_cost_rate(r, row) > row->a_second))
		return 0;
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].kind != SD_RUN_WARMUP && r->run[i].kind != SD_RUN_COST &&
			row->ran(r, &r->run[i]) && !(r->run[i].flags & row->flag))
			return 0;
	return 1;
}

/* Less of it was seen to cost as much: fewer samples would be for nothing. */
static int is_thin_in_vain(const struct sd_record *r, const struct sd_probe_cost_row *row)
{
	const struct sd_value thinned = sd_probe_cost_thinned(r, row);

	return sd_has(thinned) && thinned.value >= sd_probe_cost(r, row->flag).value;
}

unsigned sd_probe_cost_left_out(const struct sd_record *r)
{
	unsigned out = 0;

	for (size_t i = 0; i < SD_PROBE_COSTS; i++) {
		const struct sd_probe_cost_row *const row = &sd_probe_cost_row[i];
		const unsigned flag = row->flag;
		const struct sd_value cost = sd_probe_cost(r, flag);
		double with, without, most;

		if (row->needed && row->needed(r))
			continue;
		if (!sd_has(cost) && is_left_unweighed(r, row))
			out |= flag;
		look_at(r, 0, &with, &most);
		look_at(r, flag, &without, &most);
		if (sd_has(cost) && cost.value > row->most && with > most &&
			!is_thin_in_vain(r, row))
			out |= row->thinned ? row->thinned : flag;
	}
	return out;
}

double sd_probe_cost_thin(const struct sd_record *r)
{
	const struct sd_value cost = sd_probe_cost(r, SD_PROBE_COST_UNSAMPLED);

	return sd_has(cost) ? fmax(1, fmin(SD_PROBE_COST_THINNEST,
					      cost.value / (SD_PROBE_COST_MOST / 2)))
			    : 1;
}
