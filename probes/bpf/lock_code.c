#include "bpf/lock_code.h"

#include <errno.h>
#include <linux/btf.h>

#include "bpf/bpf_assembler.h"

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
		sd_kernel_types_member(t, "task_struct", "tgid", &k.tgid))
		return -EOPNOTSUPP;
	*out = k;
	return 0;
}

/* ---- the programs ---- */

/* Registers: those from 6 on keep their values over calls. Places in the frame, by their distance
 * from its end: a thread, a wait or a key of sums below it, a sum below that. */
enum { CONTEXT = BPF_REG_6, WAIT, LOCK, FLAGS, FRAME, WEIGHT = WAIT };
enum { OUT, FRESH, WITHIN, CHOSEN, TAKEN, RECORDED, LEFT_OUT, SLEEPING, FOUND, ADD, GONE };

#define NUMBER (-4)
#define OTHER (-8)
#define THREAD (-16)
#define BELOW (THREAD - (int)sizeof(struct sd_lock_wait))
#define SUM (BELOW - (int)sizeof(struct sd_lock_sum))
#define IN_THREAD(m) (THREAD + (int)offsetof(struct sd_lock_thread, m))
#define IN_WAIT(m) ((int)offsetof(struct sd_lock_wait, m))
#define IN_KEY(m) (BELOW + (int)offsetof(struct sd_lock_key, m))
#define IN_PACE(m) ((int)offsetof(struct sd_lock_pace, m))
#define IN_SUM(m) ((int)offsetof(struct sd_lock_sum, m))

/* Register 0 := the element of the map whose key is at `key`, or 0. */
static void look_up(struct code *c, int map, int key)
{
	wide(c, BPF_REG_1, BPF_PSEUDO_MAP_FD, (uint32_t)map);
	move(c, BPF_REG_2, FRAME);
	with(c, BPF_ADD, BPF_REG_2, key);
	call(c, BPF_FUNC_map_lookup_elem);
}

static void update(struct code *c, int map, int key, int value, int32_t how)
{
	wide(c, BPF_REG_1, BPF_PSEUDO_MAP_FD, (uint32_t)map);
	move(c, BPF_REG_2, FRAME);
	with(c, BPF_ADD, BPF_REG_2, key);
	move(c, BPF_REG_3, FRAME);
	with(c, BPF_ADD, BPF_REG_3, value);
	set(c, BPF_REG_4, how);
	call(c, BPF_FUNC_map_update_elem);
}

static void store_constant(struct code *c, unsigned size, int at, int32_t value)
{
	add(c, BPF_ST | size | BPF_MEM, FRAME, 0, at, value);
}

static void when_same(struct code *c, unsigned op, unsigned reg, unsigned other, size_t label)
{
	add(c, BPF_JMP | op | BPF_X, reg, other, 0, 0);
	to(c, label);
}

/* Register 0 := the number of this stack, without the frames of what called this program. */
static void take_stack(struct code *c, int stacks)
{
	move(c, BPF_REG_1, CONTEXT);
	wide(c, BPF_REG_2, BPF_PSEUDO_MAP_FD, (uint32_t)stacks);
	set(c, BPF_REG_3, BPF_F_FAST_STACK_CMP);
	call(c, BPF_FUNC_get_stackid);
}

