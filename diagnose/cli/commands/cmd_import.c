#include "commands/commands.h"

#include <argp.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/import_files.h"
#include "commands/import_format.h"
#include "import/import.h"
#include "base/configs.h"
#include "probe/event_map.h"
#include "profile/profile_file.h"
#include "run/node_ceilings.h"
#include "help/command_help.h"
#include "options/command_line.h"
#include "options/common_values.h"
#include "run/print_report.h"
#include "record/record_file.h"
#include "run/record_path.h"

#define FORMATS "csv, perf-stat, perf-script, likwid, papi, hyperfine or google-benchmark"

enum { FILES_MAX = 4096 };

/* Options without a letter. */
enum { FROM = 256, APP, CEILING, CPU, COST, PROFILE, LINES, WEAK };

struct import_arguments {
	const struct sd_sink *sink;
	const struct sd_import_format *from; /* NULL: not said */
	const char *app, *ceiling, *output, *cpu, *cost, *profile, *lines;
	const char *file[FILES_MAX];
	size_t n;
	const char *format; /* of the report */
	int weak;
};

#define AT(field) .at = offsetof(struct import_arguments, field)
static const struct sd_option_place places[] = {
	{APP, SD_OPTION_TEXT, AT(app)},
	{CEILING, SD_OPTION_TEXT, AT(ceiling)},
	{CPU, SD_OPTION_TEXT, AT(cpu)},
	{COST, SD_OPTION_TEXT, AT(cost)},
	{PROFILE, SD_OPTION_TEXT, AT(profile)},
	{LINES, SD_OPTION_TEXT, AT(lines)},
	{'o', SD_OPTION_TEXT, AT(output)},
	{WEAK, SD_OPTION_FLAG, AT(weak)},
	{0},
};

static error_t refuse(
	const struct import_arguments *a, const char *option, const char *v, const char *why)
{
	sd_say(a->sink, SD_LEVEL_ERROR, "--%s '%s': %s", option, v, why);
	return EINVAL;
}

static error_t handle(int key, char *value, struct argp_state *state)
{
	const struct sd_command_line *const l = state->input;
	struct import_arguments *const a = l->into;

	switch (key) {
	case FROM:
		a->from = sd_import_format_find(value);
		return a->from ? 0 : refuse(a, "from", value, "must be " FORMATS);
	case 'o':
		if (!*value || value[strlen(value) - 1] == '/')
			return refuse(a, "output", value, "must be the name of a file");
		break;
	case SD_KEY_JSON:
		a->format = "json";
		return 0;
	case SD_KEY_BRIEF:
		a->format = "brief";
		return 0;
	case ARGP_KEY_ARG:
		if (a->n >= FILES_MAX)
			return refuse(a, "from", value, "too many files");
		a->file[a->n++] = value;
		return 0;
	default:
		break;
	}
	return sd_command_line_take(key, value, state);
}

