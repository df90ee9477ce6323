#include "bpf/lock_code.h"

#include <errno.h>
#include <linux/btf.h>

#include "bpf/lock_begin.h"
#include "bpf/lock_pieces.h"

/* The member of struct pt_regs with the number of the system call, whose low bytes are enough. */
#if defined(__x86_64__)
#define CALL_NUMBER "orig_ax"
#else
#define CALL_NUMBER "syscallno"
#endif

/* ---- the kernel ---- */

int sd_lock_kernel_find(const struct sd_kernel_types *t, struct sd_lock_kernel *out)
{
	static const struct {
		const char *name;
		unsigned n; /* parameters, and which of them are a task */
		int is_task[2];
	} points[SD_LOCK_POINTS] = {
		[SD_LOCK_POINT_BEGIN] = {"btf_trace_contention_begin", 2, {0, 0}},
		[SD_LOCK_POINT_END] = {"btf_trace_contention_end", 2, {0, 0}},
		[SD_LOCK_POINT_WAKING] = {"btf_trace_sched_waking", 1, {1, 0}},
		[SD_LOCK_POINT_FORK] = {"btf_trace_sched_process_fork", 2, {1, 1}},
	};
	struct sd_lock_kernel k = {0};

	for (size_t i = 0; i < SD_LOCK_POINTS; i++) {
		int is_task[2] = {0};

		k.point[i] = sd_kernel_types_find(t, BTF_KIND_TYPEDEF, points[i].name);
		if (!k.point[i] ||
			sd_kernel_types_parameters(t, k.point[i], is_task, 2) != points[i].n ||
			is_task[0] != points[i].is_task[0] || is_task[1] != points[i].is_task[1])
			return -EOPNOTSUPP;
	}
	if (sd_kernel_types_member(t, "task_struct", "pid", &k.pid) ||
		sd_kernel_types_member(t, "task_struct", "tgid", &k.tgid) ||
		sd_kernel_types_member(t, "pt_regs", CALL_NUMBER, &k.call))
		return -EOPNOTSUPP;
	*out = k;
	return 0;
}

/* ---- the programs ---- */

/* Register 7 := the wait for this lock, of this CPU or of this thread. */
static void find_wait(struct code *c, const struct sd_lock_maps *maps)
{
	find_cpu(c, maps);
	load(c, BPF_DW, BPF_REG_1, BPF_REG_0, IN_CPU(spinning.lock));
	when_same(c, BPF_JEQ, BPF_REG_1, LOCK, FOUND);
	load(c, BPF_DW, WAIT, BPF_REG_0, IN_CPU(skipped));
	call(c, BPF_FUNC_get_current_pid_tgid);
	store(c, BPF_W, FRAME, NUMBER, BPF_REG_0);
	load(c, BPF_W, BPF_REG_1, FRAME, NUMBER);
	by(c, BPF_ADD, BPF_REG_1, LOCK);
	when_same(c, BPF_JEQ, BPF_REG_1, WAIT, OUT);
	look_up(c, maps->waiting, NUMBER);
	when(c, BPF_JEQ, BPF_REG_0, 0, OUT);
	load(c, BPF_DW, BPF_REG_1, BPF_REG_0, IN_WAIT(lock));
	when_same(c, BPF_JNE, BPF_REG_1, LOCK, OUT);
	here(c, FOUND);
	move(c, WAIT, BPF_REG_0);
}

static void make_key(struct code *c)
{
	static const struct {
		unsigned size;
		int from, to;
	} part[] = {
		{BPF_H, IN_WAIT(flags), IN_KEY(flags)},
		{BPF_H, IN_WAIT(call), IN_KEY(call)},
		{BPF_H, IN_WAIT(held), IN_KEY(held)},
		{BPF_W, IN_WAIT(waiter), IN_KEY(waiter)},
		{BPF_W, IN_WAIT(holder), IN_KEY(holder)},
	};

	for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
		load(c, BPF_W, BPF_REG_1, WAIT, part[i].from);
		store(c, part[i].size, FRAME, part[i].to, BPF_REG_1);
	}
	with(c, BPF_MUL, LOCK, SD_LOCK_CODE_SPREAD);
	with(c, BPF_RSH, LOCK, 64 - SD_LOCK_CODE_LOCK_BITS);
	store(c, BPF_H, FRAME, IN_KEY(lock), LOCK);
}

/* Register 0 := the sum of the key at KEY; without one and without room that of all others. */
static void find_sum(struct code *c, const struct sd_lock_maps *maps)
{
	look_up(c, maps->sums, KEY);
	when(c, BPF_JNE, BPF_REG_0, 0, ADD);
	for (int at = BELOW; at < KEY; at += 8)
		store_constant(c, BPF_DW, at, 0);
	update(c, maps->sums, KEY, BELOW, BPF_NOEXIST);
	look_up(c, maps->sums, KEY);
	when(c, BPF_JNE, BPF_REG_0, 0, ADD);
	store_constant(c, BPF_DW, KEY, -1);
	store_constant(c, BPF_DW, KEY + 8, -1);
	look_up(c, maps->sums, KEY);
	when(c, BPF_JEQ, BPF_REG_0, 0, OUT);
}

