#include "trace/trace.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/trace_codec.h"
#include "trace/trace_state.h"
#include "trace/kept_recorders.h"
#include "trace/recorder_events.h"
#include "base/clock.h"
#include "perf_event/counter_read.h"
#include "record/sampled.h"

#define BYTES (UINT64_C(128) << 20)

/*
 * Bytes of stack that a sample copies. Most programs use a few KiB, a compiler or an interpreter 4
 * to 60: a copy that ends before its outermost frame is a stack without its callers. The largest
 * size is taken, up to the one asked for, that leaves half of the rate wished for; the rate gives
 * way to none but the smallest. A record of the kernel's has at most 64 KiB, with its chains. The
 * small ones are for programs whose stacks are known to be shown by them (resolve/stack_depth.h).
 */
static const uint32_t stack_bytes[] = {61440, 32768, SD_RECORDER_STACK, 4096, 2048, 1024};
#define LEAST_S 1 /* that a run of unknown length is thought to take */
#define SIZES (sizeof stack_bytes / sizeof stack_bytes[0])

/* Rings: what a CPU writes in a tenth of a second when it switches 25,000 times a second with every
 * stack; less where less may be locked. Where the tree is not meant to run: a second of samples and
 * no more. */
#define RING (4u << 20)
#define RING_ELSEWHERE (256u << 10)
#define RING_DEEP (16u << 20)
#define RING_LEAST (64u << 10)

#define NO_CPU (SD_CPU_MAX - 1) /* that the stream of what is of no ring comes from */

/* ---- opening ---- */

/* Samples a second and CPU that are asked for. */
static double wished(const struct sd_trace_options *o)
{
	return (o->hz > 0 ? o->hz : SD_SAMPLED_HZ) / fmax(1, o->thin);
}

/* A sample's share of the bound is half: the other is for switches. */
static double rate(const struct sd_trace_options *o, uint64_t bound, uint32_t stack)
{
	const double most = (double)bound / 2 / (SD_CAPTURE_SAMPLE + stack);
	const double expect = o->expect_s > 0 ? o->expect_s : LEAST_S;
	const double room = most / (expect * (double)o->cpus->n);

	return room < 1 ? 1 : fmin(room, wished(o));
}

static uint32_t stack_size(const struct sd_trace_options *o, uint64_t bound)
{
	const double least = wished(o) / 2;
	const uint32_t most = o->stack ? o->stack : SD_RECORDER_STACK;
	size_t i = 0;

	while (i + 1 < SIZES && (stack_bytes[i] > most || rate(o, bound, stack_bytes[i]) < least))
		i++;
	return stack_bytes[i];
}

uint32_t sd_trace_longer(uint32_t stack)
{
	const uint32_t now = stack ? stack : SD_RECORDER_STACK;
	size_t i = SIZES;

	while (i > 1 && stack_bytes[i - 1] <= now)
		i--;
	return stack_bytes[i - 1];
}

static int add(struct sd_capture *c, const struct sd_cpu_recorder *r)
{
	struct sd_cpu_recorder *const grown = realloc(c->recorder, (c->n + 1) * sizeof *grown);
	struct sd_downsample *const thin = realloc(c->thinner, (c->n + 1) * sizeof *thin);

	struct sd_ring_reader *const reading = realloc(c->reading, (c->n + 1) * sizeof *reading);

	if (reading)
		c->reading = reading;
	if (grown)
		c->recorder = grown;
	if (thin)
		c->thinner = thin;
	if (!grown || !thin || !reading || sd_trace_buffer_add(&c->spool, r->cpu) ||
		sd_foreign_time_add(&c->strangers))
		return -ENOMEM;
	c->thinner[c->n] = (struct sd_downsample){0};
	c->recorder[c->n++] = *r;
	return 0;
}

/* One CPU. 0: go on with the next. */
static int cover(struct sd_capture *c, unsigned cpu, size_t ring, int bound)
{
	struct sd_cpu_recorder r;
	const int kept =
		bound && sd_kept_recorders_take(c->kept, cpu, c->recording.period_ns, ring, &r);
	int rc = kept ? 0 : sd_cpu_recorder_open(&r, &c->recording, cpu, ring, bound);

	if (rc == -EMFILE && sd_fd_limit_raise(&c->files))
		rc = sd_cpu_recorder_open(&r, &c->recording, cpu, ring, bound);
	if (rc == -ENODEV)
		return 0; /* offline */
	c->facts.cpus_wanted++;
	if (rc)
		return rc;
	rc = add(c, &r);
	if (rc)
		sd_cpu_recorder_close(&r);
	else
		c->facts.cpus_covered++;
	return rc;
}

