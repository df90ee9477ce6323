#include "plugin/guest_access.h"

#include "plugin/qemu_plugin.h"
#include "plugin/process.h"

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

void sim_access(unsigned vcpu, uint32_t info, uint64_t address, void *data)
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
void sim_access_modify(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
	struct sim_fast *const f = fast_of(vcpu);
	const struct sim_row *const r = row_of(info);

	if (f && !sim_fast(f, address, r->store ? r : r + SIM_SIZES))
		modify_refused(vcpu, info, address, data);
}

void sim_access_asked(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
	if (fast_of(vcpu))
		access_slow(vcpu, info, address, data);
}
