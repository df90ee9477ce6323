/*
 * perf_event_open with ring buffers behind the seams of probes/perf_event/perf_event.h,
 * ring_reader.h and sched_waking.h, and the kernel's refusals; tests write the records. Linked
 * instead of those.
 */
#ifndef FAKERING_H
#define FAKERING_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "perf_event/perf_event.h"
#include "perf_event/perf_mmap.h"
#include "perf_event/sched_waking.h"

#define FAKE_EVENTS 4096
#define FAKE_FD 1000

static struct fake_rings {
	int error;        /* of every open */
	int no_kernel;    /* perf_event_paranoid 2 */
	int no_build_id;  /* before Linux 5.12 */
	int no_losses;    /* before Linux 6.0 */
	int no_wide;      /* perf_event_paranoid 1 */
	int no_wakepoint; /* no tracefs */
	int count_files;  /* against RLIMIT_NOFILE, 24 of which are others' */
	int no_precise;   /* a virtual machine without PEBS */
	int need_leader;  /* mem-loads refuses to be without mem-loads-aux before it */
	uint32_t own;     /* type of a PMU of its own */
	int no_filter;    /* it cannot leave the kernel out */
	int no_task;      /* it follows no tasks */
	unsigned offline; /* this CPU; 0: none */
	size_t lockable;  /* bytes that all rings may have; 0: any */
	/* what was seen */
	size_t locked, rings;
	unsigned open;
	struct fake_ring_event {
		struct perf_event_attr attr;
		int cpu, used, output, group;
		pid_t pid;
		struct sd_perf_mmap ring;
		int off;        /* it was stopped last */
		uint64_t every; /* as it was paced; 0: never */
		long allowed;   /* samples, in all; 0: any number */
		uint64_t count; /* that it says */
		uint64_t lost;  /* the same */
	} event[FAKE_EVENTS];
} fake;

#define FAKE_LOADS 0x1cd
#define FAKE_LOADS_AUX 0x8203

/* Errors of a PMU that samples memory: what it refuses. */
static inline int fake_memory(const struct perf_event_attr *attr, pid_t pid, int group)
{
	if (attr->precise_ip && fake.no_precise)
		return -EOPNOTSUPP;
	if (fake.need_leader && attr->config == FAKE_LOADS &&
		(attr->sample_type & PERF_SAMPLE_DATA_SRC) &&
		(group < 0 || fake.event[group - FAKE_FD].attr.config != FAKE_LOADS_AUX))
		return -ENODATA;
	if (!fake.own || attr->type != fake.own)
		return 0;
	if (fake.no_filter && (attr->exclude_kernel || attr->exclude_hv))
		return -EINVAL;
	if (fake.no_task && pid >= 0)
		return -EINVAL;
	return 0;
}

int sd_perf_event_open_in(const struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	struct rlimit files;
	int i = 0, rc = fake_memory(attr, pid, group);

	if (rc)
		return rc;
	if (fake.error)
		return fake.error;
	if (pid < 0 && (fake.no_wide || fake.no_kernel))
		return -EACCES;
	if (fake.no_kernel && (!attr->exclude_kernel || attr->type == PERF_TYPE_TRACEPOINT))
		return -EACCES;
	if ((fake.no_build_id && attr->build_id) ||
		(fake.no_losses && (attr->read_format & PERF_FORMAT_LOST)))
		return -EINVAL;
	if (fake.offline && cpu == (int)fake.offline)
		return -ENODEV;
	if (fake.count_files && getrlimit(RLIMIT_NOFILE, &files) == 0 &&
		fake.open + 24 >= files.rlim_cur)
		return -EMFILE;
	while (fake.event[i].used)
		if (++i == FAKE_EVENTS)
			abort();
	fake.event[i] = (struct fake_ring_event){.attr = *attr,
		.cpu = cpu,
		.used = 1,
		.output = FAKE_FD + i,
		.group = group,
		.pid = pid};
	fake.open++;
	return FAKE_FD + i;
}

int sd_perf_event_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return sd_perf_event_open_in(attr, pid, cpu, -1);
}

int sd_perf_event_read(int fd, struct sd_counter_read_reading *r)
{
	(void)fd;
	*r = (struct sd_counter_read_reading){.value = 1, .enabled = 1, .running = 1};
	return 0;
}