/* Records on the CPUs where the tree is not meant to run, but could. */
static int cover_others(struct sd_capture *c, const struct sd_cpulist *bound, size_t ring)
{
	const size_t small = ring < RING_ELSEWHERE ? ring : RING_ELSEWHERE;
	cpu_set_t *const set = CPU_ALLOC(SD_CPU_MAX);
	const size_t size = CPU_ALLOC_SIZE(SD_CPU_MAX);
	int first = 0;

	if (set && sched_getaffinity(0, size, set) == 0)
		for (unsigned cpu = 0; cpu < SD_CPU_MAX; cpu++)
			if (CPU_ISSET_S(cpu, size, set) && !sd_cpulist_has(bound, cpu)) {
				const int rc = cover(c, cpu, small, 0);

				first = first ? first : rc;
			}
	CPU_FREE(set);
	return first;
}

static void uncover(struct sd_capture *c)
{
	for (size_t i = 0; i < c->n; i++)
		sd_cpu_recorder_close(&c->recorder[i]);
	sd_trace_buffer_empty(&c->spool);
	sd_foreign_time_forget(&c->strangers);
	c->n = 0;
	c->facts.cpus_covered = c->facts.cpus_wanted = 0;
}

/* At most about two seconds of samples, of deep stacks half of one. The kernel takes powers of two.
 */
static size_t ring_for(const struct sd_capture *c, size_t cpus)
{
	const uint32_t stack = c->recording.stack;
	const size_t most = stack > SD_RECORDER_STACK ? RING_DEEP
			    : stack * 1024 > RING     ? stack * 1024
						      : RING;

	return sd_kept_recorders_ring(c->kept, sd_capture_sampling(c), most, cpus);
}

/* All CPUs with rings of one size; the first error. */
static int cover_with(struct sd_capture *c, const struct sd_cpulist *bound, size_t ring)
{
	int first = 0, rc;

	for (size_t i = 0; i < bound->n; i++) {
		rc = cover(c, bound->cpu[i], ring, 1);
		first = first ? first : rc;
	}
	/* Clocks of whole CPUs would wake idle ones; and the tree does not leave its CPUs unless it
	 * binds itself to others, which is noticed. */
	rc = c->recording.wide ? 0 : cover_others(c, bound, ring);
	return first ? first : rc;
}

/* Smaller rings, of smaller stacks, for all rather than none for some; with the smallest, as many
 * as there can be. */
static int cover_all(struct sd_capture *c, const struct sd_cpulist *bound)
{
	const uint32_t least = stack_bytes[SIZES - 1];
	size_t ring = ring_for(c, bound->n);
	int rc;

	while ((rc = cover_with(c, bound, ring)) == -ENOMEM && ring > RING_LEAST) {
		uncover(c);
		sd_kept_recorders_free(c->kept); /* of CPUs that this run does not use */
		ring /= 2;
		if (c->recording.stack > least)
			c->recording.stack /= 2;
	}
	if (c->n)
		return 0;
	return rc ? rc : -ENODEV;
}

/* Any refusal of the kernel's is one: not asking is absent. */
static enum sd_status programs_error(int error)
{
	const enum sd_status s = sd_counter_read_error(error);

	return s == SD_STATUS_ABSENT ? SD_STATUS_UNSUPPORTED : s;
}

static void state_facts(struct sd_capture *c)
{
	const struct sd_recording *const r = &c->recording;
	struct sd_trace_facts *const f = &c->facts;

	f->samples = f->switches = SD_STATUS_OK;
	if (r->wide && r->error[SD_RAW_TURNS])
		f->switches = sd_counter_read_error(r->error[SD_RAW_TURNS]);
	f->kernel = r->no_kernel ? sd_counter_read_error(r->no_kernel) : SD_STATUS_OK;
	f->stack_bytes = r->layout.regs ? r->stack : 0;
	f->switch_stacks = r->error[SD_RAW_SWITCH] ? sd_counter_read_error(r->error[SD_RAW_SWITCH])
						   : SD_STATUS_OK;
	if (sd_recorder_events_programs(r))
		f->programs = SD_STATUS_OK;
	else if (r->programs) /* for whole CPUs, which may not be watched */
		f->programs = programs_error(r->error[SD_RAW_WIDE]);
	else if (r->no_programs)
		f->programs = programs_error(r->no_programs);
	f->wakes =
		r->error[SD_RAW_WAKE] ? sd_counter_read_error(r->error[SD_RAW_WAKE]) : SD_STATUS_OK;
	if (!r->layout.regs && f->switch_stacks == SD_STATUS_OK)
		f->switch_stacks = SD_STATUS_UNSUPPORTED;
}

/* Opens what comes out of no ring: stacks of threads that are looked at where the kernel gives none
 * at switches, and when switches were not recorded. */
static int open_aside(struct sd_capture *c)
{
	const int rc = c->facts.switch_stacks == SD_STATUS_DENIED
			       ? sd_blocked_stacks_open(&c->glimpses)
			       : 0;

	return rc ? rc : sd_trace_buffer_add(&c->spool, NO_CPU);
}

/* Adds a stream for each CPU's records of the programs, behind that one, in the order of the CPUs:
 * a replay puts them between what the events of a CPU wrote. */
