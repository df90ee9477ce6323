#include "bpf/lock_begin.h"

#include "bpf/lock_pieces.h"

/* Register 1 := the flags, with SLEPT if this is not the beginning of spinning. */
static void take_flags(struct code *c)
{
	move(c, BPF_REG_1, FLAGS);
	move(c, BPF_REG_2, FLAGS);
	with(c, BPF_AND, BPF_REG_2, SD_LOCK_CODE_SPIN);
	add(c, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_2, 0, 1, 0);
	with(c, BPF_OR, BPF_REG_1, SD_LOCK_CODE_SLEPT);
}

/* Jumps to OUT unless this thread's process is watched, which a CPU remembers of the last one. The
 * thread's number is then at NUMBER, and what the CPU keeps at CPU and in register 7. */
static void only_watched(struct code *c, const struct sd_lock_maps *maps)
{
	find_cpu(c, maps);
	move(c, WAIT, BPF_REG_0);
	store(c, BPF_DW, FRAME, CPU, BPF_REG_0);
	call(c, BPF_FUNC_get_current_pid_tgid);
	store(c, BPF_W, FRAME, NUMBER, BPF_REG_0);
	with(c, BPF_RSH, BPF_REG_0, 32);
	when(c, BPF_JEQ, BPF_REG_0, 0, OUT); /* an idle CPU's thread, in an interrupt */
	load(c, BPF_W, BPF_REG_1, WAIT, IN_CPU(watched));
	when_same(c, BPF_JEQ, BPF_REG_0, BPF_REG_1, WATCHED);
	store(c, BPF_W, FRAME, OTHER, BPF_REG_0);
	look_up(c, maps->processes, OTHER);
	when(c, BPF_JEQ, BPF_REG_0, 0, OUT);
	load(c, BPF_W, BPF_REG_1, FRAME, OTHER);
	store(c, BPF_W, WAIT, IN_CPU(watched), BPF_REG_1);
	here(c, WATCHED);
}

/* Register 0 := this thread's wait that sleeps, or 0; jumps to OUT if that is this one. Waiting for
 * one lock may begin several times: a mutex spins, sleeps, and spins again. One that only now
 * sleeps has been left out. */
static void find_sleeper(struct code *c, const struct sd_lock_maps *maps)
{
	look_up(c, maps->waiting, NUMBER);
	when(c, BPF_JEQ, BPF_REG_0, 0, FOUND);
	load(c, BPF_DW, BPF_REG_1, BPF_REG_0, IN_WAIT(lock));
	when_same(c, BPF_JNE, BPF_REG_1, LOCK, FOUND);
	take_flags(c);
	load(c, BPF_W, BPF_REG_2, BPF_REG_0, IN_WAIT(flags));
	by(c, BPF_OR, BPF_REG_1, BPF_REG_2);
	store(c, BPF_W, BPF_REG_0, IN_WAIT(flags), BPF_REG_1);
	when(c, BPF_JA, 0, 0, OUT);
	here(c, FOUND);
	when(c, BPF_JEQ, FLAGS, SD_LOCK_CODE_MUTEX, OUT);
}

/* Jumps to OUT if this wait is left out, which its end learns from the CPU: it has no time to look
 * for it. Register 7: the CPU's. */
static void leave_out(struct code *c)
{
	load(c, BPF_DW, BPF_REG_1, WAIT, IN_CPU(left));
	when(c, BPF_JEQ, BPF_REG_1, 0, TIMED);
	with(c, BPF_SUB, BPF_REG_1, 1);
	store(c, BPF_DW, WAIT, IN_CPU(left), BPF_REG_1);
	load(c, BPF_W, BPF_REG_1, FRAME, NUMBER);
	by(c, BPF_ADD, BPF_REG_1, LOCK);
	store(c, BPF_DW, WAIT, IN_CPU(skipped), BPF_REG_1);
	when(c, BPF_JA, 0, 0, OUT);
	here(c, TIMED);
	set(c, BPF_REG_1, 0);
	store(c, BPF_DW, WAIT, IN_CPU(skipped), BPF_REG_1);
}

