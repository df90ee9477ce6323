#include "commands/commands.h"

#include <argp.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/configs.h"
#include "base/nearest.h"
#include "views/events_view.h"
#include "probe/host_facts.h"
#include "help/command_help.h"
#include "options/command_line.h"
#include "options/common_values.h"
#include "run/print_report.h"
#include "metrics/metric_roles.h"
#include "run/config_tables.h"
#include "terminal/terminal_style.h"
#include "machine/topology.h"

/* Options without a letter. */
enum { CPU = 256, ROLE, LIST };

struct events_arguments {
	const struct sd_sink *sink;
	const char *cpu, *role, *configs;
	unsigned format; /* enum sd_format */
	int list, all;
};

#define AT(field) .at = offsetof(struct events_arguments, field)
static const struct sd_option_place places[] = {
	{CPU, SD_OPTION_TEXT, AT(cpu)},
	{ROLE, SD_OPTION_TEXT, AT(role)},
	{'f', SD_OPTION_CHOICE, AT(format)},
	{LIST, SD_OPTION_FLAG, AT(list)},
	{'a', SD_OPTION_FLAG, AT(all)},
	{'C', SD_OPTION_TEXT, AT(configs)},
	{0},
};

static const struct argp_option options[] = {
	{"cpu", CPU, "CPU", 0, "The map of that CPU (--list names them); else of this machine", 1},
	{"role", ROLE, "ROLE", 0, "That role only", 1},
	{"all", 'a', NULL, 0,
		"Every role of the map, with codes, scopes and notes, not only those that metrics use",
		1},
	{"list", LIST, NULL, 0, "The maps; with --role, what the role is on each of them", 1},
	{"format", 'f', "text|json", 0, "text is the default", 1},
	SD_OPTION_JSON(1),
	{"configs", 'C', "DIR", 0,
		"Maps from DIR/events instead of those built in; also SCALEDIAG_CONFIGS=DIR", 1},
	{0},
};
const struct argp sd_cmd_events_argp = {
	.options = options,
	.parser = sd_command_line_take,
	.doc = "scalediag events shows which hardware events stand for each role, and how they are encoded.\n"
	       "\n"
	       "  scalediag events                          on this machine\n"
	       "  scalediag events --cpu zen4               on another one\n"
	       "  scalediag events --cpu zen4 --all         with every detail\n"
	       "  scalediag events --list --role hitm_load  on every one\n",
	.children = sd_command_line_common,
};

/* Finds out what this machine has. Whatever cannot be found out stays empty. */
static void look_here(struct sd_events_view *v)
{
	struct sd_topology t = {0};
	struct sd_cpuid id;
	struct sd_host host;

	v->here = 1;
	sd_event_encode_pmus(&v->pmus);
	sd_cpu_model_read(&id, NULL);
	v->map = sd_event_map_set_select(&v->maps, &v->pmus, &id);
	if (sd_topology_load(&t, &(struct sd_topology_source){0}, NULL) == 0 &&
		sd_host_facts_read(&host, &t, NULL) == 0) {
		snprintf(v->cpu, sizeof v->cpu, "%s", host.cpu);
		snprintf(v->hypervisor, sizeof v->hypervisor, "%s", host.hypervisor);
		v->pmu = host.pmu;
	}
	sd_topology_free(&t);
}

static enum sd_exit refuse(const struct events_arguments *a, const char *option, const char *kind,
	const char *word, const char *best, const char *otherwise)
{
	if (best)
		sd_say(a->sink, SD_LEVEL_ERROR, "--%s '%s': no such %s; did you mean '%s'?", option,
			word, kind, best);
	else
		sd_say(a->sink, SD_LEVEL_ERROR, "--%s '%s': no such %s; %s", option, word, kind,
			otherwise);
	return SD_EXIT_USAGE;
}

static enum sd_exit refuse_role(const struct events_arguments *a)
{
	struct sd_nearest n;

	sd_nearest_begin(&n, a->role, strlen(a->role));
	for (int i = 0; i < SD_ROLE_COUNT; i++)
		sd_nearest_try(&n, sd_role_name((enum sd_role)i));
	return refuse(a, "role", "role", a->role, n.best, "scalediag events lists them");
}

static enum sd_exit refuse_cpu(const struct events_arguments *a, const struct sd_eventmaps *maps)
{
	struct sd_nearest n;

