/*
 * Packs roles into passes: sets that fit the counters at the same time. Pure; the caller decides
 * whether a set fits.
 */
#ifndef SD_COUNTER_PASSES_H
#define SD_COUNTER_PASSES_H

#include <stddef.h>

#define SD_COUNTER_PASSES_NO_LEADER ((size_t)-1)

/* One thing to place. */
struct sd_counter_passes_item {
	int skip;      /* cannot be counted; in no pass */
	int base;      /* wanted in every pass */
	size_t leader; /* index of an item that must be in the same pass; or none */
};

struct sd_pass {
	size_t *member; /* owned; indices of items */
	size_t n;
};

struct sd_counter_passes {
	struct sd_pass *pass; /* owned */
	size_t n;
	unsigned char
		*left; /* owned; [item] = 1: no room in `most` passes; 2: does not fit even alone */
};

struct sd_counter_passes_ask {
	const struct sd_counter_passes_item *item; /* most important first */
	size_t n;
	size_t most; /* passes; 0 = no limit */
	/* 1 fits, 0 does not, -errno ends the packing */
	int (*fits)(void *ctx, const size_t *member, size_t n);
	void *ctx;
};

/*
 * First fit, in order of importance. Base items that do not fit together are placed like the
 * others; an item that does not fit beside all base items gets a pass with fewer of them. No pass
 * if nothing can be counted. 0; -ENOMEM; what `fits` returned. *out is empty on failure.
 */
int sd_counter_passes_make(struct sd_counter_passes *out, const struct sd_counter_passes_ask *ask);
void sd_counter_passes_free(struct sd_counter_passes *p); /* accepts the zeroed value */

#endif
