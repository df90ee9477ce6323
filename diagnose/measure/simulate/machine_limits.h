/*
 */
#ifndef SD_MACHINE_LIMITS_H
#define SD_MACHINE_LIMITS_H

#include <stdint.h>

/* No cache of the next ten years is larger; and the model's memory stays bounded. */
#define SD_MACHINE_MOST_KIB ((uint64_t)4 << 20)
#define SD_MACHINE_MOST_WAYS 1024u

static inline int sd_machine_is_power_of_two(uint64_t v)
{
	return v && (v & (v - 1)) == 0;
}

#endif
