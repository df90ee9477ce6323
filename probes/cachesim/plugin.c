/*
 * The plugin itself: QEMU's callbacks, and when the results are written. Everything it knows of a
 * process is in one structure, because QEMU gives the callbacks no other place.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "heapcall.h"
#include "simblocks.h"
#include "simoptions.h"
#include "simoutput.h"
#include "qemu_plugin.h"
#include "simrun.h"

#define VCPUS 8192       /* QEMU's numbers of threads alive at one time */
#define INFOS (1u << 18) /* values of an access's description in this QEMU */
/* Of an instruction that loads and stores, one of both is told: QEMU 7.2 takes this for stores only
 * (op_rw() of its accel/tcg/plugin-gen.c is off by one), a later one for loads only. */
#define MEM_ONCE QEMU_PLUGIN_MEM_R
#define FIRST_SAVE_MS 200 /* then at longer and longer intervals, up to the last */
#define LAST_SAVE_MS 2000

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static struct {
	struct vcpu {
		struct sim_fast *fast; /* its thread's while accesses may be tried, or nowhere */
		struct sim_thread *thread;
		struct sim_thread *simulate; /* its thread, if that is simulated; else NULL */
	} vcpu[VCPUS];
	struct sim_fast nowhere; /* has nothing */
	struct sim_row row[SIM_ROWS];
	uint16_t row_of[INFOS]; /* bytes from row[0] to an access's; 0: not yet asked */
	struct sim_run run;
	struct sim_options options;
	struct sim_output output;
	struct sim_sites sites; /* once the library has said hello */
	int hears;              /* it has */
	int memory;             /* of this process, as a file; -1 none */
	char name[32];
	uint64_t begun_ms, saved_ms, save_every_ms;
	uint64_t on_ms, off_ms; /* the simulated part, since the beginning; 0: not yet */
	int on;                 /* accesses are simulated */
	int done;               /* the part is over */
	int execed, complained, children;
	unsigned long beyond; /* threads past VCPUS */
	struct sim_blocks blocks;
} S;

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void complain(const char *what, int rc)
{
	if (!S.complained)
		fprintf(stderr, "scalediag: simulation: %s%s%s\n", what, rc ? ": " : "",
			rc ? strerror(-rc) : "");
	S.complained = 1;
}

/* ---- saving -------------------------------------------------------------------------------- */

static int whole_region(void)
{
	return !S.options.from && !S.options.count && !S.options.from_ms && !S.options.count_ms &&
	       !S.options.function[0];
}

/* Why the results are not of the whole program; NULL: they are. */
static const char *missing(const char *interrupted, char *buf, size_t n)
{
	const struct sim_run *const r = &S.run;
	int lost = r->machine.lost;

	for (size_t i = 0; i < r->n_thread; i++)
		lost |= r->thread[i]->lost | r->thread[i]->pages.lost;
	if (interrupted)
		snprintf(buf, n, "%s", interrupted);
	else if (S.execed)
		snprintf(buf, n, "it replaced itself by another program, which was not simulated");
	else if (lost)
		snprintf(buf, n, "memory ran out");
	else if (r->unsimulated || S.beyond || r->n_seen > r->n_thread)
		snprintf(buf, n, "more than %d threads lived at one time: %zu were not simulated",
			SIM_SLOTS, (size_t)(r->unsimulated + S.beyond + r->n_seen - r->n_thread));
	else if (!whole_region())
		snprintf(buf, n, "%s",
			S.on_ms ? "only the part that was asked for"
				: "the part that was asked for never came");
	else
		return NULL;
	return buf;
}

/* Under the run's lock. */
static void save(const char *interrupted)
{
	const uint64_t now = now_ms();
	char why[160];
	int rc;

	S.output.partial = missing(interrupted, why, sizeof why);
	S.output.from_s = whole_region() ? 0 : (double)S.on_ms / 1e3;
	S.output.for_s =
		whole_region() || !S.on_ms
			? 0
			: (double)((S.off_ms ? S.off_ms : now - S.begun_ms) - S.on_ms) / 1e3;
	rc = sim_output_write(&S.run, &S.output);
	if (rc)
		complain("its results cannot be written", rc);
	S.saved_ms = now_ms();
}

