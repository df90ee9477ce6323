/*
 * Packets of ARM's Statistical Profiling Extension (Arm ARM DDI 0487, "Statistical Profiling
 * Extension sample record specification") to accesses of memory.
 */
#ifndef SD_ARM_SPE_H
#define SD_ARM_SPE_H

#include <stddef.h>
#include <stdint.h>

/* One record that holds an access by a program (EL0). */
struct sd_arm_spe_access {
	uint64_t time; /* counts of the generic timer; 0: the record has none */
	uint64_t ip;
	uint64_t address; /* virtual; 0: the record has none */
	uint64_t source;  /* the CPU's own code; valid with has_source */
	int has_source;
	int store;       /* it writes, or reads and writes */
	int locked;      /* atomic, exclusive, or with acquire or release */
	unsigned cycles; /* from issue to the end; 0 not told */
};

struct sd_arm_spe {
	const unsigned char *p, *end;
	uint64_t bad; /* bytes that were no packet */
};

/* 1 and the next access of [s->p, s->end); 0 at the end. Records that are no access of EL0 are
 * passed over; what is no packet is skipped byte by byte and counted. */
int sd_arm_spe_next(struct sd_arm_spe *s, struct sd_arm_spe_access *out);

#endif
