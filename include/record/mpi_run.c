#include "record/mpi_run.h"

#include <math.h>
#include <stdlib.h>

struct sd_mpi_means sd_mpi_run_means(const struct sd_mpi_run *m)
{
	struct sd_mpi_means of = {0};

	for (size_t i = 0; i < m->n_rank; i++) {
		const struct sd_mpi_rank_time *const r = &m->rank[i];

		of.useful += r->useful / (double)m->n_rank;
		of.io += r->io / (double)m->n_rank;
		of.longest = fmax(of.longest, r->useful + r->io);
		of.cpu += r->cpu;
	}
	return of;
}

void sd_mpi_run_free(struct sd_mpi_run *m)
{
	if (!m)
		return;
	free(m->host);
	free(m->rank);
	free(m->site);
	free(m->wait);
	free(m);
}
