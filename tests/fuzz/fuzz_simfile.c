/* The results of a simulated program, from a process that was not ours to trust. */
#include <stdint.h>

#include "simfile/sim_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_sim_file f;
	char why[80];

	if (sd_sim_file_parse(&f, (const char *)data, size, why, sizeof why) == 0)
		sd_sim_file_free(&f);
	return 0;
}
