#include "commands/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "help/command_help.h"
#include "options/run_options.h"
#include "run/node_ceilings.h"
#include "measure/earlier_record.h"
#include "measure/measure.h"
#include "run/experiment_plan.h"
#include "run/first_look.h"
#include "run/counter_choice.h"
#include "probe/program_build.h"
#include "run/print_report.h"
#include "run/program_check.h"
#include "run/program_record.h"
#include "plan/planner.h"
#include "record/record_file.h"
#include "run/resume.h"
#include "run/run_host.h"
#include "run/run_outputs.h"
#include "run/simulation_plan.h"
#include "run/source_lines.h"
#include "target/target_trees.h"
#include "run/submit_job.h"
#include "run/own_library.h"
#include "run/record_path.h"
#include "machine/topology.h"

/* One diagnosis on its way from the command line to the report. */
struct session {
	const struct sd_cli *cli;
	struct sd_run_options arguments;
	struct sd_topology topology;
	struct sd_run_host host; /* the machine of the runs */
	struct sd_record record;
	struct sd_target_trees trees; /* its folder is the record's */
	struct sd_counting *counting; /* NULL: no hardware counters, or not wanted */
	struct sd_counting *passes;   /* that were planned before they took turns; NULL: they are
					 counted one a run, or there are none */
	struct sd_measure measure;
	struct sd_memsource *memory; /* NULL: nothing samples loads and stores */
	struct sd_memsource *events; /* NULL: nothing samples by events */
	int os_only;
	char *path; /* of the record */
	struct sd_run_outputs outputs;
	char *mpi_library;    /* to preload into MPI ranks; NULL: no MPI run, or it was not found */
	char *marker_library; /* for a program with markers of other tools; NULL: it has none */
	char *omp_library;    /* to preload into programs of OpenMP; NULL: it is none */
	char *heap_library;   /* for runs that ask for heap blocks; NULL: it cannot be preloaded */
	const char *heap_refused; /* why not */
	char *sim_plugin;         /* of the software PMU; NULL: not asked for */
	struct sd_experiment_plan experimenting;
	struct sd_earlier_record earlier; /* that this one replaces */
	size_t finished_runs; /* of a record that was finished before; 0: it was not, or is new */
};

static void session_free(struct session *s)
{
	sd_run_options_free(&s->arguments);
	sd_target_trees_free(&s->trees);
	sd_topology_free(&s->topology);
	sd_modelled_machine_free(&s->host.model);
	sd_record_free(&s->record);
	sd_counter_plan_free(s->counting);
	sd_counter_plan_free(s->passes);
	sd_access_source_free(s->memory);
	sd_access_source_free(s->events);
	sd_experiment_plan_close(&s->experimenting);
	sd_run_outputs_close(&s->outputs);
	sd_earlier_record_free(&s->earlier);
	free(s->path);
	free(s->sim_plugin);
	free(s->mpi_library);
	free(s->omp_library);
	free(s->heap_library);
	free(s->marker_library);
}

/* ---- before the first run -------------------------------------------------------------------- */

/* The experiments; that by the software PMU is planned like them, but has a machine to model. */
static int plan_experiments(struct session *s)
{
	const struct sd_options *const o = &s->arguments.options;
	struct sd_plan *const plan = &s->record.plan;
	char lacks[SD_SIMULATION_PLAN_WHY];
	int rc;

	sd_simulation_plan_lacks(o, plan, &s->sim_plugin, lacks);
	rc = sd_experiment_plan_fill(
		&s->experimenting, o, &s->topology, lacks[0] ? lacks : NULL, plan);
	for (size_t i = 0; i < plan->n_experiment && !rc && !plan->simulation; i++)
		if (plan->experiment[i].experiment == SD_EXPERIMENT_SOFTWARE_PMU &&
			!plan->experiment[i].skipped) {
			plan->simulation = calloc(1, sizeof *plan->simulation);
			rc = plan->simulation ? 0 : -ENOMEM;
			if (plan->simulation)
				plan->simulation->tried = 1;
		}
	return rc;
}

static enum sd_exit open_outputs(struct session *s, int resume)
{
	const struct sd_options *const o = &s->arguments.options;

