/*
 * What the simulated machine counted in both versions of a lesson, side by side: no clock is in it.
 */
#ifndef SD_LESSON_COUNTS_H
#define SD_LESSON_COUNTS_H

#include "page.h"
#include "record.h"

/* A table with a row a version and core count, those of a part of a run marked; nothing when
 * neither was simulated. `name[i]` is of `record[i]`. */
void sd_lesson_counts_put(struct sd_page *p, const char *const *name,
	const struct sd_record *record, size_t n_record);

#endif
