#include "commands/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach.h"
#include "attach/claim.h"
#include "attach/counter_command.h"
#include "attach/counter_function.h"
#include "attach/counter_progress.h"
#include "help/command_help.h"
#include "launch/command_words.h"
#include "machine/topology.h"
#include "measure/measure.h"
#include "options/attach_options.h"
#include "plan/planner.h"
#include "probe/counter_plan.h"
#include "probe/host_facts.h"
#include "record/record_file.h"
#include "record/record_names.h"
#include "run/counter_choice.h"
#include "run/experiment_plan.h"
#include "run/first_look.h"
#include "run/node_ceilings.h"
#include "run/print_report.h"
#include "run/record_path.h"
#include "run/run_outputs.h"
#include "run/source_lines.h"
#include "target/target_trees.h"

struct session {
	const struct sd_cli *cli;
	struct sd_attach_options arguments;
	struct sd_attached program;
	struct sd_target_trees trees; /* whose eyes its sources are read with */
	struct sd_claim claim;        /* to it */
	struct sd_cpulist cpus;       /* that its threads may use */
	size_t threads;
	char **argv;
	struct sd_topology topology; /* of these CPUs */
	struct sd_record record;
	struct sd_run_outputs outputs;
	char *path;    /* of the record */
	char *printed; /* file that --rate-command prints to; owned */
	struct sd_counter_command command;
	struct sd_counter_function function;
	struct sd_counter_progress progress;
	struct sd_latency latency;
	const struct sd_work_counter *work; /* one of these; NULL: only looks */
	struct sd_cpu_guard guard;
	struct sd_experiment_plan choosing; /* whether more windows change the answer */
	struct sd_counting *counting;       /* hardware counters; NULL: none */
};

static void session_free(struct session *s)
{
	/* first: whatever happened, the program has its CPUs back */
	(void)sd_cpu_guard_close(&s->guard, s->cli->sink);
	sd_counter_command_close(&s->command);
	sd_counter_function_close(&s->function);
	sd_counter_progress_close(&s->progress);
	sd_latency_close(&s->latency);
	free(s->printed);
	sd_attach_options_free(&s->arguments);
	sd_attached_free(&s->program);
	sd_target_trees_free(&s->trees);
	sd_claim_close(&s->claim);
	sd_cpulist_free(&s->cpus);
	sd_command_words_free(s->argv);
	sd_topology_free(&s->topology);
	sd_record_free(&s->record);
	sd_run_outputs_close(&s->outputs);
	sd_experiment_plan_close(&s->choosing);
	sd_counter_plan_free(s->counting);
	free(s->path);
}

static enum sd_exit out_of_memory(const struct session *s)
{
	sd_say(s->cli->sink, SD_LEVEL_ERROR, "out of memory");
	return SD_EXIT_MEASURE;
}

/* ---- before the first window ----------------------------------------------------------------- */

/* The machine as the program sees it: its CPUs, its quota. */
static int load_topology(struct session *s)
{
	char *const allowed = sd_cpulist_format(&s->cpus);
	const struct sd_topology_source source = {.allowed = allowed};
	const struct sd_value quota = sd_attached_quota(&s->program);
	struct sd_topology *const t = &s->topology;
	int rc = allowed ? sd_topology_load(t, &source, s->cli->sink) : -ENOMEM;

	free(allowed);
	if (rc)
		return rc;
	t->quota = quota;
	t->granted = t->n_pu;
	if (sd_has(quota) && quota.value < t->n_pu)
		t->granted = quota.value < 1 ? 1 : (unsigned)quota.value;
	return 0;
}

static int find(struct session *s)
{
	struct sd_options *const o = &s->arguments.run;
	int rc = sd_attached_find(&s->program, s->arguments.by, s->arguments.name, s->cli->sink);

	if (!rc)
		rc = sd_claim_open(&s->claim, &s->program, s->cli->sink);
	if (rc)
		return rc;
	for (size_t i = 0; i < s->program.n; i++)
		(void)sd_target_trees_add(&s->trees, s->program.pid[i]); /* else nothing is read */
	rc = sd_attached_cpus(&s->program, &s->cpus, &s->threads);
	if (rc == -ESRCH)
		sd_say(s->cli->sink, SD_LEVEL_ERROR, "%s has ended", s->program.label);
	if (rc)
		return rc;
	s->argv = sd_attached_argv(&s->program);
	if (!s->argv)
		return -ENOMEM;
	o->argv = s->argv;
	while (s->argv[o->argc])
		o->argc++;
	return load_topology(s);
}

