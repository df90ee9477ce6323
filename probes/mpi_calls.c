#include "probes/probes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/mpi_fragment.h"
#include "mpi/mpi_sites.h"
#include "probe/accountant.h"

/*
 * Reads the logs of the library preloaded into MPI ranks when the launcher has ended, names their
 * call sites, and hands them to the accountant, which replays them.
 */
struct mpi_calls {
	const char *folder;
	struct sd_stacks *stacks;
	const struct sd_accountant *accountant;
};

static int mpi_open(void **state, const struct sd_probe_target *target)
{
	struct mpi_calls *s;

	*state = NULL;
	if (!target->mpi_folder || !target->accountant)
		return 0; /* no MPI program: nothing is lacking */
	s = calloc(1, sizeof *s);
	if (!s)
		return -ENOMEM;
	*s = (struct mpi_calls){target->mpi_folder, target->stacks, target->accountant};
	*state = s;
	return 0;
}

/* Fragments of a run before this one are not its. */
static void mpi_start(void *state)
{
	const struct mpi_calls *const s = state;

	if (s)
		sd_mpi_fragments_remove(s->folder);
}

/* The rows of the run's hosts, and of each rank which is its own. 0 or -ENOMEM. */
static int name_hosts(const struct sd_mpi_fragments *f, struct sd_mpi_run *run, unsigned *host)
{
	run->host = calloc(
		f->n_rank < SD_MPI_RUN_HOSTS ? f->n_rank + 1 : SD_MPI_RUN_HOSTS, sizeof *run->host);
	if (!run->host)
		return -ENOMEM;
	for (size_t k = 0; k < f->n_rank; k++) {
		const char *const name = f->rank[k].head->host;
		size_t h = run->n_host;

		/* ranks of a node are mostly next to each other */
		for (size_t i = run->n_host; i > 0 && h == run->n_host; i--)
			h = strcmp(run->host[i - 1].name, name) ? h : i - 1;
		if (h == run->n_host && h < SD_MPI_RUN_HOSTS)
			snprintf(run->host[run->n_host++].name, sizeof run->host->name, "%s", name);
		host[k] = (unsigned)(h < SD_MPI_RUN_HOSTS ? h : SD_MPI_RUN_HOSTS - 1);
	}
	return 0;
}

static int account(const struct mpi_calls *s, struct sd_mpi_fragments *f, struct sd_mpi_run *run)
{
	static const char *const library[] = {"MPICH", "Open MPI", "MPI 5"};
	unsigned *const host = calloc(f->n_rank + 1, sizeof *host);
	const struct sd_mpi_ranks ranks = {f->rank, f->n_rank, f->rank[0].head->ranks, host};
	struct sd_mpi_sites sites = {0};
	int rc = host ? name_hosts(f, run, host) : -ENOMEM;

	snprintf(run->library, sizeof run->library, "%s", library[f->rank[0].head->abi]);
	rc = rc ? rc : sd_mpi_sites_make(&sites, f, s->stacks, run);
	rc = rc ? rc : s->accountant->ranks(&ranks, run);
	sd_mpi_sites_free(&sites);
	free(host);
	return rc;
}

/* Ranks that another process has started (srun has slurmstepd do it) are nobody of the run's
 * process tree, whose CPU time is then far below theirs: on this node they were taken for others.
 */
static void take_from_foreign(const struct sd_mpi_fragments *f, struct sd_run *run)
{
	struct sd_value *const foreign = &run->metric[SD_METRIC_FOREIGN];
	const struct sd_value tree = run->metric[SD_METRIC_TASK_CLOCK];
	char host[64] = "";
	double cpu = 0;

	gethostname(host, sizeof host - 1);
	for (size_t k = 0; k < f->n_rank; k++)
		if (strcmp(f->rank[k].head->host, host) == 0)
			cpu += (double)f->rank[k].head->process_cpu * 1e-9;
	if (sd_has(*foreign) && sd_has(tree) && tree.value < cpu / 2)
		foreign->value = foreign->value > cpu ? foreign->value - cpu : 0;
}

static void mpi_stop(void *state, struct sd_run *run)
{
	const struct mpi_calls *const s = state;
	struct sd_mpi_run *const out = s ? calloc(1, sizeof *out) : NULL;
	struct sd_mpi_fragments f;
	int rc;

	if (!s)
		return;
	rc = out ? sd_mpi_fragments_open(&f, s->folder) : -ENOMEM;

	if (!rc && f.n_rank && !run->mpi)
		rc = f.rank[0].head->size_of_event ? account(s, &f, out) : -ENODATA;
	if (!rc && f.n_rank)
		take_from_foreign(&f, run);
	else if (!rc) {
		out->status = SD_STATUS_UNSUPPORTED;
		snprintf(out->why, sizeof out->why, "%s",
			f.unreadable ? "no rank came out of MPI_Init()"
				     : "no process called MPI_Init() of a shared MPI library");
	}
	if (out)
		sd_mpi_fragments_close(&f);
	if (!rc && !run->mpi) /* `mpi-launch` may have told all there is */
		run->mpi = out;
	else
		sd_mpi_run_free(out);
	sd_mpi_fragments_remove(s->folder);
}

const struct sd_probe sd_probe_mpi_calls = {
	.name = "mpi",
	.open = mpi_open,
	.start = mpi_start,
	.stop = mpi_stop,
	.close = free,
};
