#include "probes/probes.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/output_file.h"
#include "proc/glob_pattern.h"
#include "pmu/modelled_roles.h"
#include "simfile/sim_file.h"
#include "simfile/sim_names.h"
#include "probes/instruction_totals.h"
#include "probes/modelled_lives.h"
#include "record/stacks.h"

/* More processes than this are not looked at: the one with the most instructions is kept anyway. */
#define MOST_FILES 1024

/*
 * Reads the files of the software PMU's plugin when the emulated program has ended, names them, and
 * puts them into the run. The kernel's view of such a run is the emulator's, so it is the only
 * probe.
 */
struct simulation {
	const struct sd_probe_simulation *about;
	struct sd_stacks *stacks;
	const struct sd_counting *counting; /* of the PMU of a modelled machine, or NULL */
	const struct sd_accountant *accountant;
	unsigned cores;
	unsigned pass;
	pid_t pid;
};

static int simulation_open(void **state, const struct sd_probe_target *target)
{
	struct simulation *s;

	*state = NULL;
	if (!target->simulation || target->simulation->total)
		return -ENOTSUP;
	s = calloc(1, sizeof *s);
	*state = s;
	if (!s)
		return -ENOMEM;
	s->about = target->simulation;
	s->stacks = target->stacks;
	s->counting = target->counting;
	s->accountant = target->accountant;
	s->cores = target->cores;
	s->pass = target->pass;
	s->pid = target->pid;
	return 0;
}

/* ---- which process --------------------------------------------------------------------------- */

/* Summary of the files of all processes. */
struct found {
	struct sd_sim_file best; /* of most instructions */
	size_t processes, damaged;
	double whole;    /* instructions of all; not finite: not counted */
	char other[160]; /* why one that is not kept was simulated in part */
	char why[160];   /* of the first damaged one */
};

static void take(struct found *f, const char *path)
{
	struct sd_sim_file file = {0};
	char why[sizeof f->why] = "";
	const int rc = sd_sim_file_read(&file, path, why, sizeof why);

	if (rc) {
		if (!f->damaged++)
			snprintf(f->why, sizeof f->why, "%.150s", *why ? why : strerror(-rc));
		return;
	}
	f->whole += file.partial ? NAN : file.instructions;
	if (f->processes++ && file.instructions <= f->best.instructions) {
		if (file.partial)
			memcpy(f->other, file.why, sizeof f->other);
		sd_sim_file_free(&file);
		return;
	}
	if (f->best.partial)
		memcpy(f->other, f->best.why, sizeof f->other);
	sd_sim_file_free(&f->best);
	f->best = file;
}

/* Removes PATH.*.sim that a plugin has written, having read them unless `f` is NULL. */
static void find(const char *prefix, struct found *f)
{
	char *const pattern = sd_glob_pattern_of(prefix, ".*.sim");
	glob_t g = {0};
	size_t n = 0;

	if (!pattern)
		return;
	if (glob(pattern, GLOB_NOSORT, NULL, &g) == 0)
		n = g.gl_pathc;
	for (size_t i = 0; i < n; i++) {
		struct stat st;

		if (sd_output_file_look(g.gl_pathv[i], SD_OUTPUT_SIMULATED, &st) != SD_OUTPUT_OURS)
			continue;
		if (f && i < MOST_FILES)
			take(f, g.gl_pathv[i]);
		unlink(g.gl_pathv[i]);
	}
	globfree(&g);
	free(pattern);
}

/* ---- the roles ------------------------------------------------------------------------------- */

static const struct {
	enum sd_role role;
	size_t offset; /* of the thread's count */
} roles[] = {
	{SD_ROLE_INSTRUCTIONS, offsetof(struct sd_sim_thread, instructions)},
	{SD_ROLE_L1D_MISSES, offsetof(struct sd_sim_thread, l1_misses)},
	{SD_ROLE_L2_MISSES, offsetof(struct sd_sim_thread, l2_misses)},
	{SD_ROLE_LLC_MISSES, offsetof(struct sd_sim_thread, llc_misses)},
	{SD_ROLE_LLC_LINES_IN, offsetof(struct sd_sim_thread, lines_in)},
	{SD_ROLE_L2_WRITEBACKS, offsetof(struct sd_sim_thread, write_backs)},
	{SD_ROLE_HITM_LOAD, offsetof(struct sd_sim_thread, hitm_load)},
	{SD_ROLE_HITM_STORE, offsetof(struct sd_sim_thread, hitm_store)},
	{SD_ROLE_RFO, offsetof(struct sd_sim_thread, rfo)},
	{SD_ROLE_L1D_INVALIDATIONS, offsetof(struct sd_sim_thread, invalidations)},
	{SD_ROLE_UPGRADES, offsetof(struct sd_sim_thread, upgrades)},
	{SD_ROLE_L1_DTLB_MISSES, offsetof(struct sd_sim_thread, dtlb_misses)},
	{SD_ROLE_DTLB_WALKS, offsetof(struct sd_sim_thread, stlb_misses)},
};
#define N_ROLES (sizeof roles / sizeof *roles)

