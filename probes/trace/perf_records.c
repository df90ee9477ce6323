#include "trace/perf_records.h"

#include <errno.h>
#include <string.h>

/* Bits of a tracepoint's common_flags: it happened in an interrupt. */
#define IN_INTERRUPT 0x18
#define COMMON_FLAGS_AT 2
#define COMMON_PID_AT 4

/* The bytes left of a record. */
struct rest {
	const unsigned char *p;
	size_t n;
	int bad;
};

static const unsigned char *take(struct rest *r, size_t n)
{
	const unsigned char *const p = r->p;

	if (n > r->n) {
		r->bad = 1;
		r->n = 0;
		return NULL;
	}
	r->p += n;
	r->n -= n;
	return p;
}

static uint64_t take_u64(struct rest *r)
{
	const unsigned char *const p = take(r, 8);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, 8);
	return v;
}

static uint32_t take_u32(struct rest *r)
{
	const unsigned char *const p = take(r, 4);
	uint32_t v = 0;

	if (p)
		memcpy(&v, p, 4);
	return v;
}

/* ---- samples ---- */

static void take_tid(struct rest *r, struct sd_event *e)
{
	e->pid = (int)take_u32(r);
	e->tid = (int)take_u32(r);
}

/* Addresses; numbers near 2^64 are marks between the kernel's part and the user's after it. */
static void take_chain(struct rest *r, struct sd_event *e, uint64_t *chain)
{
	const uint64_t n = take_u64(r);
	int user = 0;

	if (n > r->n / 8) {
		r->bad = 1;
		return;
	}
	e->chain = chain;
	for (uint64_t i = 0; i < n; i++) {
		const uint64_t at = take_u64(r);

		if (at >= (uint64_t)PERF_CONTEXT_MAX)
			user |= at == (uint64_t)PERF_CONTEXT_USER;
		else if (user && e->n_chain + e->n_pointed < SD_RAW_CHAIN)
			chain[e->n_chain + e->n_pointed++] = at;
		else if (!user && e->n_chain < SD_RAW_CHAIN)
			chain[e->n_chain++] = at;
	}
	e->pointed = chain + e->n_chain;
}

static void take_regs(struct rest *r, struct sd_event *e, uint64_t mask)
{
	const uint64_t abi = take_u64(r);

	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	e->regs.mask = mask;
	for (; mask; mask &= mask - 1)
		e->regs.reg[__builtin_ctzll(mask)] = take_u64(r);
	/* 32-bit code has no others: what stands there is the kernel's */
	if (abi == PERF_SAMPLE_REGS_ABI_32)
		e->regs.mask &= SD_TRACE_REGS_32;
}

static void take_stack(struct rest *r, struct sd_event *e)
{
	const uint64_t size = take_u64(r);
	uint64_t used;

	if (!size)
		return;
	if (size > r->n) {
		r->bad = 1;
		return;
	}
	e->stack = take(r, (size_t)size);
	used = take_u64(r);
	if (used > size)
		r->bad = 1;
	else
		e->stack_size = (size_t)used;
}

/* The woken thread. The tracepoint counts threads as the first PID namespace does: in another one
 * its numbers mean nothing here. Woken by an interrupt is woken by nobody: tid 0. */
static int take_wake(struct rest *r, struct sd_event *e, uint32_t woken_at)
{
	const uint32_t size = take_u32(r);
	const unsigned char *const data = take(r, size);
	int32_t self, woken;

	if (!data || size < COMMON_PID_AT + 4 || woken_at > size - 4) {
		r->bad = 1;
		return 0;
	}
	memcpy(&self, data + COMMON_PID_AT, 4);
	memcpy(&woken, data + woken_at, 4);
	if (self != e->tid || !self) /* the idle task is 0 in all of them */
		return 0;
	if (data[COMMON_FLAGS_AT] & IN_INTERRUPT)
		e->pid = e->tid = 0;
	e->other = woken;
	return 1;
}

/* The order is that of perf_event_open(2). */
static int sample(struct rest *r, const struct sd_rawlayout *layout, enum sd_raw_source source,
	uint64_t *chain, struct sd_event *e)
{
	const uint64_t type = layout->sample_type[source];
	int of_interest = 1;

	if (type & PERF_SAMPLE_IP)
		e->ip = take_u64(r);
	take_tid(r, e);
	e->time = take_u64(r);
	if (type & PERF_SAMPLE_PERIOD)
		e->weight = take_u64(r);
	if (type & PERF_SAMPLE_CALLCHAIN)
		take_chain(r, e, chain);
	if (type & PERF_SAMPLE_RAW)
		of_interest = take_wake(r, e, layout->woken_at);
	if (type & PERF_SAMPLE_REGS_USER)
		take_regs(r, e, layout->regs);
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack(r, e);
	if (!(type & PERF_SAMPLE_IP) && e->n_chain) {
		e->ip = e->chain[0];
		e->kernel = 1;
	}
	return of_interest;
}

