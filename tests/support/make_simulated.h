/*
 * A simulated run for tests: two threads that write neighbouring words of one line, as the software
 * PMU describes it. Tests change what they are about.
 */
#ifndef SD_MAKE_SIMULATED_H
#define SD_MAKE_SIMULATED_H

#include "support/make_record.h"
#include "record/native_lines.h"
#include "record/simulated.h"

/* A node that says function, file and line. */
static inline unsigned make_place(
	struct sd_stacks *s, const char *function, const char *file, unsigned line)
{
	struct sd_frame frame = {.line = line};
	unsigned number = 0, node = 0;

	if (sd_stacks_text(s, function, &frame.function) || sd_stacks_text(s, file, &frame.file) ||
		sd_stacks_frame(s, &frame, &number) || sd_stacks_node(s, 0, number, &node))
		abort();
	return node;
}

static inline void make_simulated_threads(struct sd_simulated *s, size_t n)
{
	free(s->thread);
	s->thread = make_zeroed(n, sizeof *s->thread);
	s->n_thread = s->n_thread_seen = n;
	s->machine.cores = (unsigned)n;
	for (size_t i = 0; i < n; i++) {
		s->thread[i] = (struct sd_sim_thread){.tid = (int)(100 + i),
			.core = (unsigned)i,
			.instructions = 1e9 / (double)n,
			.loads = 3e8 / (double)n,
			.stores = 1e8 / (double)n,
			.l1_misses = 1e6 / (double)n,
			.l2_misses = 5e5 / (double)n,
			.llc_misses = 1e5 / (double)n,
			.lines_in = 1e5 / (double)n,
			.pages = 100,
			.pages_2m = 2,
			.contiguous = .9};
		s->thread[i].distance[0] = 2e8 / (double)n;
		s->thread[i].distance[10] = 1e8 / (double)n;
	}
}

/* Each thread writes a word of its own: bytes 8i to 8i+7. `hitm` of the whole line. */
static inline struct sd_sim_contested *make_false_line(
	struct sd_record *r, struct sd_simulated *s, double hitm)
{
	struct sd_sim_contested *l;

	s->contested = realloc(s->contested, (s->n_contested + 1) * sizeof *l);
	if (!s->contested)
		abort();
	l = &s->contested[s->n_contested++];
	s->n_contested_seen++;
	*l = (struct sd_sim_contested){.address = 0x404040 + 64 * s->n_contested,
		.sharing = SD_SIM_FALSE,
		.hitm_load = hitm * .75,
		.hitm_store = hitm * .25,
		.share = 1,
		.separated = SD_OK(0)};
	if (sd_stacks_text(&r->stacks, "counters+0x40", &l->name))
		abort();
	l->n_sharer = s->n_thread;
	l->sharer = make_zeroed(l->n_sharer, sizeof *l->sharer);
	for (size_t i = 0; i < l->n_sharer; i++)
		l->sharer[i] = (struct sd_sim_sharer){.thread = (unsigned)i,
			.read = UINT64_C(0xff) << 8 * (i % 8),
			.written = UINT64_C(0xff) << 8 * (i % 8),
			.loads = 1e6,
			.stores = 1e6,
			.hitm = hitm / (double)l->n_sharer};
	l->n_code = 1;
	l->code = make_zeroed(1, sizeof *l->code);
	l->code[0] =
		(struct sd_sim_code){.node = make_place(&r->stacks, "increment", "count.c", 12),
			.accesses = 2e6 * (double)l->n_sharer,
			.hitm = hitm,
			.writes = 1};
	return l;
}

/* Appends a simulated run of the point with as many threads as the point has cores. */
static inline struct sd_simulated *make_simulated(struct sd_record *r, size_t point)
{
	struct sd_run *run = make_run(r, point, 10, 10, 0);
	struct sd_simulated *s = make_zeroed(1, sizeof *s);

	run->kind = SD_RUN_SIMULATED;
	run->block = 0;
	run->simulated = s;
	s->machine = (struct sd_sim_machine){.name = "host",
		.cores = r->plan.point[point].cores,
		.line = 64,
		.l1 = {32768, 8, 1, 0},
		.l2 = {1048576, 16, 1, 0},
		.llc = {33554432, 16, 8, 0},
		.dtlb_entries = 64,
		.dtlb_ways = 4,
		.stlb_entries = 1536,
		.stlb_ways = 12,
		.page = 4096};
	make_simulated_threads(s, r->plan.point[point].cores);
	return s;
}

/* A run of samples at a point: the same line as make_false_line has, 300 loads that another core
 * answered among 1000. */
