/*
 * Samples and context switches of the whole tree: what ran, what waited and for whom, by stack.
 */
#include "base/clock.h"
#include "probes/probes.h"
#include "probes/sampled_run.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include "trace/trace.h"
#include "trace/kept_recorders.h"
#include "base/configs.h"
#include "threads/libgomp_futexes.h"
#include "native/heap_blocks.h"
#include "probe/diagnosis_cache.h"
#include "native/line_watch.h"
#include "resolve/jvm_names.h"
#include "resolve/runtime_frames.h"
#include "trace/sample_cost.h"
#include "trace/running.h"

/* Bytes of the heap above which the next run reads all symbols anew. */
#define HEAP_MAX ((size_t)512 << 20)
/* Share of the samples with stacks deeper than the copies, above which the next copies more. */
#define TOO_MANY_CUT .1
/* And where small copies were known to show nearly all. */
#define TOO_MANY_CUT_SMALL .02
#define GAUGED 5000 /* samples, after which no more are asked whether small copies show them */
#define VISIT_NS UINT64_C(5000000) /* from the first look at its maps; then 15, 35, 75 ms each */

/* From addresses to stacks of the record. */
struct naming {
	struct sd_symbols *symbols;
	struct sd_stack_resolve placing;
	struct sd_runtime_frames runtimes;
	struct sd_value sample_s;           /* that one takes here, measured once for all runs */
	struct sd_kept_recorders recorders; /* between runs */
	uint32_t stack;  /* bytes of it that a sample is to copy; 0 the usual, or more */
	uint32_t enough; /* fewer that show the same; 0 none do, or it is not known */
	int is_deep;     /* fewer did not: it stays at the usual */
	unsigned cores;  /* the most of a run that `enough` is known of */
	struct sd_line_places unsure; /* lines of a run that the next watches */
};

struct sampling {
	struct sd_probe_target target;
	struct sd_capture *capture;
	struct naming *naming; /* owned, or borrowed from target.kept */
	struct sd_libgomp_futexes docks;
	struct sd_data_maps data;
	struct sd_code_copies code;
	struct sd_line_watch proof;
	struct sd_heap_blocks blocks;
	struct sd_jvm_names jvm;
	uint64_t start, visited, visit; /* visit: ns until the next look at its maps */
	int is_small; /* its copies are fewer than usual: they are known to show the same */
};

static void forget(void *naming)
{
	struct naming *const n = naming;

	if (!n)
		return;
	sd_stack_resolve_close(&n->placing);
	sd_symbols_close(n->symbols);
	sd_runtime_frames_free(&n->runtimes);
	sd_kept_recorders_free(&n->recorders);
	free(n);
}

static void sampling_close(void *state)
{
	struct sampling *const p = state;

	if (!p)
		return;
	sd_line_watch_end(&p->proof);
	sd_trace_close(p->capture);
	sd_data_maps_free(&p->data);
	sd_code_copies_free(&p->code);
	sd_heap_blocks_free(&p->blocks);
	sd_jvm_names_end(&p->jvm);
	if (!p->target.kept)
		forget(p->naming);
	free(p);
}

/* Its symbols are needed by the first run's end, where they would be waited for. */
static void read_kernel(void *symbols)
{
	sd_symbols_read_kernel(symbols);
}

static int open_naming(struct naming **out, const struct sd_probe_target *target)
{
	struct naming *const n = calloc(1, sizeof *n);
	int rc;

	*out = NULL;
	if (!n)
		return -ENOMEM;
	rc = sd_symbols_open(&n->symbols, target->root);
	if (!rc)
		rc = sd_stack_resolve_open(
			&n->placing, n->symbols, target->stacks, sd_configs_dir(), NULL);
	if (rc)
		forget(n);
	if (!rc) {
		n->sample_s = sd_sample_cost_measure(read_kernel, n->symbols);
		*out = n;
	}
	return rc;
}

/* Reading the symbols of a large program takes longer than a short run: once for all runs. */
static int find_naming(struct sampling *p)
{
	struct sd_diagnosis_cache *const kept = p->target.kept;
	struct naming *const n = kept ? kept->of[SD_KEPT_SAMPLES].what : NULL;
	const struct mallinfo2 heap = mallinfo2();
	int rc;

	if (n && n->placing.stacks == p->target.stacks && heap.uordblks + heap.hblkhd < HEAP_MAX) {
		p->naming = n;
		sd_symbols_again(n->symbols);
		sd_stack_resolve_again(&n->placing);
		return 0;
	}
	if (kept)
		sd_diagnosis_cache_keep(kept, SD_KEPT_SAMPLES, NULL, NULL);
	rc = open_naming(&p->naming, &p->target);
	if (!rc && kept)
		sd_diagnosis_cache_keep(kept, SD_KEPT_SAMPLES, p->naming, forget);
	return rc;
}

