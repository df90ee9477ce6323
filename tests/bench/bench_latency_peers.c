/*
 * Our pointer chase, line transfer and locks beside public programs that Debian does not have, in
 * pairs on the same CPUs: ours, theirs, theirs, ours, … Which ones, their builder says:
 *
 *   MULTICHASE  multichase (google/multichase), PINGPONG its pingpong, C2CLAT rigtorp/c2clat
 *   LAT_MEM_RD  lat_mem_rd (intel/lmbench)
 *   LOCKHAMMER  the folder of its programs (ARM-software/synchronization-benchmarks)
 *
 * Prints for each contest the median of the pairwise ratios with its quartiles. The chases are of
 * one size, random over all of it, one pointer a line, and walked for half a second when warm; the
 * transfers are one way; the locks are bare, with nothing inside or outside, and hammered for
 * 0.3 s at a time. c2clat compares and swaps (-w): else it has a word for either way, which the one
 * only writes and the other only reads, and such a line costs more than one that moves to and fro.
 * A pair across a change of the machine's state is dropped, and each state has a row of its own.
 * All contests together end in some four minutes: a slow machine has fewer pairs, three at least.
 * `bench_latency_peers PAIRS` sets how many pairs (default 7), `bench_latency_peers PAIRS NAME`
 * only the contests that begin so.
 *
 * stress-ng is none of them: around the lock of its --mutex are two changes of the thread's
 * priority, a yield and two looks at the clock; the rate of its --atomic divides by the time of
 * four processes, on however few CPUs.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/arena.h"
#include "bench/bench_output.h"
#include "loops/chase.h"
#include "harness/core_sets.h"
#include "kernels/kernels.h"
#include "kernels/lock_kinds.h"
#include "bench/line_probe.h"
#include "base/number.h"
#include "harness/samples.h"
#include "harness/state_split.h"
#include "harness/team.h"
#include "machine/topology.h"
#include "base/clock.h"

#define PAIRS_MAX 99
#define LINE 64u
#define WINDOW_S 0.5   /* of multichase */
#define LOCK_S 0.3     /* of lockhammer */
#define CONTEST_S 13.0 /* of which there are seventeen */
#define PAIRS_LEAST 3u

/* ---- theirs ---------------------------------------------------------------------------------- */

