#include "plugin/instrumentation.h"

#include "plugin/block_step.h"
#include "plugin/interface.h"
#include "plugin/process.h"
#include "plugin/qemu_plugin.h"
#include "plugin/region.h"
#include "plugin/syscalls.h"
#include "plugin/vcpus.h"

/* For an instruction that loads and stores: report only one of the two. QEMU 7.2 reports the store
 * (op_rw() in its accel/tcg/plugin-gen.c is off by one), later versions the load. */
#define SIM_ACCESS_ONCE QEMU_PLUGIN_MEM_R

static struct sim_process *const S = &sim_process;

static inline const struct sim_row *row_of(uint32_t info)
{
	return (const void *)((const char *)S->row + S->row_of[info % SIM_INFOS]);
}

static __attribute__((noinline)) const struct sim_row *describe(uint32_t info)
{
	const unsigned log2 = qemu_plugin_mem_size_shift(info),
		       n = sim_row_number(log2, qemu_plugin_mem_is_store(info));

	if (log2 >= SIM_SIZES)
		return &S->row[0];
	if (info < SIM_INFOS)
		S->row_of[info] = (uint16_t)(n * sizeof S->row[0]);
	return &S->row[n];
}

static __attribute__((noinline)) void access_slow(
	unsigned vcpu, uint32_t info, uint64_t address, const struct sim_ins *ins)
{
	struct sim_thread *const t = S->vcpu[vcpu].simulate;
	const struct sim_row *const known = row_of(info), *const r = known->size ? known
										 : describe(info);

	if (t && S->rests)
		sim_thread_tell(t, r->size, r->store, ins);
	else if (t)
		sim_thread_slow(t, address, r->size, r->store, ins);
}

/* Handles an access that sim_fast() did not take. */
static __attribute__((noinline)) void access_refused(
	unsigned vcpu, uint32_t info, uint64_t address, const struct sim_ins *ins)
{
	const struct sim_vcpu *const v = &S->vcpu[vcpu];
	const struct sim_row *const r = row_of(info);

	if (__builtin_expect(v->fast != &S->nowhere && r->bytes[address & 63], 1))
		sim_thread_refused(v->thread, address, r, ins);
	else
		access_slow(vcpu, info, address, ins);
}

/* NULL: nothing is to be done. */
static inline struct sim_fast *fast_of(unsigned vcpu)
{
	return vcpu < SIM_VCPUS ? __atomic_load_n(&S->vcpu[vcpu].fast, __ATOMIC_RELAXED) : NULL;
}

/* QEMU's callbacks; ins: a struct sim_ins. */
static void guest_access(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
	struct sim_fast *const f = fast_of(vcpu);

	if (f && !sim_fast(f, address, row_of(info)))
		access_refused(vcpu, info, address, data);
}

static __attribute__((noinline)) void modify_refused(
	unsigned vcpu, uint32_t info, uint64_t address, const struct sim_ins *ins)
{
	const struct sim_vcpu *const v = &S->vcpu[vcpu];
	const struct sim_row *const known = row_of(info), *const r = known->size ? known
										 : describe(info);

	if (S->rests && v->simulate) {
		sim_thread_tell(v->simulate, r->size, 0, ins);
		sim_thread_tell(v->simulate, r->size, 1, ins);
		return;
	}
	if (v->fast != &S->nowhere && r->bytes[address & 63]) {
		sim_thread_refused(v->thread, address, r->store ? r - SIM_SIZES : r, ins);
		sim_thread_refused(v->thread, address, r->store ? r : r + SIM_SIZES, ins);
	} else if (v->simulate) {
		sim_thread_slow(v->simulate, address, r->size, 0, ins);
		sim_thread_slow(v->simulate, address, r->size, 1, ins);
	}
}

/* The load and the store of an instruction, told once: where the store would be fast, so would the
 * load before it, and leave nothing that the store does not. */
static void guest_modify(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
	struct sim_fast *const f = fast_of(vcpu);
	const struct sim_row *const r = row_of(info);

	if (f && !sim_fast(f, address, r->store ? r : r + SIM_SIZES))
		modify_refused(vcpu, info, address, data);
}

/* For an instruction whose accesses must always take the slow path. */
static void guest_access_asked(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
	if (fast_of(vcpu))
		access_slow(vcpu, info, address, data);
}

