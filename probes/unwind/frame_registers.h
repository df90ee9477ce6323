/*
 * Registers of stack frames: how perf and DWARF number them, and which ones calls preserve.
 */
#ifndef SD_FRAME_REGISTERS_H
#define SD_FRAME_REGISTERS_H

#include <stddef.h>

#define SD_FRAME_REGS 33 /* DWARF numbers that matter */
#define SD_KEPT 13

struct sd_frame_arch {
	int machine;              /* EM_* */
	unsigned char sp, fp, ra; /* DWARF numbers; ra: x86-64 has it in memory alone */
	unsigned char pc;         /* perf's number */
	int link;                 /* calls leave the return address in ra, not on the stack */
	unsigned long long code;  /* bits of a code address; others sign it (PAC) */
	unsigned char perf[SD_FRAME_REGS]; /* perf's number of a DWARF number; 255 none */
	unsigned char kept[SD_KEPT];       /* DWARF numbers: ra, sp, then preserved ones */
	size_t n_kept;
};

/* NULL: an architecture that is not known. */
const struct sd_frame_arch *sd_frame_arch_of(int machine);
const struct sd_frame_arch *sd_frame_arch_host(void);

#endif
