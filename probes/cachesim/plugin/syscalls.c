#include "plugin/syscalls.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "guest/guest_calls.h"
#include "plugin/heap_call.h"
#include "plugin/interface.h"
#include "plugin/vcpus.h"

static struct sim_process *const S = &sim_process;

/* The preloaded library is there: from here on calls are followed. Under no lock: it is said before
 * the program has threads. */
static void hear(unsigned vcpu, struct sim_thread *t, const uint64_t a[4])
{
	int yes = 1;
	const struct iovec here = {.iov_base = &yes, .iov_len = sizeof yes},
			   there = {.iov_base = (void *)(uintptr_t)(S->output.guest_base + a[2]),
				   .iov_len = sizeof yes};

	if (!S->hears && sim_sites_open(&S->sites) == 0) {
		S->hears = 1;
		S->blocks.heap_low = a[0];
		S->blocks.heap_high = a[1];
		pthread_mutex_lock(&S->run.lock);
		S->run.machine.lines.sites = &S->sites;
		S->run.machine.lines.base = S->output.guest_base;
		S->output.sites = &S->sites;
		pthread_mutex_unlock(&S->run.lock);
	}
	if (!t->callers.back)
		sim_callers_open(&t->callers);
	/* by the kernel: an address that is none is an error and no crash */
	if (S->hears && process_vm_writev(getpid(), &here, 1, &there, 1, 0) < 0)
		sim_process_complain("allocations are not followed", -errno);
	S->vcpu[vcpu].simulate = NULL;
	sim_vcpu_aim(vcpu, t);
}

static size_t confirm(void *arg, const uint64_t *pc, size_t n)
{
	return sim_callers_true(S->output.guest_base, *(const uint64_t *)arg, pc, n);
}

static void heap_call(unsigned vcpu, struct sim_thread *t, uint64_t what, const uint64_t a[4])
{
	uint64_t pc[SIM_SITES_DEPTH], stack = a[3];
	size_t n;

	t->call = SIM_CALL_BRIEF;
	if (what == SIM_HEAP_HELLO)
		hear(vcpu, t, a);
	else if (what == SIM_HEAP_READY && S->on && t->slot < SIM_SLOTS) {
		S->vcpu[vcpu].simulate = t;
		sim_vcpu_aim(vcpu, t);
	}
	if (what != SIM_HEAP_BLOCK || !S->hears)
		return;
	n = sim_callers_from(&t->callers, a[2], pc, SIM_SITES_DEPTH);
	sim_sites_give(&S->sites, a[0], a[1], sim_sites_chain(&S->sites, pc, n, confirm, &stack));
}

/* Notes memory that is advised to have huge pages; forgets it when that ends or it is unmapped. */
static void note_pages(uint64_t start, uint64_t bytes, uint64_t advice)
{
	if (advice != MADV_HUGEPAGE && advice != MADV_NOHUGEPAGE)
		return;
	pthread_mutex_lock(&S->run.lock);
	if (advice == MADV_HUGEPAGE)
		sim_huge_want(&S->run.huge, start, bytes);
	else
		sim_huge_forget(&S->run.huge, start, bytes);
	pthread_mutex_unlock(&S->run.lock);
}

/* The first thread makes QEMU translate anew by itself, which 7.2 must not be asked for later. */
static void expect_thread(void)
{
	if (S->mode == SIM_MODE_REST && !sim_interface_retranslates()) {
		S->mode = S->wanted = SIM_MODE_ALL;
		S->expects = 1;
	}
	S->threaded = 1;
}

/* There is none: the translations are as they were. */
static void expect_no_thread(void)
{
	if (S->expects) {
		S->mode = S->wanted = SIM_MODE_REST;
		S->threaded = 0;
	}
	S->expects = 0;
}