/* Off at once; on when each thread comes by (aim). */
static void switch_all(int on)
{
	for (size_t i = 0; i < VCPUS; i++) {
		struct sim_thread *const t = S.vcpu[i].thread;

		__atomic_store_n(&S.vcpu[i].simulate, on && t && t->slot < SIM_SLOTS ? t : NULL,
			__ATOMIC_RELAXED);
		if (!on)
			__atomic_store_n(&S.vcpu[i].fast, &S.nowhere, __ATOMIC_RELAXED);
		if (t)
			__atomic_store_n(&t->odd, 1, __ATOMIC_RELAXED);
	}
	S.on = on;
	if (on && !S.on_ms)
		S.on_ms = now_ms() - S.begun_ms + 1;
	if (!on && S.on_ms) {
		S.off_ms = now_ms() - S.begun_ms + 1;
		S.done = 1;
	}
}

/* Whether the part to simulate begins or ends here. */
static void watch_region(struct sim_run *r)
{
	const struct sim_options *const o = &S.options;
	const uint64_t ms = now_ms() - S.begun_ms;
	uint64_t instructions = 0;

	if (S.done || o->function[0] || whole_region())
		return;
	for (size_t i = 0; i < r->n_thread; i++)
		instructions += r->thread[i]->base;
	if (!S.on && instructions >= o->from && ms >= o->from_ms)
		switch_all(1);
	else if (S.on && ((o->count && instructions >= o->from + o->count) ||
				 (o->count_ms && ms >= o->from_ms + o->count_ms)))
		switch_all(0);
}

/* After every window, under the lock. */
static void idle(struct sim_run *r, void *arg)
{
	(void)arg;
	watch_region(r);
	if (now_ms() - S.saved_ms < S.save_every_ms)
		return;
	save("the program was ended from outside, or crashed: what it did in its last moments is "
	     "missing");
	if (S.save_every_ms < LAST_SAVE_MS)
		S.save_every_ms *= 2;
}

/* ---- execution ------------------------------------------------------------------------------- */

/* The short ways of blocks and of accesses are open to a thread that is simulated while nothing
 * more than that is to be done. */
static void aim(unsigned vcpu, struct sim_thread *t)
{
	struct vcpu *const v = &S.vcpu[vcpu];

	/* again when another thread has switched it meanwhile */
	for (;;) {
		const int simulate = __atomic_load_n(&v->simulate, __ATOMIC_SEQ_CST) != NULL;
		const int odd = !simulate || t->measuring || t->region_return;
		struct sim_fast *const fast =
			simulate && sim_thread_may_fast(t) ? &t->near->fast : &S.nowhere;

		if (t->odd == odd && v->fast == fast)
			return;
		__atomic_store_n(&t->odd, odd, __ATOMIC_SEQ_CST);
		__atomic_store_n(&v->fast, fast, __ATOMIC_SEQ_CST);
	}
}

static struct sim_thread *begin(unsigned vcpu)
{
	struct sim_thread *t;

	if (vcpu >= VCPUS) {
		S.beyond++;
		return NULL;
	}
	t = S.blocks.target != SIM_TARGET_OTHER && S.run.n_seen == 0
		    ? sim_run_begin_alone(&S.run, (int)gettid())
		    : sim_run_begin(&S.run, (int)gettid());
	if (t && S.hears)
		t->lost |= sim_callers_open(&t->callers) != 0;
	S.vcpu[vcpu].thread = t;
	S.vcpu[vcpu].simulate = S.on && t && t->slot < SIM_SLOTS ? t : NULL;
	if (t)
		aim(vcpu, t);
	return t;
}

/* A block count for every block so far, and some to come. */
static int room_for(struct sim_thread *t, uint32_t number)
{
	size_t n = t->n_blocks ? t->n_blocks : 1024;
	struct sim_block_count *p;

	while (n <= number)
		n *= 2;
	p = realloc(t->blocks, n * sizeof *p);
	if (!p)
		return -ENOMEM;
	memset(p + t->n_blocks, 0, (n - t->n_blocks) * sizeof *p);
	t->blocks = p;
	t->n_blocks = n;
	return 0;
}

/* The function that bounds the region: on when it is entered by a call, off where that returns to.
 */
