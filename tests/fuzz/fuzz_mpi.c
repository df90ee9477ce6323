/*
 * The logs of two ranks, of the same or of other bytes: whatever they are, they are replayed in
 * bounds, and no time is lost or made.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_account.h"
#include "mpi/mpi_fragment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void account(struct sd_mpi_rank *rank, size_t n, const uint32_t *site)
{
	const unsigned host[2] = {0, 1};
	const struct sd_mpi_ranks ranks = {rank, n, n, host};
	struct sd_mpi_run *const run = calloc(1, sizeof *run);

	for (size_t i = 0; i < n; i++)
		rank[i].site = site;
	if (run) {
		run->n_host = 2;
		if (!sd_mpi_account(&ranks, run) && run->divided &&
			!(run->ideal >= 0 && run->ideal <= run->ideal_delayed &&
				run->ideal_delayed <= run->elapsed && isfinite(run->elapsed)))
			abort();
	}
	sd_mpi_run_free(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t site[SD_MPI_LOG_SITES];
	struct sd_mpi_rank rank[2];
	size_t n = 0, half = size / 2 & ~(size_t)7;
	void *copy[2] = {malloc(size + 1), malloc(size + 1)};

	/* one log for both, or the halves */
	for (size_t i = 0; i < 2 && copy[i]; i++) {
		const size_t from = size >= 2 * sizeof(struct sd_mpi_log) ? i * half : 0;
		const size_t length = from || size >= 2 * sizeof(struct sd_mpi_log) ? half : size;

		memcpy(copy[i], data + from, length);
		n += sd_mpi_fragment_check(copy[i], length, &rank[n]) == 0;
	}
	if (n)
		account(rank, n, site);
	free(copy[0]);
	free(copy[1]);
	return 0;
}
