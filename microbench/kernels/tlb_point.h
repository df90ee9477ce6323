/*
 * One point of the TLB's curve: what an access costs when so many pages are visited in turn.
 */
#ifndef SD_TLB_POINT_H
#define SD_TLB_POINT_H

#include "base/cpulist.h"
#include "curves/reach.h"
#include "harness/arena.h"
#include "harness/kernel_steps.h"
#include "harness/team.h"

struct sd_tlb_point {
	struct sd_kernel_env env; /* the kernel's, without states: a core's TLB has none */
	struct sd_kernel_steps steps;
	struct sd_team team;
	struct sd_cpulist cpus;
	enum sd_pages pages;
	size_t page;
	struct sd_arena sparse, dense;
	unsigned lines; /* of this measurement */
	double ns[3];   /* an access: one line a page, packed, a few lines */
};

/* Starts the thread and touches `most` pages, in random order: neighbouring pages then seldom lie
 * side by side in memory, and cores that merge such pages into one entry do not. 0 or -errno. */
int sd_tlb_point_prepare(struct sd_tlb_point *t, unsigned most);

/* Measures n pages, adds the rows and lowers *f to what was faster. 0 or -errno. */
int sd_tlb_point_measure(struct sd_tlb_point *t, unsigned n, unsigned wanted,
	struct sd_bench_rows *rows, struct sd_fastest *f);

#endif