	sd_nearest_begin(&n, a->cpu, strlen(a->cpu));
	for (size_t i = 0; i < maps->n; i++)
		sd_nearest_try(&n, maps->map[i].family);
	return refuse(a, "cpu", "map", a->cpu, n.best, "scalediag events --list names them");
}

/* The roles that the family's metrics use, as the planner takes them; without metric tables all. */
static void find_order(struct sd_events_view *v)
{
	unsigned char can[SD_ROLE_COUNT] = {0};
	struct sd_config_tables tables = {0};

	for (int r = 0; r < SD_ROLE_COUNT; r++) {
		const struct sd_map_role *const role =
			sd_event_map_set_role(&v->maps, v->map, (enum sd_role)r, NULL);

		can[r] = role && role->n > 0 && !sd_role_is_sampled((enum sd_role)r);
	}
	if (sd_config_tables_load(&tables, NULL) == 0)
		v->n_order = sd_metric_roles_order(&tables.formulas, v->map->family, can, v->order);
	sd_config_tables_free(&tables);
}

/* 0 with the view's map and role chosen; else the exit status, after a message. */
static enum sd_exit choose(struct sd_events_view *v, const struct events_arguments *a)
{
	v->role = SD_ROLE_COUNT;
	if (a->role && sd_role_parse(a->role, &v->role) < 0)
		return refuse_role(a);
	if (a->list && a->cpu) {
		sd_say(a->sink, SD_LEVEL_ERROR, "--list shows every CPU: leave out --cpu");
		return SD_EXIT_USAGE;
	}
	if (a->cpu) {
		v->map = sd_event_map_set_find(&v->maps, a->cpu);
		if (!v->map)
			return refuse_cpu(a, &v->maps);
	} else if (!a->list) {
		look_here(v);
		if (!v->map) {
			sd_say(a->sink, SD_LEVEL_ERROR,
				"no map fits this machine, and there is none called generic");
			return SD_EXIT_MEASURE;
		}
	}
	return SD_EXIT_DONE;
}

/* Checks what is shown against what libpfm4 makes of it. */
static int check(const struct sd_events_view *v, const struct sd_sink *sink)
{
	for (size_t i = 0; i < v->maps.n; i++)
		if ((!v->map || v->map == &v->maps.map[i]) &&
			sd_event_encode_check(&v->maps.map[i], NULL, sink) < 0)
			return -EINVAL;
	return 0;
}

static enum sd_exit show(const struct sd_cli *cli, const struct events_arguments *a)
{
	const struct sd_report_style style = sd_terminal_style_of(stdout, NULL);
	struct sd_events_view v = {0};
	enum sd_exit status = SD_EXIT_MEASURE;
	int rc;

	if (sd_event_encode_open() < 0) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "libpfm4 does not start");
		return SD_EXIT_MEASURE;
	}
	if (sd_event_map_set_load(&v.maps, a->configs ? a->configs : sd_configs_dir(), cli->sink) ==
		0)
		status = choose(&v, a);
	if (status == SD_EXIT_DONE && v.map && v.role == SD_ROLE_COUNT && !a->all)
		find_order(&v);
	if (status == SD_EXIT_DONE && v.maps.n > 0 && check(&v, cli->sink) < 0)
		status = SD_EXIT_MEASURE;
	else if (status == SD_EXIT_DONE) {
		rc = a->format == SD_FORMAT_JSON ? sd_events_json(stdout, &v)
						 : sd_events_text(stdout, &v, &style);
		if (rc == -ENOMEM) {
			sd_say(cli->sink, SD_LEVEL_ERROR, "%s", strerror(ENOMEM));
			status = SD_EXIT_MEASURE;
		} else {
			status = sd_print_report_end(cli);
		}
	}
	sd_events_view_free(&v);
	sd_event_encode_close();
	return status;
}

enum sd_exit sd_cmd_events(const struct sd_cli *cli, int argc, char **argv)
{
	struct events_arguments a = {.sink = cli->sink};
	struct sd_command_line line = {
		.name = "events", .argp = &sd_cmd_events_argp, .place = places, .into = &a};
	enum sd_exit status;

	return sd_command_help_parse(cli, &line, argc, argv, &status) ? show(cli, &a) : status;
}
