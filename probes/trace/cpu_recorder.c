#include "trace/cpu_recorder.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <time.h>

#include "perf_event/perf_event.h"
#include "perf_event/ring_reader.h"

/* With a context switch half of the stack is copied that a sample takes: what waits is often a few
 * frames from the program, and there may be many more of them. */
#define SWITCH_SHARE 2

/* What can be read of a user's registers: the general ones, the stack pointer, the instruction
 * pointer (x86 does not give the segments of a 64-bit process). */
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

/*
 * Stacks of switches a second that a thread may write, or the whole CPU with its idle task and all
 * of its threads. On a virtual machine one costs what it interrupts up to 20 us: two chains, the
 * copy, and the way out of the ring; 1000 a second are 2 % of a CPU.
 *
 * Events of threads are asked for that rate: the kernel takes one of several switches by itself. It
 * reckons with the rate of a moment, and what it found too often in a burst it takes seldom until
 * the next tick or sample, which on an idle CPU is far away: asked for 25,000 a second of a CPU
 * that switched 600 times, it left out 40 to 97 % (Linux 6.18). So whole CPUs write every switch's
 * stack, and when they switch often that of each n-th, with n that no round of a few threads and
 * the idle task divides. What a CPU may write before it is read is bounded by the kernel, too
 * (PERF_EVENT_IOC_REFRESH): a burst ends the stacks, and not the room for all other records.
 */
#define SWITCH_HZ 1000
/* Switches a second of a CPU that are too many for all of their stacks; and what is well below it,
 * so that it does not go to and fro (with the idle task's, which are as many but have no stack).
 * What all stacks write tells the first without asking, which would wake CPUs that are idle; the
 * second is counted. */
#define MANY 2000
#define FEW 2000
#define LEAST_EVERY 5    /* 2 and 4 divide a round with the idle task, 3 is a round of threads */
#define RECORD_BYTES 512 /* with a stack: registers, chains, and the switch's own records */
/* Of a ring, for stacks of switches. They take it all before the first look at a program that
 * switches 200,000 times a second: the rest holds what it writes without them in 70 ms. */
#define ROOM(size) ((size) / 2)

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
		.period = SWITCH_HZ,
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

void sd_cpu_recorder_plan(
	struct sd_recording *r, pid_t pid, uint64_t period_ns, uint32_t stack, const char *root)
{
	*r = (struct sd_recording){.pid = pid, .period_ns = period_ns, .stack = stack};
	r->error[SD_RAW_WAKE] = sd_sched_waking_find(root, &r->wake);
	r->layout.regs = REGS;
	r->layout.build_ids = 1;
	r->layout.woken_at = r->wake.woken_at;
	for (int s = 0; s < SD_RAW_SOURCES; s++)
		r->layout.sample_type[s] = SD_RAW_COMMON | sources[s].sample_type;
}

