#include "trace/recorder_events.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <time.h>

#include "perf_event/perf_event.h"

/* User registers that can be read: the general ones, the stack pointer, the instruction pointer
 * (x86 does not give the segments of a 64-bit process). */
#if defined(__x86_64__)
#define BIT(name) (UINT64_C(1) << PERF_REG_X86_##name)
#define REGS                                                                                       \
	(BIT(AX) | BIT(BX) | BIT(CX) | BIT(DX) | BIT(SI) | BIT(DI) | BIT(BP) | BIT(SP) | BIT(IP) | \
		BIT(R8) | BIT(R9) | BIT(R10) | BIT(R11) | BIT(R12) | BIT(R13) | BIT(R14) |         \
		BIT(R15))
#elif defined(__aarch64__)
#define REGS ((UINT64_C(2) << PERF_REG_ARM64_PC) - 1)
#else
#define REGS UINT64_C(0) /* instruction pointers without their callers */
#endif

#define STACK (REGS ? PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER : 0)

static const struct source {
	uint32_t type;
	uint64_t config, sample_type;
	uint64_t period; /* or, with `freq`, how many a second; 0: that of the recording */
	uint32_t freq;
	int in_kernel; /* it happens there, and is not seen without */
} sources[SD_RAW_SOURCES] = {
	[SD_RAW_CLOCK] = {.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | STACK},
	[SD_RAW_SWITCH] = {.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		.sample_type = PERF_SAMPLE_CALLCHAIN | STACK,
		.period = SD_RECORDER_SWITCH_HZ,
		.freq = 1,
		.in_kernel = 1},
	[SD_RAW_WAKE] = {.type = PERF_TYPE_TRACEPOINT,
		.sample_type = PERF_SAMPLE_RAW,
		.period = 1,
		.in_kernel = 1},
	/* apart from the leader, which also tells of mappings and forks, so that it can rest */
	[SD_RAW_TURNS] = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY},
	[SD_RAW_WIDE] = {.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | STACK},
};

void sd_recorder_events_layout(struct sd_rawlayout *out)
{
	out->regs = REGS;
	out->build_ids = 1;
	for (int s = 0; s < SD_RAW_SOURCES; s++)
		out->sample_type[s] = SD_RAW_COMMON | sources[s].sample_type;
}

static struct perf_event_attr attr_of(const struct sd_recording *r, enum sd_raw_source s)
{
	const struct source *const from = &sources[s];
	const int wide = r->wide != 0, each_switch = wide && s == SD_RAW_SWITCH;
	const int by_program = each_switch && sd_recorder_events_programs(r);
	struct perf_event_attr a = {.size = sizeof a,
		.type = from->type,
		.config = s == SD_RAW_WAKE ? r->wake.config
			  : by_program     ? PERF_COUNT_SW_BPF_OUTPUT
					   : from->config,
		.sample_period = each_switch    ? 1
				 : from->period ? from->period
						: r->period_ns,
		.freq = from->freq && !each_switch,
		.sample_type = r->layout.sample_type[s],
		.disabled = !wide || s == SD_RAW_WIDE,
		.inherit = !wide,
		.read_format = r->no_losses ? 0 : PERF_FORMAT_LOST,
		.enable_on_exec = !wide,
		.exclude_idle = s == SD_RAW_WIDE,
		.sample_id_all = 1,
		.exclude_hv = 1,
		.exclude_kernel = r->no_kernel != 0,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC};

	if (a.sample_type & PERF_SAMPLE_REGS_USER) {
		a.sample_regs_user = REGS;
		a.sample_stack_user = s == SD_RAW_SWITCH ? SD_RECORDER_SWITCH_STACK(r) : r->stack;
	}
	if (s == SD_RAW_CLOCK || s == SD_RAW_WIDE) { /* once for all of them */
		a.mmap = a.mmap2 = a.comm = a.comm_exec = a.task = 1;
		a.build_id = r->layout.build_ids != 0;
	}
	a.context_switch = s == SD_RAW_CLOCK || s == SD_RAW_TURNS;
	return a;
}

/* Denied with the kernel's side: without it. */
static void give_up_kernel(struct sd_recording *r, int error)
{
	r->no_kernel = error;
	for (int s = 0; s < SD_RAW_SOURCES; s++)
		if (sources[s].in_kernel && !r->error[s])
			r->error[s] = error;
}

static int open_event(const struct sd_recording *r, enum sd_raw_source s, unsigned cpu)
{
	const struct perf_event_attr a = attr_of(r, s);

	return sd_perf_event_open(&a, r->wide ? -1 : r->pid, (int)cpu);
}

