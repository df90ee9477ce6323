/*
 * The plugin itself: what QEMU calls, from its installation to the end.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "plugin/qemu_plugin.h"
#include "plugin/interface.h"
#include "plugin/instrumentation.h"
#include "plugin/fatal_signals.h"
#include "plugin/process.h"
#include "plugin/region.h"
#include "plugin/count_only.h"

static struct sim_process *const S = &sim_process;

static void end_cb(uint64_t id, void *data)
{
	(void)id, (void)data;
	sim_region_switch(0);
	sim_run_finish(&S->run, NULL);
	sim_region_finish(&S->run);
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
	sim_region_finish(&S->run);
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
	sim_interface_open(info);
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
	sim_instrumentation_open(id, end_cb);
	return 0;
}
