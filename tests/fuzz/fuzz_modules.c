/* A firmware's table of structures, from anywhere: sums of what it says, never more than it has. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "machine/memory_modules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_memory_modules m;

	sd_memory_modules_parse(data, size, &m);
	/* a structure has 25 bytes at least, with the end of its texts */
	if (m.modules > size / 25 || m.channels > m.modules || !memchr(m.text, 0, sizeof m.text))
		abort();
	if ((m.peak.status == SD_STATUS_OK) != (m.modules > 0) || !(m.peak.value >= 0))
		abort();
	return 0;
}
