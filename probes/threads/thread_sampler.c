#include "threads/thread_sampler.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "perf_event/perf_event.h"

#define RING_PAGES 4 /* 512 samples, a second's; more is dropped by the kernel */

#if defined(__x86_64__)
#define STACK_POINTER PERF_REG_X86_SP
#elif defined(__aarch64__)
#define STACK_POINTER PERF_REG_ARM64_SP
#endif

int sd_thread_sampler_open(struct sd_thread_sampler *s, pid_t tid)
{
	*s = (struct sd_thread_sampler){.fd = -1};
#ifndef STACK_POINTER
	(void)tid;
	return -EOPNOTSUPP;
#else
	struct perf_event_attr attr = {.size = sizeof attr,
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = SD_THREAD_SAMPLER_NS,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER,
		.sample_regs_user = UINT64_C(1) << STACK_POINTER,
		.disabled = 1,
		.enable_on_exec = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.exclude_kernel = 1,
		.exclude_hv = 1};
	const int fd = sd_perf_event_open(&attr, tid, -1);
	void *map;

	if (fd < 0)
		return fd;
	s->page = (size_t)sysconf(_SC_PAGESIZE);
	s->ring = RING_PAGES * s->page;
	map = mmap(NULL, s->page + s->ring, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		const int rc = -errno;

		close(fd);
		return rc;
	}
	s->fd = fd;
	s->map = map;
	return 0;
#endif
}

/* Copies out of the ring, which wraps. */
static void copy(const struct sd_thread_sampler *s, uint64_t at, void *to, size_t n)
{
	const char *const ring = (const char *)s->map + s->page;
	const size_t offset = at % s->ring, first = n < s->ring - offset ? n : s->ring - offset;

	memcpy(to, ring + offset, first);
	memcpy((char *)to + first, ring, n - first);
}

int sd_thread_sampler_newest(struct sd_thread_sampler *s, struct sd_code *out)
{
	struct perf_event_mmap_page *const control = s->map;
	/* a sample as asked for: ip, time, the registers' ABI (0: none), one register */
	struct {
		struct perf_event_header header;
		uint64_t ip, time, abi, sp;
	} r;
	uint64_t head, tail;
	int found = 0;

	if (s->fd < 0)
		return 0;
	head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	tail = control->data_tail;
	while (head - tail >= sizeof r.header) {
		copy(s, tail, &r.header, sizeof r.header);
		if (r.header.size < sizeof r.header || r.header.size > head - tail) {
			tail = head; /* not what the kernel writes: begin anew */
			break;
		}
		if (r.header.type == PERF_RECORD_SAMPLE && r.header.size == sizeof r) {
			copy(s, tail, &r, sizeof r);
			found |= r.abi != 0;
			if (r.abi)
				*out = (struct sd_code){.time = r.time, .ip = r.ip, .sp = r.sp};
		}
		tail += r.header.size;
	}
	__atomic_store_n(&control->data_tail, tail, __ATOMIC_RELEASE);
	return found;
}

void sd_thread_sampler_close(struct sd_thread_sampler *s)
{
	if (s->fd < 0)
		return;
	munmap(s->map, s->page + s->ring);
	close(s->fd);
	*s = (struct sd_thread_sampler){.fd = -1};
}
