/*
 * Samples by the CPU's counters, of the whole tree: loads and stores with their addresses, which
 * cache lines moved between cores; or events of roles with the code that caused them. In a run of
 * its own, so that no time and no count pays for it.
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
#include "memory/event_table.h"
#include "perf_event/perf_event.h"
#include "trace/tid_set.h"
#include "perf_event/ring_reader.h"

#define DELAY_NS UINT64_C(20000000)  /* between drains */
#define VISIT_NS UINT64_C(100000000) /* between looks at what the program maps */

struct memory {
	const struct sd_memsource *source;
	struct sd_stacks *stacks;
	pid_t pid;
	struct sd_symbols *symbols;
	struct sd_line_table lines;
	struct sd_event_table events; /* in the spaces of `lines` */
	struct sd_tid_set members;    /* of the tree; to be asked when whole CPUs are sampled */
	struct sd_access_ring *ring;
	size_t n;
	unsigned wanted;
	int first; /* error of a CPU */
	struct sd_fd_limit files;
	struct sd_access_ring_sink sink;
	uint64_t next, visited;
	int failed;
};

/* ---- what comes in --------------------------------------------------------------------------- */

static int take_event(void *ctx, const struct sd_event *e)
{
	struct memory *const p = ctx;

	if (e->kind == SD_EVENT_FORK || e->kind == SD_EVENT_EXEC)
		sd_tid_set_add(&p->members, e->tid);
	if (e->kind == SD_EVENT_EXEC) {
		const int rc = sd_line_table_exec(&p->lines, e->pid, e->time);

		if (rc)
			return rc;
	}
	return sd_symbols_event(p->symbols, e);
}

static int take_access(void *ctx, const struct sd_sampled_access *a)
{
	struct memory *const p = ctx;

	if (p->source->wide && !sd_tid_set_has(&p->members, a->tid))
		return 0;
	return sd_line_table_add(&p->lines, a);
}

static int take_sample(void *ctx, size_t event, const struct sd_sampled_event *e)
{
	struct memory *const p = ctx;
	const long space = sd_line_table_space(&p->lines, e->pid, e->time);

	return space < 0 ? (int)space
			 : sd_event_table_add(&p->events, (unsigned)space, e->ip, event);
}

static void drain(struct memory *p)
{
	for (int accesses = 0; accesses < 2; accesses++)
		for (size_t i = 0; i < p->n && !p->failed; i++)
			p->failed = sd_access_ring_read(&p->ring[i], &p->sink, accesses);
}

/* ---- opening --------------------------------------------------------------------------------- */

static void uncover(struct memory *p)
{
	while (p->n)
		sd_access_ring_close(&p->ring[--p->n]);
	p->wanted = 0;
	p->first = 0;
}

