/*
 * Answers of the runs so far, for the one who waits: a stack of a line; the speedup and the cause,
 * with its certainty.
 */
#ifndef SD_FIRST_LOOK_H
#define SD_FIRST_LOOK_H

#include "base/sink.h"
#include "record/record.h"

/* For struct sd_measure's `glance`; `ctx` is a struct sd_config_tables. Two lines of text; NULL:
 * nothing can be said yet. */
char *sd_first_look(void *ctx, const struct sd_record *record);

/* Ctrl-C means that the user has seen enough: is anything known that is worth a report? One count
 * alone says nothing of scaling. */
int sd_first_look_is_enough(const struct sd_record *r);

/* Says what there is after Ctrl-C and how to go on; `at`: path of the record, NULL: none. */
void sd_first_look_say_interrupted(
	const struct sd_record *r, const char *at, const struct sd_sink *sink);

#endif