static int open_streams(struct sd_capture *c)
{
	int rc = 0;

	c->written = calloc(c->n ? c->n : 1, sizeof *c->written);
	if (!c->written)
		return -ENOMEM;
	for (size_t i = 0; i < c->n && !rc && sd_recorder_events_programs(&c->recording); i++)
		rc = sd_trace_buffer_add(&c->spool, c->recorder[i].cpu);
	return rc;
}

int sd_trace_open(struct sd_capture **out, const struct sd_trace_options *options)
{
	struct sd_capture *const c = calloc(1, sizeof *c);
	uint32_t stack;
	int rc = -ENOMEM;

	*out = NULL;
	if (!c)
		return -ENOMEM;
	c->spool.bound = options->bytes ? options->bytes : BYTES;
	stack = stack_size(options, c->spool.bound);
	c->facts.hz = rate(options, c->spool.bound, stack);
	for (int i = 0; i < 2; i++)
		c->scratch[i] = malloc(SD_RING_READER_RECORD);
	if (options->keep)
		c->keep = strdup(options->keep);
	c->self = getpid();
	if (sd_tree_filter_init(&c->family, options->pid))
		goto out;
	if (!c->scratch[0] || !c->scratch[1] || (options->keep && !c->keep))
		goto out;
	c->kept = options->kept;
	c->spool.spare = c->kept ? &c->kept->chunks : NULL;
	c->wished = stack;
	sd_cpu_recorder_plan(&c->recording, options->pid, (uint64_t)(1e9 / c->facts.hz), stack, "");
	if (options->programs)
		c->recording.programs = c->kept ? &c->kept->programs : &c->programs;
	sd_kept_recorders_plan(c->kept, &c->recording);
	rc = cover_all(c, options->cpus);
	if (rc)
		goto out;
	c->thin = c->recording.wide ? fmax(1, options->thin) : 1;
	state_facts(c);
	rc = open_aside(c);
	rc = rc ? rc : open_streams(c);
	if (rc)
		goto out;
	c->facts.together = c->recording.wide;
	/* events of threads begin at an exec, which there is none of */
	rc = c->recording.wide
		     ? sd_cpu_recorder_start_all(c->recorder, c->n, c->recording.period_ns)
	     : options->running ? -EACCES
				: 0;
	if (!rc && options->running)
		rc = sd_capture_join(c, options->running);
	if (rc)
		goto out;
	c->begun = sd_clock_ns();
	*out = c;
	return 0;
out:
	sd_trace_close(c);
	return rc;
}

/* ---- the end ---- */

/* Closed, or for the next run. With records lost, the account of what may be written is not exact;
 * and a program must not get the limit of files that was raised for them. */
static void leave_recorders(struct sd_capture *c)
{
	const int keep = c->kept && c->recording.wide && !c->facts.n_lost && !c->files.raised;

	for (size_t i = 0; i < c->n; i++)
		if (keep && c->recorder[i].fd[SD_RAW_WIDE] >= 0)
			sd_kept_recorders_put(c->kept, &c->recording, c->wished, &c->recorder[i]);
		else
			sd_cpu_recorder_close(&c->recorder[i]);
}

void sd_trace_stop(struct sd_capture *c)
{
	const uint64_t share = sd_downsample_share(&c->spool);

	for (size_t i = 0; i < c->n && !c->stopped; i++)
		sd_cpu_recorder_pause(&c->recorder[i]);
	if (!c->stopped) {
		sd_capture_read(c, 1);
		sd_capture_note_use(c);
	}
	c->stopped = 1;
	leave_recorders(c);
	sd_switch_programs_close(&c->programs);
	sd_fd_limit_restore(&c->files);
	c->facts.hz /= (double)share;
	c->facts.thinned = share > 1;
	c->facts.bytes = c->spool.used;
	c->facts.strangers_s =
		((double)c->strangers.ns - sd_kernel_threads_served(&c->strangers.kernel, "")) *
		1e-9;
	if (c->stacks + c->exits < c->facts.n_switches && c->facts.switch_stacks == SD_STATUS_OK)
		c->facts.switch_stacks = SD_STATUS_MULTIPLEXED;
}

int sd_trace_note(struct sd_capture *c, const struct sd_event *e)
{
	return sd_trace_codec_put(&c->spool, c->n, e);
}

void sd_trace_facts(const struct sd_capture *c, struct sd_trace_facts *out)
{
	*out = c->facts;
}

void sd_trace_close(struct sd_capture *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		sd_cpu_recorder_close(&c->recorder[i]);
	sd_switch_programs_close(&c->programs);
	sd_fd_limit_restore(&c->files);
	free(c->written);
	sd_blocked_stacks_close(&c->glimpses);
	sd_trace_buffer_free(&c->spool);
	free(c->recorder);
	free(c->thinner);
	free(c->reading);
	sd_tree_filter_free(&c->family);
	sd_foreign_time_free(&c->strangers);
	free(c->scratch[0]);
	free(c->scratch[1]);
	free(c->keep);
	free(c);
}
