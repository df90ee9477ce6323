/*
 * Thieves: processes that take one resource away while a program runs beside them, and say how much
 * they took.
 */
#ifndef SD_THIEF_H
#define SD_THIEF_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/cpulist.h"

struct sd_thief_ask {
	const struct sd_cpulist *cpus; /* a thread on each */
	size_t bytes;                  /* what all threads together move over */
};

/* In memory that the thief and who started it share. */
struct sd_thief_shown {
	_Atomic uint64_t moved; /* bytes, of all threads, since the beginning */
	_Atomic int ready;      /* 1: at work; negative: -errno, it could not begin */
};

struct sd_thief {
	const char *name; /* of the experiment that needs it */
	/* Bytes to move over so that it takes what it is named for, beside a last-level cache of
	 * llc_bytes (one instance) shared by `cores` cores, of which it has all but one. */
	size_t (*bytes)(double llc_bytes, unsigned cores);
	/* Called in a process of its own; returns only when it could not begin. */
	void (*run)(const struct sd_thief_ask *ask, struct sd_thief_shown *shown);
};

/* NULL-terminated; defined in microbench/interference/thief.c, handed on by main. */
extern const struct sd_thief *const sd_thief_registry[];

#endif