void sim_syscalls_enter(uint64_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
	uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	struct sim_thread *const t = sim_vcpu_thread(vcpu);
	const unsigned flags = sim_call_flags(S->blocks.target, (long)number, a1, a2);

	(void)id, (void)a6, (void)a7, (void)a8;
	if (!t || S->mode == SIM_MODE_NOTHING)
		return;
	if (number == SIM_HEAP_CALL) {
		heap_call(vcpu, t, a1, (const uint64_t[]){a2, a3, a4, a5});
		return;
	}
	t->system_calls++;
	if (flags & SIM_CALL_UNMAP && S->hears)
		sim_sites_unmap(&S->sites, a1, a2);
	if (flags & (SIM_CALL_UNMAP | SIM_CALL_ADVISE))
		note_pages(a1, a2, flags & SIM_CALL_UNMAP ? MADV_NOHUGEPAGE : a3);
	t->mapping = flags & SIM_CALL_MAP ? a2 : 0;
	t->call = flags;
	t->ends = (flags & SIM_CALL_EXIT) != 0;
	t->futex = (struct sim_futex){0};
	if (S->options.instructions && flags & SIM_CALL_FUTEX)
		t->futex = (struct sim_futex){
			a1, (uint32_t)a2, (uint32_t)a3, (flags & SIM_CALL_WAKE) != 0};
	if (flags & SIM_CALL_THREAD)
		expect_thread();
	if (flags & SIM_CALL_SHARES)
		sim_run_together(&S->run);
	if (flags & SIM_CALL_ORDERS)
		sim_run_order(t);
	if (S->options.instructions && flags & (SIM_CALL_FUTEX | SIM_CALL_EXIT))
		sim_run_catch_up(&S->run, t);
	if (!(flags & SIM_CALL_BRIEF))
		sim_run_leave(&S->run, t);
	if (!(flags & (SIM_CALL_EXEC | SIM_CALL_KILL)))
		return;
	pthread_mutex_lock(&S->run.lock);
	S->execed = (flags & SIM_CALL_EXEC) != 0;
	sim_process_save(S->execed ? NULL : "the program was ended by a signal");
	pthread_mutex_unlock(&S->run.lock);
}

static void note_brk(uint64_t end)
{
	if (!S->output.brk_low)
		S->output.brk_low = end;
	if (end > S->output.brk_high)
		S->output.brk_high = end;
}

/* Linux's EAGAIN: the word had another value already. */
static enum sim_return how_of(const struct sim_thread *t, int64_t ret)
{
	if (!t->futex.address || (ret != 0 && ret != -11))
		return SIM_RETURN_NOW;
	return ret == 0 ? SIM_RETURN_WOKEN : SIM_RETURN_AT_ONCE;
}

void sim_syscalls_return(uint64_t id, unsigned vcpu, int64_t number, int64_t ret)
{
	struct sim_thread *const t = sim_vcpu_thread(vcpu);

	(void)id, (void)number;
	if (t && t->call & SIM_CALL_THREAD &&
		(S->mode == SIM_MODE_PASS || S->mode == SIM_MODE_REST))
		S->wanted = SIM_MODE_ALL; /* later it could not begin with any block */
	if (t && t->call & SIM_CALL_THREAD && ret < 0)
		expect_no_thread();
	sim_process_retranslate();
	if (!t || S->mode == SIM_MODE_NOTHING)
		return;
	if (t->call & SIM_CALL_WAKE && ret > 0)
		t->woken += (uint64_t)ret;
	if (t->futex.wakes)
		sim_run_woke(&S->run, t, ret > 0 ? (uint64_t)ret : 0);
	if (t->call & SIM_CALL_BRK && ret > 0)
		note_brk((uint64_t)ret);
	if (t->call & SIM_CALL_MAP && S->hears && (uint64_t)ret < UINT64_MAX - 4095)
		sim_sites_unmap(&S->sites, (uint64_t)ret, t->mapping);
	if (t->call & SIM_CALL_MAP && (uint64_t)ret < UINT64_MAX - 4095)
		note_pages((uint64_t)ret, t->mapping, MADV_NOHUGEPAGE);
	if (t->call & SIM_CALL_EXEC)
		S->execed = 0; /* it failed: the program goes on */
	if (t->call & SIM_CALL_THREAD && ret > 0) {
		S->expects = 0;
		sim_run_expect(&S->run);
	}
	if (!(t->call & SIM_CALL_BRIEF))
		sim_run_return(&S->run, t, how_of(t, ret));
	if (t->call & SIM_CALL_ORDERS) /* it may have waited for another */
		sim_run_order(t);
}