static void watch_function(unsigned vcpu, struct sim_thread *t, const struct sim_block *before,
	const struct sim_block *b)
{
	if (!S.options.function[0] || t->slot == SIM_SLOTS)
		return;
	if (t->region_return && b->start == t->region_return) {
		t->region_return = 0;
		S.vcpu[vcpu].simulate = NULL;
		S.off_ms = now_ms() - S.begun_ms + 1;
	} else if (b->odd & SIM_ODD_REGION && !t->region_return && before != &sim_block_none) {
		t->region_return = before->end;
		S.vcpu[vcpu].simulate = t;
		if (!S.on_ms)
			S.on_ms = now_ms() - S.begun_ms + 1;
	}
}

/* The block before has run to its end: what it accessed was counted, and every run does the same (a
 * repeated string instruction is one run a repetition; without any it accessed nothing). */
static void measured(struct sim_thread *t, const struct sim_block *before)
{
	struct sim_block *const b = S.run.block[before->number];

	if (!b->repeats || t->measure.bytes) {
		b->each = t->measure; /* two threads may come here, with the same numbers */
		__atomic_fetch_and(&b->odd, ~(unsigned)SIM_ODD_UNMEASURED, __ATOMIC_RELEASE);
	}
	sim_thread_measure(t, 0);
}

static void follow(struct sim_thread *t, const struct sim_block *before, uint64_t now)
{
	if (before->transfer == SIM_TRANSFER_CALL)
		sim_callers_call(&t->callers, before->end);
	else
		sim_callers_return(&t->callers, now);
}

static inline void count_block(
	struct sim_thread *t, const struct sim_block *before, const struct sim_block *b)
{
	struct sim_block_count *const c = &t->blocks[b->number];

	c->runs++;
	if (b->start > before->start || before->transfer)
		return;
	c->back++;
	if (before->end > c->latch)
		c->latch = before->end;
	/* a string instruction that goes on is still the one that began */
	if (before->repeats && b->start == before->last && t->base)
		t->base--;
}

/* A block at which more is to be done than to count it. */
static __attribute__((noinline)) void block_slow(unsigned vcpu, const struct sim_block *b)
{
	struct sim_thread *t = vcpu < VCPUS ? S.vcpu[vcpu].thread : NULL;
	const struct sim_block *before;

	if (!t && !(t = begin(vcpu)))
		return;
	before = t->block;
	t->block = b;
	t->base += before->n_ins;
	if (t->measuring)
		measured(t, before);
	if (before->transfer && t->callers.back)
		follow(t, before, b->start);
	if (b->odd & SIM_ODD_REGION || t->region_return)
		watch_function(vcpu, t, before, b);
	if (b->number >= t->n_blocks && room_for(t, b->number)) {
		t->lost = 1;
	} else if (S.vcpu[vcpu].simulate != t) {
		t->skipped += b->n_ins;
	} else {
		count_block(t, before, b);
		if (__atomic_load_n(&b->odd, __ATOMIC_ACQUIRE) & SIM_ODD_UNMEASURED)
			sim_thread_measure(t, 1);
	}
	if (t->base >= __atomic_load_n(&t->limit, __ATOMIC_RELAXED))
		sim_run_reach(&S.run, t);
	aim(vcpu, t);
}

static __attribute__((noinline)) void block_followed(
	struct sim_thread *t, const struct sim_block *before, const struct sim_block *b)
{
	follow(t, before, b->start);
	count_block(t, before, b);
}

/* Most blocks. Calls are its last acts only: it saves no registers. */
static void block_cb(unsigned vcpu, void *data)
{
	const struct sim_block *const b = data, *before;
	struct sim_thread *const t = vcpu < VCPUS ? S.vcpu[vcpu].thread : NULL;
	uint64_t base;

	if (__builtin_expect(!t, 0))
		goto slow;
	before = t->block;
	base = t->base + before->n_ins;
	if (__builtin_expect(__atomic_load_n(&t->odd, __ATOMIC_RELAXED) |
					     __atomic_load_n(&b->odd, __ATOMIC_RELAXED) ||
				     b->number >= t->n_blocks ||
				     base >= __atomic_load_n(&t->limit, __ATOMIC_RELAXED),
		    0))
		goto slow;
	t->block = b;
	t->base = base;
	if (before->transfer && t->callers.back)
		block_followed(t, before, b);
	else
		count_block(t, before, b);
	return;
slow:
	block_slow(vcpu, b);
}

static inline const struct sim_row *row_of(uint32_t info)
{
	return (const void *)((const char *)S.row + S.row_of[info % INFOS]);
}