static int note_map(void *ctx, const struct sd_event *map)
{
	struct sampling *const p = ctx;
	struct sd_event e = *map;

	e.time = sd_clock_ns();
	return sd_trace_note(p->capture, &e);
}

/* Notes what a running program has mapped already: the kernel only tells what it maps later, which
 * would be taken for all. A process that has ended has nothing. */
static int note_maps(struct sampling *p)
{
	const struct sd_running *const running = p->target.running;
	int rc = 0;

	for (size_t i = 0; running && i < running->n && rc != -ENOMEM; i++)
		rc = sd_symbols_mapped(p->naming->symbols, running->pid[i], note_map, p);
	return rc == -ENOMEM ? rc : 0;
}

/* A run without samples is one of the machine without them; and what its probes may lock of memory
 * is theirs. */
static void close_recorders(const struct sd_diagnosis_cache *kept)
{
	struct naming *const n = kept ? kept->of[SD_KEPT_SAMPLES].what : NULL;

	if (n)
		sd_kept_recorders_free(&n->recorders);
}

static int is_to_gauge(const struct naming *n, unsigned cores)
{
	return !n->is_deep && (n->placing.depth.samples.all < GAUGED || cores > n->cores);
}

static int sampling_open(void **state, const struct sd_probe_target *target)
{
	struct sd_trace_options options = {.pid = target->pid,
		.running = target->running,
		.cpus = target->cpus,
		.thin = target->thin,
		.expect_s = target->expect_s,
		.programs = 1,
		.keep = target->keep_samples};
	struct sampling *p;
	int rc;

	*state = NULL;
	if (!target->stacks || !target->accountant || target->no_samples) {
		close_recorders(target->kept);
		return -ENODATA;
	}
	p = calloc(1, sizeof *p);
	if (!p)
		return -ENOMEM;
	p->target = *target;
	p->docks.root = target->root;
	p->docks.pid = target->pid;
	p->jvm.pid = target->running ? 0 : target->pid; /* a service is not ours to ask */
	rc = find_naming(p);
	if (!rc) {
		p->proof.places = &p->naming->unsure;
		sd_runtime_frames_again(
			&p->naming->runtimes, target->root, target->pid, target->running);
		p->naming->placing.runtimes = &p->naming->runtimes;
		p->jvm.monitors = &p->naming->runtimes.monitors;
		options.hz = sd_sample_cost_rate(
			p->naming->sample_s, target->expect_switches / (double)target->cpus->n);
		/* the threads of a run of more cores than any before may have deeper stacks */
		p->is_small = p->naming->enough && target->cores <= p->naming->cores;
		options.stack = p->is_small ? p->naming->enough : p->naming->stack;
		p->naming->placing.is_gauge = !p->is_small && is_to_gauge(p->naming, target->cores);
		options.kept = p->target.kept ? &p->naming->recorders : NULL;
		rc = sd_trace_open(&p->capture, &options);
	}
	if (!rc)
		rc = note_maps(p);
	if (rc) {
		sampling_close(p);
		return rc;
	}
	*state = p;
	return 0;
}

static int sampling_sees_switches(const void *state)
{
	const struct sampling *const p = state;
	struct sd_trace_facts f;

	if (!p)
		return 0;
	sd_trace_facts(p->capture, &f);
	return f.together && f.switches == SD_STATUS_OK && f.switch_stacks == SD_STATUS_OK &&
	       f.cpus_covered >= f.cpus_wanted;
}

static void sampling_start(void *state)
{
	struct sampling *const p = state;

	if (p)
		p->start = sd_clock_ns();
}

/* Visits the program's mappings, which nobody can ask for once it has ended. */
static void look_at_maps(struct sampling *p)
{
	const struct sd_running *const running = p->target.running;

	sd_symbols_visit(p->naming->symbols, p->target.pid);
	for (size_t i = 0; i < (running ? running->n : 1); i++)
		(void)sd_data_maps_look(&p->data, &p->code, p->target.root,
			running ? running->pid[i] : p->target.pid);
	(void)sd_code_copies_look(&p->code);
}

static uint64_t sampling_tick(void *state, uint64_t now)
{
	struct sampling *const p = state;
	uint64_t watch, drain, look;

	if (!p)
		return UINT64_MAX;
	if (!p->visited || now - p->visited > p->visit) {
		look_at_maps(p);
		p->visit += p->visit < 10 * VISIT_NS ? p->visit + VISIT_NS : 0;
		p->visited = now;
	}
	sd_libgomp_futexes_look(&p->docks);
	sd_jvm_names_look(&p->jvm, now);
	look = sd_runtime_frames_look(&p->naming->runtimes, now);
	watch = sd_line_watch_tick(&p->proof, &p->data, p->target.root, sd_clock_ns());
	drain = sd_trace_drain(p->capture, now);
	watch = watch < drain ? watch : drain;
	return watch < look ? watch : look;
}

