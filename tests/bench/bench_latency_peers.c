/*
 * Our pointer chase and line transfer beside public programs that Debian does not have, in pairs on
 * the same CPUs: ours, theirs, theirs, ours, … Which ones, their builder says:
 *
 *   MULTICHASE  multichase (google/multichase), PINGPONG its pingpong, C2CLAT rigtorp/c2clat
 *
 * Prints for each contest the median of the pairwise ratios with its quartiles. The chases are of
 * one size, random over all of it, one pointer a line, and walked for half a second when warm; the
 * transfers are one way. A pair across a change of the machine's state is dropped, and each state
 * has a row of its own. `bench_latency_peers PAIRS` sets how many pairs (default 7).
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
#include "bench/line_probe.h"
#include "base/number.h"
#include "harness/samples.h"
#include "harness/state_split.h"
#include "harness/team.h"
#include "machine/topology.h"
#include "base/clock.h"

#define PAIRS_MAX 99
#define LINE 64u
#define WINDOW_S 0.5 /* of multichase */

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

	for (size_t i = 0; args[i] && i < 10; i++)
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

/* One way, of the kernel as `calibrate` runs it; `variant` begins so. */
static double our_transfer(const struct sd_topology *t, const char *op, const char *line)
{
	const struct sd_kernel_env env = {.topology = t, .budget_s = 2};
	struct sd_bench_rows rows = {0};
	double ns = NAN;

	if (sd_kernel_line_transfer.run(&env, &rows) == 0)
		for (size_t i = 0; i < rows.n && isnan(ns); i++)
			if (rows.row[i].n > 0 && strstr(rows.row[i].variant, op) &&
				strstr(rows.row[i].variant, line))
				ns = rows.row[i].median / 2;
	sd_bench_rows_free(&rows);
	return ns;
}

/* ---- contests -------------------------------------------------------------------------------- */

static const struct contest {
	const char *name;
	const char *size; /* of a chase, in their words; NULL: a transfer */
	size_t bytes;
	int huge;
	/* of a transfer: the variable that names the program, what it is told, which number of its
	 * last line counts (-1 the last), and our row */
	const char *program, *args[4];
	int which;
	const char *op, *line;
} contests[] = {
	{.name = "chase 16 KiB", .size = "16k", .bytes = 16 << 10},
	{.name = "chase 512 KiB, 4 KiB pages", .size = "512k", .bytes = 512 << 10},
	{.name = "chase 512 KiB, 2 MiB pages", .size = "512k", .bytes = 512 << 10, .huge = 1},
	{.name = "chase 4 MiB, 4 KiB pages", .size = "4m", .bytes = 4 << 20},
	{.name = "chase 4 MiB, 2 MiB pages", .size = "4m", .bytes = 4 << 20, .huge = 1},
	{.name = "chase 1 GiB, 4 KiB pages", .size = "1g", .bytes = 1 << 30},
	{.name = "chase 1 GiB, 2 MiB pages", .size = "1g", .bytes = 1 << 30, .huge = 1},
	{.name = "transfer, pingpong",
		.program = "PINGPONG",
		.args = {"-u", "-r", "0"},
		.op = "op=load-store",
		.line = "line=median",
		.which = -1},
	{.name = "transfer by CAS, pingpong",
		.program = "PINGPONG",
		.args = {"-l", "-r", "0"},
		.op = "op=cas",
		.line = "line=median",
		.which = -1},
	/* its best sample, in whole ns: a row for each CPU, which begins with the CPU's number */
	{.name = "transfer, c2clat",
		.program = "C2CLAT",
		.op = "op=load-store",
		.line = "line=nearest",
		.which = 1},
};

struct pair {
	double ours, theirs;
	unsigned state;
};

static const char *program_of(const struct contest *c)
{
	return getenv(c->size ? "MULTICHASE" : c->program);
}

static double theirs_of(const struct contest *c)
{
	const char *const chase[] = {"-a", "-n", "1", "-s", "64", "-m", c->size, "-T", c->size,
		c->huge ? "-H" : NULL, NULL};

	return run_theirs(program_of(c), c->size ? chase : c->args, c->size ? -1 : c->which);
}

static double ours_of(const struct contest *c, const struct sd_topology *t)
{
	return c->size ? our_chase(t->pu[0].os, c->bytes, c->huge ? SD_PAGES_HUGE : SD_PAGES_BASE)
		       : our_transfer(t, c->op, c->line);
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
	size_t n = 0, dropped = 0;

	for (size_t i = 0; i < pairs; i++) {
		const struct sd_value before = sd_line_probe_state(all);
		struct sd_value after;
		struct pair p = {.state = 0};
		int state;

		/* each goes first as often as the other */
		for (int k = 0; k < 2; k++)
			if ((k == 0) == (i % 2 == 0))
				p.ours = ours_of(c, t);
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

		if (!program_of(c) || (!c->size && all.n < 2) ||
			(argc > 2 && strncmp(c->name, argv[2], strlen(argv[2])) != 0))
			continue;
		if (!held++)
			printf("%-28s %8s %8s   ratio  quartiles     (ns, median of pairs)\n",
				"contest", "ours", "theirs");
		hold(c, &t, &all, (size_t)pairs);
	}
	if (!held)
		fprintf(stderr,
			"SKIP: latency: neither MULTICHASE nor PINGPONG nor C2CLAT names a program\n");
	sd_cpulist_free(&all);
	sd_topology_free(&t);
	return 0;
}
