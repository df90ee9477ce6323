/*
 * Calibrations of a fleet in one SQLite file, that several may write at once.
 *
 * The file has a rollback journal and no write-ahead log: a log's index is shared memory, which a
 * network file system does not have, and a store is where all nodes see it. A writer that finds the
 * file locked waits (SD_FLEET_STORE_WAIT_MS). For anybody's own questions, its tables are plain:
 * node, calibration (a column a number), kind, facts.
 */
#ifndef SD_FLEET_STORE_H
#define SD_FLEET_STORE_H

#include <stdint.h>

#include "base/sink.h"
#include "base/texts.h"
#include "fleet/fleet.h"

#define SD_FLEET_STORE_WAIT_MS 60000

struct sd_fleet_store;

/*
 * Opens the store at `path`; `create` for writing, and makes it where there is no file or an empty
 * one. A file that is no store of ours is left as it is. 0; -errno after a message.
 */
int sd_fleet_store_open(
	struct sd_fleet_store **out, const char *path, int create, const struct sd_sink *sink);
void sd_fleet_store_close(struct sd_fleet_store *s); /* accepts NULL */

/* Many additions as one: all of them are in the file after the end, or none. 0 or -errno, said. */
int sd_fleet_store_begin(struct sd_fleet_store *s);
int sd_fleet_store_end(struct sd_fleet_store *s, int keep);

/* Adds the node's calibration. 0; 1: that of this host and start is there already; -errno, said. */
int sd_fleet_store_add(struct sd_fleet_store *s, const struct sd_fleet_node *node);

/* Which calibration of each node: the newest of those that fit. */
struct sd_fleet_selection {
	double until; /* made until then, s since the epoch; 0: any */
	enum sd_node_fact fact;
	const char *text; /* and with this text of `fact`; NULL: any */
	const char *host; /* of this node alone; NULL: of all */
};

/*
 * Adds a node for each host to *fleet, with its pairs of CPUs where the newest of all is selected.
 * Takes time by the nodes, not by their calibrations, for {0} and `until`. 0 or -errno, said.
 */
int sd_fleet_store_read(
	struct sd_fleet_store *s, const struct sd_fleet_selection *which, struct sd_fleet *fleet);

/* Hands over each calibration, of one host or of all (NULL), by host and then time. The node is
 * `each`'s for the call only. What `each` returns, when it is not 0, ends it. 0 or -errno, said. */
int sd_fleet_store_each(struct sd_fleet_store *s, const char *host,
	int (*each)(void *ctx, const struct sd_fleet_node *node), void *ctx);

/* Steps of SQLite's machine that reading has taken: work, whatever the clock says. */
uint64_t sd_fleet_store_steps(const struct sd_fleet_store *s);

/* ---- sweeps: a calibration of many nodes that may be interrupted and resumed ----------------- */

/*
 * The sweep of these nodes that is not finished, or a new one: `name` says which nodes and how.
 * *left are those that have no calibration of it yet (the caller frees it). 0 or -errno, said.
 */
int sd_fleet_store_sweep_begin(struct sd_fleet_store *s, const char *name,
	const struct sd_texts *hosts, double now, int64_t *sweep, struct sd_texts *left);

/* A node of the sweep is done. 0 or -errno, said. */
int sd_fleet_store_sweep_done(struct sd_fleet_store *s, int64_t sweep, const char *host);

/* The sweep is finished: the next one of this name begins anew. 0 or -errno, said. */
int sd_fleet_store_sweep_end(struct sd_fleet_store *s, int64_t sweep, double now);

#endif