static __attribute__((noinline)) const struct sim_row *describe(uint32_t info)
{
	const unsigned log2 = qemu_plugin_mem_size_shift(info),
		       n = sim_row_number(log2, qemu_plugin_mem_is_store(info));

	if (log2 >= SIM_SIZES)
		return &S.row[0];
	if (info < INFOS)
		S.row_of[info] = (uint16_t)(n * sizeof S.row[0]);
	return &S.row[n];
}

static __attribute__((noinline)) void access_slow(
	unsigned vcpu, uint32_t info, uint64_t address, const struct sim_ins *ins)
{
	struct sim_thread *const t = S.vcpu[vcpu].simulate;
	const struct sim_row *const known = row_of(info), *const r = known->size ? known
										 : describe(info);

	if (t)
		sim_thread_slow(t, address, r->size, r->store, ins);
}

/* What sim_fast() did not take. */
static __attribute__((noinline)) void access_refused(
	unsigned vcpu, uint32_t info, uint64_t address, const struct sim_ins *ins)
{
	const struct vcpu *const v = &S.vcpu[vcpu];
	const struct sim_row *const r = row_of(info);

	if (__builtin_expect(v->fast != &S.nowhere && r->bytes[address & 63], 1))
		sim_thread_refused(v->thread, address, r, ins);
	else
		access_slow(vcpu, info, address, ins);
}

static void access_cb(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
	if (vcpu < VCPUS && !sim_fast(S.vcpu[vcpu].fast, address, row_of(info)))
		access_refused(vcpu, info, address, data);
}

static __attribute__((noinline)) void modify_refused(
	unsigned vcpu, uint32_t info, uint64_t address, const struct sim_ins *ins)
{
	const struct vcpu *const v = &S.vcpu[vcpu];
	const struct sim_row *const known = row_of(info), *const r = known->size ? known
										 : describe(info);

	if (v->fast != &S.nowhere && r->bytes[address & 63]) {
		sim_thread_refused(v->thread, address, r->store ? r - SIM_SIZES : r, ins);
		sim_thread_refused(v->thread, address, r->store ? r : r + SIM_SIZES, ins);
	} else if (v->simulate) {
		sim_thread_slow(v->simulate, address, r->size, 0, ins);
		sim_thread_slow(v->simulate, address, r->size, 1, ins);
	}
}

/* The load and the store of an instruction, told once: where the store would be fast, so would the
 * load before it, and leave nothing that the store does not. */
static void modify_cb(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
	const struct sim_row *const r = row_of(info);

	if (vcpu < VCPUS && !sim_fast(S.vcpu[vcpu].fast, address, r->store ? r : r + SIM_SIZES))
		modify_refused(vcpu, info, address, data);
}

/* Of an instruction that must always be asked about. */
static void locked_cb(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
	if (vcpu < VCPUS)
		access_slow(vcpu, info, address, data);
}

/* ---- translation ----------------------------------------------------------------------------- */

static void translate_cb(uint64_t id, struct qemu_plugin_tb *tb)
{
	const size_t n = qemu_plugin_tb_n_insns(tb);
	struct sim_block *b;

	(void)id;
	if (n == 0)
		return;
	if (!S.output.program) {
		const char *const path = qemu_plugin_path_to_binary();
		const struct qemu_plugin_insn *const in = qemu_plugin_tb_get_insn(tb, 0);

		S.output.guest_base = (uint64_t)(uintptr_t)qemu_plugin_insn_haddr(in) -
				      qemu_plugin_insn_vaddr(in);
		S.output.program = path ? path : "";
	}
	pthread_mutex_lock(&S.run.block_lock);
	b = sim_block_of(&S.blocks, &S.run, tb, n);
	pthread_mutex_unlock(&S.run.block_lock);
	if (!b) {
		S.run.machine.lost = 1;
		return;
	}
	qemu_plugin_register_vcpu_tb_exec_cb(tb, block_cb, QEMU_PLUGIN_CB_NO_REGS, b);
	for (size_t i = 0; i < n && !b->ours; i++) {
		const unsigned flags = b->ins[i].flags;
		const int modifies = (flags & SIM_INS_MODIFIES) != 0;

		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i),
			flags & SIM_INS_LOCKED ? locked_cb
			: modifies             ? modify_cb
					       : access_cb,
			QEMU_PLUGIN_CB_NO_REGS, modifies ? MEM_ONCE : QEMU_PLUGIN_MEM_RW,
			&b->ins[i]);
	}
}