	if (o->dry_run)
		return SD_EXIT_DONE;
	return sd_run_outputs_open(
		&s->outputs, s->path, o, s->topology.granted, resume, s->cli->sink);
}

static enum sd_exit begin(struct session *s)
{
	const struct sd_options *const o = &s->arguments.options;
	const struct sd_sink *const sink = s->cli->sink;
	enum sd_exit status;
	int rc;

	if (sd_program_check(s->cli, o->argv[0], o->cwd, &s->record.program.file) < 0)
		return SD_EXIT_PROGRAM;
	sd_program_check_words(o->argv, o->shape != NULL, sink);
	rc = sd_planner_make(o, &s->topology, &s->record.plan, sink);
	if (rc < 0)
		return rc == -ENOMEM ? SD_EXIT_MEASURE : SD_EXIT_USAGE;
	status = sd_program_check_counts(&s->record.plan, s->topology.granted, sink);
	if (status != SD_EXIT_DONE)
		return status;
	if (sd_counter_choice_plan(&s->counting, o, &s->host.model.pmu, &s->record.plan, sink) < 0)
		return SD_EXIT_MEASURE;
	if (plan_experiments(s) < 0 ||
		sd_run_host_describe(&s->record, &s->topology, &s->host, sink) < 0) {
		sd_say(sink, SD_LEVEL_ERROR, "out of memory");
		return SD_EXIT_MEASURE;
	}
	s->os_only = o->events == SD_EVENTS_OS;
	s->record.plan.no_samples = o->no_samples;
	s->record.plan.no_shield = o->no_shield;
	snprintf(s->record.tool_version, sizeof s->record.tool_version, "%s", SD_VERSION);
	status = sd_simulation_plan_make(s->cli, o, &s->topology, &s->record, &s->sim_plugin);
	if (status != SD_EXIT_DONE)
		return status;
	rc = sd_program_record_fill(&s->record.program, o);
	if (!rc && s->record.program.build && sd_program_build_is_plain(s->record.program.build))
		rc = sd_texts_add(&s->record.warnings,
			"compiled without optimisation: where its time goes may be elsewhere with -O2");
	if (rc == 0 && !(s->path = o->record ? strdup(o->record)
					     : sd_record_path_of_command(o->argv, o->argc, sink)))
		rc = -ENOMEM;
	if (rc == 0)
		rc = sd_earlier_record_take(&s->earlier, s->path, &s->record);
	if (rc < 0) {
		if (rc == -ENOMEM)
			sd_say(sink, SD_LEVEL_ERROR, "out of memory");
		else
			sd_say(sink, SD_LEVEL_ERROR,
				"the folder to run in: %s; go to one that is there, or name one "
				"with --cwd",
				strerror(-rc));
		return SD_EXIT_MEASURE;
	}
	return open_outputs(s, 0);
}

/* Until the record was ours alone, another one could go on with it, and replace it or append to it.
 */
static enum sd_exit check_unchanged(
	const struct session *s, const struct stat *read, const struct sd_sink *sink)
{
	struct stat now;

	if (s->arguments.options.dry_run || stat(s->path, &now) != 0 ||
		(now.st_dev == read->st_dev && now.st_ino == read->st_ino &&
			now.st_size == read->st_size))
		return SD_EXIT_DONE;
	sd_say(sink, SD_LEVEL_ERROR,
		"%s: another scalediag has just finished a run of it: give the command again",
		s->path);
	return SD_EXIT_MEASURE;
}

static enum sd_exit go_on(struct session *s)
{
	const struct sd_sink *const sink = s->cli->sink;
	struct stat read = {0};
	enum sd_exit status;
	struct sd_program_file file;
	int rc;