static struct perf_event_attr attr_of(const struct sd_recording *r, enum sd_raw_source s)
{
	const struct source *const from = &sources[s];
	const int wide = r->wide != 0, each_switch = wide && s == SD_RAW_SWITCH;
	struct perf_event_attr a = {.size = sizeof a,
		.type = from->type,
		.config = s == SD_RAW_WAKE ? r->wake.config : from->config,
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
		a.sample_stack_user = s == SD_RAW_SWITCH ? r->stack / SWITCH_SHARE : r->stack;
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
	r->layout.sample_type[SD_RAW_CLOCK] &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
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

/* Of this CPU or this process, not of the event. */
static int is_passing(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENODEV || error == -ENOMEM;
}

/* What is denied or unknown here is so on every CPU. */
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

/* Of the whole CPU where that is allowed, which the first CPU tells for all. */
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

static int open_events(struct sd_cpu_recorder *out, struct sd_recording *r, int whole)
{
	int rc = open_leader(out, r, whole);

	for (int s = SD_RAW_CLOCK + 1; rc == 0 && s < SD_RAW_WIDE && whole; s++)
		if (!r->error[s] && (s != SD_RAW_TURNS || r->wide))
			rc = open_other(out, r, (enum sd_raw_source)s);
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

int sd_cpu_recorder_open(
	struct sd_cpu_recorder *out, struct sd_recording *r, unsigned cpu, size_t size, int whole)
{
	int rc;

	*out = (struct sd_cpu_recorder){.cpu = cpu,
		.fd = {-1, -1, -1, -1, -1},
		.switch_bytes = r->stack / SWITCH_SHARE + RECORD_BYTES,
		.every = 1};
	rc = open_events(out, r, whole);
	if (rc == 0)
		rc = lead(out, size);
	out->owed = ROOM(out->ring.size) / out->switch_bytes;
	if (rc)
		sd_cpu_recorder_close(out);
	return rc;
}

/* The n of every n-th switch whose stack is wanted at this rate: odd, and not a multiple of 3. */
static uint64_t every(double rate)
{
	uint64_t n = (uint64_t)(rate / SWITCH_HZ) | 1;

	n = n < LEAST_EVERY ? LEAST_EVERY : n;
	return n % 3 ? n : n + 2;
}

/* A kernel that does not allow it leaves it at what it is. */
static void take_every(struct sd_cpu_recorder *r, uint64_t n)
{
	if (sd_perf_event_pace(r->fd[SD_RAW_SWITCH], n) == 0)
		r->every = n;
}

/* What counts on: bytes of the ring while all stacks are written there, else switches. */
static int look(struct sd_cpu_recorder *r, uint64_t *out)
{
	uint64_t lost;

	if (r->every > 1)
		return sd_perf_event_count(r->fd[SD_RAW_SWITCH], out, &lost);
	*out = sd_ring_reader_begin(&r->ring).head;
	return 0;
}

/* As many stacks as were read since, which also starts an event that ended for want of them. */
static void allow(struct sd_cpu_recorder *r)
{
	if (r->fd[SD_RAW_SWITCH] >= 0 &&
		sd_perf_event_refresh(r->fd[SD_RAW_SWITCH], (int)r->owed) == 0)
		r->owed = 0;
}

/* Of a whole CPU, besides its clock. */
static const enum sd_raw_source beside[] = {SD_RAW_SWITCH, SD_RAW_WAKE, SD_RAW_TURNS};
#define BESIDE (sizeof beside / sizeof *beside)

static void switch_beside(struct sd_cpu_recorder *r, int on)
{
	for (size_t i = 0; i < BESIDE; i++)
		if (r->fd[beside[i]] >= 0 && !(on && beside[i] == SD_RAW_SWITCH))
			(void)sd_perf_event_switch(r->fd[beside[i]], on);
	r->shut = !on;
	if (on)
		allow(r);
}

int sd_cpu_recorder_start(struct sd_cpu_recorder *r)
{
	if (r->fd[SD_RAW_WIDE] < 0)
		return 0;
	if (r->shut)
		switch_beside(r, 1);
	else
		allow(r);
	return sd_perf_event_switch(r->fd[SD_RAW_WIDE], 1);
}

void sd_cpu_recorder_pause(struct sd_cpu_recorder *r)
{
	if (r->fd[SD_RAW_WIDE] < 0)
		return;
	(void)sd_perf_event_switch(r->fd[SD_RAW_WIDE], 0);
	switch_beside(r, 0);
}

void sd_cpu_recorder_pace(struct sd_cpu_recorder *r, uint64_t now_ns)
{
	const double each = r->every > 1 ? 1 : r->switch_bytes;
	uint64_t seen, n = r->every;
	double rate;

	if (r->fd[SD_RAW_WIDE] < 0 || r->fd[SD_RAW_SWITCH] < 0 || now_ns <= r->since ||
		look(r, &seen))
		return;
	rate = (double)(seen - r->seen) / each / (double)(now_ns - r->since) * 1e9;
	r->rate = r->since && r->every > 1 ? rate : 0;
	if (r->every == 1)
		n = rate > MANY ? every(rate) : 1;
	else if (rate < FEW)
		n = 1;
	else if (rate / (double)n > 2 * SWITCH_HZ || rate / (double)n < SWITCH_HZ / 2.)
		n = every(rate);
	if (r->since && n != r->every) {
		take_every(r, n);
		if (look(r, &seen))
			return;
	}
	r->seen = seen;
	r->since = now_ns;
}

void sd_cpu_recorder_watch(struct sd_cpu_recorder *r, int on, uint64_t now_ns)
{
	if (on) {
		r->since = now_ns;
		(void)look(r, &r->seen); /* of a stopped event, without asking its CPU */
	}
	switch_beside(r, on);
}

void sd_cpu_recorder_read(struct sd_cpu_recorder *r, uint64_t stacks)
{
	r->owed += stacks;
	if (r->owed && r->fd[SD_RAW_WIDE] >= 0 && !r->shut)
		allow(r);
}

uint64_t sd_cpu_recorder_untold(const struct sd_cpu_recorder *r)
{
	uint64_t all = 0, count, lost;

	for (int s = 0; s < SD_RAW_SOURCES; s++)
		if (r->fd[s] >= 0 && sd_perf_event_count(r->fd[s], &count, &lost) == 0)
			all += lost;
	return all > r->told ? all - r->told : 0;
}

void sd_cpu_recorder_close(struct sd_cpu_recorder *out)
{
	sd_perf_mmap_unmap(&out->ring);
	for (int s = SD_RAW_SOURCES - 1; s >= 0; s--) {
		sd_perf_event_close(out->fd[s]);
		out->fd[s] = -1;
		out->id[s] = 0;
	}
}
