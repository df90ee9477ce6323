/*
 * Addresses of an emulated program by name: code as nodes of a record's stacks, data as variables,
 * heap blocks and stacks.
 */
#ifndef SD_SIMADDRESS_H
#define SD_SIMADDRESS_H

#include <stddef.h>
#include <stdint.h>

#include "simfile/sim_file.h"
#include "record/stacks.h"
#include "symbols/symbols.h"

struct sd_simaddress {
	const struct sd_simfile *f;
	struct sd_stacks *stacks;
	struct sd_symbols *symbols;
};

/* Tells the symbols what the file says is mapped. 0 or -ENOMEM. */
int sd_simaddress_maps(const struct sd_simaddress *n);

/* The node of an instruction, or of the call before a return address (`caller`), below `parent`. */
int sd_simaddress_code(
	const struct sd_simaddress *n, uint64_t pc, int caller, unsigned parent, unsigned *out);

/* The node of an allocation with its callers; 0: none. */
int sd_simaddress_site(
	const struct sd_simaddress *n, const struct sd_simfile_site *site, unsigned *out);

/*
 * "counters+0x40", "heap block of 320 bytes at +64", "stack of thread 3"; "" unknown. Of line `l`,
 * which may be NULL. Where the variable or block begins; 0: it is none.
 */
uint64_t sd_simaddress_data(const struct sd_simaddress *n, uint64_t address,
	const struct sd_simfile_contested *l, char *out, size_t size);

/* Where the function of an address begins in its file, *module; 0 and NULL unknown. */
uint64_t sd_simaddress_function(const struct sd_simaddress *n, uint64_t pc, const char **module);

#endif