/* To a number of the sum at register 0. */
static void add_to(struct code *c, int number, unsigned reg)
{
	load(c, BPF_DW, BPF_REG_1, BPF_REG_0, number);
	by(c, BPF_ADD, BPF_REG_1, reg);
	store(c, BPF_DW, BPF_REG_0, number, BPF_REG_1);
}

/* The thread has the lock by now, and others wait for it: this takes as little as it can. */
static void code_end(struct code *c, const struct sd_lock_maps *maps)
{
	enum { LENGTH = FLAGS };

	load(c, BPF_DW, LOCK, BPF_REG_1, 0);
	find_wait(c, maps);
	call(c, BPF_FUNC_ktime_get_ns);
	move(c, LENGTH, BPF_REG_0);
	load(c, BPF_DW, BPF_REG_1, WAIT, IN_WAIT(since));
	by(c, BPF_SUB, LENGTH, BPF_REG_1);
	make_key(c);
	set(c, BPF_REG_1, 0);
	store(c, BPF_DW, WAIT, IN_WAIT(lock), BPF_REG_1);
	find_sum(c, maps);
	here(c, ADD);
	load(c, BPF_W, BPF_REG_2, WAIT, IN_WAIT(weight));
	add_to(c, IN_SUM(waits), BPF_REG_2);
	by(c, BPF_MUL, BPF_REG_2, LENGTH);
	add_to(c, IN_SUM(ns), BPF_REG_2);
	set(c, BPF_REG_2, 1);
	add_to(c, IN_SUM(timed), BPF_REG_2);
	load(c, BPF_DW, BPF_REG_1, BPF_REG_0, IN_SUM(longest));
	when_same(c, BPF_JGE, BPF_REG_1, LENGTH, OUT);
	store(c, BPF_DW, BPF_REG_0, IN_SUM(longest), LENGTH);
	leave(c);
}

/* Whoever wakes a thread that sleeps for a lock holds the lock and lets it go, or hands it on. */
static void code_waking(
	struct code *c, const struct sd_lock_kernel *k, const struct sd_lock_maps *maps)
{
	move(c, CONTEXT, BPF_REG_1);
	load(c, BPF_DW, BPF_REG_1, CONTEXT, 0);
	load(c, BPF_W, BPF_REG_1, BPF_REG_1, k->pid);
	store(c, BPF_W, FRAME, NUMBER, BPF_REG_1);
	look_up(c, maps->waiting, NUMBER);
	when(c, BPF_JEQ, BPF_REG_0, 0, OUT);
	move(c, WAIT, BPF_REG_0);
	load(c, BPF_DW, BPF_REG_1, WAIT, IN_WAIT(lock));
	when(c, BPF_JEQ, BPF_REG_1, 0, OUT);
	take_call(c, k);
	store(c, BPF_W, WAIT, IN_WAIT(held), BPF_REG_0);
	load(c, BPF_W, BPF_REG_1, WAIT, IN_WAIT(waiter));
	add(c, BPF_ALU | BPF_RSH | BPF_K, BPF_REG_1, 0, 0, 31); /* its sign: no stack was taken */
	when(c, BPF_JNE, BPF_REG_1, 0, OUT);
	take_stack(c, maps->stacks);
	store(c, BPF_W, WAIT, IN_WAIT(holder), BPF_REG_0);
	leave(c);
}

/* A process that a watched one forks is watched as well; a thread has its process's number. */
static void code_fork(
	struct code *c, const struct sd_lock_kernel *k, const struct sd_lock_maps *maps)
{
	load(c, BPF_DW, BPF_REG_2, BPF_REG_1, 8);
	load(c, BPF_DW, BPF_REG_1, BPF_REG_1, 0);
	load(c, BPF_W, BPF_REG_1, BPF_REG_1, k->tgid);
	load(c, BPF_W, BPF_REG_2, BPF_REG_2, k->tgid);
	store(c, BPF_W, FRAME, NUMBER, BPF_REG_1);
	store(c, BPF_W, FRAME, OTHER, BPF_REG_2);
	when_same(c, BPF_JEQ, BPF_REG_1, BPF_REG_2, OUT);
	look_up(c, maps->processes, NUMBER);
	when(c, BPF_JEQ, BPF_REG_0, 0, OUT);
	update(c, maps->processes, OTHER, OTHER, BPF_ANY);
	leave(c);
}

size_t sd_lock_code(const struct sd_lock_kernel *k, enum sd_lock_point point,
	const struct sd_lock_maps *maps, struct bpf_insn code[SD_LOCK_CODE])
{
	struct code c = {.insn = code};

	switch (point) {
	case SD_LOCK_POINT_BEGIN:
		sd_lock_begin_code(&c, k, maps);
		break;
	case SD_LOCK_POINT_END:
		code_end(&c, maps);
		break;
	case SD_LOCK_POINT_WAKING:
		code_waking(&c, k, maps);
		break;
	default:
		code_fork(&c, k, maps);
		break;
	}
	return finish(&c);
}