/* Register 7 := where this wait is kept: register 0, or made. */
static void make_sleeper(struct code *c, const struct sd_lock_maps *maps)
{
	look_up(c, maps->waiting, NUMBER);
	when(c, BPF_JNE, BPF_REG_0, 0, SPINS);
	for (int at = BELOW; at < KEY; at += 8)
		store_constant(c, BPF_DW, at, 0);
	update(c, maps->waiting, NUMBER, BELOW, BPF_NOEXIST);
	look_up(c, maps->waiting, NUMBER);
	when(c, BPF_JEQ, BPF_REG_0, 0, LOST);
	here(c, SPINS);
	move(c, WAIT, BPF_REG_0);
}

/* Register 8 := the CPU's. One of so many waits is timed from now on as the last window had times
 * as many as SD_LOCK_CODE_MOST. Register 9: the time, which stays. */
static void keep_pace(struct code *c)
{
	enum { OF_CPU = LOCK };

	load(c, BPF_DW, OF_CPU, FRAME, CPU);
	load(c, BPF_DW, BPF_REG_1, OF_CPU, IN_CPU(until));
	when_same(c, BPF_JLT, FLAGS, BPF_REG_1, PACED);
	move(c, BPF_REG_1, FLAGS);
	with(c, BPF_ADD, BPF_REG_1, SD_LOCK_CODE_WINDOW);
	store(c, BPF_DW, OF_CPU, IN_CPU(until), BPF_REG_1);
	load(c, BPF_DW, BPF_REG_1, OF_CPU, IN_CPU(seen));
	with(c, BPF_DIV, BPF_REG_1, SD_LOCK_CODE_MOST);
	store(c, BPF_DW, OF_CPU, IN_CPU(every), BPF_REG_1);
	set(c, BPF_REG_1, 0);
	store(c, BPF_DW, OF_CPU, IN_CPU(seen), BPF_REG_1);
	here(c, PACED);
}

/* Register 0 := how many waits are left out after this one, by chance up to twice as many as on
 * average, since kinds of waits may take turns. The wait stands for them. Register 8: the CPU's. */
static void choose_left(struct code *c)
{
	enum { OF_CPU = LOCK };

	set(c, BPF_REG_0, 0);
	load(c, BPF_DW, BPF_REG_1, OF_CPU, IN_CPU(every));
	when(c, BPF_JEQ, BPF_REG_1, 0, ALL);
	call(c, BPF_FUNC_get_prandom_u32);
	load(c, BPF_DW, BPF_REG_1, OF_CPU, IN_CPU(every));
	with(c, BPF_LSH, BPF_REG_1, 1);
	with(c, BPF_ADD, BPF_REG_1, 1);
	by(c, BPF_MOD, BPF_REG_0, BPF_REG_1);
	here(c, ALL);
	store(c, BPF_DW, OF_CPU, IN_CPU(left), BPF_REG_0);
	with(c, BPF_ADD, BPF_REG_0, 1);
	store(c, BPF_W, WAIT, IN_WAIT(weight), BPF_REG_0);
	for (int i = 0; i < 2; i++) {
		const int to = i ? IN_CPU(all) : IN_CPU(seen);

		load(c, BPF_DW, BPF_REG_1, OF_CPU, to);
		by(c, BPF_ADD, BPF_REG_1, BPF_REG_0);
		store(c, BPF_DW, OF_CPU, to, BPF_REG_1);
	}
}

/* A stack is taken of a wait that begins after the CPU's next time for one, which is then moved on.
 * It stands for itself alone, since taking it makes a short wait longer. Registers 8: the CPU's; 9:
 * the time. */
