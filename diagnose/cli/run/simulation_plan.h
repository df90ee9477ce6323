/*
 * The software PMU of `scalediag run`: whether it can run the program, on which modelled machine
 * and with which costs.
 */
#ifndef SD_SIMULATION_PLAN_H
#define SD_SIMULATION_PLAN_H

#include "context/context.h"
#include "record/options.h"
#include "record/record.h"
#include "machine/topology.h"

#define SD_SIMULATION_PLAN_WHY 300

/*
 * Stores why it cannot be an experiment for this program in why[SD_SIMULATION_PLAN_WHY]; "" if it
 * can. *plugin is owned by the caller, or NULL.
 */
void sd_simulation_plan_lacks(
	const struct sd_options *o, const struct sd_plan *plan, char **plugin, char *why);

/*
 * Completes the plan's simulation, if it has one: machine, costs, plugin (searched unless *plugin
 * is set). SD_EXIT_DONE, or another status after a message.
 */
enum sd_exit sd_simulation_plan_make(const struct sd_cli *cli, const struct sd_options *o,
	const struct sd_topology *t, struct sd_record *record, char **plugin);

#endif
