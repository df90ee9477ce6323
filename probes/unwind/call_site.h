/*
 * Whether an address can be one that a call returns to: what a guess by frame pointers must pass.
 */
#ifndef SD_CALL_SITE_H
#define SD_CALL_SITE_H

#include <stddef.h>

#define SD_CALL_SITE_BYTES 7 /* the longest call that is known */

/* `code` holds the n bytes before the address. machine: EM_*. */
int sd_call_site_before(int machine, const unsigned char *code, size_t n);

#endif
