/*
 * Memory bandwidth: bandwidth.c plans the parts, bandwidth_cell.c measures them.
 */
#ifndef SD_BANDWIDTH_H
#define SD_BANDWIDTH_H

#include "harness/arena.h"
#include "bench/kernel.h"
#include "loops/stream.h"
#include "harness/team.h"
#include "base/clock.h"

#define SD_BANDWIDTH_COUNTS 64 /* most core counts */

/* One team on one set of CPUs; all ops are measured on it. */
struct sd_bandwidth_cell {
	enum sd_team_kind kind;
	enum sd_pages pages;
	char place[24];         /* "compact", "spread", "llc3", "numa1" */
	struct sd_cpulist cpus; /* owned */
	int all_isas;           /* every vector unit, not only the fastest */
};

struct sd_bandwidth {
	const struct sd_kernel_env *env;
	struct sd_bench_rows *rows;
	int only; /* an op, or -1 for all */
	struct sd_value effective;
	size_t cells, done; /* for the progress and the shares of the budget */
	double begin;       /* sd_clock_s() */
};

/* Measures one cell and appends its rows. 0, -EINTR or -ENOMEM. */
int sd_bandwidth_cell_run(struct sd_bandwidth *b, const struct sd_bandwidth_cell *cell);

#endif
