/* The file of old register bits: what is taken names CPUs that there can be. */
#include <stdint.h>
#include <stdlib.h>

#include "base/cpulist.h"
#include "experiment/saved_msr_bits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_saved_msr_bits o;

	if (sd_saved_msr_bits_parse((const char *)data, size, &o) != 0)
		return 0;
	if (!o.n || !o.msr)
		abort();
	for (size_t i = 0; i < o.n; i++)
		if (o.cpu[i].cpu >= SD_CPU_MAX)
			abort();
	sd_saved_msr_bits_free(&o);
	return 0;
}