static inline struct sd_memory_sampled *make_memory(struct sd_record *r, size_t point)
{
	struct sd_simulated s = {.n_contested = 0};
	struct sd_memory_sampled *const m = make_zeroed(1, sizeof *m);
	const struct sd_run run = {.point = point, .kind = SD_RUN_MEMORY};

	make_simulated_threads(&s, 2);
	make_false_line(r, &s, 300);
	*m = (struct sd_memory_sampled){.status = SD_STATUS_OK,
		.source = "ibs_op",
		.line = 64,
		.loads = 1000,
		.stores = 400,
		.local = 200,
		.remote = 60,
		.peer = 40,
		.cpus_covered = 2,
		.cpus_wanted = 2,
		.n_thread = 2,
		.n_thread_seen = 2,
		.n_contested = 1,
		.n_contested_seen = 1};
	m->thread = make_zeroed(2, sizeof *m->thread);
	for (int i = 0; i < 2; i++)
		m->thread[i] = (struct sd_mem_thread){
			.pid = 100, .tid = 100 + i, .loads = 500, .stores = 200, .hitm = 150};
	m->contested = make_zeroed(1, sizeof *m->contested);
	m->contested[0] = (struct sd_mem_line){.line = s.contested[0],
		.local = 200,
		.remote = 60,
		.peer = 40,
		.cycles = SD_OK(180)};
	m->contested[0].line.hitm_load = 300;
	m->contested[0].line.hitm_store = 0;
	m->contested[0].line.separated = SD_NOT(ABSENT);
	free(s.contested);
	free(s.thread);
	r->run = realloc(r->run, (r->n_run + 1) * sizeof *r->run);
	if (!r->run)
		abort();
	r->run[r->n_run] = run;
	r->run[r->n_run++].memory = m;
	return m;
}

/* Samples of the clock in a run: the same line, contested for .9 of 2 s in one loop. */
static inline struct sd_native_lines *make_native(struct sd_record *r, struct sd_run *run)
{
	struct sd_simulated s = {.n_contested = 0};
	struct sd_native_lines *const n = make_zeroed(1, sizeof *n);

	make_simulated_threads(&s, 2);
	make_false_line(r, &s, 720);
	*n = (struct sd_native_lines){.status = SD_STATUS_OK,
		.line_bytes = 64,
		.samples = 800,
		.resolved = 780,
		.seconds = 2,
		.n_thread = 2,
		.n_thread_seen = 2,
		.n_line = 1,
		.n_line_seen = 1,
		.n_loop = 1,
		.n_loop_seen = 1};
	n->thread = make_zeroed(2, sizeof *n->thread);
	for (int i = 0; i < 2; i++)
		n->thread[i] = (struct sd_mem_thread){
			.pid = 100, .tid = 100 + i, .loads = 390, .stores = 390, .hitm = 360};
	n->line = make_zeroed(1, sizeof *n->line);
	n->line[0] = (struct sd_native_line){.line = s.contested[0],
		.seconds = 1.9,
		.contested = 1.8,
		.maybe = .05,
		.writes = SD_OK(360)};
	n->line[0].line.separated = SD_NOT(ABSENT);
	n->line[0].line.code[0].accesses = 780;
	for (int i = 0; i < 2; i++)
		n->line[0].line.sharer[i].loads = n->line[0].line.sharer[i].stores = 390;
	n->loop = make_zeroed(1, sizeof *n->loop);
	n->loop[0] = (struct sd_native_loop){.node = n->line[0].line.code[0].node,
		.seconds = 2,
		.false_s = 1.8,
		.maybe_s = .05,
		.unknown_s = .05,
		.line = 1,
		.bytes = 8,
		.pages = 1,
		.lines = 2};
	free(s.contested);
	free(s.thread);
	sd_native_lines_free(run->native);
	run->native = n;
	return n;
}

/* A run of a point whose events were sampled. */
static inline struct sd_event_sampled *make_events(struct sd_record *r, size_t point,
	const struct sd_event_period *period, size_t n_period, const struct sd_event_place *place,
	size_t n_place)
{
	struct sd_event_sampled *const e = make_zeroed(1, sizeof *e);
	const struct sd_run run = {.point = point, .kind = SD_RUN_EVENTS};

	*e = (struct sd_event_sampled){.status = SD_STATUS_OK,
		.source = "skx",
		.cpus_covered = 2,
		.cpus_wanted = 2,
		.n_period = n_period,
		.n_place = n_place};
	e->period = make_zeroed(n_period, sizeof *e->period);
	e->place = make_zeroed(n_place, sizeof *e->place);
	memcpy(e->period, period, n_period * sizeof *period);
	memcpy(e->place, place, n_place * sizeof *place);
	r->run = realloc(r->run, (r->n_run + 1) * sizeof *r->run);
	if (!r->run)
		abort();
	r->run[r->n_run] = run;
	r->run[r->n_run++].events = e;
	return e;
}

#endif