/* The one that carries what is not a sample. */
static int open_clock(struct sd_recording *r, enum sd_raw_source s, unsigned cpu)
{
	for (;;) {
		const int fd = open_event(r, s, cpu);

		if ((fd == -EACCES || fd == -EPERM) && !r->wide && !r->no_kernel)
			give_up_kernel(r, fd);
		else if (fd == -EINVAL && !r->no_losses)
			r->no_losses = 1;
		else if (fd == -EINVAL && r->layout.build_ids)
			r->layout.build_ids = 0; /* before Linux 5.12 */
		else
			return fd;
	}
}

static int map_ring(struct sd_cpu_recorder *out, int fd, size_t size)
{
	const int rc = sd_perf_mmap_map(fd, size, &out->ring);

	return rc == -EPERM ? -ENOMEM : rc; /* more than may be locked: not a denied event */
}

/* Is the error about this CPU or this process, not about the event? */
static int is_passing(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENODEV || error == -ENOMEM;
}

/* Opens another event of the CPU. 0, with an error that every CPU would give in r->error. */
static int open_other(struct sd_cpu_recorder *out, struct sd_recording *r, enum sd_raw_source s)
{
	const int fd = open_event(r, s, out->cpu);

	if (is_passing(fd))
		return fd;
	if (fd < 0)
		r->error[s] = fd;
	else
		out->fd[s] = fd;
	return 0;
}

/* Opens the leader, for the whole CPU where that is allowed; the first CPU decides for all. */
static int open_leader(struct sd_cpu_recorder *out, struct sd_recording *r, int whole)
{
	const int settled = r->wide;
	int fd;

	r->wide = whole && !r->error[SD_RAW_WIDE];
	if (r->wide) {
		fd = open_clock(r, SD_RAW_WIDE, out->cpu);
		if (is_passing(fd) || (fd < 0 && settled))
			return fd;
		if (fd >= 0) {
			out->fd[SD_RAW_WIDE] = fd;
			return 0;
		}
		r->error[SD_RAW_WIDE] = fd;
		r->wide = 0;
	}
	fd = open_clock(r, SD_RAW_CLOCK, out->cpu);
	if (fd < 0)
		return fd;
	out->fd[SD_RAW_CLOCK] = fd;
	return 0;
}

int sd_recorder_events_programs(const struct sd_recording *r)
{
	return r->programs && r->programs->open;
}

/* Once, for all CPUs: when the first is recorded as a whole. */
static void run_programs(struct sd_recording *r)
{
	if (!r->programs || !r->wide)
		return;
	if (!r->programs->open)
		r->no_programs = sd_switch_programs_open(r->programs);
	if (r->no_programs)
		r->programs = NULL;
	else
		r->error[SD_RAW_WAKE] = 0; /* which needs no tracefs then */
}

static int is_wanted(const struct sd_recording *r, enum sd_raw_source s)
{
	if (sd_recorder_events_programs(r))
		return s == SD_RAW_SWITCH;
	return s != SD_RAW_TURNS || r->wide;
}

static int open_events(struct sd_cpu_recorder *out, struct sd_recording *r, int whole)
{
	int rc = open_leader(out, r, whole);

	if (rc == 0)
		run_programs(r);
	for (int s = SD_RAW_CLOCK + 1; rc == 0 && s < SD_RAW_WIDE && whole; s++)
		if (!r->error[s] && is_wanted(r, (enum sd_raw_source)s))
			rc = open_other(out, r, (enum sd_raw_source)s);
	if (rc == 0 && sd_recorder_events_programs(r))
		rc = sd_switch_programs_ring(
			r->programs, out->cpu, out->fd[SD_RAW_SWITCH], &out->switches);
	return rc;
}

/* All into the ring of the clock. */
static int lead(struct sd_cpu_recorder *out, size_t size)
{
	const int wide = out->fd[SD_RAW_WIDE];
	const int to = wide >= 0 ? wide : out->fd[SD_RAW_CLOCK];
	int rc = map_ring(out, to, size);

	for (int s = 0; rc == 0 && s < SD_RAW_SOURCES; s++) {
		if (out->fd[s] < 0)
			continue;
		rc = sd_perf_mmap_id(out->fd[s], &out->id[s]);
		if (rc == 0 && out->fd[s] != to)
			rc = sd_perf_mmap_redirect(out->fd[s], to);
	}
	return rc;
}

int sd_recorder_events_open(
	struct sd_cpu_recorder *out, struct sd_recording *r, size_t size, int whole)
{
	const int rc = open_events(out, r, whole);

	return rc ? rc : lead(out, size);
}