	s->path = strdup(s->arguments.options.record);
	if (!s->path) {
		sd_say(sink, SD_LEVEL_ERROR, "out of memory");
		return SD_EXIT_MEASURE;
	}
	(void)stat(s->path, &read); /* what is wrong with it, reading says */
	if (sd_record_read(s->path, &s->record, sink) < 0)
		return SD_EXIT_MEASURE;
	rc = sd_resume_adopt(&s->record, &s->topology, &s->arguments, sink);
	if (rc < 0)
		return rc == -ENOMEM ? SD_EXIT_MEASURE : SD_EXIT_USAGE;
	if (sd_program_check(s->cli, s->arguments.options.argv[0], s->record.program.cwd, &file) <
		0)
		return SD_EXIT_PROGRAM;
	rc = sd_resume_check_build(&s->record, &file, &s->arguments, sink);
	if (rc < 0)
		return rc == -ENOMEM ? SD_EXIT_MEASURE : SD_EXIT_USAGE;
	if (sd_counter_choice_resume(&s->counting, &s->record.plan, sink) < 0)
		return SD_EXIT_USAGE;
	/* there were counters, and none was to be used */
	s->os_only = !s->counting && s->record.host.pmu == SD_STATUS_OK;
	status = open_outputs(s, 1);
	if (status == SD_EXIT_DONE)
		status = check_unchanged(s, &read, sink);
	if (status != SD_EXIT_DONE)
		return status;
	s->finished_runs = sd_resume_say_begin(s->path, &s->record, sink);
	return sd_simulation_plan_make(
		s->cli, &s->arguments.options, &s->topology, &s->record, &s->sim_plugin);
}

/* ---- the runs, and after them ---------------------------------------------------------------- */

/* The exit status of a result of sd_measure, which has said why. */
static enum sd_exit status_of(int rc)
{
	switch (rc) {
	case 0:
		return SD_EXIT_DONE;
	case -ECHILD:
	case -ENOEXEC:
		return SD_EXIT_PROGRAM;
	case -EINTR:
		return SD_EXIT_INTERRUPTED;
	default:
		return SD_EXIT_MEASURE;
	}
}

/* A budget shorter than this is for the program's own runs. */
#define CALIBRATION_BUDGET_S 60.0

static int calibrate(void *ctx)
{
	struct session *const s = ctx;

	sd_say(s->cli->sink, SD_LEVEL_NOTE,
		"the causes still open are told apart by what this node can do, and it is not "
		"calibrated: measuring that, about 3 s");
	return sd_node_ceilings_measure(&s->record, s->cli);
}

/* With the experiments of auto mode, which decide by it. */
static void offer_calibration(struct session *s)
{
	const struct sd_options *const o = &s->arguments.options;

	if (s->record.plan.budget_s > 0 && s->record.plan.budget_s < CALIBRATION_BUDGET_S)
		return;
	if (o->experiments != SD_EXPERIMENTS_AUTO)
		return;
	s->experimenting.calibrate = calibrate;
	s->experimenting.calibrate_ctx = s;
}

static int take_turns(void *ctx, struct sd_record *record)
{
	struct session *const s = ctx;
	const int rc = sd_counter_choice_turns(
		&s->counting, &s->passes, &s->arguments.options, record, s->cli->sink);

	s->measure.counting = s->counting;
	return rc;
}

static enum sd_exit measure(struct session *s)
{
	const struct sd_options *const o = &s->arguments.options;
	const struct sd_experiments experiments =
		sd_experiment_plan_needs(&s->experimenting, s->cli, &s->topology);
	enum sd_exit status;
	int rc = sd_experiment_plan_begin(&s->experimenting, o);

