/*
 * A hash table from pairs of numbers to a number. All symbol caches are indexed by it.
 */
#ifndef SD_KEY_TABLE_H
#define SD_KEY_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* A zeroed one is empty. */
struct sd_key_table {
	struct sd_keyslot {
		uint64_t a, b, value;
	} * slot;       /* owned; a = 0 is free */
	size_t n, size; /* size: a power of two */
};

/* The value of (a, b), a != 0; NULL when it is not there. Valid until the next add. */
uint64_t *sd_key_table_find(const struct sd_key_table *t, uint64_t a, uint64_t b);

/* The same, but a missing key is added with value 0. NULL: out of memory. */
uint64_t *sd_key_table_add(struct sd_key_table *t, uint64_t a, uint64_t b);

/* For values that are pointers. */
static inline void *sd_key_table_pointer(uint64_t value)
{
	return (void *)(uintptr_t)value; /* NOLINT(performance-no-int-to-ptr): kept as a number */
}

void sd_key_table_free(struct sd_key_table *t); /* leaves it empty */

#endif
