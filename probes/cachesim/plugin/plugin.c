/*
 * The plugin itself: what QEMU calls, from its installation to the end.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "plugin/qemu_plugin.h"
#include "plugin/guest_access.h"
#include "plugin/syscalls.h"
#include "plugin/fatal_signals.h"
#include "plugin/process.h"
#include "plugin/region.h"
#include "plugin/block_step.h"
#include "plugin/count_only.h"
#include "plugin/vcpus.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static struct sim_process *const S = &sim_process;

static void translate_cb(uint64_t id, struct qemu_plugin_tb *tb)
{
	const size_t n = qemu_plugin_tb_n_insns(tb);
	struct sim_block *b;

	(void)id;
	if (n == 0)
		return;
	if (!S->output.program) {
		const char *const path = qemu_plugin_path_to_binary();
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
	qemu_plugin_register_vcpu_tb_exec_cb(tb, sim_step, QEMU_PLUGIN_CB_NO_REGS, b);
	for (size_t i = 0; i < n && !b->ours; i++) {
		const unsigned flags = b->ins[i].flags;
		const int modifies = (flags & SIM_INS_MODIFIES) != 0;

		if (flags & SIM_INS_INSIDE)
			continue;
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i),
			flags & (SIM_INS_LOCKED | SIM_INS_STREAMS) ? sim_access_asked
			: modifies                                 ? sim_access_modify
								   : sim_access,
			QEMU_PLUGIN_CB_NO_REGS, modifies ? SIM_ACCESS_ONCE : QEMU_PLUGIN_MEM_RW,
			&b->ins[i]);
	}
}

static void exit_cb(uint64_t id, unsigned vcpu)
{
	(void)id;
	sim_vcpu_end(vcpu);
}

static void end_cb(uint64_t id, void *data)
{
	(void)id, (void)data;
	sim_region_switch(0);
	sim_run_finish(&S->run, NULL);
	sim_process_save(NULL);
	pthread_mutex_unlock(&S->run.lock);
}

/* The same where a signal ends it: what all threads did until then. */
static void death_cb(int signal)
{
	const int tid = (int)gettid();
	const struct sim_thread *self = NULL;
	char text[64];

	for (size_t i = 0; i < S->run.n_thread; i++)
		if (S->run.thread[i]->tid == tid)
			self = S->run.thread[i];
	snprintf(text, sizeof text, "the program was killed by signal %d", signal);
	sim_region_switch(0);
	sim_run_finish(&S->run, self);
	sim_process_save(text);
	pthread_mutex_unlock(&S->run.lock);
}

/* A child finds nothing half done: nobody holds a lock when it is made. */
static void before_fork(void)
{
	pthread_mutex_lock(&S->run.lock);
	pthread_mutex_lock(&S->run.block_lock);
	if (S->hears)
		pthread_mutex_lock(&S->sites.lock);
}

static void after_fork(void)
{
	if (S->hears)
		pthread_mutex_unlock(&S->sites.lock);
	pthread_mutex_unlock(&S->run.block_lock);
	pthread_mutex_unlock(&S->run.lock);
}

static void in_child(void)
{
	after_fork();
	if (sim_process_restart() == 0)
		return;
	sim_process_complain("no memory in a forked child", 0);
	_exit(1);
}

static int options(int argc, char **argv)
{
	char why[160];

	sim_options_default(&S->options);
	for (int i = 0; i < argc; i++)
		if (sim_options_take(&S->options, argv[i], why, sizeof why))
			goto bad;
	if (sim_options_check(&S->options, why, sizeof why) == 0)
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
		sim_process_complain("only programs are simulated, not whole machines", 0);
		return 1;
	}
	if (S->options.total) {
		const int rc = sim_count_only_install(id, S->options.out, info->target_name);

		if (rc)
			sim_process_complain("its file cannot be written", rc);
		return rc != 0;
	}
	if (sim_process_open(info->target_name)) {
		sim_process_complain("no memory", 0);
		return 1;
	}
	sim_fatal_signals_hear(death_cb);
	pthread_atfork(before_fork, after_fork, in_child);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate_cb);
	qemu_plugin_register_vcpu_syscall_cb(id, sim_syscalls_enter);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, sim_syscalls_return);
	qemu_plugin_register_vcpu_exit_cb(id, exit_cb);
	qemu_plugin_register_atexit_cb(id, end_cb, NULL);
	return 0;
}
