/*
 * A calibration: the chosen kernels one after another, into a profile; with --repeat several times,
 * into one profile.
 */
#ifndef SD_CALIBRATE_NODE_H
#define SD_CALIBRATE_NODE_H

#include "options/calibrate_options.h"
#include "context/context.h"
#include "bench/profile.h"

/*
 * SD_EXIT_DONE and *out; SD_EXIT_USAGE, SD_EXIT_MEASURE or SD_EXIT_INTERRUPTED after a message,
 * *out empty: a part of a calibration is none.
 */
enum sd_exit sd_calibrate_node_measure(
	const struct sd_cli *cli, const struct sd_calibrate_options *a, struct sd_profile *out);

/*
 * How long the chosen kernels may take, s: as long as all of them would, so that those that were
 * asked for by name have the others' time and end when they have samples enough; of a brief
 * calibration their own part.
 */
double sd_calibrate_node_seconds(const struct sd_calibrate_options *a);

/*
 * For `run`: the profile of this machine from the cache, and one line about it for a person ("this
 * machine was calibrated 2 h ago: 47.6 GB/s of memory bandwidth", or what to do when there is
 * none). 0 and *out; -ENOENT none yet, -ESTALE of another machine or kernel, -EINVAL damaged
 * (said): *out empty, the line is written all the same.
 */
int sd_calibrate_node_find(const struct sd_topology *t, unsigned cores, struct sd_profile *out,
	char *line, size_t size, const struct sd_sink *sink);

/*
 * Are the CPUs still those that were measured? One that went offline leaves half a profile, which
 * is not to be saved. `where` is where the topology is read again (NULL: here). 1; 0 after one
 * message.
 */
int sd_calibrate_node_holds(const struct sd_profile *p, const struct sd_topology_source *where,
	const struct sd_sink *sink);

/* The key of this machine. 0 or -errno, said. */
int sd_calibrate_node_key(const struct sd_cli *cli, struct sd_profile_key *key);

#endif
