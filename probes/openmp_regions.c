/*
 * The parallel regions of a program of GCC's OpenMP, which the library preloaded into it has
 * logged.
 */
#include "probes/probes.h"

#include <errno.h>
#include <stdlib.h>

#include "probe/diagnosis_cache.h"
#include "openmp/omp_regions.h"
#include "symbols/symbols.h"

struct openmp {
	const char *folder;
	struct sd_stacks *stacks;
	struct sd_symbols *symbols; /* owned, or borrowed from what is kept */
	int kept;
};

static void forget(void *symbols)
{
	sd_symbols_close(symbols);
}

/* Those of earlier runs are kept: reading the lines of a program can take longer than a run. */
static int find_symbols(struct openmp *o, struct sd_diagnosis_cache *kept)
{
	int rc;

	o->kept = kept != NULL;
	o->symbols = kept ? kept->of[SD_KEPT_REGIONS].what : NULL;
	if (o->symbols) {
		sd_symbols_again(o->symbols);
		return 0;
	}
	rc = sd_symbols_open(&o->symbols, "");
	if (!rc && kept)
		sd_diagnosis_cache_keep(kept, SD_KEPT_REGIONS, o->symbols, forget);
	return rc;
}

static int openmp_open(void **state, const struct sd_probe_target *target)
{
	struct openmp *o;
	int rc;

	*state = NULL;
	if (!target->log_folder)
		return 0;
	o = malloc(sizeof *o);
	if (!o)
		return -ENOMEM;
	*o = (struct openmp){.folder = target->log_folder, .stacks = target->stacks};
	rc = find_symbols(o, target->kept);
	if (rc)
		free(o);
	else
		*state = o;
	return rc;
}

static void openmp_close(void *state)
{
	struct openmp *const o = state;

	if (o && !o->kept)
		sd_symbols_close(o->symbols);
	free(o);
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
	if (sd_omp_regions_add(o->folder, o->symbols, o->stacks, out))
		out->n_row = before;
	sd_omp_regions_remove(o->folder);
	sd_region_run_sort(out);
	run->regions = out;
	if (out->n_row)
		return;
	sd_region_run_free(out);
	run->regions = NULL;
}

const struct sd_probe sd_probe_openmp_regions = {
	.name = "openmp",
	.open = openmp_open,
	.stop = openmp_stop,
	.close = openmp_close,
};
