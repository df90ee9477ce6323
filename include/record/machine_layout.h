/*
 * The machine as reports draw it: its CPUs and what they share, their distances, and loaded memory
 * latency. Copied into the record so that a report needs no other file.
 */
#ifndef SD_MACHINE_LAYOUT_H
#define SD_MACHINE_LAYOUT_H

#include <stddef.h>

#include "machine/topology.h"

/* Limits of a record. */
#define SD_MACHINE_LAYOUT_PUS 65536u
#define SD_MACHINE_LAYOUT_PAIRS 512u  /* CPUs of the matrix */
#define SD_MACHINE_LAYOUT_LOADED 16u  /* curves */
#define SD_MACHINE_LAYOUT_POINTS 512u /* of a curve */

/* Round trip of a contended cache line between two CPUs, from the calibration. */
struct sd_pairs {
	unsigned *cpu; /* owned; n */
	double *s;     /* owned; s[a * n + b] seconds, symmetric; < 0 not measured */
	size_t n;
};

/* Latency of a dependent load while other cores move data: a bandwidth-latency curve (Mess). */
struct sd_loaded {
	char mix[8];                 /* reads to writes: "read", "2:1", "1:1" */
	double *bandwidth, *latency; /* owned; n; bytes/s of all cores together, s */
	size_t n;
};

struct sd_machine_layout {
	struct sd_pu *pu; /* owned; ascending by `os`; empty in an imported record */
	size_t n_pu;
	struct sd_pairs pairs;
	struct sd_loaded *loaded; /* owned */
	size_t n_loaded;
};

void sd_machine_layout_free(struct sd_machine_layout *l); /* accepts the zeroed value, leaves it */

#endif
