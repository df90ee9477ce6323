/*
 * The log of a process of OpenMP, of any bytes: whatever it says, no number is beyond what one can
 * be, and no text without an end.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "openmp/omp_regions.h"
#include "trace/omp_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned node[SD_OMP_LOG_REGIONS];
	struct sd_omp_log *const log = calloc(1, sizeof *log);
	struct sd_region_run run = {0};

	if (!log)
		return 0;
	for (unsigned i = 0; i < SD_OMP_LOG_REGIONS; i++)
		node[i] = i % 7; /* regions of one code, too */
	memcpy(log, data, size < sizeof *log ? size : sizeof *log);
	if (!sd_omp_regions_check(log, sizeof *log)) {
		for (uint32_t i = 0; i < log->modules; i++)
			if (!memchr(log->module[i], '\0', sizeof log->module[i]))
				abort();
		if (!sd_omp_regions_take(log, node, &run))
			sd_region_run_sort(&run);
		for (size_t i = 0; i < run.n_row; i++)
			if (!(run.row[i].elapsed >= 0 && run.row[i].elapsed <= 1.000001e9) ||
				run.row[i].least > run.row[i].most)
				abort();
	}
	free(run.row);
	free(log);
	return 0;
}