int sd_perf_event_count(int fd, uint64_t *count, uint64_t *lost)
{
	*lost = fake.event[fd - FAKE_FD].lost;
	*count = fake.event[fd - FAKE_FD].count;
	return 0;
}

int sd_perf_event_switch(int fd, int on)
{
	fake.event[fd - FAKE_FD].off = !on;
	return 0;
}

int sd_perf_event_pace(int fd, uint64_t n)
{
	fake.event[fd - FAKE_FD].every = n;
	return 0;
}

int sd_perf_event_refresh(int fd, int samples)
{
	if (fake.event[fd - FAKE_FD].attr.inherit)
		return -EINVAL;
	fake.event[fd - FAKE_FD].allowed += samples;
	fake.event[fd - FAKE_FD].off = 0;
	return 0;
}

void sd_perf_event_close(int fd)
{
	if (fd < 0)
		return;
	if (!fake.event[fd - FAKE_FD].used)
		abort(); /* closed twice */
	fake.event[fd - FAKE_FD].used = 0;
	fake.open--;
}

int sd_perf_mmap_map(int fd, size_t size, struct sd_perf_mmap *out)
{
	*out = (struct sd_perf_mmap){0};
	if (fake.lockable && fake.locked + size > fake.lockable)
		return -EPERM;
	out->control = calloc(1, sizeof *out->control);
	out->data = malloc(size);
	out->size = size;
	if (!out->control || !out->data)
		abort();
	fake.event[fd - FAKE_FD].ring = *out;
	fake.locked += size;
	fake.rings++;
	return 0;
}

int sd_perf_mmap_map_aux(int fd, size_t size, struct sd_perf_mmap *ring)
{
	if (fake.lockable && fake.locked + size > fake.lockable)
		return -EPERM;
	ring->aux = malloc(size);
	ring->aux_size = size;
	if (!ring->aux)
		abort();
	fake.event[fd - FAKE_FD].ring = *ring;
	fake.locked += size;
	return 0;
}

void sd_perf_mmap_unmap(struct sd_perf_mmap *ring)
{
	if (!ring->size)
		return;
	fake.locked -= ring->aux_size;
	free(ring->aux);
	fake.locked -= ring->size;
	fake.rings--;
	free(ring->control);
	free(ring->data);
	*ring = (struct sd_perf_mmap){0};
}

int sd_perf_mmap_redirect(int fd, int to)
{
	if (fake.event[fd - FAKE_FD].cpu != fake.event[to - FAKE_FD].cpu)
		return -EINVAL;
	fake.event[fd - FAKE_FD].output = to;
	return 0;
}

int sd_perf_mmap_id(int fd, uint64_t *id)
{
	*id = (uint64_t)fd;
	return 0;
}

int sd_sched_waking_find(const char *root, struct sd_sched_waking *out)
{
	(void)root;
	*out = (struct sd_sched_waking){.config = 375, .woken_at = 24};
	return fake.no_wakepoint ? -ENOENT : 0;
}

/* ---- records ---- */

struct fake_record {
	unsigned char byte[65536];
	size_t n;
};

static inline void fake_bytes(struct fake_record *r, const void *p, size_t n)
{
	memcpy(r->byte + r->n, p, n);
	r->n += n;
}

static inline void fake_u64(struct fake_record *r, uint64_t v)
{
	fake_bytes(r, &v, sizeof v);
}

static inline void fake_u32(struct fake_record *r, uint32_t v)
{
	fake_bytes(r, &v, sizeof v);
}

static inline struct fake_record *fake_begin(uint32_t type, uint16_t misc)
{
	static struct fake_record r;
	const struct perf_event_header h = {.type = type, .misc = misc};

	r.n = 0;
	fake_bytes(&r, &h, sizeof h);
	return &r;
}

/* The open event of a CPU with this type and config, as a descriptor. */
static inline int fake_find(unsigned cpu, uint32_t type, uint64_t config)
{
	for (int i = 0; i < FAKE_EVENTS; i++)
		if (fake.event[i].used && fake.event[i].cpu == (int)cpu &&
			fake.event[i].attr.type == type && fake.event[i].attr.config == config)
			return FAKE_FD + i;
	return -1;
}

