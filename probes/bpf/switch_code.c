#include "bpf/switch_code.h"

#include <errno.h>
#include <linux/btf.h>

#include "bpf/bpf_assembler.h"
#include "bpf/switch_ring.h"

#if defined(__x86_64__)
#define NAMES                    \
	{                        \
		"ip", "sp", "di" \
	}
#elif defined(__aarch64__)
#define NAMES                      \
	{                          \
		"pc", "sp", "regs" \
	}
#else
#define NAMES              \
	{                  \
		"", "", "" \
	}
#endif

/* Bytes at the top of a thread's stack in the kernel that are no other stack's: it has as many or
 * more. */
#define KERNEL_STACK 16384

/* ---- the kernel ---- */

static int find_points(const struct sd_kernel_types *t, struct sd_switch_kernel *k)
{
	int is_task[4];

	k->switching = sd_kernel_types_find(t, BTF_KIND_TYPEDEF, "btf_trace_sched_switch");
	k->waking = sd_kernel_types_find(t, BTF_KIND_TYPEDEF, "btf_trace_sched_waking");
	if (!k->switching || !k->waking ||
		sd_kernel_types_parameters(t, k->switching, is_task, 4) != 4 || is_task[0])
		return -EOPNOTSUPP;
	/* (preempt, before, after, state), and in some versions (preempt, state, before, after) */
	k->before = is_task[1] ? 1 : 2;
	k->after = k->before + 1;
	k->state = is_task[1] ? 3 : 1;
	return is_task[k->before] && is_task[k->after] && !is_task[k->state] ? 0 : -EOPNOTSUPP;
}

int sd_switch_kernel_find(const struct sd_kernel_types *t, struct sd_switch_kernel *out)
{
	static const char *const name[] = NAMES;
	struct sd_switch_kernel k = {0};

	if (find_points(t, &k) || sd_kernel_types_member(t, "task_struct", "pid", &k.pid) ||
		sd_kernel_types_member(t, "task_struct", "tgid", &k.tgid) ||
		sd_kernel_types_member(t, "task_struct", "mm", &k.mm) ||
		sd_kernel_types_member(t, "pt_regs", name[0], &k.ip) ||
		sd_kernel_types_member(t, "pt_regs", name[1], &k.sp) ||
		sd_kernel_types_member(t, "pt_regs", name[2], &k.argument))
		return -EOPNOTSUPP;
	*out = k;
	return 0;
}

/* ---- the programs ---- */

/* Registers of the programs: those from 6 on keep their values over calls. */
enum { CONTEXT = BPF_REG_6, RING, HEAD, SLOT, FRAME };
enum { OUT, LOST, DONE };

#define AT(member) offsetof(struct sd_switch_ring, member)
#define OF(member) ((int)offsetof(struct sd_switch_record, member))

/* The ring of this CPU and a slot in it, with the time. */
static void begin(struct code *c, int rings)
{
	move(c, CONTEXT, BPF_REG_1);
	call(c, BPF_FUNC_get_smp_processor_id);
	store(c, BPF_W, FRAME, -4, BPF_REG_0);
	wide(c, BPF_REG_1, BPF_PSEUDO_MAP_FD, (uint32_t)rings);
	move(c, BPF_REG_2, FRAME);
	with(c, BPF_ADD, BPF_REG_2, -4);
	call(c, BPF_FUNC_map_lookup_elem);
	when(c, BPF_JEQ, BPF_REG_0, 0, OUT);
	move(c, RING, BPF_REG_0);
	load(c, BPF_DW, BPF_REG_1, RING, AT(on));
	when(c, BPF_JEQ, BPF_REG_1, 0, OUT);
}

static void take_slot(struct code *c)
{
	load(c, BPF_DW, HEAD, RING, AT(head));
	load(c, BPF_DW, BPF_REG_1, RING, AT(tail));
	move(c, BPF_REG_2, HEAD);
	by(c, BPF_SUB, BPF_REG_2, BPF_REG_1);
	when(c, BPF_JGE, BPF_REG_2, SD_SWITCH_RING_RECORDS, LOST);
	call(c, BPF_FUNC_ktime_get_ns);
	move(c, SLOT, HEAD);
	with(c, BPF_AND, SLOT, SD_SWITCH_RING_RECORDS - 1);
	with(c, BPF_MUL, SLOT, sizeof(struct sd_switch_record));
	by(c, BPF_ADD, SLOT, RING);
	with(c, BPF_ADD, SLOT, AT(record));
	store(c, BPF_DW, SLOT, OF(time), BPF_REG_0);
}

