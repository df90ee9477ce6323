/*
 * Code that is in no file, as JIT compilers write it: copied while its process lives.
 */
#ifndef SD_CODE_COPIES_H
#define SD_CODE_COPIES_H

#include "base/key_table.h"

#define SD_CODE_COPIES_PAGE 4096u
#define SD_CODE_COPIES_MOST 4096u /* pages of a run; of later ones nothing is known */

/* A zeroed one is empty. */
struct sd_code_copies {
	struct sd_code_page {
		unsigned char byte[SD_CODE_COPIES_PAGE];
		int changed; /* code was written over other code: which one ran when is not known */
	} * *page;           /* owned, each owned */
	size_t n;
	struct sd_key_table at; /* (pid + 1, number of the page) -> index + 1 */
	struct sd_code_range {
		int pid;
		uint64_t from, to;
	} * range; /* owned; executable memory of no file */
	size_t n_range;
	unsigned looks;
};

/* Notes executable memory of no file, of which the next look takes copies. 0 or -ENOMEM. */
int sd_code_copies_note(struct sd_code_copies *c, int pid, uint64_t from, uint64_t to);

/* Copies what is noted: at each of the first looks, later at every tenth. What cannot be read is
 * left out. 0 or -ENOMEM. */
int sd_code_copies_look(struct sd_code_copies *c);

/* Copies up to `max` bytes of a process's code at an address. Returns how many are known. */
size_t sd_code_copies_read(
	const struct sd_code_copies *c, int pid, uint64_t address, unsigned char *out, size_t max);

/* The same as it was at the last look, where it was written over as well: of calls that lead
 * elsewhere since, all but that is right. For sd_symbols_copies(). */
size_t sd_code_copies_last(
	const void *copies, int pid, uint64_t address, unsigned char *out, size_t max);

void sd_code_copies_free(struct sd_code_copies *c); /* leaves an empty one */

#endif
