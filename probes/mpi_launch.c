#include "probes/probes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_fragment.h"

/*
 * The time between MPI_Init() and MPI_Finalize() of ranks whose calls are not logged: a part of the
 * run that is judged alone, as a marked region is.
 */
static int launch_open(void **state, const struct sd_probe_target *target)
{
	*state = target->mpi_folder ? strdup(target->mpi_folder) : NULL;
	return target->mpi_folder && !*state ? -ENOMEM : 0;
}

/* Nothing where a rank logged its calls, died or left no log: then the whole run is judged. */
static int take(const struct sd_mpi_fragments *f, struct sd_mpi_run *run, struct sd_region_span *at)
{
	double cpu = 0;

	*at = (struct sd_region_span){UINT64_MAX, 0};
	for (size_t k = 0; k < f->n_rank; k++) {
		const struct sd_mpi_rank *const r = &f->rank[k];
		const struct sd_mpi_log *const h = r->head;
		const double startup = (double)(h->inited - h->loaded) * 1e-9;

		if (h->size_of_event || r->unfinished)
			return 0;
		at->from = h->inited < at->from ? h->inited : at->from;
		at->to = h->final > at->to ? h->final : at->to;
		run->startup = startup > run->startup ? startup : run->startup;
		cpu += (double)h->process_cpu * 1e-9;
	}
	if (!f->n_rank || f->n_rank < f->rank[0].head->ranks || at->to <= at->from)
		return 0;
	run->status = SD_STATUS_UNSUPPORTED;
	run->launch = 1;
	run->expected = (unsigned)f->n_rank;
	run->elapsed = (double)(at->to - at->from) * 1e-9;
	/* a rank below a filter of system calls does not ask for its CPU time */
	run->cpu = cpu > 0 ? SD_OK(cpu) : SD_NOT(ABSENT);
	return 1;
}

/* 0 or -ENOMEM. */
static int note_span(struct sd_run *run, const struct sd_region_span *at)
{
	struct sd_region_run *const r = run->regions ? run->regions : calloc(1, sizeof *r);

	run->regions = r;
	if (!r)
		return -ENOMEM;
	r->span = calloc(1, sizeof *r->span);
	if (!r->span)
		return -ENOMEM;
	*r->span = *at;
	r->n_span = 1;
	return 0;
}

static void launch_stop(void *state, struct sd_run *run)
{
	struct sd_mpi_run *const out = state ? calloc(1, sizeof *out) : NULL;
	struct sd_region_span at;
	struct sd_mpi_fragments f;

	if (!out || sd_mpi_fragments_open(&f, state)) {
		free(out);
		return;
	}
	if ((!run->regions || !run->regions->n_span) && take(&f, out, &at) && !note_span(run, &at))
		run->mpi = out;
	else
		sd_mpi_run_free(out);
	sd_mpi_fragments_close(&f);
}

const struct sd_probe sd_probe_mpi_launch = {
	.name = "mpi-launch",
	.open = launch_open,
	.stop = launch_stop,
	.close = free,
};
