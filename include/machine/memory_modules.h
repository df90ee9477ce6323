/*
 * The memory modules, as the firmware describes them (SMBIOS), and the bandwidth they can have.
 */
#ifndef SD_MEMORY_MODULES_H
#define SD_MEMORY_MODULES_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct sd_memory_modules {
	unsigned modules;  /* that are plugged in and have a speed */
	unsigned channels; /* of different names; as many as modules where the names do not tell */
	int channels_named;
	uint64_t bytes;       /* of all modules */
	uint64_t transfers;   /* configured, 1/s, of the slowest */
	struct sd_value peak; /* B/s: the sum over channels of transfers/s x width */
	char text[160];       /* "8 x 32 GiB DDR5 at 4800 MT/s, 8 channels"; "" none known */
};

/*
 * From the structures of an SMBIOS table, n bytes from anywhere. Channels are told apart by a word
 * like "Channel B" or "CH3" in a module's locators, with what stands before it (the socket).
 * Source: DMTF DSP0134 (SMBIOS 3.6), 7.18 Memory Device (type 17).
 */
void sd_memory_modules_parse(const unsigned char *table, size_t n, struct sd_memory_modules *out);

/*
 * Reads them under `root` (NULL: this machine). peak says why there are none: denied, as only root
 * may read the table; absent, as in most virtual machines.
 */
void sd_memory_modules_read(struct sd_memory_modules *out, const char *root);

#endif
