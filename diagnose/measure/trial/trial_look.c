#include <time.h>

#include "attach/attach.h"
#include "probe/accountant.h"
#include "trial/trial.h"

/* Its queues and caches are those of another count when its CPUs are changed: throughput follows
 * within .1 s. */
static const struct timespec settle = {.tv_nsec = 200000000};

int sd_trial_look(const struct sd_trial *t, struct sd_run *run, double switches)
{
	const struct sd_measure *const m = t->measure;
	const struct sd_plan_point *p = &t->record->plan.point[run->point];
	const struct sd_window w = {.program = m->attach->program,
		.seconds = m->attach->window_s,
		.work = m->attach->work,
		.latency = m->attach->latency,
		.probes = m->probes,
		.target = {.cpus = &p->cpus,
			.cores = sd_plan_stack_cores(p),
			.poll_s = m->options->poll_s,
			.os_only = m->os_only,
			.counting = m->counting,
			.pass = run->pass,
			.no_samples = m->options->no_samples,
			.expect_switches = switches,
			.stacks = t->stacks,
			.kept = t->kept,
			.trees = m->trees,
			.accountant = &sd_accountant_rules},
		.stop = m->stop,
		.progress = t->progress,
		.progress_ctx = t->progress_ctx};

	if (m->attach->guard) {
		const int rc = sd_cpu_guard_narrow(m->attach->guard, &p->cpus, t->sink);

		if (rc)
			return rc;
		nanosleep(&settle, NULL);
	}
	return sd_window_look(&w, run, t->sink);
}
