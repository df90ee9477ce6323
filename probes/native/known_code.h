/*
 * Instructions of which samples tell the addresses: an access whose address a sample does not tell,
 * since it is in another loop than the sampled instruction, is of an instruction whose own samples
 * may tell it, and with whom it meets there.
 */
#ifndef SD_KNOWN_CODE_H
#define SD_KNOWN_CODE_H

#include "native/watched_samples.h"

/* Zeroed is empty. */
struct sd_known_code {
	struct sd_key_table by; /* (memory, instruction) -> touches, and those that met others */
};

/* Counts the touches of w's samples, once their turns are found. 0 or -ENOMEM. */
int sd_known_code_make(struct sd_known_code *k, const struct sd_native_watch *w);

/* Share of a sample's time at which what it does not tell may meet others' accesses, at most, 0..1:
 * Wilson's upper end of the share of those touches of the same instructions, the largest of
 * several; 1 where no sample tells their addresses either. */
double sd_known_code_open(const struct sd_known_code *k, const struct sd_native_watch *w,
	const struct sd_touch_sample *s);

void sd_known_code_free(struct sd_known_code *k); /* leaves an empty one */

#endif
