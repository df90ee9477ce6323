/*
 * Decodes packets of ARM's Statistical Profiling Extension (Arm ARM DDI 0487, "Statistical
 * Profiling Extension sample record specification") to memory accesses.
 */
#ifndef SD_ARM_SPE_H
#define SD_ARM_SPE_H

#include <stddef.h>
#include <stdint.h>

/* A record of a user-mode access (EL0). */
struct sd_arm_spe_access {
	uint64_t time; /* counts of the generic timer; 0: the record has none */
	uint64_t ip;
	uint64_t address; /* virtual; 0: the record has none */
	uint64_t source;  /* the CPU's own code; valid with has_source */
	int has_source;
	int store;       /* writes, or reads and writes */
	int locked;      /* atomic, exclusive, or with acquire or release */
	unsigned cycles; /* from issue to completion; 0 not reported */
};

struct sd_arm_spe {
	const unsigned char *p, *end;
	uint64_t bad; /* bytes that belong to no packet */
};

/* 1 and the next access in [s->p, s->end); 0 at the end. Skips records that are no EL0 access;
 * bytes that are no packet are skipped and counted. */
int sd_arm_spe_next(struct sd_arm_spe *s, struct sd_arm_spe_access *out);

#endif
