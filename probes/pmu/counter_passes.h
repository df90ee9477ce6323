/*
 * Packs roles into passes: sets that the counters hold at once. Pure but for the question whether a
 * set fits, which is the caller's.
 */
#ifndef SD_COUNTER_PASSES_H
#define SD_COUNTER_PASSES_H

#include <stddef.h>

#define SD_COUNTER_PASSES_NO_LEADER ((size_t)-1)

/* One thing to place. */
struct sd_counter_passes_item {
	int skip;      /* cannot be counted; in no pass */
	int base;      /* wanted in every pass */
	size_t leader; /* index of the item that must be in its pass; or none */
};

struct sd_pass {
	size_t *member; /* owned; indices of items */
	size_t n;
};

struct sd_counter_passes {
	struct sd_pass *pass; /* owned */
	size_t n;
	unsigned char *left; /* owned; [item] = 1: no room for it in `most` passes; 2: it does not
				fit even alone */
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
 * First fit, in the order of importance. Base items that do not fit together are placed like the
 * others; an item whose pass with the bases does not fit gets one with fewer of them. No pass when
 * nothing can be counted. 0; -ENOMEM; what `fits` returned. *out is empty on failure.
 */
int sd_counter_passes_make(struct sd_counter_passes *out, const struct sd_counter_passes_ask *ask);
void sd_counter_passes_free(struct sd_counter_passes *p); /* accepts the zeroed value */

#endif