static struct sd_role_count role_of(enum sd_role role, size_t offset, const struct sd_simulated *s)
{
	struct sd_role_count c = {.role = role,
		.value = SD_OK(0),
		.running = 1,
		.quality = SD_QUALITY_SIMULATED,
		.scope = SD_SCOPE_THREAD,
		.user = 1};

	for (size_t i = 0; i < s->n_thread; i++)
		c.value.value +=
			*(const double *)(const void *)((const char *)&s->thread[i] + offset);
	snprintf(c.source, sizeof c.source, "sim:%.24s", s->machine.name);
	return c;
}

/* Adds a count of the whole process, not of a thread of it. */
static void put_process(
	enum sd_role role, struct sd_value v, const struct sd_simulated *s, struct sd_run *run)
{
	if (!sd_has(v))
		return;
	run->role[run->n_role] = role_of(role, 0, s);
	run->role[run->n_role++].value = v;
}

static void put_roles(const struct sd_simulated *s, const struct sd_sim_file *f, struct sd_run *run)
{
	run->role = calloc(N_ROLES + 4, sizeof *run->role);
	if (!run->role)
		return;
	for (size_t i = 0; i < N_ROLES; i++)
		run->role[run->n_role++] = role_of(roles[i].role, roles[i].offset, s);
	run->role[run->n_role] =
		role_of(SD_ROLE_L1D_ACCESSES, offsetof(struct sd_sim_thread, loads), s);
	run->role[run->n_role++].value.value +=
		role_of(SD_ROLE_L1D_ACCESSES, offsetof(struct sd_sim_thread, stores), s)
			.value.value;
	put_process(SD_ROLE_SYSTEM_CALLS, f->system_calls, s, run);
	put_process(SD_ROLE_HAND_OVERS, f->woken, s, run);
	put_process(SD_ROLE_LOCKS, f->locked, s, run);
}

/* The times and counts of a machine that is modelled whole, instead of those roles. */
static void put_modelled(const struct simulation *s, const struct sd_sim_file *f, size_t processes,
	struct sd_run *run)
{
	struct sd_probe_modelled *const to = s->about->modelled;

	*to = (struct sd_probe_modelled){.hz = to->hz};
	if (!f->modelled)
		return;
	to->clock = f->event[SD_MODELLED_CLOCK];
	to->running = f->event[SD_MODELLED_CYCLES];
	to->wait_transfer = f->event[SD_MODELLED_WAIT_TRANSFER];
	to->wait_memory = f->event[SD_MODELLED_WAIT_MEMORY];
	to->wait_bus = f->event[SD_MODELLED_WAIT_BUS];
	if (s->counting)
		(void)sd_modelled_roles_read(s->counting, s->pass, f->event, run);
	/* of one of several processes they would say that the others' cores were idle */
	if (s->accountant && processes == 1)
		(void)sd_modelled_lives_account(f, to->hz, s->cores, s->accountant, run);
}

/* Removes what a killed scalediag has left behind: it is not this run's. */
static void simulation_start(void *state)
{
	const struct simulation *const s = state;

	find(s->about->path, NULL);
	(void)sd_instruction_totals_take(s->about->path);
}

static void simulation_stop(void *state, struct sd_run *run)
{
	struct simulation *const s = state;
	struct found f = {0};
	struct sd_simulated *out;

	find(s->about->path, &f);
	out = calloc(1, sizeof *out);
	if (!out)
		goto out;
	if (f.processes == 0) {
		/* the record says of this run that it was to be simulated, and why it was not */
		out->machine = *s->about->machine;
		out->partial = 1;
		snprintf(out->why, sizeof out->why, "nothing was simulated%s%.100s",
			f.damaged ? ": " : ": the emulator wrote nothing", f.why);
	} else if (sd_sim_names_fill(&f.best, s->stacks, out) < 0) {
		sd_simulated_free(out);
		out = NULL;
		goto out;
	}
	if (f.processes && !f.best.heap_stacks)
		snprintf(out->blind, sizeof out->blind,
			f.best.heap ? "the program allocates nothing, or by an allocator of its own"
				    : "the program does not load the library that tells of them");
	out->processes = f.processes;
	if (f.processes && out->partial && isfinite(f.whole))
		out->whole = SD_OK(f.whole);
	if (f.processes > 1) {
		const char *const also = out->partial ? out->why : f.other;
		char why[sizeof out->why];

		snprintf(why, sizeof why,
			"one of %zu emulated processes, that of most instructions; lines "
			"that processes share are not seen%s%.32s",
			f.processes,
			!*also         ? ""
			: out->partial ? "; "
				       : "; another: ",
			also);
		memcpy(out->why, why, sizeof why);
		out->partial = 1;
	}
	if (s->about->modelled)
		put_modelled(s, &f.best, f.processes, run);
	else if (out->n_thread)
		put_roles(out, &f.best, run);
	run->simulated = out;
out:
	sd_sim_file_free(&f.best);
}

const struct sd_probe sd_probe_simulation = {
	.name = "simulation",
	.open = simulation_open,
	.start = simulation_start,
	.stop = simulation_stop,
	.close = free,
};
