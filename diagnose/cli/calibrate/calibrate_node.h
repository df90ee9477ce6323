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
 * SD_EXIT_DONE and *out; else SD_EXIT_USAGE, SD_EXIT_MEASURE or SD_EXIT_INTERRUPTED after a
 * message, with *out empty: a partial calibration is useless.
 */
enum sd_exit sd_calibrate_node_measure(
	const struct sd_cli *cli, const struct sd_calibrate_options *a, struct sd_profile *out);

/*
 * Time limit for the chosen kernels, s: that of all kernels, so that kernels chosen by name get the
 * others' time and end when they have enough samples; in a brief calibration their own share.
 */
double sd_calibrate_node_seconds(const struct sd_calibrate_options *a);

/*
 * For `run`: this machine's profile from the cache, and a line about it for the user ("this machine
 * was calibrated 2 h ago: 47.6 GB/s of memory bandwidth", or what to do if there is none). 0 and
 * *out. Otherwise *out is empty, but the line is written: -ENOENT: none yet; -ESTALE: of another
 * machine or kernel; -EINVAL after a message: damaged.
 */
int sd_calibrate_node_find(const struct sd_topology *t, unsigned cores, struct sd_profile *out,
	char *line, size_t size, const struct sd_sink *sink);

/*
 * Are the CPUs still those that were measured? If one went offline the profile is incomplete and
 * must not be saved. `where` is where to read the topology again (NULL: this machine). 1; 0 after a
 * message.
 */
int sd_calibrate_node_holds(const struct sd_profile *p, const struct sd_topology_source *where,
	const struct sd_sink *sink);

/* The key of this machine. 0, or -errno after a message. */
int sd_calibrate_node_key(const struct sd_cli *cli, struct sd_profile_key *key);

#endif
