/*
 * A run under the software PMU.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/leftover_note.h"
#include "base/regular_file.h"
#include "output/output_kind.h"
#include "probe/accountant.h"
#include "simulate/qemu_command.h"
#include "launch/launch.h"
#include "plan/one_run.h"
#include "trial/trial.h"
#include "launch/command_words.h"

/* Time limit, as a multiple of a plain run's time. */
#define SLOWER 60

/* An emulated run gets all CPUs of any point. */
static const struct sd_cpulist *all_cpus(const struct sd_plan *plan)
{
	const struct sd_cpulist *most = &plan->point[0].cpus;

	for (size_t i = 1; i < plan->n_point; i++)
		if (plan->point[i].cpus.n > most->n)
			most = &plan->point[i].cpus;
	return most;
}

/* A program that ended badly under the emulator counts as a partial run. */
static void note_end(struct sd_run *run, double timeout_s)
{
	struct sd_simulated *const s = run->simulated;

	if (!s || sd_one_run_good(run))
		return;
	if (run->end == SD_END_SIGNALLED && run->code == SIGILL)
		snprintf(s->why, sizeof s->why,
			"%s: QEMU 7.2 does not have an instruction of it, as those of AVX-512: "
			"rebuild it with -march=x86-64-v3",
			s->n_thread ? "a part" : "nothing was simulated");
	else if (run->end == SD_END_TIMEOUT && s->n_thread)
		snprintf(s->why, sizeof s->why, "it was ended after %.0f s", timeout_s);
	else if (!s->partial && run->end == SD_END_EXITED)
		snprintf(s->why, sizeof s->why, "the program ended with status %d", run->code);
	else if (!s->partial && run->end == SD_END_SIGNALLED)
		snprintf(s->why, sizeof s->why, "the program was killed by signal %d", run->code);
	s->partial |= run->end != SD_END_RATE_MISSING;
}

/* The run's times as the modelled machine had them: nothing of the emulator's. 0, or -ENODATA,
 * said. */
static int take_model(
	const struct sd_trial *t, struct sd_run *run, const struct sd_probe_modelled *m)
{
	for (size_t i = 0; i < SD_METRIC_COUNT; i++)
		run->metric[i] = SD_NOT(ABSENT);
	run->metric[SD_METRIC_WALL] = SD_OK(m->clock / m->hz);
	run->metric[SD_METRIC_USER] = SD_OK(m->running / m->hz);
	run->metric[SD_METRIC_SYSTEM] = SD_OK(0); /* the kernel's work takes no time there */
	run->metric[SD_METRIC_WAIT_TRANSFER] = SD_OK(m->wait_transfer / m->hz);
	run->metric[SD_METRIC_WAIT_MEMORY] = SD_OK(m->wait_memory / m->hz);
	run->metric[SD_METRIC_WAIT_BUS] = SD_OK(m->wait_bus / m->hz);
	run->flags = 0;
	sd_simulated_free(run->simulated);
	run->simulated = NULL;
	if (m->clock > 0 || !sd_one_run_good(run))
		return 0;
	sd_say(t->sink, SD_LEVEL_ERROR, "nothing of %s was modelled: the emulator told nothing",
		t->measure->options->argv[0]);
	return -ENODATA;
}

