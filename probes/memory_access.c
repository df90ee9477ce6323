/*
 * Samples of loads and stores with their addresses, of the whole tree: which cache lines moved
 * between cores. In a run of its own, so that no time and no count pays for it.
 */
#include "probes/probes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "perf_event/counter_read.h"
#include "perf_event/fd_limit.h"
#include "memory/line_names.h"
#include "memory/access_ring.h"
#include "trace/tid_set.h"
#include "perf_event/ring_reader.h"

#define DELAY_NS UINT64_C(20000000)  /* between drains */
#define VISIT_NS UINT64_C(100000000) /* between looks at what the program maps */

struct memory {
	const struct sd_memsource *source;
	struct sd_stacks *stacks;
	pid_t pid;
	struct sd_symbols *symbols;
	struct sd_memlines lines;
	struct sd_members members; /* of the tree; to be asked when whole CPUs are sampled */
	struct sd_memring *ring;
	size_t n;
	unsigned wanted;
	int first; /* error of a CPU */
	struct sd_filelimit files;
	struct sd_memring_sink sink;
	uint64_t next, visited;
	int failed;
};

/* ---- what comes in --------------------------------------------------------------------------- */

static int take_event(void *ctx, const struct sd_event *e)
{
	struct memory *const p = ctx;

	if (e->kind == SD_EVENT_FORK || e->kind == SD_EVENT_EXEC)
		sd_members_add(&p->members, e->tid);
	if (e->kind == SD_EVENT_EXEC) {
		const int rc = sd_memlines_exec(&p->lines, e->pid, e->time);

		if (rc)
			return rc;
	}
	return sd_symbols_event(p->symbols, e);
}

static int take_access(void *ctx, const struct sd_memaccess *a)
{
	struct memory *const p = ctx;

	if (p->source->wide && !sd_members_has(&p->members, a->tid))
		return 0;
	return sd_memlines_add(&p->lines, a);
}

static void drain(struct memory *p)
{
	for (int accesses = 0; accesses < 2; accesses++)
		for (size_t i = 0; i < p->n && !p->failed; i++)
			p->failed = sd_memring_read(&p->ring[i], &p->sink, accesses);
}

/* ---- opening --------------------------------------------------------------------------------- */

static void uncover(struct memory *p)
{
	while (p->n)
		sd_memring_close(&p->ring[--p->n]);
	p->wanted = 0;
	p->first = 0;
}

static void cover(struct memory *p, unsigned cpu, size_t size)
{
	struct sd_memring *const r = &p->ring[p->n];
	int rc = sd_memring_open(r, p->source, p->pid, cpu, size);

	if (rc == -EMFILE && sd_filelimit_raise(&p->files))
		rc = sd_memring_open(r, p->source, p->pid, cpu, size);
	if (rc == -ENODEV)
		return;
	p->wanted++;
	if (!rc)
		p->n++;
	else if (!p->first)
		p->first = rc;
}

/* Smaller rings for all rather than none for some; with the smallest, as many as there can be. */
static int cover_all(struct memory *p, const struct sd_cpulist *cpus)
{
	size_t size = SD_MEMRING_SIZE;

	for (;;) {
		for (size_t i = 0; i < cpus->n; i++)
			cover(p, cpus->cpu[i], size);
		if (p->first != -ENOMEM || size <= SD_MEMRING_LEAST)
			break;
		uncover(p);
		size /= 2;
	}
	if (p->n)
		return 0;
	return p->first ? p->first : -ENODEV;
}

static void memory_close(void *state)
{
	struct memory *const p = state;

	if (!p)
		return;
	uncover(p);
	sd_filelimit_restore(&p->files);
	free(p->ring);
	free(p->sink.scratch);
	free(p->sink.packets);
	sd_members_free(&p->members);
	sd_memlines_free(&p->lines);
	sd_symbols_close(p->symbols);
	free(p);
}

static int prepare(struct memory *p, const struct sd_probe_target *target)
{
	p->source = target->memory;
	p->stacks = target->stacks;
	p->pid = target->pid;
	p->lines.bytes = p->source->line;
	p->sink = (struct sd_memring_sink){.event = take_event,
		.access = take_access,
		.ctx = p,
		.scratch = malloc(SD_RING_RECORD),
		.packets = malloc(SD_MEMRING_AUX)};
	p->ring = calloc(target->cpus->n + 1, sizeof *p->ring);
	if (!p->sink.scratch || !p->sink.packets || !p->ring || sd_members_init(&p->members))
		return -ENOMEM;
	sd_members_add(&p->members, p->pid);
	return sd_symbols_open(&p->symbols, target->root);
}

static int memory_open(void **state, const struct sd_probe_target *target)
{
	struct memory *p;
	int rc;

	*state = NULL;
	if (!target->memory)
		return 0;
	p = calloc(1, sizeof *p);
	if (!p)
		return -ENOMEM;
	rc = prepare(p, target);
	if (!rc)
		rc = cover_all(p, target->cpus);
	if (rc) {
		memory_close(p);
		return rc;
	}
	*state = p;
	return 0;
}

/* ---- the run --------------------------------------------------------------------------------- */

static uint64_t memory_tick(void *state, uint64_t now)
{
	struct memory *const p = state;

	if (!p)
		return UINT64_MAX;
	if (!p->visited || now - p->visited > VISIT_NS) {
		sd_symbols_visit(p->symbols, p->pid);
		p->visited = now;
	}
	if (now < p->next)
		return p->next - now;
	drain(p);
	p->next = now + DELAY_NS;
	return DELAY_NS;
}

static void memory_stop(void *state, struct sd_run *run)
{
	struct memory *const p = state;
	struct sd_memsampled *out;

	if (!p)
		return;
	drain(p);
	out = calloc(1, sizeof *out);
	if (!out)
		return;
	out->status = SD_STATUS_OK;
	snprintf(out->source, sizeof out->source, "%s", p->source->name);
	out->cpus_covered = (unsigned)p->n;
	out->cpus_wanted = p->wanted;
	out->lost = (double)p->sink.lost;
	if (p->n < p->wanted)
		snprintf(out->why, sizeof out->why, "%zu of %u CPUs are covered: %s", p->n,
			p->wanted, strerror(-p->first));
	if (!p->failed)
		p->failed = sd_memnames_fill(&p->lines, p->symbols, p->stacks, out);
	if (p->failed) { /* half of it is none */
		sd_memsampled_free(out);
		return;
	}
	run->memory = out;
}

static void memory_fail(int error, struct sd_run *run)
{
	struct sd_memsampled *const out = calloc(1, sizeof *out);

	if (!out)
		return;
	out->status = sd_counter_error(error);
	out->line = SD_SIM_LINE;
	snprintf(out->why, sizeof out->why, "%s",
		error == -ENOMEM   ? "too little memory may be locked (ulimit -l)"
		: error == -EMFILE ? "too few files may be open (ulimit -n)"
				   : strerror(-error));
	run->memory = out;
}

const struct sd_probe sd_probe_memory = {
	.name = "memory",
	.open = memory_open,
	.tick = memory_tick,
	.stop = memory_stop,
	.close = memory_close,
	.fail = memory_fail,
};
