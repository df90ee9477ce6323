/*
 * The software PMU of `scalediag run`: whether it can run the program, on which machine and at
 * which costs.
 */
#ifndef SD_SIMULATION_PLAN_H
#define SD_SIMULATION_PLAN_H

#include "context/context.h"
#include "record/options.h"
#include "record/record.h"
#include "machine/topology.h"

#define SD_SIMULATION_PLAN_WHY 300

/*
 * Why it cannot be an experiment of this program, as a text into why[SD_SIMULATION_PLAN_WHY]; ""
 * when it can. *plugin is a fresh string, or NULL.
 */
void sd_simulation_plan_lacks(
	const struct sd_options *o, const struct sd_plan *plan, char **plugin, char *why);

/*
 * Completes the plan's simulation, if it has one: machine, costs, plugin (found unless *plugin is
 * there). SD_EXIT_DONE, else said.
 */
enum sd_exit sd_simulation_plan_make(const struct sd_cli *cli, const struct sd_options *o,
	const struct sd_topology *t, struct sd_record *record, char **plugin);

#endif
