/*
 * Registers of stack frames: their numbers in perf and DWARF, and which are preserved across calls.
 */
#ifndef SD_FRAME_REGISTERS_H
#define SD_FRAME_REGISTERS_H

#include <stddef.h>

#define SD_FRAME_REGS 33 /* DWARF numbers that matter */
#define SD_KEPT 13

struct sd_frame_arch {
	int machine;              /* EM_* */
	unsigned char sp, fp, ra; /* DWARF numbers; ra: on x86-64 only in memory */
	unsigned char pc;         /* perf's number */
	int link;                 /* calls leave the return address in ra, not on the stack */
	unsigned long long code;  /* bits of a code address; the others are its signature (PAC) */
	unsigned char perf[SD_FRAME_REGS]; /* perf's number of a DWARF number; 255 none */
	unsigned char kept[SD_KEPT];       /* DWARF numbers: ra, sp, then preserved ones */
	size_t n_kept;
};

/* NULL: unknown architecture. */
const struct sd_frame_arch *sd_frame_arch_of(int machine);
const struct sd_frame_arch *sd_frame_arch_host(void);

#endif
