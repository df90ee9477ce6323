#include "commands/commands.h"

#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "fleet/fleet_judge.h"
#include "help/command_help.h"
#include "options/command_line.h"
#include "profile/profile_file.h"
#include "run/print_report.h"

struct fleet_arguments {
	const struct sd_sink *sink;
	const char *folder;
	double tolerance;
	enum sd_asked asked;
};

/* "5%", or a fraction, ".05". */
static error_t parse_tolerance(struct fleet_arguments *a, const char *value)
{
	const size_t n = strlen(value);
	const int percent = n > 1 && value[n - 1] == '%';
	char digits[32];

	snprintf(digits, sizeof digits, "%.*s", (int)(n - (size_t)percent), value);
	if (n < sizeof digits &&
		sd_number_double(digits, 0, percent ? 100 : 1, &a->tolerance) == 0) {
		a->tolerance /= percent ? 100 : 1;
		return 0;
	}
	sd_say(a->sink, SD_LEVEL_ERROR, "--tolerance: '%s' is no share: 5%% or 0.05", value);
	return EINVAL;
}

static error_t handle(int key, char *value, struct argp_state *state)
{
	struct fleet_arguments *const a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		return sd_command_line_begin(state, &a->asked);
	case 't':
		return parse_tolerance(a, value);
	case ARGP_KEY_ARG:
		if (a->folder) {
			sd_say(a->sink, SD_LEVEL_ERROR, "'%s': one folder of profiles, not more",
				value);
			return EINVAL;
		}
		a->folder = value;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"tolerance", 't', "SHARE", 0,
		"How far from the median of its like a node may be; 5% is the default", 1},
	{0},
};
const struct argp sd_cmd_fleet_argp = {
	.options = options,
	.parser = handle,
	.args_doc = "FOLDER",
	.doc = "scalediag fleet finds the nodes that differ from their like, by the calibrations "
	       "of many:\nFOLDER has the profile (*.json) that 'scalediag calibrate -o' wrote on "
	       "each.\n"
	       "\n"
	       "  scalediag calibrate -o /shared/profiles/$(hostname).json     on every node\n"
	       "  scalediag fleet --tolerance 3% profiles\n"
	       "\n"
	       "Nodes are alike that have the CPU model, the CPUs and the caches in common. A node "
	       "is out when\nthe whole interval of one of its numbers is farther from the median "
	       "of its like than the\ntolerance, and than 4 median absolute deviations; fewer than "
	       "4 nodes are not judged.\nOf several profiles of a node, the newest counts.\n\v"
	       "Exit status: 0 no node is out, 1 some are, 4 none could be judged.\n",
	.children = sd_command_line_common,
};

static int is_named_json(const struct dirent *e)
{
	const size_t n = strlen(e->d_name);

	return e->d_name[0] != '.' && n > 5 && strcmp(e->d_name + n - 5, ".json") == 0;
}

/* 0 or -ENOMEM; what is no profile has been said, and is left out. */
static int add_profile(
	const struct sd_cli *cli, const char *folder, const char *name, struct sd_fleet *out)
{
	struct sd_profile p = {0};
	char *path;
	int rc;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return -ENOMEM;
	rc = sd_profile_read(path, &p, cli->sink);
	if (rc == 0)
		rc = sd_fleet_add(out, &p);
	sd_profile_free(&p);
	free(path);
	return rc == -ENOMEM ? rc : 0;
}

static enum sd_exit read_folder(const struct sd_cli *cli, const char *folder, struct sd_fleet *out)
{
	struct dirent **name = NULL;
	const int n = scandir(folder, &name, is_named_json, alphasort);
	int rc = n < 0 ? -errno : 0;

	for (int i = 0; i < n; i++) {
		if (!rc)
			rc = add_profile(cli, folder, name[i]->d_name, out);
		free(name[i]);
	}
	free(name);
	if (rc)
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s: %s", folder, strerror(-rc));
	else if (!out->n)
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"%s: has no profile (*.json) of 'scalediag calibrate -o'", folder);
	return rc || !out->n ? SD_EXIT_MEASURE : SD_EXIT_DONE;
}

static void print_finding(const struct sd_fleet *fleet, const struct sd_fleet_finding *f)
{
	const struct sd_fleet_node *const node = &fleet->node[f->node];
	const struct sd_interval v = node->number[f->number];

	printf("%s: %s %.4g %s (%.4g-%.4g), %+.1f %% from the median %.4g of %zu nodes\n",
		node->host, sd_node_numbers_name(f->number), v.value,
		sd_node_numbers_unit(f->number), v.low, v.high,
		f->median > 0 ? 100 * (v.value / f->median - 1) : 0, f->median, f->alike);
}

static enum sd_exit judge(
	const struct sd_cli *cli, const struct fleet_arguments *a, struct sd_fleet *fleet)
{
	struct sd_fleet_findings f;
	size_t out = 0;
	enum sd_exit status;

	if (sd_fleet_judge(fleet, a->tolerance, &f) != 0) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "out of memory");
		return SD_EXIT_MEASURE;
	}
	for (size_t i = 0; i < f.n; i++) {
		print_finding(fleet, &f.finding[i]);
		out += i == 0 || f.finding[i].node != f.finding[i - 1].node;
	}
	printf("%zu of %zu nodes out; %zu not judged: fewer than %d alike have their numbers\n",
		out, f.judged, fleet->n - f.judged, SD_FLEET_LEAST_NODES);
	status = !f.judged ? SD_EXIT_MEASURE : out ? SD_EXIT_CHECK : SD_EXIT_DONE;
	sd_fleet_findings_free(&f);
	return sd_print_report_end(cli) == SD_EXIT_DONE ? status : SD_EXIT_MEASURE;
}

enum sd_exit sd_cmd_fleet(const struct sd_cli *cli, int argc, char **argv)
{
	struct fleet_arguments a = {.sink = cli->sink, .tolerance = 0.05};
	struct sd_fleet fleet = {0};
	enum sd_exit status;

	if (sd_command_line_parse("fleet", &sd_cmd_fleet_argp, 0, argc, argv, &a, cli->sink) != 0)
		return SD_EXIT_USAGE;
	if (a.asked)
		return sd_command_help_answer(cli, "fleet", a.asked);
	if (!a.folder) {
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"no folder given: scalediag fleet FOLDER; see scalediag fleet --help");
		return SD_EXIT_USAGE;
	}
	status = read_folder(cli, a.folder, &fleet);
	if (status == SD_EXIT_DONE)
		status = judge(cli, &a, &fleet);
	sd_fleet_free(&fleet);
	return status;
}