/* ---- system calls, threads, processes ---------------------------------------------------------
 */

static void gone(unsigned vcpu)
{
	struct sim_thread *const t = vcpu < VCPUS ? S.vcpu[vcpu].thread : NULL;

	if (!t)
		return;
	S.vcpu[vcpu] = (struct vcpu){.fast = &S.nowhere};
	sim_run_end(&S.run, t);
}

/* The preloaded library is there: from here on calls are followed. Under no lock: it is said before
 * the program has threads. */
static void hear(unsigned vcpu, struct sim_thread *t, const uint64_t a[4])
{
	const int yes = 1;

	if (!S.hears && sim_sites_open(&S.sites) == 0) {
		S.memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
		S.hears = 1;
		S.blocks.heap_low = a[0];
		S.blocks.heap_high = a[1];
		pthread_mutex_lock(&S.run.lock);
		S.run.machine.lines.sites = &S.sites;
		S.output.sites = &S.sites;
		pthread_mutex_unlock(&S.run.lock);
	}
	if (!t->callers.back)
		sim_callers_open(&t->callers);
	/* as a file: an address that is none is an error and no crash */
	if (S.hears && pwrite(S.memory, &yes, sizeof yes, (off_t)(S.output.guest_base + a[2])) < 0)
		complain("allocations are not followed", -errno);
	S.vcpu[vcpu].simulate = NULL;
	aim(vcpu, t);
}

static size_t confirm(void *arg, const uint64_t *pc, size_t n)
{
	return sim_callers_true(S.memory, S.output.guest_base, *(const uint64_t *)arg, pc, n);
}

static void heap_call(unsigned vcpu, struct sim_thread *t, uint64_t what, const uint64_t a[4])
{
	uint64_t pc[SIM_SITES_DEPTH], stack = a[3];
	size_t n;

	t->call = SIM_CALL_BRIEF;
	if (what == SIM_HEAP_HELLO)
		hear(vcpu, t, a);
	else if (what == SIM_HEAP_READY && S.on && t->slot < SIM_SLOTS) {
		S.vcpu[vcpu].simulate = t;
		aim(vcpu, t);
	}
	if (what != SIM_HEAP_BLOCK || !S.hears)
		return;
	n = sim_callers_from(&t->callers, a[2], pc, SIM_SITES_DEPTH);
	sim_sites_give(&S.sites, a[0], a[1], sim_sites_chain(&S.sites, pc, n, confirm, &stack));
}

static void syscall_cb(uint64_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
	uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	struct sim_thread *const t = vcpu < VCPUS ? S.vcpu[vcpu].thread : NULL;
	const unsigned flags = sim_call_flags(S.blocks.target, (long)number, a1, a2);

	(void)id, (void)a6, (void)a7, (void)a8;
	if (!t)
		return;
	if (number == SIM_HEAP_CALL) {
		heap_call(vcpu, t, a1, (const uint64_t[]){a2, a3, a4, a5});
		return;
	}
	if (flags & SIM_CALL_UNMAP && S.hears)
		sim_sites_unmap(&S.sites, a1, a2);
	t->mapping = flags & SIM_CALL_MAP ? a2 : 0;
	t->call = flags;
	if (flags & SIM_CALL_SHARES)
		sim_run_together(&S.run);
	if (flags & SIM_CALL_ORDERS)
		sim_run_order(t);
	if (!(flags & SIM_CALL_BRIEF))
		sim_run_leave(&S.run, t);
	if (!(flags & (SIM_CALL_EXEC | SIM_CALL_KILL)))
		return;
	pthread_mutex_lock(&S.run.lock);
	S.execed = (flags & SIM_CALL_EXEC) != 0;
	save(S.execed ? NULL : "the program was ended by a signal");
	pthread_mutex_unlock(&S.run.lock);
}

static void note_brk(uint64_t end)
{
	if (!S.output.brk_low)
		S.output.brk_low = end;
	if (end > S.output.brk_high)
		S.output.brk_high = end;
}

