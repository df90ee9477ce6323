/*
 * Neighbours: processes that are not of the program's tree, after runs that they disturbed. They
 * are looked at between runs alone, so that looking costs the program nothing.
 */
#include "probes/probes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "neighbours/memory_look.h"
#include "neighbours/process_changes.h"
#include "probe/diagnosis_cache.h"
#include "proc/proc_parse.h"
#include "proc/textfile.h"

/* Shares of a run's core-seconds from which its neighbours are looked at, and of a core from which
 * the memory of the largest is. */
#define DISTURBED .02
#define MEMORY .1
/* Share of a run in which some task waited for a CPU, as those do that the program has precedence
 * over, or for the disk. */
#define WAITED .05

/* s between two looks: a clock tick of a process is as much of it as is told of a core. */
#define BETWEEN .5

/* Processes whose memory is looked at, of the session: each look has the next run wait. */
#define LOOKED 2

/* Kept from run to run. */
struct neighbours {
	struct sd_process_look before; /* of the session's start, or the disturbed run before */
	struct looked {
		int pid;
		struct sd_value memory;
	} looked[LOOKED];
	unsigned n_looked;
};

struct state {
	struct sd_probe_target target;
	struct neighbours *own; /* NULL: it is the session's */
};

static void neighbours_free(void *what)
{
	struct neighbours *const n = what;

	if (n)
		sd_process_look_free(&n->before);
	free(n);
}

static struct neighbours *kept(const struct state *s)
{
	return s->target.kept ? s->target.kept->of[SD_KEPT_NEIGHBOURS].what : s->own;
}

static int neighbours_open(void **state, const struct sd_probe_target *target)
{
	struct state *const s = calloc(1, sizeof *s);
	struct neighbours *n;

	*state = s;
	if (!s)
		return -ENOMEM;
	s->target = *target;
	if (target->running || kept(s))
		return 0;
	n = calloc(1, sizeof *n);
	if (!n)
		return -ENOMEM;
	if (target->kept)
		sd_diagnosis_cache_keep(target->kept, SD_KEPT_NEIGHBOURS, n, neighbours_free);
	else
		s->own = n;
	return 0;
}

/* The first look of a session. */
static void neighbours_start(void *state)
{
	const struct state *const s = state;
	struct neighbours *const n = s ? kept(s) : NULL;

	if (n && !n->before.n)
		(void)sd_process_look_take(s->target.root, &n->before);
}

static int is_disturbed(const struct state *s, const struct sd_run *run)
{
	static const enum sd_metric waits[] = {SD_METRIC_PSI_CPU, SD_METRIC_PSI_IO};
	const struct sd_value wall = sd_run_whole(run), others = run->metric[SD_METRIC_FOREIGN];
	int disturbed;

	if (!sd_has(wall) || !(wall.value > 0))
		return 0;
	disturbed =
		sd_has(others) && others.value > DISTURBED * wall.value * (double)s->target.cpus->n;
	for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
		disturbed |= sd_has(run->metric[waits[i]]) &&
			     run->metric[waits[i]].value > WAITED * wall.value;
	return disturbed;
}

/* May it use some of the run's CPUs, and not all that are online? */
static int is_bound(const struct state *s, int pid)
{
	char path[48], text[4096], list[1024];
	struct sd_cpulist may = {0};
	int meets = 0, all;

	snprintf(path, sizeof path, "/proc/%d/status", pid);
	if (sd_textfile_read(s->target.root, path, text, sizeof text) ||
		sd_proc_parse_key(text, "Cpus_allowed_list:", list, sizeof list) ||
		sd_cpulist_parse(list, &may))
		return 0;
	for (size_t i = 0; i < s->target.cpus->n; i++)
		meets |= sd_cpulist_has(&may, s->target.cpus->cpu[i]);
	all = (long)may.n >= sysconf(_SC_NPROCESSORS_ONLN);
	sd_cpulist_free(&may);
	return meets && !all;
}

/* Once a session for each process. */
static struct sd_value memory_of(struct neighbours *n, const struct sd_neighbour *x)
{
	struct looked *to;

	if (x->cpu.value < MEMORY || x->facts & (SD_NEIGHBOUR_CHILDREN | SD_NEIGHBOUR_KERNEL))
		return SD_NOT(ABSENT);
	for (unsigned i = 0; i < n->n_looked; i++)
		if (n->looked[i].pid == x->pid)
			return n->looked[i].memory;
	if (n->n_looked == LOOKED)
		return SD_NOT(ABSENT);
	to = &n->looked[n->n_looked++];
	*to = (struct looked){.pid = x->pid, .memory = sd_memory_look(x->pid)};
	return to->memory;
}

static void describe(const struct state *s, struct neighbours *n, struct sd_run *run)
{
	for (size_t i = 0; i < run->n_neighbour; i++) {
		struct sd_neighbour *const x = &run->neighbour[i];

		x->facts |= is_bound(s, x->pid) ? SD_NEIGHBOUR_BOUND : 0u;
		x->memory = memory_of(n, x);
	}
}

static void neighbours_stop(void *state, struct sd_run *run)
{
	const struct state *const s = state;
	struct neighbours *const n = s ? kept(s) : NULL;
	struct sd_process_look now;

	if (!n || !n->before.n || !is_disturbed(s, run) || sd_clock_s() - n->before.at < BETWEEN ||
		sd_process_look_take(s->target.root, &now))
		return;
	run->neighbour = calloc(SD_NEIGHBOURS, sizeof *run->neighbour);
	if (run->neighbour)
		run->n_neighbour = sd_process_changes(&n->before, &now, (int)getpid(),
			1 / (double)sysconf(_SC_CLK_TCK), run->neighbour);
	sd_process_look_free(&n->before);
	n->before = now;
	describe(s, n, run);
}

static void neighbours_close(void *state)
{
	struct state *const s = state;

	if (s)
		neighbours_free(s->own);
	free(s);
}

const struct sd_probe sd_probe_neighbours = {
	.name = "neighbours",
	.open = neighbours_open,
	.start = neighbours_start,
	.stop = neighbours_stop,
	.close = neighbours_close,
};