static int any_sample(struct rest *r, const struct perf_event_header *h,
	const struct sd_rawlayout *layout, const uint64_t *id, uint64_t *chain, struct sd_event *e,
	enum sd_raw_source *source)
{
	static const enum sd_event_kind kind[] = {[SD_RAW_CLOCK] = SD_EVENT_SAMPLE,
		[SD_RAW_SWITCH] = SD_EVENT_SWITCH_OUT,
		[SD_RAW_WAKE] = SD_EVENT_WAKE,
		[SD_RAW_WIDE] = SD_EVENT_SAMPLE};
	const uint64_t who = take_u64(r);
	enum sd_raw_source s = SD_RAW_CLOCK;

	while (s < SD_RAW_SOURCES && (!id[s] || id[s] != who))
		s++;
	if (s == SD_RAW_SOURCES) {
		r->bad = 1;
		return 0;
	}
	*source = s;
	e->kind = kind[s];
	e->kernel = kind[s] == SD_EVENT_SAMPLE &&
		    (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	return sample(r, layout, s, chain, e);
}

/* ---- other records; all end with SD_RAW_COMMON: thread, time, identifier ---- */

#define TRAILER 24

/* A text up to the trailer, which the kernel ends and fills with NULs. */
static const char *take_text(struct rest *r)
{
	const unsigned char *const p = r->p;

	if (r->n < TRAILER || !memchr(p, '\0', r->n - TRAILER)) {
		r->bad = 1;
		return "";
	}
	take(r, r->n - TRAILER);
	return (const char *)p;
}

/*
 * Linux leaves the mark of a build-id on for every later event of the same mapping, also for those
 * that did not ask and have the inode there (perf_event_mmap_output, seen in 6.18): who did not ask
 * has none.
 */
static void map(
	struct rest *r, const struct perf_event_header *h, int build_ids, struct sd_event *e)
{
	const unsigned char *p;

	take_tid(r, e);
	e->address = take_u64(r);
	e->size = take_u64(r);
	e->offset = take_u64(r);
	if (build_ids && (h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		p = take(r, 4);
		e->n_build_id = p && p[0] <= sizeof e->build_id ? p[0] : 0;
		p = take(r, sizeof e->build_id);
		if (p)
			memcpy(e->build_id, p, sizeof e->build_id);
	} else {
		e->major = take_u32(r);
		e->minor = take_u32(r);
		e->inode = take_u64(r);
		take(r, 8); /* the inode's generation */
	}
	take(r, 8); /* protection, flags */
	e->name = take_text(r);
}

static void task(struct rest *r, struct sd_event *e)
{
	e->pid = (int)take_u32(r);
	e->other = (int)take_u32(r);
	e->tid = (int)take_u32(r);
	take(r, 4 + 8); /* the parent's thread, the time */
}

static void switched(const struct perf_event_header *h, struct sd_event *e)
{
	e->kind = h->misc & PERF_RECORD_MISC_SWITCH_OUT ? SD_EVENT_SWITCH_OUT : SD_EVENT_SWITCH_IN;
	e->preempted = (h->misc & PERF_RECORD_MISC_SWITCH_OUT) &&
		       (h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
}

/* 1 when the body's thread is the one meant, 2 when the trailer's is, 0 not of interest. */
static int body(struct rest *r, const struct perf_event_header *h, int build_ids,
	struct sd_event *e, int *exec)
{
	switch (h->type) {
	case PERF_RECORD_MMAP2:
		e->kind = SD_EVENT_MAP;
		map(r, h, build_ids, e);
		return 1;
	case PERF_RECORD_COMM:
		e->kind = SD_EVENT_NAME;
		take_tid(r, e);
		e->name = take_text(r);
		*exec = (h->misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
		return 1;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		e->kind = h->type == PERF_RECORD_FORK ? SD_EVENT_FORK : SD_EVENT_EXIT;
		task(r, e);
		return 1;
	case PERF_RECORD_LOST:
		take(r, 8); /* which event's */
			    /* fall through */
	case PERF_RECORD_LOST_SAMPLES:
		e->kind = SD_EVENT_LOST;
		e->count = take_u64(r);
		return 2;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		take(r, 4 + 4); /* the process and thread before or after it */
		switched(h, e);
		return 2;
	case PERF_RECORD_SWITCH:
		switched(h, e);
		return 2;
	default:
		return 0;
	}
}

int sd_perf_records(const struct perf_event_header *h, const struct sd_rawlayout *layout,
	const uint64_t id[SD_RAW_SOURCES], uint64_t chain[SD_RAW_CHAIN], struct sd_event *e,
	enum sd_raw_source *source, int *exec)
{
	struct rest r = {.p = (const unsigned char *)(h + 1), .n = h->size - sizeof *h};
	int pid, tid;
	int whose;

	sd_event_clear(e);
	*source = SD_RAW_SOURCES;
	*exec = 0;
	if (h->type == PERF_RECORD_SAMPLE) {
		const int of_interest = any_sample(&r, h, layout, id, chain, e, source);

		return r.bad ? -EINVAL : of_interest;
	}
	whose = body(&r, h, layout->build_ids, e, exec);
	if (!whose)
		return 0;
	pid = (int)take_u32(&r);
	tid = (int)take_u32(&r);
	e->time = take_u64(&r);
	take(&r, 8);
	if (whose == 2) {
		e->pid = pid;
		e->tid = tid;
	}
	return r.bad || r.n ? -EINVAL : 1;
}
