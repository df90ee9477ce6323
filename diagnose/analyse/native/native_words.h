/*
 * Sentences about lines that the program's own samples saw.
 */
#ifndef SD_NATIVE_WORDS_H
#define SD_NATIVE_WORDS_H

#include "case/case.h"
#include "loops/native_growth.h"

/* "counters+0x40", "memory allocated in make() a.c:12"; unsanitized. */
void sd_native_words_object(
	const struct sd_stacks *s, const struct sd_native_object *o, char *out, size_t size);

/* How much of the growth is in loops that touch lines of this kind, which line that is most, and
 * what is not told. */
void sd_native_words_say(struct sd_case *c, struct sd_finding *f, enum sd_native_kind kind,
	const struct sd_interval *least, const struct sd_interval *most);

/* A warning that names the line on which threads take turns most, where the program was looked at
 * on one number of cores, so that it has no growth, and the line has a good part of its user time.
 */
void sd_native_words_single(struct sd_case *c);

/* Which word of a lock it is, and what is written under it. */
void sd_native_words_locks(struct sd_case *c, struct sd_finding *f);

#endif