static const struct argp_option options[] = {
	{"from", FROM, "csv|perf-stat|perf-script|likwid|papi|hyperfine|google-benchmark", 0,
		"What the files are", 1},
	{"cpu", CPU, "NAME", 0,
		"The CPU that was counted (scalediag events --list), where the file does not say it: its vendor's, likwid's and raw event names are known then",
		1},
	{"app", APP, "NAME", 0, "The program, of a table of several (column app), or the benchmark",
		1},
	{"ceiling", CEILING, "LIST", 0, "What so many cores get from memory, GB/s: 1=21.3,16=164.2",
		1},
	{"cost", COST, "LIST", 0,
		"What a transfer takes there: line=120ns,dram=180ns,llc=5ns; also l2, remote (memory) and walk (of the DTLB)",
		1},
	{"profile", PROFILE, "FILE", 0, "A calibration of that node (scalediag calibrate -o FILE)",
		1},
	{"lines", LINES, "FILE", 0,
		"What perf c2c report --stdio printed, of the largest count or as 8=FILE: contested lines",
		1},
	{"weak", WEAK, NULL, 0, "The work grows with the cores", 1},
	{"output", 'o', "FILE", 0,
		"Write the record there; else FILE.scalediag.json in this folder", 2},
	{"json", SD_KEY_JSON, NULL, 0, "Print the report as JSON", 2},
	SD_OPTION_BRIEF(2),
	{0},
};
const struct argp sd_cmd_import_argp = {
	.options = options,
	.parser = handle,
	.args_doc = "FILE...",
	.doc = "scalediag import makes a record of what was measured elsewhere, and diagnoses it.\n"
	       "\n"
	       "  scalediag import --from csv table.csv        a row a core count\n"
	       "  scalediag import --from csv --app HPCCG --ceiling 1=21.3,56=198 table.csv\n"
	       "  perf stat -x, -o perf.8.csv \\\n"
	       "    -e duration_time,task-clock,cycles:u,instructions:u PROGRAM\n"
	       "  scalediag import --from perf-stat perf.1.csv perf.8.csv\n"
	       "  scalediag import --from perf-stat 1=a.json 8=b.json 8=c.json\n"
	       "  scalediag import --from perf-stat --cpu skx 1=pasted-1.txt 8=pasted-8.txt\n"
	       "  scalediag import --from likwid --cpu icx 1=mem-1.csv 8=mem-8.csv\n"
	       "  perf record -g -e task-clock PROGRAM\n"
	       "  perf script --header -F +srcline > 8.txt\n"
	       "  scalediag import --from perf-script 1.txt 8.txt  by function and line\n"
	       "  scalediag import --from perf-stat --lines c2c.txt 1.csv 8.csv\n"
	       "  PAPI_OUTPUT_DIRECTORY=8 PROGRAM\n"
	       "  scalediag import --from papi 1=1/papi_hl_output/rank_000000.json ...\n"
	       "  hyperfine -L threads 1,2,8 --export-json runs.json './app {threads}'\n"
	       "  scalediag import --from hyperfine runs.json\n"
	       "  ./bench --benchmark_format=json > gb.json\n"
	       "  scalediag import --from google-benchmark gb.json  or the lines as it prints them\n"
	       "\n"
	       "Columns of a table: cores (threads, procs), seconds (wall, real, runtime_us, time (ms), with a\n"
	       "column time_unit) or throughput (ops/s, rate, triad of STREAM), and what is known of\n"
	       "user, system, cpu, and any role (scalediag events) or event of --cpu; wait_lock, wait_disk,\n"
	       "wait_serial, wait_imbalance (core-seconds), thread0, thread1, ... (CPU seconds), output (what the\n"
	       "run printed, or its digest), set apart by commas, semicolons, tabs, bars (as in Markdown),\n"
	       "colons or blanks. Times may say their units (1m12.3s, 12 ms), rates k, M or G. What is empty or\n"
	       "NaN is not known. `perf stat` is read as it is printed, of -x with any separator and of -j, in\n"
	       "intervals and of cores, sockets or threads; of toplev the counts are read (toplev --perf-output\n"
	       "FILE), as its shares alone tell no amount.\n",
	.children = sd_command_line_common,
};

/* All maps, and that of --cpu; they stay loaded, as the import borrows from them. */
static enum sd_exit find_cpu(
	const struct import_arguments *a, struct sd_eventmaps *maps, struct sd_import *im)
{
	if (sd_event_map_set_load(maps, sd_configs_dir(), a->sink) < 0)
		return SD_EXIT_MEASURE;
	im->cpu.maps = maps; /* a file may say which it is */
	im->cpu_said = a->cpu != NULL;
	im->cpu.map = a->cpu ? sd_event_map_set_find(maps, a->cpu) : NULL;
	if (!a->cpu || im->cpu.map)
		return SD_EXIT_DONE;
	sd_say(a->sink, SD_LEVEL_ERROR,
		"--cpu '%.40s': there is no such CPU; scalediag events --list names them", a->cpu);
	return SD_EXIT_USAGE;
}

/* The calibration of that node. */
static enum sd_exit take_profile(const struct import_arguments *a, struct sd_import *im)
{
	struct sd_profile profile = {0};
	int rc;

	if (!a->profile)
		return SD_EXIT_DONE;
	rc = sd_profile_read(a->profile, &profile, a->sink);
	if (rc == 0)
		rc = sd_node_ceilings_of(&im->record.calibration, &profile);
	sd_profile_free(&profile);
	return rc ? SD_EXIT_MEASURE : SD_EXIT_DONE;
}

/* Takes the machine's costs and ceilings; those said by hand come after the profile. */
static enum sd_exit take_machine(const struct import_arguments *a, struct sd_import *im)
{
	const enum sd_exit status = take_profile(a, im);

	if (status != SD_EXIT_DONE)
		return status;
	if (a->ceiling && sd_import_ceilings(im, a->ceiling, a->sink))
		return SD_EXIT_USAGE;
	return a->cost && sd_import_costs(im, a->cost, a->sink) ? SD_EXIT_USAGE : SD_EXIT_DONE;
}