/* The parts of the run that are judged, when not all of it is. */
static int note_parts(struct sampling *p, const struct sd_region_run *r, uint64_t end)
{
	int rc = 0;

	for (size_t i = 0; r && i < r->n_span && !rc; i++) {
		const struct sd_event e = {.kind = SD_EVENT_PART,
			.pid = p->target.pid,
			.time = end,
			.address = r->span[i].from,
			.count = r->span[i].to};

		rc = sd_trace_note(p->capture, &e);
	}
	return rc;
}

/* Notes facts that are gone with the program and are not in what the kernel records. */
static int note_end(struct sampling *p, uint64_t end)
{
	char boot[SD_SAMPLED_RUN_BOOT];
	struct sd_event e = {.kind = SD_EVENT_BARRIER, .pid = p->target.pid, .time = end};
	int rc = 0;

	for (unsigned i = 0; i < p->docks.n && !rc; i++) {
		e.address = p->docks.dock[i].address;
		e.count = p->docks.dock[i].gomp;
		rc = sd_trace_note(p->capture, &e);
	}
	for (size_t i = 0; i < p->data.n && !rc; i++) {
		e = sd_data_maps_event(&p->data, i, end);
		rc = sd_trace_note(p->capture, &e);
	}
	sd_sampled_run_boot(p->target.root, boot);
	e = (struct sd_event){
		.kind = SD_EVENT_END, .pid = p->target.pid, .time = end, .name = boot};
	return rc ? rc : sd_trace_note(p->capture, &e);
}

/* After a run: the copies of the next. */
static void learn_depth(struct naming *n, int was_small, unsigned cores)
{
	struct sd_stack_resolve *const s = &n->placing;

	if (was_small) {
		n->is_deep = (double)s->cut > TOO_MANY_CUT_SMALL * (double)s->samples ||
			     (double)s->all_cut > TOO_MANY_CUT_SMALL * (double)s->asked;
	} else if ((double)s->cut > TOO_MANY_CUT * (double)s->samples) {
		n->stack = sd_trace_longer(n->stack);
		s->depth = (struct sd_stack_depth){0};
	} else {
		n->cores = cores > n->cores ? cores : n->cores;
	}
	s->depth.runs++;
	n->enough = n->is_deep ? 0 : sd_stack_depth_enough(&s->depth);
}

/* After a run: what the next does otherwise. */
static void learn(struct sampling *p, const struct sd_run *run, uint64_t end)
{
	learn_depth(p->naming, p->is_small, p->target.cores);
	sd_line_places_choose(
		&p->naming->unsure, run->native, (double)(end - p->start) / 1e9, &p->data);
}

static void sampling_stop(void *state, struct sd_run *run)
{
	struct sampling *const p = state;
	struct sd_sampled_run how;
	uint64_t end;
	int rc, kept;

	if (!p)
		return;
	end = sd_clock_ns();
	sd_line_watch_end(&p->proof);
	if (p->target.log_folder)
		sd_heap_blocks_read(&p->blocks, p->target.log_folder);
	how = (struct sd_sampled_run){.placing = &p->naming->placing,
		.accountant = p->target.accountant,
		.stacks = p->target.stacks,
		.code = &p->code,
		.proof = &p->proof,
		.blocks = p->target.log_folder ? &p->blocks : NULL,
		.cores = p->target.cores,
		.lane_steps = p->target.lane_steps,
		.first = p->target.pid,
		.running = p->target.running != NULL,
		.start = p->start};
	sd_trace_stop(p->capture);
	rc = note_parts(p, run->regions, end);
	rc = rc ? rc : note_end(p, end);
	/* a disk too full for the raw data loses only those */
	kept = sd_trace_keep(p->capture);
	if (p->target.keep_error)
		*p->target.keep_error = kept;
	run->sampled.sample_s = p->naming->sample_s;
	if (!rc)
		rc = sd_sampled_run_account(&how, p->capture, run);
	if (rc)
		run->sampled = (struct sd_sampled){.status = SD_STATUS_UNSUPPORTED};
	else
		learn(p, run, end);
}

static void sampling_fail(int error, struct sd_run *run)
{
	run->sampled.status = error == -EACCES || error == -EPERM ? SD_STATUS_DENIED
			      : error == -ENODATA                 ? SD_STATUS_ABSENT
								  : SD_STATUS_UNSUPPORTED;
}

const struct sd_probe sd_probe_sampling = {
	.name = "sampling",
	.open = sampling_open,
	.start = sampling_start,
	.tick = sampling_tick,
	.sees_switches = sampling_sees_switches,
	.stop = sampling_stop,
	.close = sampling_close,
	.fail = sampling_fail,
};
