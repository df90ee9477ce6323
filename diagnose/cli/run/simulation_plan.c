#include "run/simulation_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simulate/qemu_command.h"
#include "simulate/machine_model.h"

/* Beyond a hit in L1, which every cycle of an instruction already holds: about 5 cycles. */
static unsigned cycles_of(struct sd_value seconds, double hz)
{
	const double cycles = sd_has(seconds) ? seconds.value * hz - 5 : 0;

	return cycles < 1 ? 1 : cycles > 1e5 ? 100000 : (unsigned)(cycles + .5);
}

/* The latency model charges what this host was calibrated to cost, when it models this host. */
static void take_costs(struct sd_plan_simulation *s, const struct sd_record *r)
{
	const struct sd_calibration *const c = &r->calibration;
	const double hz = sd_has(r->host.tsc_hz) ? r->host.tsc_hz.value : 0;

	if (strcmp(s->machine.name, "host") != 0 || hz <= 0 || !sd_has(c->llc) ||
		!sd_has(c->dram) || !sd_has(c->line) || !sd_has(c->walk))
		return;
	s->costs = (struct sd_sim_costs){.hz = hz,
		.l2 = cycles_of(sd_has(c->l2) ? c->l2 : c->llc, hz),
		.llc = cycles_of(c->llc, hz),
		.memory = cycles_of(c->dram, hz),
		.transfer = cycles_of(c->line, hz),
		.walk = cycles_of(c->walk, hz)};
}

static int warn_elevated(
	const struct sd_options *o, struct sd_record *record, const struct sd_sink *sink)
{
	char text[256];

	snprintf(text, sizeof text,
		"%.100s is set-user-ID or set-group-ID: emulated it runs without those rights, and "
		"may do something else",
		o->argv[0]);
	sd_say(sink, SD_LEVEL_WARNING, "%s", text);
	return sd_texts_add_once(&record->warnings, text);
}

/* The emulator takes the program, as far as can be seen before a run. */
static int check_emulator(const struct sd_options *o, const char *plugin,
	const struct sd_plan_simulation *simulation, int *elevated, const struct sd_sink *sink)
{
	struct sd_qemu_command e = {.plugin = plugin,
		.output = "",
		.simulation = simulation,
		.cores = 1,
		.cwd = o->cwd};
	char **command = NULL;
	int rc;

	e.elevated = elevated;
	if (strstr(o->argv[0], "{n}"))
		return 0;
	rc = sd_qemu_command_argv(&e, o->argv, environ, &command, sink);
	for (size_t i = 0; command && command[i]; i++)
		free(command[i]);
	free(command);
	return rc;
}

static void keep_text(void *ctx, enum sd_level level, const char *text)
{
	(void)level;
	snprintf(ctx, SD_SIMULATION_PLAN_WHY, "%s", text);
}

void sd_simulation_plan_lacks(
	const struct sd_options *o, const struct sd_plan *plan, char **plugin, char *why)
{
	const struct sd_plan_simulation none = {0};
	const struct sd_sink kept = {.emit = keep_text, .ctx = why};
	int elevated = 0;

	why[0] = '\0';
	*plugin = NULL;
	if (plan->simulation) {
		snprintf(why, SD_SIMULATION_PLAN_WHY, "every count is simulated: --events sim");
		return;
	}
	*plugin = sd_qemu_command_plugin(&kept);
	if (*plugin && check_emulator(o, *plugin, &none, &elevated, &kept) == 0)
		snprintf(why, SD_SIMULATION_PLAN_WHY, "%s",
			elevated ? "the program is set-user-ID or set-group-ID, and emulated it "
				   "lacks those rights"
				 : "");
	else if (!why[0])
		snprintf(why, SD_SIMULATION_PLAN_WHY, "out of memory");
}

enum sd_exit sd_simulation_plan_make(const struct sd_cli *cli, const struct sd_options *o,
	const struct sd_topology *t, struct sd_record *record, char **plugin)
{
	struct sd_plan_simulation *const simulation = record->plan.simulation;
	int elevated = 0;

	if (!simulation)
		return SD_EXIT_DONE;
	/* first what must be installed: what is modelled matters only then */
	if (!*plugin)
		*plugin = sd_qemu_command_plugin(cli->sink);
	if (!*plugin || check_emulator(o, *plugin, simulation, &elevated, cli->sink))
		return SD_EXIT_MEASURE;
	if (o->events == SD_EVENTS_MODEL)
		return SD_EXIT_DONE;
	/* whoever did not ask for the software PMU need not choose what it models */
	if (!o->resume && sd_machine_find(o->machine, t, &simulation->machine,
				  o->events == SD_EVENTS_SIM ? cli->sink : NULL) < 0)
		return SD_EXIT_USAGE;
	if (!o->resume)
		take_costs(simulation, record);
	if (elevated && warn_elevated(o, record, cli->sink))
		return SD_EXIT_MEASURE;
	return SD_EXIT_DONE;
}