static void store_thread(
	struct code *c, const struct sd_switch_kernel *k, unsigned task, int tid, int pid)
{
	load(c, BPF_W, BPF_REG_2, task, k->pid);
	store(c, BPF_W, SLOT, tid, BPF_REG_2);
	load(c, BPF_W, BPF_REG_2, task, k->tgid);
	store(c, BPF_W, SLOT, pid, BPF_REG_2);
}

/* The record before its number: an exchange is in that order on every machine. */
static void publish(struct code *c)
{
	with(c, BPF_ADD, HEAD, 1);
	add(c, BPF_STX | BPF_DW | BPF_ATOMIC, RING, HEAD, (int)AT(head), BPF_XCHG);
}

static void end(struct code *c)
{
	here(c, OUT);
	set(c, BPF_REG_0, 0);
	add(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	here(c, LOST);
	load(c, BPF_DW, BPF_REG_1, RING, AT(lost));
	with(c, BPF_ADD, BPF_REG_1, 1);
	store(c, BPF_DW, RING, (int)AT(lost), BPF_REG_1);
	set(c, BPF_REG_0, 0);
	add(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static void parameter(struct code *c, unsigned reg, unsigned number)
{
	load(c, BPF_DW, reg, CONTEXT, 8 * (int64_t)number);
}

/* Register 3 := which stack the thread at `before` has left from; not 0. */
static void name_stack(struct code *c, const struct sd_switch_kernel *k)
{
	parameter(c, BPF_REG_1, k->before);
	call(c, BPF_FUNC_task_pt_regs);
	load(c, BPF_DW, BPF_REG_1, BPF_REG_0, k->ip);
	load(c, BPF_DW, BPF_REG_2, BPF_REG_0, k->sp);
	load(c, BPF_DW, BPF_REG_4, BPF_REG_0, k->argument);
	wide(c, BPF_REG_5, 0, UINT64_C(0x9e3779b97f4a7c15));
	move(c, BPF_REG_3, BPF_REG_1);
	by(c, BPF_MUL, BPF_REG_3, BPF_REG_5);
	by(c, BPF_XOR, BPF_REG_3, BPF_REG_2);
	by(c, BPF_MUL, BPF_REG_3, BPF_REG_5);
	by(c, BPF_XOR, BPF_REG_3, BPF_REG_4);
	by(c, BPF_MUL, BPF_REG_3, BPF_REG_5);
	with(c, BPF_RSH, BPF_REG_3, 32);
	with(c, BPF_OR, BPF_REG_3, 1);
	store(c, BPF_W, SLOT, OF(stack), BPF_REG_3);
}

/* Is that stack wanted? Its thread and name together, where those of few others are. */
static void ask_for_stack(struct code *c)
{
	load(c, BPF_W, BPF_REG_2, SLOT, OF(tid));
	with(c, BPF_MUL, BPF_REG_2, 0x61c88647);
	by(c, BPF_XOR, BPF_REG_3, BPF_REG_2);
	with(c, BPF_LSH, BPF_REG_3, 32);
	with(c, BPF_RSH, BPF_REG_3, 32);
	move(c, BPF_REG_2, BPF_REG_3);
	with(c, BPF_RSH, BPF_REG_2, 16);
	with(c, BPF_AND, BPF_REG_2, SD_SWITCH_RING_KNOWN - 1);
	with(c, BPF_LSH, BPF_REG_2, 2);
	by(c, BPF_ADD, BPF_REG_2, RING);
	load(c, BPF_W, BPF_REG_4, BPF_REG_2, AT(known));
	load(c, BPF_DW, BPF_REG_1, RING, AT(allowed));
	add(c, BPF_JMP | BPF_JNE | BPF_X, BPF_REG_4, BPF_REG_3, 1, 0);
	load(c, BPF_DW, BPF_REG_1, RING, AT(again));
	load(c, BPF_DW, BPF_REG_5, RING, AT(stacks));
	by(c, BPF_SUB, BPF_REG_1, BPF_REG_5);
	when(c, BPF_JSLE, BPF_REG_1, 0, DONE);
	store(c, BPF_W, BPF_REG_2, (int)AT(known), BPF_REG_3);
	with(c, BPF_ADD, BPF_REG_5, 1);
	store(c, BPF_DW, RING, (int)AT(stacks), BPF_REG_5);
}

size_t sd_switch_code(const struct sd_switch_kernel *k, int rings, int stacks,
	struct bpf_insn code[SD_SWITCH_CODE])
{
	struct code c = {.insn = code};

	begin(&c, rings);
	take_slot(&c);
	parameter(&c, BPF_REG_1, k->after);
	store_thread(&c, k, BPF_REG_1, OF(to), OF(to_pid));
	parameter(&c, BPF_REG_1, k->before);
	store_thread(&c, k, BPF_REG_1, OF(tid), OF(pid));
	load(&c, BPF_DW, BPF_REG_4, BPF_REG_1, k->mm);
	set(&c, BPF_REG_3, 0);
	store(&c, BPF_W, SLOT, OF(stack), BPF_REG_3);
	parameter(&c, BPF_REG_1, k->preempt);
	with(&c, BPF_AND, BPF_REG_1, 1);
	parameter(&c, BPF_REG_2, k->state);
	with(&c, BPF_LSH, BPF_REG_2, 32);
	set(&c, BPF_REG_3, SD_SWITCH_PREEMPTED);
	add(&c, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_1, 0, 2, 0);
	add(&c, BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_2, 0, 1, 0);
	set(&c, BPF_REG_3, 0);
	store(&c, BPF_W, SLOT, OF(flags), BPF_REG_3);
	/* those of the kernel have no stack of a user's; nor has one that is ready left to wait */
	add(&c, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_3, 0, 1, 0);
	add(&c, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_4, 0, 3, 0);
	publish(&c);
	add(&c, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	to(&c, OUT);
	name_stack(&c, k);
	publish(&c);
	load(&c, BPF_W, BPF_REG_3, SLOT, OF(stack));
	ask_for_stack(&c);
	move(&c, BPF_REG_1, CONTEXT);
	wide(&c, BPF_REG_2, BPF_PSEUDO_MAP_FD, (uint32_t)stacks);
	wide(&c, BPF_REG_3, 0, BPF_F_CURRENT_CPU);
	move(&c, BPF_REG_4, FRAME);
	with(&c, BPF_ADD, BPF_REG_4, -4);
	set(&c, BPF_REG_5, 4);
	call(&c, BPF_FUNC_perf_event_output);
	here(&c, DONE);
	end(&c);
	return finish(&c);
}

/*
 * The idle task wakes nobody: an interrupt does that found the CPU without a thread. Interrupts,
 * and what they leave to be done after them, run on stacks of their own: this frame is on the
 * thread's, or it is not the thread that wakes.
 */
size_t sd_switch_code_waking(
	const struct sd_switch_kernel *k, int rings, struct bpf_insn code[SD_SWITCH_CODE])
{
	struct code c = {.insn = code};

	begin(&c, rings);
	call(&c, BPF_FUNC_get_current_pid_tgid);
	when(&c, BPF_JEQ, BPF_REG_0, 0, OUT);
	store(&c, BPF_DW, FRAME, -16, BPF_REG_0);
	take_slot(&c);
	load(&c, BPF_DW, BPF_REG_1, FRAME, -16);
	store(&c, BPF_W, SLOT, OF(tid), BPF_REG_1);
	with(&c, BPF_RSH, BPF_REG_1, 32);
	store(&c, BPF_W, SLOT, OF(pid), BPF_REG_1);
	parameter(&c, BPF_REG_1, 0);
	store_thread(&c, k, BPF_REG_1, OF(to), OF(to_pid));
	call(&c, BPF_FUNC_get_current_task_btf);
	move(&c, BPF_REG_1, BPF_REG_0);
	call(&c, BPF_FUNC_task_pt_regs);
	store(&c, BPF_DW, SLOT, OF(stack), BPF_REG_0); /* as numbers */
	load(&c, BPF_DW, BPF_REG_1, SLOT, OF(stack));
	store(&c, BPF_DW, SLOT, OF(stack), FRAME);
	load(&c, BPF_DW, BPF_REG_2, SLOT, OF(stack));
	by(&c, BPF_SUB, BPF_REG_1, BPF_REG_2);
	set(&c, BPF_REG_2, SD_SWITCH_WAKE);
	add(&c, BPF_JMP | BPF_JLT | BPF_K, BPF_REG_1, 0, 1, KERNEL_STACK);
	set(&c, BPF_REG_2, SD_SWITCH_WAKE | SD_SWITCH_INTERRUPT);
	store(&c, BPF_W, SLOT, OF(flags), BPF_REG_2);
	set(&c, BPF_REG_2, 0);
	store(&c, BPF_W, SLOT, OF(stack), BPF_REG_2);
	publish(&c);
	end(&c);
	return finish(&c);
}