/* One point: all CPUs that the program may use. */
static int plan_look(struct session *s)
{
	struct sd_options *const o = &s->arguments.run;
	int rc;

	free(o->count);
	o->count = malloc(sizeof *o->count);
	if (!o->count)
		return -ENOMEM;
	o->cores = SD_CORES_LIST;
	o->count[0] = s->topology.granted;
	o->n_count = 1;
	rc = sd_planner_make(o, &s->topology, &s->record.plan, s->cli->sink);
	if (!rc && !o->repeats)
		s->record.plan.max_repeats = s->arguments.most_parts;
	return rc;
}

/* How its throughput is known, in the user's words. */
static const char *rate_of(const struct sd_attach_options *a)
{
	return a->rate_command    ? a->rate_command
	       : a->rate_function ? a->rate_function
				  : a->progress;
}

static int fill_program(struct session *s)
{
	struct sd_program *const p = &s->record.program;
	const struct sd_options *const o = &s->arguments.run;

	for (size_t i = 0; i < o->argc; i++)
		if (sd_texts_add(&p->argv, "%s", o->argv[i]) < 0)
			return -ENOMEM;
	p->attached = strdup(s->program.label);
	if (s->arguments.scales) {
		p->rate = strdup(rate_of(&s->arguments));
		if (!p->rate)
			return -ENOMEM;
	}
	p->scaling = o->scaling;
	p->placement = o->placement;
	p->no_env = 1;
	return p->attached ? 0 : -ENOMEM;
}

static int fill_record(struct session *s)
{
	struct sd_record *const r = &s->record;
	int rc;

	snprintf(r->tool_version, sizeof r->tool_version, "%s", SD_VERSION);
	r->plan.no_samples = s->arguments.run.no_samples;
	r->plan.no_shield = 1;
	sd_host_facts_read(&r->host, &s->topology, NULL);
	sd_node_facts_read(&r->host.setup, NULL);
	rc = sd_node_ceilings_take(r, &s->topology, s->cli->sink);
	if (!rc)
		rc = fill_program(s);
	if (!rc) {
		const char *const asked = s->arguments.run.record;

		s->path = asked ? strdup(asked)
				: sd_record_path_of_command(
					  s->argv, s->arguments.run.argc, s->cli->sink);
		rc = s->path ? 0 : -ENOMEM;
	}
	return rc;
}

static enum sd_exit begin(struct session *s)
{
	int rc = find(s);

	if (rc == -ENOMEM)
		return out_of_memory(s);
	if (rc)
		return rc == -EINVAL                  ? SD_EXIT_USAGE
		       : rc == -ESRCH || rc == -EPERM ? SD_EXIT_PROGRAM
						      : SD_EXIT_MEASURE;
	rc = s->arguments.scales ? sd_planner_make(&s->arguments.run, &s->topology, &s->record.plan,
					   s->cli->sink)
				 : plan_look(s);
	if (!rc && sd_counter_choice_plan(&s->counting, &s->arguments.run, NULL, &s->record.plan,
			   s->cli->sink) < 0)
		return SD_EXIT_MEASURE;
	if (!rc)
		rc = fill_record(s);
	if (rc == -ENOMEM)
		return out_of_memory(s);
	if (rc)
		return SD_EXIT_USAGE;
	return sd_run_outputs_open(
		&s->outputs, s->path, &s->arguments.run, s->topology.granted, 0, s->cli->sink);
}

/* ---- the windows, and after them ------------------------------------------------------------- */

static enum sd_exit status_of(int rc)
{
	switch (rc) {
	case 0:
		return SD_EXIT_DONE;
	case -EINTR:
		return SD_EXIT_INTERRUPTED;
	case -ESRCH:
		return SD_EXIT_PROGRAM;
	default:
		return SD_EXIT_MEASURE;
	}
}

static int open_counter(struct session *s)
{
	const struct sd_attach_options *const a = &s->arguments;
	const struct sd_sink *const sink = s->cli->sink;

	if (a->rate_command) {
		s->work = &s->command.counter;
		return sd_counter_command_open(
			&s->command, a->rate_command, a->run.rate, s->printed, s->cli->stop, sink);
	}
	if (a->rate_function) {
		s->work = &s->function.counter;
		return sd_counter_function_open(&s->function, &s->program, a->rate_function, sink);
	}
	s->work = &s->progress.counter;
	return sd_counter_progress_open(&s->progress, &s->program, a->progress, sink);
}

/* Opens what --cores needs besides: a throughput, and somebody who puts the CPUs back. */
static enum sd_exit open_scaling(struct session *s)
{
	int rc;

