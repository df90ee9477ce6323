/*
 * The libraries that are preloaded into every run, of OpenMP, MPI and other tools' markers: were
 * they loaded?
 */
#ifndef SD_PRELOADS_H
#define SD_PRELOADS_H

#include "launch/launch.h"
#include "plan/measurement.h"

/* sd_launch(); sets SD_RUN_UNLOADED when the process with most CPU time was seen without one of
 * them. Nobody looks where none is preloaded, or where l->look is somebody else's. */
int sd_preloads_launch(const struct sd_measure *m, struct sd_launch *l, struct sd_run *run,
	const struct sd_sink *sink);

#endif
