#include "accounting/mpi_parts.h"

#include <math.h>

int sd_mpi_parts_known(const struct sd_run *run)
{
	return run->mpi && run->mpi->status == SD_STATUS_OK && run->mpi->divided &&
	       run->mpi->n_rank && run->mpi->elapsed > 0;
}

double sd_mpi_parts_split(const struct sd_run *run, unsigned n, double part[SD_PART_COUNT])
{
	const struct sd_mpi_run *const m = run->mpi;
	const struct sd_mpi_means of = sd_mpi_run_means(m);
	const double wall = run->metric[SD_METRIC_WALL].value, capacity = n * wall;
	const double elapsed = fmin(m->elapsed, wall),
		     busy = part[SD_PART_USER] + part[SD_PART_SYSTEM];
	const double ideal = fmax(m->ideal, of.longest), delayed = fmax(m->ideal_delayed, ideal);
	double left;

	part[SD_PART_IMBALANCE] = n * (of.longest - of.useful - of.io);
	part[SD_PART_SERIAL] = n * (ideal - of.longest);
	part[SD_PART_RUN_QUEUE] = n * (delayed - ideal);
	part[SD_PART_MPI] = n * fmax(0, elapsed - delayed);
	part[SD_PART_DISK] = n * of.io;
	part[SD_PART_LAUNCH] = n * (wall - elapsed);
	/* with more ranks than cores a core's share of a rank's time is smaller */
	left = capacity;
	for (int i = 0; i < SD_PART_COUNT; i++)
		left -= i == SD_PART_USER || i == SD_PART_SYSTEM ? 0 : part[i];
	left = fmax(0, left);
	/* CPU time inside MPI is polling, which is a wait */
	part[SD_PART_SYSTEM] = busy > 0 ? fmin(of.cpu, left) * part[SD_PART_SYSTEM] / busy : 0;
	part[SD_PART_USER] = fmin(of.cpu, left) - part[SD_PART_SYSTEM];
	return fmax(0, left - of.cpu);
}
