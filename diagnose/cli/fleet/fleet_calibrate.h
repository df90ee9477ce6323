/*
 * `scalediag fleet calibrate`: a calibration of each of many nodes, into the store.
 */
#ifndef SD_FLEET_CALIBRATE_H
#define SD_FLEET_CALIBRATE_H

#include "context/context.h"
#include "fleet/fleet_options.h"

/* SD_EXIT_DONE: all of them; SD_EXIT_MEASURE: some failed, which were said; SD_EXIT_INTERRUPTED. */
enum sd_exit sd_fleet_calibrate(const struct sd_cli *cli, const struct sd_fleet_options *a);

#endif
