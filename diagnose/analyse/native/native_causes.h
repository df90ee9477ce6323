/*
 * Statements on causes from the lines that the program's own samples saw: the growth of the loops
 * that touch them (loops/native_growth.h), as statements with their evidence (METHODS 4.1.1).
 */
#ifndef SD_NATIVE_CAUSES_H
#define SD_NATIVE_CAUSES_H

#include "case/case.h"

/*
 * False or true sharing, by f->cause; `components` (SD_BIT): where it can be. 1 when that says how
 * much it is, or that it is too little to matter: then nothing else need speak for it.
 */
int sd_native_causes_sharing(struct sd_case *c, struct sd_finding *f, unsigned long components);

/* Growth where words of locks are, and what several threads write under one: cores, none of the
 * latter surely. 0: nobody looked, or there is none. */
int sd_native_causes_locks(const struct sd_case *c, struct sd_interval *out);

/* Spins for locks whose words lie in one line; cores. */
double sd_native_causes_taken(const struct sd_case *c);

/* Bounds waiting for memory, or for page walks, by the lines, or pages, that the program had not
 * touched before. `components`: where it can be. 1: it is too little to matter. */
int sd_native_causes_cold_lines(struct sd_case *c, struct sd_finding *f, unsigned long components);
int sd_native_causes_cold_pages(struct sd_case *c, struct sd_finding *f, unsigned long components);

/* Fill in, for findings that have one, the code of the loops, where it is the program's own; to be
 * called before other places are looked for. And, after that, the object. */
void sd_native_causes_places(struct sd_case *c);
void sd_native_causes_objects(struct sd_case *c);

#endif