	s->printed = sd_record_names_beside(s->path, "out");
	rc = s->printed ? open_counter(s) : -ENOMEM;
	if (rc == -EINVAL || rc == -ENOENT)
		return SD_EXIT_USAGE;
	if (!rc)
		rc = sd_cpu_guard_open(&s->guard, &s->program, s->cli->sink);
	if (rc == -ENOMEM)
		return out_of_memory(s);
	return rc ? SD_EXIT_MEASURE : SD_EXIT_DONE;
}

/* How long its requests take is known from here on. */
static enum sd_exit open_latency(struct session *s)
{
	const char *const name = s->arguments.latency;
	struct sd_program *const p = &s->record.program;
	int rc;

	if (!name)
		return SD_EXIT_DONE;
	rc = sd_latency_open(&s->latency, &s->program, name, s->cli->sink);
	p->latency = rc ? NULL : strdup(name);
	if (rc == -ENOENT)
		return SD_EXIT_USAGE;
	return rc || !p->latency ? out_of_memory(s) : SD_EXIT_DONE;
}

/* As it has its own CPUs, for as long as one window. */
static void watch_latency(struct session *s, struct sd_value *p99)
{
	if (s->arguments.latency && s->arguments.scales)
		*p99 = sd_latency_watch(&s->latency, s->arguments.part_s, s->cli->stop).p99;
}

static enum sd_exit measure(struct session *s)
{
	struct sd_options *const o = &s->arguments.run;
	const struct sd_attach attach = {.program = &s->program,
		.window_s = s->arguments.part_s,
		.work = s->work,
		.latency = s->arguments.latency ? &s->latency : NULL,
		.guard = s->arguments.scales ? &s->guard : NULL};
	const struct sd_measure m = {.options = o,
		.attach = &attach,
		/* windows end where more of them would not change the answer */
		.choose = sd_experiment_plan_choose,
		.choose_ctx = &s->choosing,
		/* an analysis after each step, which a terminal alone shows */
		.glance = s->cli->line->on ? sd_first_look : NULL,
		.glance_ctx = &s->choosing.tables,
		.probes = s->cli->probes,
		.counting = s->counting,
		.trees = &s->trees,
		.simulated_probes = s->cli->simulated_probes,
		.record_path = s->path,
		.save = &s->outputs.save,
		.stop = s->cli->stop,
		.progress = sd_progress_line_show,
		.progress_ctx = s->cli->line};
	enum sd_exit status;
	const char *at;
	int rc;

	o->rate = NULL; /* of the command's output, not of the program's */
	watch_latency(s, &s->record.program.latency_before);
	s->choosing.sink = s->cli->sink;
	rc = sd_config_tables_load(&s->choosing.tables, s->cli->sink);
	rc = rc ? rc : sd_measure(&m, &s->record, s->cli->sink);
	if (sd_cpu_guard_close(&s->guard, s->cli->sink) && !rc)
		rc = -EIO;
	if (!rc)
		watch_latency(s, &s->record.program.latency_after);
	at = s->outputs.save.at;
	status = status_of(rc);

	sd_progress_line_clear(s->cli->line);
	if (at && s->record.n_run &&
		sd_source_lines_store(&s->record, &s->trees, s->cli->sink) == 0)
		(void)sd_record_write(at, &s->record, s->cli->sink);
	sd_run_outputs_say_unfinished(&s->outputs, &s->record, s->cli->sink);
	sd_run_outputs_drop_empty(&s->outputs, &s->record);
	at = s->outputs.save.at;
	/* what was seen before an end, or a Ctrl-C, is worth a report */
	if (!at || !s->record.n_run)
		return status;
	return sd_print_report_measured(s->cli, at, sd_print_report_format(o), o->html, status);
}

enum sd_exit sd_cmd_attach(const struct sd_cli *cli, int argc, char **argv)
{
	struct session s = {.cli = cli};
	enum sd_exit status = SD_EXIT_USAGE;
	const int rc = sd_attach_options_parse(argc, argv, &s.arguments, cli->sink);

	if (rc == -ENOMEM)
		status = out_of_memory(&s);
	else if (!rc && s.arguments.asked)
		status = sd_command_help_answer(cli, "attach", s.arguments.asked);
	else if (!rc)
		status = begin(&s);
	if (!rc && !s.arguments.asked && status == SD_EXIT_DONE)
		status = open_latency(&s);
	if (!rc && !s.arguments.asked && status == SD_EXIT_DONE && s.arguments.scales)
		status = open_scaling(&s);
	if (!rc && !s.arguments.asked && status == SD_EXIT_DONE)
		status = measure(&s);
	session_free(&s);
	return status;
}