/* The record of all files, written and reported; in the place of one with `older` runs, if there
 * are any. */
static enum sd_exit import(
	const struct sd_cli *cli, const struct import_arguments *a, const char *path, size_t older)
{
	struct sd_eventmaps maps = {0};
	const char *first = sd_import_files_bare(a->file[0]), *slash = strrchr(first, '/');
	const char *name = a->app ? a->app : slash ? slash + 1 : first;
	struct sd_import im = {0};
	enum sd_exit status = find_cpu(a, &maps, &im);

	if (status == SD_EXIT_DONE)
		status = take_machine(a, &im);
	for (size_t i = 0; status == SD_EXIT_DONE && i < a->n; i++)
		status = sd_import_files_take(a->from, a->file[i], a->app, &im, a->sink);
	if (status == SD_EXIT_DONE && a->lines)
		status = sd_import_files_lines(a->lines, &im, a->sink);
	im.record.program.scaling = a->weak ? SD_SCALING_WEAK : SD_SCALING_STRONG;
	if (status == SD_EXIT_DONE && sd_import_finish(&im, name, a->sink))
		status = SD_EXIT_MEASURE;
	if (status == SD_EXIT_DONE && sd_record_write(path, &im.record, a->sink) < 0)
		status = SD_EXIT_MEASURE;
	if (status == SD_EXIT_DONE && older)
		sd_say(a->sink, SD_LEVEL_NOTE, "%s: replaced; the older record had %zu run%s", path,
			older, older == 1 ? "" : "s");
	if (status == SD_EXIT_DONE)
		status =
			sd_print_report_of(cli, path, sd_report_format_find(a->format), &im.record);
	sd_import_free(&im);
	sd_event_map_set_free(&maps);
	return status;
}

/* Refuses to replace what is imported, whether it is named FILE or 8=FILE. */
static enum sd_exit check_output(const struct import_arguments *a, const char *path, size_t *older)
{
	const struct sd_output_wish record = {
		.path = path, .kind = SD_OUTPUT_RECORD, .room = SD_RECORD_PATH_ROOM};
	struct sd_output_input *const input = calloc(2 * a->n, sizeof *input);
	enum sd_exit status = SD_EXIT_MEASURE;

	*older = 0;
	if (!input) {
		sd_say(a->sink, SD_LEVEL_ERROR, "not enough memory");
		return status;
	}
	for (size_t i = 0; i < a->n; i++) {
		input[2 * i] = (struct sd_output_input){a->file[i], "a file that is imported"};
		input[2 * i + 1] = (struct sd_output_input){
			sd_import_files_bare(a->file[i]), "a file that is imported"};
	}
	status = sd_record_path_check(&record, 1, input, 2 * a->n, a->sink);
	if (status == SD_EXIT_DONE)
		status = sd_record_path_older(path, older, a->sink);
	free(input);
	return status;
}

static enum sd_exit run(const struct sd_cli *cli, const struct import_arguments *a)
{
	char *path =
		a->output ? strdup(a->output)
			  : sd_record_path_name(a->app ? a->app : sd_import_files_bare(a->file[0]));
	enum sd_exit status = SD_EXIT_MEASURE;
	size_t older = 0;

	if (!path)
		sd_say(a->sink, SD_LEVEL_ERROR, "not enough memory");
	else
		status = check_output(a, path, &older);
	if (status == SD_EXIT_DONE)
		status = import(cli, a, path, older);
	free(path);
	return status;
}

enum sd_exit sd_cmd_import(const struct sd_cli *cli, int argc, char **argv)
{
	struct import_arguments *a = calloc(1, sizeof *a);
	struct sd_command_line line = {
		.name = "import", .argp = &sd_cmd_import_argp, .place = places, .into = a};
	enum sd_exit status;

	if (!a) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "not enough memory");
		return SD_EXIT_MEASURE;
	}
	a->sink = cli->sink;
	a->format = "text";
	if (!sd_command_help_parse(cli, &line, argc, argv, &status))
		goto out;
	if (!a->from)
		sd_say(cli->sink, SD_LEVEL_ERROR, "say what it is: --from " FORMATS);
	else if (a->n == 0)
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"no file given: scalediag import --from csv FILE; see scalediag import --help");
	status = a->from && a->n ? run(cli, a) : SD_EXIT_USAGE;
out:
	free(a);
	return status;
}