static void cover(struct memory *p, unsigned cpu, size_t size)
{
	struct sd_access_ring *const r = &p->ring[p->n];
	int rc = sd_access_ring_open(r, p->source, p->pid, cpu, size);

	if (rc == -EMFILE && sd_fd_limit_raise(&p->files))
		rc = sd_access_ring_open(r, p->source, p->pid, cpu, size);
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
	size_t size = SD_ACCESS_RING_SIZE;

	for (;;) {
		for (size_t i = 0; i < cpus->n; i++)
			cover(p, cpus->cpu[i], size);
		if (p->first != -ENOMEM || size <= SD_ACCESS_RING_LEAST)
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
	sd_fd_limit_restore(&p->files);
	free(p->ring);
	free(p->sink.scratch);
	free(p->sink.packets);
	sd_tid_set_free(&p->members);
	sd_line_table_free(&p->lines);
	sd_event_table_free(&p->events);
	sd_symbols_close(p->symbols);
	free(p);
}

static int prepare(struct memory *p, const struct sd_probe_target *target)
{
	p->source = target->memory;
	p->stacks = target->stacks;
	p->pid = target->pid;
	p->lines.bytes = p->source->line;
	p->sink = (struct sd_access_ring_sink){.event = take_event,
		.access = take_access,
		.sample = take_sample,
		.ctx = p,
		.scratch = malloc(SD_RING_READER_RECORD),
		.packets = malloc(SD_ACCESS_RING_AUX)};
	p->ring = calloc(target->cpus->n + 1, sizeof *p->ring);
	if (!p->sink.scratch || !p->sink.packets || !p->ring || sd_tid_set_init(&p->members))
		return -ENOMEM;
	sd_tid_set_add(&p->members, p->pid);
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

static void say_covered(const struct memory *p, char *why, size_t size)
{
	if (p->n < p->wanted)
		snprintf(why, size, "%zu of %u CPUs are covered: %s", p->n, p->wanted,
			strerror(-p->first));
}

static void keep_lines(struct memory *p, struct sd_run *run)
{
	struct sd_memory_sampled *const out = calloc(1, sizeof *out);

	if (!out)
		return;
	out->status = SD_STATUS_OK;
	snprintf(out->source, sizeof out->source, "%s", p->source->name);
	out->cpus_covered = (unsigned)p->n;
	out->cpus_wanted = p->wanted;
	out->lost = (double)p->sink.lost;
	say_covered(p, out->why, sizeof out->why);
	if (!p->failed)
		p->failed = sd_line_names_fill(&p->lines, p->symbols, p->stacks, out);
	if (p->failed) { /* half of it is none */
		sd_memory_sampled_free(out);
		return;
	}
	run->memory = out;
}

/* Sums each event's count over all CPUs. */
static void read_counts(const struct memory *p, struct sd_counter_read_reading *sum)
{
	for (size_t i = 0; i < p->n; i++)
		for (size_t e = 0; e < p->ring[i].n; e++) {
			struct sd_counter_read_reading r;

			if (sd_perf_event_read(p->ring[i].fd[e], &r))
				continue;
			sum[e].value += r.value;
			sum[e].enabled += r.enabled;
			sum[e].running += r.running;
		}
}

static void keep_events(struct memory *p, struct sd_run *run)
{
	struct sd_counter_read_reading read[SD_MEMSOURCE_EVENTS] = {{0}};
	struct sd_event_sampled *const out = calloc(1, sizeof *out);

	if (!out)
		return;
	out->status = SD_STATUS_OK;
	snprintf(out->source, sizeof out->source, "%.31s", p->source->name);
	out->cpus_covered = (unsigned)p->n;
	out->cpus_wanted = p->wanted;
	out->lost = (double)p->sink.lost;
	say_covered(p, out->why, sizeof out->why);
	read_counts(p, read);
	if (!p->failed)
		p->failed = sd_event_table_fill(
			&p->events, &p->lines, p->source, read, p->symbols, p->stacks, out);
	if (p->failed) {
		sd_event_sampled_free(out);
		return;
	}
	run->events = out;
}

static void memory_stop(void *state, struct sd_run *run)
{
	struct memory *const p = state;

	if (!p)
		return;
	drain(p);
	if (p->source->by_code)
		keep_events(p, run);
	else
		keep_lines(p, run);
}

static const char *reason(int error)
{
	return error == -ENOMEM   ? "too little memory may be locked (ulimit -l)"
	       : error == -EMFILE ? "too few files may be open (ulimit -n)"
				  : strerror(-error);
}

static void memory_fail(int error, struct sd_run *run)
{
	const enum sd_status status = sd_counter_read_error(error);

	if (run->kind == SD_RUN_EVENTS) {
		run->events = calloc(1, sizeof *run->events);
		if (!run->events)
			return;
		run->events->status = status;
		snprintf(run->events->why, sizeof run->events->why, "%s", reason(error));
		return;
	}
	run->memory = calloc(1, sizeof *run->memory);
	if (!run->memory)
		return;
	run->memory->status = status;
	run->memory->line = SD_SIM_LINE;
	snprintf(run->memory->why, sizeof run->memory->why, "%s", reason(error));
}

const struct sd_probe sd_probe_memory_access = {
	.name = "memory",
	.open = memory_open,
	.tick = memory_tick,
	.stop = memory_stop,
	.close = memory_close,
	.fail = memory_fail,
};