static void syscall_ret_cb(uint64_t id, unsigned vcpu, int64_t number, int64_t ret)
{
	struct sim_thread *const t = vcpu < VCPUS ? S.vcpu[vcpu].thread : NULL;

	(void)id, (void)number;
	if (!t)
		return;
	if (t->call & SIM_CALL_BRK && ret > 0)
		note_brk((uint64_t)ret);
	if (t->call & SIM_CALL_MAP && S.hears && (uint64_t)ret < UINT64_MAX - 4095)
		sim_sites_unmap(&S.sites, (uint64_t)ret, t->mapping);
	if (t->call & SIM_CALL_EXEC)
		S.execed = 0; /* it failed: the program goes on */
	if (t->call & SIM_CALL_THREAD && ret > 0)
		sim_run_expect(&S.run);
	if (!(t->call & SIM_CALL_BRIEF))
		sim_run_return(&S.run, t);
}

static void exit_cb(uint64_t id, unsigned vcpu)
{
	(void)id;
	gone(vcpu);
}

static void end_cb(uint64_t id, void *data)
{
	(void)id, (void)data;
	switch_all(0);
	sim_run_finish(&S.run, NULL);
	save(NULL);
	pthread_mutex_unlock(&S.run.lock);
}

static void no_threads(void)
{
	for (size_t i = 0; i < VCPUS; i++)
		S.vcpu[i] = (struct vcpu){.fast = &S.nowhere};
}

/* A forked child is a process of its own, with its own counts: it begins anew. Only the thread that
 * forked is there. */
static void before_fork(void)
{
	pthread_mutex_lock(&S.run.lock);
	pthread_mutex_lock(&S.run.block_lock);
	if (S.hears)
		pthread_mutex_lock(&S.sites.lock);
}

static void after_fork(void)
{
	if (S.hears)
		pthread_mutex_unlock(&S.sites.lock);
	pthread_mutex_unlock(&S.run.block_lock);
	pthread_mutex_unlock(&S.run.lock);
}

static void in_child(void)
{
	struct sim_run *const r = &S.run;
	struct sim_block **const block = r->block;
	const size_t n_block = r->n_block, room = r->block_room;

	after_fork();
	no_threads();
	r->block = NULL; /* the translated code goes on to point at them */
	r->n_block = 0;
	sim_run_close(r);
	if (sim_run_open(r, &S.options)) {
		complain("no memory in a forked child", 0);
		_exit(1);
	}
	r->block = block;
	r->n_block = n_block;
	r->block_room = room;
	r->idle = idle;
	r->machine.lines.sites = S.hears ? &S.sites : NULL; /* the heap is the parent's */
	if (S.hears) {                                      /* that file is the parent's memory */
		close(S.memory);
		S.memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	}
	S.output.pid = (int)getpid();
	S.output.parent = (int)getppid();
	S.begun_ms = S.saved_ms = now_ms();
	S.save_every_ms = FIRST_SAVE_MS;
	S.on_ms = S.off_ms = 0;
	S.on = whole_region();
	S.done = S.execed = 0;
}

/* ---- installation ---------------------------------------------------------------------------- */

static int options(int argc, char **argv)
{
	char why[160];

	sim_options_default(&S.options);
	for (int i = 0; i < argc; i++)
		if (sim_options_take(&S.options, argv[i], why, sizeof why))
			goto bad;
	if (sim_options_check(&S.options, why, sizeof why) == 0)
		return 0;
bad:
	fprintf(stderr, "scalediag: simulation: %s\n", why);
	return -EINVAL;
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	if (options(argc, argv))
		return 1;
	if (info->system_emulation) {
		complain("only programs are simulated, not whole machines", 0);
		return 1;
	}
	if (sim_run_open(&S.run, &S.options)) {
		complain("no memory", 0);
		return 1;
	}
	no_threads();
	sim_rows_fill(S.row);
	snprintf(S.name, sizeof S.name, "%.31s", info->target_name);
	S.blocks.target = sim_target_parse(S.name);
	S.blocks.function = S.options.function;
	S.run.idle = idle;
	S.output = (struct sim_output){
		.pid = (int)getpid(), .parent = (int)getppid(), .target = S.name};
	S.begun_ms = S.saved_ms = now_ms();
	S.save_every_ms = FIRST_SAVE_MS;
	S.on = whole_region();
	pthread_atfork(before_fork, after_fork, in_child);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate_cb);
	qemu_plugin_register_vcpu_syscall_cb(id, syscall_cb);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, syscall_ret_cb);
	qemu_plugin_register_vcpu_exit_cb(id, exit_cb);
	qemu_plugin_register_atexit_cb(id, end_cb, NULL);
	return 0;
}
