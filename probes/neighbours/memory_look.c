#include "neighbours/memory_look.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

#include "neighbours/touched_pages.h"
#include "operands/operand_plan.h"
#include "perf_event/perf_event.h"
#include "perf_event/ring_reader.h"
#include "trace/recorder_events.h"

#define PERIOD_NS 500000
#define SAMPLES 1024      /* more than the look has periods */
#define RING (256 * 1024) /* bytes: room for as many */
#define STACK (1 << 20)   /* an address so near to the stack pointer is of the stack */
#define AROUND 512u       /* bytes of code before a sampled instruction, and behind it */
#define PLANS 16          /* instructions that are kept decoded */

#if defined(__x86_64__)
#define STACK_POINTER PERF_REG_X86_SP
#else
#define STACK_POINTER PERF_REG_ARM64_SP
#endif

struct look {
	int pid;
	uint64_t regs; /* that are sampled */
	struct sd_perf_mmap ring;
	struct sd_operand_plan plan[PLANS];
	unsigned n_plan;
	uint64_t address[SAMPLES];
	size_t n;
};

/* Code of another process; page by page, as one that is not mapped ends what can be read. */
static size_t code_at(int pid, uint64_t at, unsigned char *out, size_t n)
{
	const struct iovec here = {out, n};
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): of another process */
	const struct iovec there = {(void *)(uintptr_t)at, n};
	const ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);

	return got > 0 ? (size_t)got : 0;
}

/* The plan of an instruction; of more than PLANS the last one's place is taken. */
static const struct sd_operand_plan *plan_of(struct look *l, uint64_t ip)
{
	const uint64_t page = ip - ip % SD_TOUCHED_PAGE;
	const uint64_t at = ip - page > AROUND ? ip - AROUND : page;
	unsigned char code[2 * AROUND];
	struct sd_operand_plan *to;
	size_t n;

	for (unsigned i = 0; i < l->n_plan; i++)
		if (l->plan[i].ip == ip)
			return &l->plan[i];
	to = &l->plan[l->n_plan < PLANS ? l->n_plan++ : PLANS - 1];
	memset(to, 0, sizeof *to);
	n = code_at(l->pid, at, code, (size_t)(ip - at) + AROUND);
	if (n > ip - at)
		sd_operand_plan_make(to, sd_insn_decode_here(), at, code, n, 0, ip);
	to->ip = ip;
	return to;
}

/* The nearest address that the sampled code surely touches, the stack's left out. */
static void add_sample(struct look *l, uint64_t ip, const struct sd_regs *regs)
{
	struct sd_operand_access access[SD_OPERANDS];
	const struct sd_operand_plan *const plan = plan_of(l, ip);
	const uint64_t sp = regs->reg[STACK_POINTER];
	const unsigned n =
		plan->decoded ? sd_operand_plan_evaluate(plan, regs, 0, NULL, 0, access) : 0;

	for (unsigned i = 0; i < n && l->n < SAMPLES; i++) {
		const uint64_t a = access[i].address;

		if (!access[i].sure || (a > sp ? a - sp : sp - a) < STACK)
			continue;
		l->address[l->n++] = a;
		return;
	}
}

/* A record as it was asked for: header, ip, ABI, registers in the order of their bits. */
static void add_record(struct look *l, const struct perf_event_header *h)
{
	const size_t size = sizeof *h + (2 + (size_t)__builtin_popcountll(l->regs)) * 8;
	struct sd_regs regs = {.mask = l->regs};
	uint64_t word[2 + SD_TRACE_REGS];
	unsigned k = 2;

	if (h->type != PERF_RECORD_SAMPLE || h->size != size)
		return;
	memcpy(word, h + 1, size - sizeof *h);
	for (unsigned i = 0; i < SD_TRACE_REGS; i++)
		if (l->regs >> i & 1)
			regs.reg[i] = word[k++];
	if (word[1] == PERF_SAMPLE_REGS_ABI_64)
		add_sample(l, word[0], &regs);
}

static int add_all(struct look *l)
{
	struct sd_ring_reader r = sd_ring_reader_begin(&l->ring);
	void *const scratch = malloc(SD_RING_READER_RECORD);
	const struct perf_event_header *h;

	if (!scratch)
		return -ENOMEM;
	while ((h = sd_ring_reader_next(&r, scratch)))
		add_record(l, h);
	sd_ring_reader_end(&r, r.at);
	free(scratch);
	return 0;
}

static int watch(struct look *l, int fd)
{
	const struct timespec moment = {.tv_nsec = (long)(1e9 * SD_MEMORY_LOOK_S)};
	int rc = sd_perf_mmap_map(fd, RING, &l->ring);

	if (rc)
		return rc;
	rc = sd_perf_event_switch(fd, 1);
	if (!rc) {
		nanosleep(&moment, NULL);
		rc = sd_perf_event_switch(fd, 0);
	}
	rc = rc ? rc : add_all(l);
	sd_perf_mmap_unmap(&l->ring);
	return rc;
}

struct sd_value sd_memory_look(int pid)
{
	struct perf_event_attr attr = {.size = sizeof attr,
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = PERIOD_NS,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1};
	struct sd_value out = SD_NOT(ABSENT);
	struct sd_rawlayout layout;
	struct look *l;
	int fd, rc;

	sd_recorder_events_layout(&layout);
	attr.sample_regs_user = layout.regs;
	fd = layout.regs ? sd_perf_event_open(&attr, pid, -1) : -EOPNOTSUPP;
	if (fd < 0)
		return fd == -EACCES || fd == -EPERM ? SD_NOT(DENIED) : out;
	l = calloc(1, sizeof *l);
	if (l) {
		l->pid = pid;
		l->regs = layout.regs;
		rc = watch(l, fd);
		if (!rc)
			out = sd_touched_pages(l->address, l->n);
	}
	free(l);
	sd_perf_event_close(fd);
	return out;
}