/* Number `which` of the last line that has one, -1 its last, as ns; NaN when there is none. */
static double number_of(char *out, int which)
{
	double found = NAN;
	char *rest;

	for (char *line = strtok_r(out, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *more;
		int n = 0;

		for (char *word = strtok_r(line, " \t", &more); word;
			word = strtok_r(NULL, " \t", &more)) {
			double v;

			if (sd_number_double(word, 0, 1e9, &v) == 0 && (n++ == which || which < 0))
				found = v;
		}
	}
	return found;
}

static double run_theirs(const char *program, const char *const *args, int which)
{
	const char *argv[12] = {program};
	char out[8192];

	for (size_t i = 0; i < 10 && args[i]; i++)
		argv[i + 1] = args[i];
	return bench_output(argv, out, sizeof out) == 0 ? number_of(out, which) : NAN;
}

/* ---- ours ------------------------------------------------------------------------------------ */

struct chase {
	struct sd_arena arena;
	struct sd_chase chase;
	double ns;
};

static int walk(struct sd_member *m, void *arg)
{
	struct chase *const c = arg;
	void *at;
	double begin, end;
	size_t steps = 0;

	(void)m;
	sd_arena_touch(c->arena.base, c->arena.bytes);
	if (sd_arena_verify(&c->arena, NULL, 0) != 0)
		return -ENOTSUP;
	sd_chase_build(&c->chase, 0, c->chase.lines);
	at = sd_chase_begin(&c->chase);
	for (end = sd_clock_s() + WINDOW_S; sd_clock_s() < end;)
		at = sd_chase_walk(at, 4096);
	begin = sd_clock_s();
	do {
		at = sd_chase_walk(at, 4096);
		steps += 4096;
		end = sd_clock_s();
	} while (end < begin + WINDOW_S);
	c->ns = 1e9 * (end - begin) / (double)steps;
	return at ? 0 : -EIO;
}

static double our_chase(unsigned cpu, size_t bytes, enum sd_pages pages)
{
	const struct sd_cpulist cpus = {.cpu = &cpu, .n = 1};
	struct chase c = {.ns = NAN};
	struct sd_team team = {0};

	if (sd_arena_map(&c.arena, bytes, pages) != 0)
		return NAN;
	c.chase = (struct sd_chase){c.arena.base, bytes / LINE, LINE, 0x5ca1ed1a6u};
	if (sd_team_start(&team, SD_TEAM_THREADS, &cpus, 0) != 0 ||
		sd_team_run(&team, (struct sd_team_job){walk, &c}, 0, NULL) != 0)
		c.ns = NAN;
	sd_team_end(&team);
	sd_arena_free(&c.arena);
	return c.ns;
}

struct lock {
	const struct sd_lock_kind_kind *kind;
	struct sd_lock_kind *lock;
	struct sd_lock_kind_node *nodes;
};

static int hammer(struct sd_member *m, void *arg)
{
	const struct lock *const l = arg;

	m->work = l->kind->hammer(
		l->lock, &l->nodes[m->rank], (struct sd_lock_kind_load){0}, sd_clock_s() + LOCK_S);
	return 0;
}

/* As the kernel of locks does, but for as long as theirs: whoever else gets a CPU meanwhile leaves
 * the lock to one thread, and its rate is another. */
static double our_lock(const struct sd_cpulist *all, const char *name, unsigned cores)
{
	const struct sd_cpulist cpus = {.cpu = all->cpu, .n = cores};
	struct sd_team team = {0};
	struct lock l = {.kind = NULL};
	double rate = NAN;

	for (unsigned k = 0; k < sd_lock_kind_kinds_n; k++)
		if (strcmp(sd_lock_kinds[k].name, name) == 0)
			l.kind = &sd_lock_kinds[k];
	if (!l.kind || sd_team_start(&team, SD_TEAM_THREADS, &cpus,
			       sizeof *l.lock + cores * sizeof *l.nodes) != 0)
		return NAN;
	l.lock = team.shared;
	l.nodes = (struct sd_lock_kind_node *)(l.lock + 1);
	if (l.kind->init(l.lock) == 0) {
		if (sd_team_run(&team, (struct sd_team_job){hammer, &l}, 0, NULL) == 0)
			rate = 0;
		for (unsigned i = 0; i < cores; i++)
			rate += (double)team.member[i].work /
				(team.member[i].stop - team.member[i].start);
		l.kind->destroy(l.lock);
	}
	sd_team_end(&team);
	return rate;
}

/* Runs the kernel as `calibrate --quick` does on so many cores: the row that has both words. */
static double our_row(const struct sd_topology *t, const struct sd_kernel *kernel, unsigned cores,
	const char *a, const char *b)
{
	const struct sd_kernel_env env = {
		.topology = t, .cores = &cores, .n_cores = 1, .quick = 1, .budget_s = 2};
	struct sd_bench_rows rows = {0};
	double found = NAN;

	if (kernel->run(&env, &rows) == 0)
		for (size_t i = 0; i < rows.n && isnan(found); i++)
			if (rows.row[i].n > 0 && rows.row[i].cores == cores &&
				strstr(rows.row[i].variant, a) && strstr(rows.row[i].variant, b))
				found = rows.row[i].median;
	sd_bench_rows_free(&rows);
	return found;
}

/* ---- contests -------------------------------------------------------------------------------- */

/* ns, where less is better; the locks in millions a second, where more is. */
static const struct contest {
	const char *name;
	/* the variable that names theirs; a program in that folder (NULL: the very program); what
	 * it is told; which number of its last line counts (-1 the last), and what it is worth */
	const char *variable, *file, *args[10];
	int which;
	double worth;
	size_t bytes; /* of our chase; 0: our lock, or our row of a kernel */
	int huge;
	const char *lock;
	const struct sd_kernel *kernel;
	unsigned cores;
	const char *words[2]; /* in its variant */
	double ours_worth;
} contests[] = {
#define CHASE(label, text, size, pages, how)                                                     \
	{                                                                                        \
		.name = "chase " label, .variable = "MULTICHASE",                                \
		.args = {"-a", "-n", "1", "-s", "64", "-m", text, "-T", text, how}, .which = -1, \
		.worth = 1, .bytes = (size), .huge = (pages)                                     \
	}
	CHASE("16 KiB", "16k", 16 << 10, 0, NULL),
	CHASE("512 KiB, 4 KiB pages", "512k", 512 << 10, 0, NULL),
	CHASE("512 KiB, 2 MiB pages", "512k", 512 << 10, 1, "-H"),
	CHASE("4 MiB, 4 KiB pages", "4m", 4 << 20, 0, NULL),
	CHASE("4 MiB, 2 MiB pages", "4m", 4 << 20, 1, "-H"),
	CHASE("1 GiB, 4 KiB pages", "1g", 1 << 30, 0, NULL),
	CHASE("1 GiB, 2 MiB pages", "1g", 1 << 30, 1, "-H"),
	/* the largest size is the last that it prints */
	{.name = "chase 4 MiB, lat_mem_rd",
		.variable = "LAT_MEM_RD",
		.args = {"-N", "1", "-t", "4", "64"},
		.which = -1,
		.worth = 1,
		.bytes = 4 << 20},
#define TRANSFER(label, who, arg, number, op, line)                                              \
	{                                                                                        \
		.name = "transfer" label, .variable = who, .args = arg, .which = (number),       \
		.worth = 1, .kernel = &sd_kernel_line_transfer, .cores = 2, .words = {op, line}, \
		.ours_worth = .5                                                                 \
	}
#define ARGS(...)           \
	{                   \
		__VA_ARGS__ \
	}
	TRANSFER(", pingpong", "PINGPONG", ARGS("-u", "-r", "0"), -1, "op=load-store",
		"line=median"),
	TRANSFER(" by CAS, pingpong", "PINGPONG", ARGS("-l", "-r", "0"), -1, "op=cas",
		"line=median"),
	/* its best sample, in whole ns: a row for each CPU, which begins with the CPU's number */
	TRANSFER(" by CAS, c2clat", "C2CLAT", ARGS("-w"), 1, "op=cas", "line=nearest"),
#define LOCK(label, program, kind, n, count, times)                                          \
	{                                                                                    \
		.name = label ", " count, .variable = "LOCKHAMMER", .file = program,         \
		.args = {"-c", "0", "-p", "0", "-D", "0.3", "-Z", "-t", count}, .which = -1, \
		.worth = 1e-6 * (times), .lock = kind, .cores = (n), .ours_worth = 1e-6      \
	}
	LOCK("mutex", "lh_pthread_mutex_lock", "mutex", 1, "1", 1),
	LOCK("mutex", "lh_pthread_mutex_lock", "mutex", 2, "2", 1),
	LOCK("ticket lock", "lh_ticket_spinlock", "ticket", 1, "1", 1),
	LOCK("ticket lock", "lh_ticket_spinlock", "ticket", 2, "2", 1),
	/* it adds, and subtracts again */
	LOCK("atomic add", "lh_incdec_refcount", "atomic-add", 1, "1", 2),
	LOCK("atomic add", "lh_incdec_refcount", "atomic-add", 2, "2", 2),
};

struct pair {
	double ours, theirs;
	unsigned state;
};

static double theirs_of(const struct contest *c)
{
	const char *const named = getenv(c->variable);
	char program[4096];

	snprintf(program, sizeof program, "%s%s%s", named ? named : "", c->file ? "/" : "",
		c->file ? c->file : "");
	return c->worth * run_theirs(program, c->args, c->which);
}

static double ours_of(
	const struct contest *c, const struct sd_topology *t, const struct sd_cpulist *all)
{
	if (c->bytes)
		return our_chase(t->pu[0].os, c->bytes, c->huge ? SD_PAGES_HUGE : SD_PAGES_BASE);
	if (c->lock)
		return c->ours_worth * our_lock(all, c->lock, c->cores);
	return c->ours_worth * our_row(t, c->kernel, c->cores, c->words[0], c->words[1]);
}

static void report(const struct contest *c, const struct pair *pair, size_t n, unsigned state,
	double line, size_t dropped)
{
	double ratio[PAIRS_MAX], ours[PAIRS_MAX], theirs[PAIRS_MAX];
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (pair[i].state == state) {
			ours[k] = pair[i].ours;
			theirs[k] = pair[i].theirs;
			ratio[k++] = pair[i].ours / pair[i].theirs;
		}
	if (k == 0)
		return;
	printf("%-28s %8.2f %8.2f   %.3f  %.3f-%.3f  %zu pairs, %zu dropped, state %.0f ns\n",
		c->name, sd_samples_quartiles(ours, k).median,
		sd_samples_quartiles(theirs, k).median, sd_samples_quartiles(ratio, k).median,
		sd_samples_quartiles(ratio, k).q1, sd_samples_quartiles(ratio, k).q3, k, dropped,
		1e9 * line);
	fflush(stdout);
}

static void hold(const struct contest *c, const struct sd_topology *t, const struct sd_cpulist *all,
	size_t pairs)
{
	struct sd_machine_states states = {0};
	struct pair pair[PAIRS_MAX];
	const double end = sd_clock_s() + CONTEST_S;
	size_t n = 0, dropped = 0;

	for (size_t i = 0; i < pairs && (i < PAIRS_LEAST || sd_clock_s() < end); i++) {
		const struct sd_value before = sd_line_probe_state(all);
		struct sd_value after;
		struct pair p = {.state = 0};
		int state;

		/* each goes first as often as the other */
		for (int k = 0; k < 2; k++)
			if ((k == 0) == (i % 2 == 0))
				p.ours = ours_of(c, t, all);
			else
				p.theirs = theirs_of(c);
		after = sd_line_probe_state(all);
		if (!(p.ours > 0) || !(p.theirs > 0) || !sd_has(before) || !sd_has(after) ||
			!sd_kernel_states_same(before.value, after.value) ||
			(state = sd_state_split_find(&states, before.value)) < 0) {
			dropped++;
			continue;
		}
		p.state = (unsigned)state;
		pair[n++] = p;
	}
	if (n == 0)
		printf("%-28s no pair held (%zu dropped)\n", c->name, dropped);
	for (unsigned s = 0; s < states.n; s++)
		report(c, pair, n, s, states.line[s], dropped);
}

/* Only two CPUs, that both sides find: theirs measure all they may use. */
static int narrow(struct sd_cpulist *two)
{
	const struct sd_topology_source here = {0};
	struct sd_topology t;
	cpu_set_t set;
	int rc = sd_topology_load(&t, &here, NULL);

	if (!rc)
		rc = sd_core_sets_place(&t, SD_CORE_SETS_COMPACT, t.n_core < 2 ? 1 : 2, two);
	CPU_ZERO(&set);
	for (size_t i = 0; !rc && i < two->n; i++)
		CPU_SET(two->cpu[i], &set);
	sd_topology_free(&t);
	return rc ? rc : sched_setaffinity(0, sizeof set, &set);
}

int main(int argc, char **argv)
{
	const struct sd_topology_source here = {0};
	struct sd_topology t;
	struct sd_cpulist all;
	uint64_t pairs = 7;
	int held = 0;

	if (argc > 1 && sd_number_u64(argv[1], 1, PAIRS_MAX, &pairs) != 0) {
		fprintf(stderr, "usage: bench_latency_peers [PAIRS [CONTEST]]\n");
		return 2;
	}
	if (narrow(&all) != 0 || sd_topology_load(&t, &here, NULL) != 0)
		return 1;
	for (size_t i = 0; i < sizeof contests / sizeof *contests; i++) {
		const struct contest *const c = &contests[i];

		if (!getenv(c->variable) || c->cores > all.n ||
			(argc > 2 && strncmp(c->name, argv[2], strlen(argv[2])) != 0))
			continue;
		if (!held++)
			printf("%-28s %8s %8s   ratio  quartiles     (ns; locks: millions/s)\n",
				"contest", "ours", "theirs");
		hold(c, &t, &all, (size_t)pairs);
	}
	if (!held)
		fprintf(stderr,
			"SKIP: latency and locks: none of MULTICHASE, PINGPONG, C2CLAT, LAT_MEM_RD and "
			"LOCKHAMMER names a program\n");
	sd_cpulist_free(&all);
	sd_topology_free(&t);
	return 0;
}
