/*
 * Pieces of the programs that time waits for the kernel's locks (lock_code.h): where they keep
 * what, and what several of them do.
 */
#ifndef SD_LOCK_PIECES_H
#define SD_LOCK_PIECES_H

#include "bpf/bpf_assembler.h"
#include "bpf/lock_code.h"

/* Registers: those from 6 on keep their values over calls. Places in the frame, by their distance
 * from its end. */
enum { CONTEXT = BPF_REG_6, WAIT, LOCK, FLAGS, FRAME };
enum { OUT, WATCHED, CHOOSE, TIMED, PACED, ALL, FOUND, SPINS, ADD, LOST };

#define NUMBER (-4)
#define OTHER (-8)
#define CPU (-16)
#define KEY (CPU - (int)sizeof(struct sd_lock_key))
#define BELOW (KEY - (int)sizeof(struct sd_lock_wait)) /* a wait or a sum */
#define IN_CPU(m) ((int)offsetof(struct sd_lock_cpu, m))
#define IN_WAIT(m) ((int)offsetof(struct sd_lock_wait, m))
#define IN_KEY(m) (KEY + (int)offsetof(struct sd_lock_key, m))
#define IN_SUM(m) ((int)offsetof(struct sd_lock_sum, m))
_Static_assert(sizeof(struct sd_lock_sum) <= sizeof(struct sd_lock_wait), "both are made at BELOW");

/* Register 0 := the element of the map whose key is at `key`, or 0. */
static inline void look_up(struct code *c, int map, int key)
{
	wide(c, BPF_REG_1, BPF_PSEUDO_MAP_FD, (uint32_t)map);
	move(c, BPF_REG_2, FRAME);
	with(c, BPF_ADD, BPF_REG_2, key);
	call(c, BPF_FUNC_map_lookup_elem);
}

static inline void update(struct code *c, int map, int key, int value, int32_t how)
{
	wide(c, BPF_REG_1, BPF_PSEUDO_MAP_FD, (uint32_t)map);
	move(c, BPF_REG_2, FRAME);
	with(c, BPF_ADD, BPF_REG_2, key);
	move(c, BPF_REG_3, FRAME);
	with(c, BPF_ADD, BPF_REG_3, value);
	set(c, BPF_REG_4, how);
	call(c, BPF_FUNC_map_update_elem);
}

static inline void store_constant(struct code *c, unsigned size, int at, int32_t value)
{
	add(c, BPF_ST | size | BPF_MEM, FRAME, 0, at, value);
}

static inline void when_same(
	struct code *c, unsigned op, unsigned reg, unsigned other, size_t label)
{
	add(c, BPF_JMP | op | BPF_X, reg, other, 0, 0);
	to(c, label);
}

/* Register 0 := the number of this stack, without the frames of what called this program. */
static inline void take_stack(struct code *c, int stacks)
{
	move(c, BPF_REG_1, CONTEXT);
	wide(c, BPF_REG_2, BPF_PSEUDO_MAP_FD, (uint32_t)stacks);
	set(c, BPF_REG_3, BPF_F_FAST_STACK_CMP);
	call(c, BPF_FUNC_get_stackid);
}

static inline void leave(struct code *c)
{
	here(c, OUT);
	set(c, BPF_REG_0, 0);
	add(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* Register 0 := what this CPU keeps. */
static inline void find_cpu(struct code *c, const struct sd_lock_maps *maps)
{
	store_constant(c, BPF_W, OTHER, 0);
	look_up(c, maps->cpu, OTHER);
	when(c, BPF_JEQ, BPF_REG_0, 0, OUT);
}

/* Register 0 := what this thread asked the kernel for: its system call's number and 1. A page fault
 * has a number as well: that of no call. */
static inline void take_call(struct code *c, const struct sd_lock_kernel *k)
{
	call(c, BPF_FUNC_get_current_task_btf);
	move(c, BPF_REG_1, BPF_REG_0);
	call(c, BPF_FUNC_task_pt_regs);
	load(c, BPF_W, BPF_REG_0, BPF_REG_0, k->call);
	with(c, BPF_AND, BPF_REG_0, 0x7fff);
	with(c, BPF_ADD, BPF_REG_0, 1);
}

#endif