/* The event that has the ring. */
static inline int fake_leader(unsigned cpu)
{
	return fake_find(cpu, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
}

static inline int fake_clock(unsigned cpu)
{
	return fake_find(cpu, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
}

/* Into the ring of an event, as the kernel writes it; `size` 0: the record's own. 0
 * without room. */
static inline int fake_put(struct fake_record *r, int leader, size_t size)
{
	const struct sd_perf_mmap *const ring = &fake.event[leader - FAKE_FD].ring;
	struct perf_event_mmap_page *const control = ring->control;
	const uint16_t said = (uint16_t)(size ? size : r->n);

	if (control->data_head + r->n - control->data_tail > ring->size)
		return 0;
	memcpy(r->byte + offsetof(struct perf_event_header, size), &said, sizeof said);
	for (size_t i = 0; i < r->n; i++)
		ring->data[(control->data_head + i) & (ring->size - 1)] = r->byte[i];
	control->data_head += r->n;
	return 1;
}

/* The same of a CPU. */
static inline int fake_end(struct fake_record *r, unsigned cpu, size_t size)
{
	return fake_put(r, fake_leader(cpu), size);
}

static inline void fake_trailer(struct fake_record *r, unsigned cpu, int tid, uint64_t time)
{
	fake_u32(r, (uint32_t)tid);
	fake_u32(r, (uint32_t)tid);
	fake_u64(r, time);
	fake_u64(r, (uint64_t)fake_leader(cpu));
}

static inline int fake_switch(unsigned cpu, int tid, uint64_t time, uint16_t misc)
{
	struct fake_record *const r = fake_begin(PERF_RECORD_SWITCH, misc);

	fake_trailer(r, cpu, tid, time);
	return fake_end(r, cpu, 0);
}

/* A switch as recorded for a whole CPU: with who comes next, or was before. */
static inline int fake_switch_wide(unsigned cpu, int tid, uint64_t time, uint16_t misc)
{
	struct fake_record *const r = fake_begin(PERF_RECORD_SWITCH_CPU_WIDE, misc);

	fake_u32(r, 0);
	fake_u32(r, 0);
	fake_trailer(r, cpu, tid, time);
	return fake_end(r, cpu, 0);
}

static inline void fake_user_side(struct fake_record *r, uint64_t regs, uint32_t stack, int fill)
{
	unsigned char bytes[8192];

	if (!regs)
		return;
	fake_u64(r, PERF_SAMPLE_REGS_ABI_64);
	for (uint64_t m = regs; m; m &= m - 1)
		fake_u64(r, 0x1000u + (uint64_t)__builtin_ctzll(m));
	memset(bytes, fill, sizeof bytes);
	assert_true(stack <= sizeof bytes);
	fake_u64(r, stack);
	fake_bytes(r, bytes, stack);
	fake_u64(r, stack / 2); /* of them used */
}

/* A sample of the CPU clock, or (`fd`) of the context switches, with a stack of bytes `fill`. */
static inline struct fake_record *fake_sample(int fd, int tid, uint64_t time, int fill)
{
	const struct perf_event_attr *const a = &fake.event[fd - FAKE_FD].attr;
	struct fake_record *const r = fake_begin(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	fake_u64(r, (uint64_t)fd);
	if (a->sample_type & PERF_SAMPLE_IP)
		fake_u64(r, 0x400000u + (uint64_t)tid);
	fake_u32(r, (uint32_t)tid);
	fake_u32(r, (uint32_t)tid);
	fake_u64(r, time);
	if (a->sample_type & PERF_SAMPLE_PERIOD)
		fake_u64(r, a->sample_period);
	if (a->sample_type & PERF_SAMPLE_CALLCHAIN) {
		fake_u64(r, 6);
		fake_u64(r, (uint64_t)PERF_CONTEXT_KERNEL);
		fake_u64(r, UINT64_C(0xffffffff81000010));
		fake_u64(r, UINT64_C(0xffffffff81000100));
		fake_u64(r, (uint64_t)PERF_CONTEXT_USER);
		fake_u64(r, 0x400000u + (uint64_t)tid);
		fake_u64(r, 0x500000u);
	}
	fake_user_side(r, a->sample_regs_user, a->sample_stack_user, fill);
	return r;
}

#endif
