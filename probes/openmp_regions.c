/*
 * The parallel regions of a program of GCC's OpenMP, which the library preloaded into it has
 * logged.
 */
#include "probes/probes.h"

#include <errno.h>
#include <stdlib.h>

#include "openmp/omp_regions.h"

struct openmp {
	const char *folder;
	struct sd_stacks *stacks;
};

static int openmp_open(void **state, const struct sd_probe_target *target)
{
	struct openmp *o;

	*state = NULL;
	if (!target->omp_folder)
		return 0;
	o = malloc(sizeof *o);
	if (!o)
		return -ENOMEM;
	*o = (struct openmp){target->omp_folder, target->stacks};
	*state = o;
	return 0;
}

static void openmp_stop(void *state, struct sd_run *run)
{
	const struct openmp *const o = state;
	struct sd_region_run *const out = !o             ? NULL
					  : run->regions ? run->regions
							 : calloc(1, sizeof *out);
	const size_t before = out ? out->n_row : 0;

	if (!out)
		return;
	/* half of the regions are as none: the others' times would be taken for all */
	if (sd_omp_regions_add(o->folder, o->stacks, out))
		out->n_row = before;
	sd_omp_regions_remove(o->folder);
	sd_region_run_sort(out);
	run->regions = out;
	if (out->n_row)
		return;
	sd_region_run_free(out);
	run->regions = NULL;
}

static void openmp_fail(int error, struct sd_run *run)
{
	(void)error;
	(void)run;
}

const struct sd_probe sd_probe_openmp_regions = {
	.name = "openmp",
	.open = openmp_open,
	.stop = openmp_stop,
	.close = free,
	.fail = openmp_fail,
};