static void take_stack_sometimes(struct code *c, const struct sd_lock_maps *maps)
{
	enum { OF_CPU = LOCK };

	load(c, BPF_DW, BPF_REG_1, OF_CPU, IN_CPU(next));
	when_same(c, BPF_JLT, FLAGS, BPF_REG_1, OUT);
	move(c, BPF_REG_1, FLAGS);
	with(c, BPF_AND, BPF_REG_1, SD_LOCK_CODE_PACE - 1);
	by(c, BPF_ADD, BPF_REG_1, FLAGS);
	with(c, BPF_ADD, BPF_REG_1, SD_LOCK_CODE_PACE);
	store(c, BPF_DW, OF_CPU, IN_CPU(next), BPF_REG_1);
	set(c, BPF_REG_1, 0);
	store(c, BPF_DW, OF_CPU, IN_CPU(left), BPF_REG_1);
	set(c, BPF_REG_1, 1);
	store(c, BPF_W, WAIT, IN_WAIT(weight), BPF_REG_1);
	take_stack(c, maps->stacks);
	store(c, BPF_W, WAIT, IN_WAIT(waiter), BPF_REG_0);
	when(c, BPF_JA, 0, 0, OUT);
}

static void describe_wait(struct code *c, const struct sd_lock_kernel *k)
{
	store(c, BPF_DW, WAIT, IN_WAIT(lock), LOCK);
	take_flags(c);
	store(c, BPF_W, WAIT, IN_WAIT(flags), BPF_REG_1);
	take_call(c, k);
	store(c, BPF_W, WAIT, IN_WAIT(call), BPF_REG_0);
	set(c, BPF_REG_1, 0);
	store(c, BPF_W, WAIT, IN_WAIT(held), BPF_REG_1);
	set(c, BPF_REG_1, -1);
	store(c, BPF_W, WAIT, IN_WAIT(waiter), BPF_REG_1);
	store(c, BPF_W, WAIT, IN_WAIT(holder), BPF_REG_1);
	call(c, BPF_FUNC_ktime_get_ns);
	store(c, BPF_DW, WAIT, IN_WAIT(since), BPF_REG_0);
	move(c, FLAGS, BPF_REG_0);
}

/*
 * A thread that spins keeps its CPU, which keeps the wait: it may spin within a wait that sleeps,
 * for the lock of a queue of waiters. A wait that another lock's replaces is lost: that of a thread
 * that spun when an interrupt's began.
 */
void sd_lock_begin_code(
	struct code *c, const struct sd_lock_kernel *k, const struct sd_lock_maps *maps)
{
	move(c, CONTEXT, BPF_REG_1);
	load(c, BPF_DW, LOCK, CONTEXT, 0);
	load(c, BPF_DW, FLAGS, CONTEXT, 8);
	with(c, BPF_AND, FLAGS, SD_LOCK_CODE_SLEPT - 1);
	only_watched(c, maps);
	move(c, BPF_REG_1, FLAGS);
	with(c, BPF_AND, BPF_REG_1, SD_LOCK_CODE_SPIN | SD_LOCK_CODE_MUTEX);
	when(c, BPF_JEQ, BPF_REG_1, SD_LOCK_CODE_SPIN, CHOOSE);
	find_sleeper(c, maps);
	here(c, CHOOSE);
	leave_out(c);
	move(c, BPF_REG_0, WAIT); /* the CPU's begins with the wait that spins there */
	move(c, BPF_REG_1, FLAGS);
	with(c, BPF_AND, BPF_REG_1, SD_LOCK_CODE_SPIN | SD_LOCK_CODE_MUTEX);
	when(c, BPF_JEQ, BPF_REG_1, SD_LOCK_CODE_SPIN, SPINS);
	make_sleeper(c, maps);
	describe_wait(c, k);
	keep_pace(c);
	choose_left(c);
	take_stack_sometimes(c, maps);
	here(c, LOST);
	load(c, BPF_DW, BPF_REG_1, FRAME, CPU);
	load(c, BPF_DW, BPF_REG_2, BPF_REG_1, IN_CPU(lost));
	with(c, BPF_ADD, BPF_REG_2, 1);
	store(c, BPF_DW, BPF_REG_1, IN_CPU(lost), BPF_REG_2);
	leave(c);
}