	s->measure = (struct sd_measure){.options = o,
		.experiments = &experiments,
		.choose = sd_experiment_plan_choose,
		.choose_ctx = &s->experimenting,
		/* an analysis after each step, which a terminal alone shows */
		.glance = s->cli->line->on ? sd_first_look : NULL,
		.glance_ctx = &s->experimenting.tables,
		.probes = s->cli->probes,
		.trees = &s->trees,
		.simulated_probes = s->cli->simulated_probes,
		.sim_plugin = s->sim_plugin,
		.model = s->host.model.cores ? &s->host.model : NULL,
		.counting = s->counting,
		.warmed = take_turns,
		.warmed_ctx = s,
		.memory = s->memory,
		.events = s->events,
		.mpi_library = s->mpi_library,
		.omp_library = s->omp_library,
		.heap_library = s->heap_library,
		.heap_refused = s->heap_refused,
		.marker_library = s->marker_library,
		.os_only = s->os_only,
		.record_path = s->path,
		.usual = s->earlier.usual,
		.first = s->earlier.first,
		.save = &s->outputs.save,
		.stop = s->cli->stop,
		/* the program's output would run through the line */
		.progress = o->show_output ? NULL : sd_progress_line_show,
		.progress_ctx = s->cli->line};
	s->experimenting.bursts = s->memory != NULL;
	offer_calibration(s);
	if (rc == 0)
		rc = sd_target_trees_add_ours(&s->trees, s->record.program.cwd);
	if (rc == 0)
		rc = sd_measure(&s->measure, &s->record, s->cli->sink);
	sd_progress_line_clear(s->cli->line);
	/* a record that could not be written is not tried again; it is where its runs are, which is
	 * not where an older one is still worth more */
	if ((rc == 0 || rc == -EINTR || rc == -ECHILD) && s->outputs.save.at &&
		sd_source_lines_store(&s->record, &s->trees, s->cli->sink) == 0)
		(void)sd_record_write(s->outputs.save.at, &s->record, s->cli->sink);
	if (rc == -EINTR)
		sd_first_look_say_interrupted(&s->record, s->outputs.save.at, s->cli->sink);
	status = status_of(rc);
	if (status == SD_EXIT_DONE)
		sd_earlier_record_say(&s->earlier, &s->record, s->cli->sink);
	if (s->finished_runs)
		sd_resume_say_end(s->path, &s->record, s->finished_runs, s->cli->sink);
	sd_run_outputs_drop_empty(&s->outputs, &s->record);
	sd_run_outputs_say_unfinished(&s->outputs, &s->record, s->cli->sink);
	/* of a program that runs elsewhere, every cause would be one of the waiting */
	if (status != SD_EXIT_DONE &&
		(s->record.n_run == 0 || !s->outputs.save.at || rc == -ENOTSUP ||
			(rc == -EINTR && !sd_first_look_is_enough(&s->record))))
		return status;
	/* what did end well is worth a report, also when the program failed later */
	return sd_print_report_measured(
		s->cli, s->outputs.save.at, sd_print_report_format(o), o->html, status);
}

static enum sd_exit diagnose(struct session *s)
{
	enum sd_exit status =
		sd_run_host_open(s->cli, &s->arguments.options, &s->host, &s->topology);

	if (status != SD_EXIT_DONE)
		return status;
	if (sd_experiment_plan_open(&s->experimenting, s->cli->sink) < 0)
		return SD_EXIT_MEASURE;
	status = s->arguments.options.resume ? go_on(s) : begin(s);
	if (status != SD_EXIT_DONE)
		return status;
	if (s->arguments.options.dry_run)
		return sd_print_report_plan(s->cli, &s->record, s->path);
	s->memory = sd_counter_choice_memory(&s->arguments.options, s->os_only);
	s->events = sd_counter_choice_events(s->counting, &s->arguments.options, s->cli->sink);
	s->mpi_library = sd_own_library_for_ranks(&s->record, s->cli->sink);
	s->omp_library = sd_own_library_for_openmp(&s->record, s->cli->sink);
	s->marker_library = sd_own_library_for_markers(&s->record);
	s->heap_library = sd_own_library_for_heap(&s->record, &s->heap_refused);
	return measure(s);
}

enum sd_exit sd_cmd_run(const struct sd_cli *cli, int argc, char **argv)
{
	struct session s = {.cli = cli};
	const int rc = sd_run_options_parse(argc, argv, &s.arguments, cli->sink);
	enum sd_exit status = rc == -ENOMEM ? SD_EXIT_MEASURE : SD_EXIT_USAGE;

	if (rc < 0)
		goto out;
	if (s.arguments.asked)
		status = sd_command_help_answer(cli, "run", s.arguments.asked);
	else if (s.arguments.submit)
		status = sd_submit_job(&s.arguments.options, argc, argv, cli->sink);
	else
		status = diagnose(&s);
out:
	session_free(&s);
	return status;
}
