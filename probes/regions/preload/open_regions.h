/*
 * Regions that may overlap, or end on another thread than they began on: each is known by a key,
 * and not by its place among those of its thread.
 */
#ifndef SD_OPEN_REGIONS_H
#define SD_OPEN_REGIONS_H

#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

struct sd_open_key {
	uint64_t a, b, c, d;
};

/* One of that key begins, again and again too. */
void sd_open_begin(const struct sd_open_key *key, const char *name);

/* The one of that key that began last ends. 0: there is none in this process. */
int sd_open_end(const struct sd_open_key *key);

/* Ends the innermost region of the calling thread, whatever its name. */
void sd_open_end_innermost(void);

#endif