static void leave(struct code *c)
{
	here(c, OUT);
	set(c, BPF_REG_0, 0);
	add(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* Register 1 := the flags, with SLEPT if this is not the beginning of spinning. */
static void take_flags(struct code *c)
{
	move(c, BPF_REG_1, FLAGS);
	move(c, BPF_REG_2, FLAGS);
	with(c, BPF_AND, BPF_REG_2, SD_LOCK_CODE_SPIN);
	add(c, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_2, 0, 1, 0);
	with(c, BPF_OR, BPF_REG_1, SD_LOCK_CODE_SLEPT);
}

/* The thread and whether it only spins, which a mutex does not. */
static void name_thread(struct code *c)
{
	call(c, BPF_FUNC_get_current_pid_tgid);
	store(c, BPF_W, FRAME, IN_THREAD(tid), BPF_REG_0);
	with(c, BPF_RSH, BPF_REG_0, 32);
	store(c, BPF_W, FRAME, NUMBER, BPF_REG_0);
	store_constant(c, BPF_W, IN_THREAD(spins), 0);
	move(c, BPF_REG_1, FLAGS);
	with(c, BPF_AND, BPF_REG_1, SD_LOCK_CODE_SPIN | SD_LOCK_CODE_MUTEX);
	add(c, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_1, 0, 1, SD_LOCK_CODE_SPIN);
	store_constant(c, BPF_W, IN_THREAD(spins), 1);
}

/* Register 4 := every how many waits one is recorded: by those of the last window, and twice as
 * many as soon as this one has more. Register 0: the pace; register 1: the time. */
static void choose_every(struct code *c)
{
	load(c, BPF_DW, BPF_REG_2, BPF_REG_0, IN_PACE(until));
	when_same(c, BPF_JLT, BPF_REG_1, BPF_REG_2, WITHIN);
	with(c, BPF_ADD, BPF_REG_1, SD_LOCK_CODE_WINDOW);
	store(c, BPF_DW, BPF_REG_0, IN_PACE(until), BPF_REG_1);
	load(c, BPF_DW, BPF_REG_4, BPF_REG_0, IN_PACE(seen));
	with(c, BPF_DIV, BPF_REG_4, SD_LOCK_CODE_MOST);
	with(c, BPF_ADD, BPF_REG_4, 1);
	store(c, BPF_DW, BPF_REG_0, IN_PACE(every), BPF_REG_4);
	set(c, BPF_REG_3, 0);
	store(c, BPF_DW, BPF_REG_0, IN_PACE(seen), BPF_REG_3);
	here(c, WITHIN);
	load(c, BPF_DW, BPF_REG_3, BPF_REG_0, IN_PACE(seen));
	with(c, BPF_ADD, BPF_REG_3, 1);
	store(c, BPF_DW, BPF_REG_0, IN_PACE(seen), BPF_REG_3);
	load(c, BPF_DW, BPF_REG_4, BPF_REG_0, IN_PACE(every));
	move(c, BPF_REG_5, BPF_REG_4);
	with(c, BPF_MUL, BPF_REG_5, SD_LOCK_CODE_MOST);
	when_same(c, BPF_JLE, BPF_REG_3, BPF_REG_5, CHOSEN);
	with(c, BPF_LSH, BPF_REG_4, 1);
	store(c, BPF_DW, BPF_REG_0, IN_PACE(every), BPF_REG_4);
	here(c, CHOSEN);
}

/*
 * Register 7 := the weight of the wait that begins: itself and those that are left out after it, by
 * chance half to one and a half times as many as on average, since kinds of waits may take turns; 0
 * of one that is left out, with a jump to LEFT_OUT.
 */
static void take_weight(struct code *c, const struct sd_lock_maps *maps)
{
	enum { PACE = LOCK };

	store_constant(c, BPF_W, NUMBER, 0);
	look_up(c, maps->pace, NUMBER);
	when(c, BPF_JEQ, BPF_REG_0, 0, OUT);
	move(c, PACE, BPF_REG_0);
	load(c, BPF_DW, BPF_REG_1, FRAME, BELOW + IN_WAIT(since));
	choose_every(c);
	set(c, WEIGHT, 0);
	load(c, BPF_DW, BPF_REG_2, PACE, IN_PACE(left));
	when(c, BPF_JEQ, BPF_REG_2, 0, TAKEN);
	with(c, BPF_SUB, BPF_REG_2, 1);
	store(c, BPF_DW, PACE, IN_PACE(left), BPF_REG_2);
	when(c, BPF_JA, 0, 0, LEFT_OUT);
	here(c, TAKEN);
	set(c, WEIGHT, 1);
	when(c, BPF_JEQ, BPF_REG_4, 1, RECORDED);
	call(c, BPF_FUNC_get_prandom_u32);
	load(c, BPF_DW, BPF_REG_4, PACE, IN_PACE(every));
	by(c, BPF_MOD, BPF_REG_0, BPF_REG_4);
	with(c, BPF_RSH, BPF_REG_4, 1);
	by(c, BPF_ADD, BPF_REG_0, BPF_REG_4);
	store(c, BPF_DW, PACE, IN_PACE(left), BPF_REG_0);
	by(c, BPF_ADD, WEIGHT, BPF_REG_0);
	here(c, RECORDED);
}

/* Adds the flags to those of the wait that has begun; jumps to FRESH if none has. */
static void begin_again(struct code *c, const struct sd_lock_maps *maps)
{
	look_up(c, maps->waiting, THREAD);
	when(c, BPF_JEQ, BPF_REG_0, 0, FRESH);
	load(c, BPF_DW, BPF_REG_1, BPF_REG_0, IN_WAIT(lock));
	when_same(c, BPF_JNE, BPF_REG_1, LOCK, FRESH);
	take_flags(c);
	load(c, BPF_W, BPF_REG_2, BPF_REG_0, IN_WAIT(flags));
	by(c, BPF_OR, BPF_REG_1, BPF_REG_2);
	store(c, BPF_W, BPF_REG_0, IN_WAIT(flags), BPF_REG_1);
	when(c, BPF_JA, 0, 0, OUT);
}

/*
 * Waiting for one lock may begin several times: a mutex spins, sleeps, and spins again. A wait that
 * another lock's replaces is lost: that of a thread that spun when an interrupt's began.
 */
static void code_begin(struct code *c, const struct sd_lock_maps *maps)
{
	move(c, CONTEXT, BPF_REG_1);
	load(c, BPF_DW, LOCK, CONTEXT, 0);
	load(c, BPF_DW, FLAGS, CONTEXT, 8);
	with(c, BPF_AND, FLAGS, SD_LOCK_CODE_SLEPT - 1);
	name_thread(c);
	look_up(c, maps->processes, NUMBER);
	when(c, BPF_JEQ, BPF_REG_0, 0, OUT);
	begin_again(c, maps);
	here(c, FRESH);
	call(c, BPF_FUNC_ktime_get_ns);
	store(c, BPF_DW, FRAME, BELOW + IN_WAIT(since), BPF_REG_0);
	store(c, BPF_DW, FRAME, BELOW + IN_WAIT(lock), LOCK);
	take_flags(c);
	store(c, BPF_W, FRAME, BELOW + IN_WAIT(flags), BPF_REG_1);
	store_constant(c, BPF_W, BELOW + IN_WAIT(waiter), -1);
	store_constant(c, BPF_W, BELOW + IN_WAIT(holder), -1);
	take_weight(c, maps);
	take_stack(c, maps->stacks);
	store(c, BPF_W, FRAME, BELOW + IN_WAIT(waiter), BPF_REG_0);
	add(c, BPF_JMP | BPF_JA, 0, 0, 2, 0);
	/* a mutex alone begins again, which would count as another wait */
	here(c, LEFT_OUT);
	with(c, BPF_AND, FLAGS, SD_LOCK_CODE_MUTEX);
	when(c, BPF_JEQ, FLAGS, 0, OUT);
	store(c, BPF_W, FRAME, BELOW + IN_WAIT(weight), WEIGHT);
	update(c, maps->waiting, THREAD, BELOW, BPF_ANY);
	leave(c);
}

/* Register 9 := the wait for this lock, of the thread at THREAD. */
static void find_wait(struct code *c, const struct sd_lock_maps *maps)
{
	call(c, BPF_FUNC_get_current_pid_tgid);
	store(c, BPF_W, FRAME, IN_THREAD(tid), BPF_REG_0);
	store_constant(c, BPF_W, IN_THREAD(spins), 1);
	look_up(c, maps->waiting, THREAD);
	when(c, BPF_JEQ, BPF_REG_0, 0, SLEEPING);
	load(c, BPF_DW, BPF_REG_1, BPF_REG_0, IN_WAIT(lock));
	when_same(c, BPF_JEQ, BPF_REG_1, LOCK, FOUND);
	here(c, SLEEPING);
	store_constant(c, BPF_W, IN_THREAD(spins), 0);
	look_up(c, maps->waiting, THREAD);
	when(c, BPF_JEQ, BPF_REG_0, 0, OUT);
	load(c, BPF_DW, BPF_REG_1, BPF_REG_0, IN_WAIT(lock));
	when_same(c, BPF_JNE, BPF_REG_1, LOCK, OUT);
	here(c, FOUND);
	move(c, WAIT, BPF_REG_0);
}

/* Register 0 := the sum of the key at BELOW; without one and without room that of all others. */
static void find_sum(struct code *c, const struct sd_lock_maps *maps)
{
	look_up(c, maps->sums, BELOW);
	when(c, BPF_JNE, BPF_REG_0, 0, ADD);
	for (int at = SUM; at < BELOW; at += 8)
		store_constant(c, BPF_DW, at, 0);
	update(c, maps->sums, BELOW, SUM, BPF_NOEXIST);
	look_up(c, maps->sums, BELOW);
	when(c, BPF_JNE, BPF_REG_0, 0, ADD);
	store_constant(c, BPF_DW, BELOW, -1);
	store_constant(c, BPF_DW, BELOW + 8, -1);
	look_up(c, maps->sums, BELOW);
	when(c, BPF_JEQ, BPF_REG_0, 0, GONE);
}

/* To a number of the sum at register 0. */
static void add_to(struct code *c, int number, unsigned reg)
{
	load(c, BPF_DW, BPF_REG_1, BPF_REG_0, number);
	by(c, BPF_ADD, BPF_REG_1, reg);
	store(c, BPF_DW, BPF_REG_0, number, BPF_REG_1);
}

static void code_end(struct code *c, const struct sd_lock_maps *maps)
{
	enum { LENGTH = FLAGS };

	move(c, CONTEXT, BPF_REG_1);
	load(c, BPF_DW, LOCK, CONTEXT, 0);
	find_wait(c, maps);
	load(c, BPF_W, BPF_REG_1, WAIT, IN_WAIT(weight));
	when(c, BPF_JEQ, BPF_REG_1, 0, GONE);
	call(c, BPF_FUNC_ktime_get_ns);
	move(c, LENGTH, BPF_REG_0);
	load(c, BPF_DW, BPF_REG_1, WAIT, IN_WAIT(since));
	by(c, BPF_SUB, LENGTH, BPF_REG_1);
	load(c, BPF_W, BPF_REG_1, WAIT, IN_WAIT(flags));
	store(c, BPF_W, FRAME, IN_KEY(flags), BPF_REG_1);
	load(c, BPF_W, BPF_REG_1, WAIT, IN_WAIT(waiter));
	store(c, BPF_W, FRAME, IN_KEY(waiter), BPF_REG_1);
	load(c, BPF_W, BPF_REG_1, WAIT, IN_WAIT(holder));
	store(c, BPF_W, FRAME, IN_KEY(holder), BPF_REG_1);
	store_constant(c, BPF_W, IN_KEY(zero), 0);
	find_sum(c, maps);
	here(c, ADD);
	load(c, BPF_W, BPF_REG_2, WAIT, IN_WAIT(weight));
	add_to(c, IN_SUM(waits), BPF_REG_2);
	by(c, BPF_MUL, BPF_REG_2, LENGTH);
	add_to(c, IN_SUM(ns), BPF_REG_2);
	set(c, BPF_REG_2, 1);
	add_to(c, IN_SUM(recorded), BPF_REG_2);
	load(c, BPF_DW, BPF_REG_1, BPF_REG_0, IN_SUM(longest));
	when_same(c, BPF_JGE, BPF_REG_1, LENGTH, GONE);
	store(c, BPF_DW, BPF_REG_0, IN_SUM(longest), LENGTH);
	here(c, GONE);
	wide(c, BPF_REG_1, BPF_PSEUDO_MAP_FD, (uint32_t)maps->waiting);
	move(c, BPF_REG_2, FRAME);
	with(c, BPF_ADD, BPF_REG_2, THREAD);
	call(c, BPF_FUNC_map_delete_elem);
	leave(c);
}

/* Whoever wakes a thread that sleeps for a lock holds the lock and lets it go, or hands it on. */
static void code_waking(
	struct code *c, const struct sd_lock_kernel *k, const struct sd_lock_maps *maps)
{
	move(c, CONTEXT, BPF_REG_1);
	load(c, BPF_DW, BPF_REG_1, CONTEXT, 0);
	load(c, BPF_W, BPF_REG_1, BPF_REG_1, k->pid);
	store(c, BPF_W, FRAME, IN_THREAD(tid), BPF_REG_1);
	store_constant(c, BPF_W, IN_THREAD(spins), 0);
	look_up(c, maps->waiting, THREAD);
	when(c, BPF_JEQ, BPF_REG_0, 0, OUT);
	move(c, WAIT, BPF_REG_0);
	load(c, BPF_W, BPF_REG_1, WAIT, IN_WAIT(weight));
	when(c, BPF_JEQ, BPF_REG_1, 0, OUT);
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
		code_begin(&c, maps);
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
