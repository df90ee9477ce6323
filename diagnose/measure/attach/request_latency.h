/*
 * How long what a running program does takes: of a region that it marks with scalediag.h, each
 * entry from begin to end. Requests of a service, mostly (--latency).
 */
#ifndef SD_REQUEST_LATENCY_H
#define SD_REQUEST_LATENCY_H

#include <signal.h>
#include <stdint.h>

#include "attach/marker_files.h"
#include "base/status.h"

#define SD_LATENCY_LASTS 128 /* as the program counts them: SD_MARKER_LASTS */

struct sd_latency {
	struct sd_marker_files files;
	const char *name; /* of the region; borrowed */
	uint32_t before[SD_LATENCY_LASTS];
	int lost; /* the program has cut a file: what was added up before is not in it */
};

/* Times of the entries that ended in a window, s, each known to an eighth; absent: none did. */
struct sd_latency_seen {
	struct sd_value p50, p99;
};

/* 0; after a message: -ENOENT: the program has not marked such a region yet; -ENOMEM (no message).
 * *l must be closed in every case. */
int sd_latency_open(struct sd_latency *l, const struct sd_attached *program, const char *name,
	const struct sd_sink *sink);
void sd_latency_close(struct sd_latency *l); /* accepts the zeroed value */

/* A window begins, and ends. */
void sd_latency_begin(struct sd_latency *l);
struct sd_latency_seen sd_latency_end(struct sd_latency *l);

/* One of so many seconds, and nothing else; absent when *stop is set in it. */
struct sd_latency_seen sd_latency_watch(
	struct sd_latency *l, double seconds, const volatile sig_atomic_t *stop);

/* The time that a share of so many entries stayed below, by how long each took. */
struct sd_value sd_latency_percentile(const uint32_t lasted[SD_LATENCY_LASTS], double share);

#endif