static void (*at_end)(uint64_t id, void *data);

static void watch_accesses(struct qemu_plugin_tb *tb, const struct sim_block *b, size_t n)
{
	for (size_t i = 0; i < n && !b->ours; i++) {
		const unsigned flags = b->ins[i].flags;
		const int modifies = (flags & SIM_INS_MODIFIES) != 0;

		if (flags & SIM_INS_INSIDE)
			continue;
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i),
			flags & (SIM_INS_LOCKED | SIM_INS_STREAMS) ? guest_access_asked
			: modifies                                 ? guest_modify
								   : guest_access,
			QEMU_PLUGIN_CB_NO_REGS, modifies ? SIM_ACCESS_ONCE : QEMU_PLUGIN_MEM_RW,
			&b->ins[i]);
	}
}

static void nothing(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
	(void)vcpu, (void)info, (void)address, (void)data;
}

/*
 * QEMU 7.2 keeps the list of an instruction's callbacks for the helper functions that access memory
 * for it, and forgets to drop it where the instruction leaves the block. When translations are
 * dropped the list is freed, and the next helper of an instruction without a list uses it. So
 * every instruction that may have such a helper gets a list.
 */
static void shadow_helpers(struct qemu_plugin_tb *tb, const struct sim_block *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (b->ins[i].flags & SIM_INS_HELPED)
			qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), nothing,
				QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
}

static void translate_cb(uint64_t id, struct qemu_plugin_tb *tb)
{
	const size_t n = qemu_plugin_tb_n_insns(tb);
	struct sim_block *b;

	(void)id;
	if (n == 0)
		return;
	if (!S->output.program) {
		const char *const path =
			qemu_plugin_path_to_binary ? qemu_plugin_path_to_binary() : NULL;
		const struct qemu_plugin_insn *const in = qemu_plugin_tb_get_insn(tb, 0);

		S->output.guest_base = (uint64_t)(uintptr_t)qemu_plugin_insn_haddr(in) -
				       qemu_plugin_insn_vaddr(in);
		S->output.program = path ? path : "";
	}
	pthread_mutex_lock(&S->run.block_lock);
	b = sim_block_of(&S->blocks, &S->run, tb, n);
	pthread_mutex_unlock(&S->run.block_lock);
	if (!b) {
		S->run.machine.lost = 1;
		return;
	}
	/* what a block accesses is measured once, also while the model rests */
	switch (S->mode == SIM_MODE_REST && b->odd & SIM_ODD_UNMEASURED ? SIM_MODE_ALL : S->mode) {
	case SIM_MODE_ALL:
		qemu_plugin_register_vcpu_tb_exec_cb(tb, sim_step, QEMU_PLUGIN_CB_NO_REGS, b);
		watch_accesses(tb, b, n);
		break;
	case SIM_MODE_REST:
		qemu_plugin_register_vcpu_tb_exec_cb(tb, sim_step_rest, QEMU_PLUGIN_CB_NO_REGS, b);
		if (!sim_interface_retranslates())
			shadow_helpers(tb, b, n);
		break;
	default:
		qemu_plugin_register_vcpu_tb_exec_cb(tb, sim_step_pass, QEMU_PLUGIN_CB_NO_REGS, b);
	}
}

static void exit_cb(uint64_t id, unsigned vcpu)
{
	(void)id;
	sim_vcpu_end(vcpu);
}

/* All threads stand still. */
static void instrument(uint64_t id)
{
	S->mode = S->wanted;
	__atomic_store_n(&S->asked, 0, __ATOMIC_RELEASE);
	if (S->switches) {
		pthread_mutex_lock(&S->run.lock);
		sim_region_part(&S->run);
		pthread_mutex_unlock(&S->run.lock);
	}
	if (S->mode != SIM_MODE_NOTHING)
		qemu_plugin_register_vcpu_tb_trans_cb(id, translate_cb);
	qemu_plugin_register_vcpu_syscall_cb(id, sim_syscalls_enter);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, sim_syscalls_return);
	qemu_plugin_register_vcpu_exit_cb(id, exit_cb);
	qemu_plugin_register_atexit_cb(id, at_end, NULL);
}

void sim_instrumentation_open(uint64_t id, void (*end)(uint64_t id, void *data))
{
	S->id = id;
	S->instrument = instrument;
	at_end = end;
	instrument(id);
}
