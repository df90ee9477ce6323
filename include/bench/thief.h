/*
 * Thieves: processes that take a resource away from a program running beside them and report how
 * much they took.
 */
#ifndef SD_THIEF_H
#define SD_THIEF_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/cpulist.h"

struct sd_thief_ask {
	const struct sd_cpulist *cpus; /* a thread on each */
	size_t bytes;                  /* working set of all threads together */
};

/* In memory shared by the thief and its starter. */
struct sd_thief_shown {
	_Atomic uint64_t moved; /* bytes, of all threads, since the beginning */
	_Atomic int ready;      /* 1: running; negative: -errno, it could not start */
};

struct sd_thief {
	const char *name; /* of the experiment that needs it */
	/* The working set, bytes, with which it takes its resource, given a last-level cache of
	 * llc_bytes (one instance) shared by `cores` cores, all but one of which it uses. */
	size_t (*bytes)(double llc_bytes, unsigned cores);
	/* Called in a process of its own; returns only if it could not start. */
	void (*run)(const struct sd_thief_ask *ask, struct sd_thief_shown *shown);
};

/* NULL-terminated; defined in microbench/interference/thief.c, passed down by main. */
extern const struct sd_thief *const sd_thief_registry[];

#endif