int sd_trial_simulated(const struct sd_trial *t, struct sd_run *run, char *const *argv,
	char *const *envp, const struct sd_trial_change *change)
{
	const struct sd_options *o = t->measure->options;
	const struct sd_plan *plan = &t->record->plan;
	const unsigned cores = plan->point[run->point].cores;
	const int whole = t->measure->model && run->kind != SD_RUN_SIMULATED;
	struct sd_probe_modelled modelled = {.hz = whole ? t->measure->model->costs.hz : 0};
	const char *blind = NULL;
	int heap = -1;
	const struct sd_qemu_command e = {.plugin = t->measure->sim_plugin,
		.output = t->simulation_path,
		.simulation = plan->simulation,
		.model = t->measure->model,
		.cores = cores,
		.total = change->total,
		.cwd = o->cwd,
		.blind = &blind,
		.heap = &heap};
	struct sd_sim_machine machine = plan->simulation->machine;
	const struct sd_probe_simulation simulation = {.path = t->simulation_path,
		.machine = &machine,
		.total = e.total,
		.modelled = whole ? &modelled : NULL};
	/* the CPUs of the plan are the modelled machine's then */
	const struct sd_cpulist *cpus = t->measure->model ? NULL : all_cpus(plan);
	char **command = NULL;
	struct sd_leftover_note note;
	int rc = sd_qemu_command_argv(&e, argv, envp, &command, t->sink);
	const struct sd_launch l = {.argv = command,
		.envp = envp,
		.cwd = o->cwd,
		.cpus = cpus,
		.cores = cpus ? (unsigned)cpus->n : cores,
		.counting = whole ? t->measure->counting : NULL,
		.pass = run->pass,
		.timeout_s = change->timeout_s > 0 ? change->timeout_s : o->timeout_s * SLOWER,
		.stdout_path = t->stdout_path,
		.stderr_path = t->stderr_path,
		.show_output = o->show_output,
		.probes = t->measure->simulated_probes,
		.stacks = t->stacks,
		.simulation = &simulation,
		.accountant = whole ? &sd_accountant_rules : NULL,
		.os_only = 1,
		.any_status = o->ignore_failure,
		.held = t->held,
		.shield = &t->shield,
		.stop = t->measure->stop,
		.progress = t->progress,
		.progress_ctx = t->progress_ctx};

	machine.cores = cores;
	sd_leftover_note_open(&note, SD_LEFTOVER_SIMULATED, t->simulation_path);
	if (!rc)
		rc = sd_launch(&l, run, t->sink);
	sd_leftover_note_close(&note);
	if (heap >= 0)
		close(heap);
	note_end(run, l.timeout_s);
	if (!rc && whole)
		rc = take_model(t, run, &modelled);
	if (run->simulated && blind)
		snprintf(run->simulated->blind, sizeof run->simulated->blind, "%s", blind);
	/* stopped by the user: the counts so far are worth keeping */
	if (rc == -EINTR && run->simulated && run->simulated->n_thread) {
		rc = 0;
		if (!run->simulated->partial)
			snprintf(run->simulated->why, sizeof run->simulated->why, "interrupted");
		run->simulated->partial = 1;
	}
	sd_command_words_free(command);
	return rc;
}

/* Whether `file` is NAME.<process><suffix>, by its name. */
static int is_named(const char *file, const char *name, const char *suffix)
{
	const size_t n = strlen(name);
	const char *const digits = file + n + 1;
	size_t number;

	if (strncmp(file, name, n) != 0 || file[n] != '.')
		return 0;
	number = strspn(digits, "0123456789");
	return number > 0 && strcmp(digits + number, suffix) == 0;
}

/* Did this user's plugin write it? Judged by owner and first bytes. */
static int is_written(int fd, const char *file, enum sd_output_kind kind)
{
	struct stat st;
	const int in = sd_regular_file_open_at(fd, file, O_NOFOLLOW, &st);
	char head[SD_OUTPUT_KIND_HEAD];
	ssize_t got = -1;

	if (in < 0)
		return 0;
	if (st.st_uid == geteuid())
		got = pread(in, head, sizeof head, 0);
	close(in);
	return got >= 0 && sd_output_kind_recognise(kind, head, (size_t)got);
}

static int is_simulated(int fd, const char *file, const char *name)
{
	return (is_named(file, name, ".sim") && is_written(fd, file, SD_OUTPUT_SIMULATED)) ||
	       (is_named(file, name, ".total") && is_written(fd, file, SD_OUTPUT_COUNTED));
}

int sd_trial_simulated_noted(int fd, const char *folder, const char *name)
{
	const int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *const d = again >= 0 ? fdopendir(again) : NULL;
	const struct dirent *e;
	int rc = d ? 0 : -errno;

	(void)folder;
	while (d && (e = readdir(d)) != NULL)
		if (is_simulated(fd, e->d_name, name) && unlinkat(fd, e->d_name, 0) != 0)
			rc = -errno;
	if (d)
		closedir(d);
	else if (again >= 0)
		close(again);
	return rc;
}
