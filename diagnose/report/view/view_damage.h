/*
 * Warnings that a report begins with, in every format: of a record whose checksum does not match
 * (record_file.h), and of runs that print different things (evidence_os.h): a program that computes
 * the wrong thing is made right before it is made fast.
 */
#ifndef SD_VIEW_DAMAGE_H
#define SD_VIEW_DAMAGE_H

#include <string.h>

#include "analysis/analysis.h"
#include "record/record.h"

/* The sentence, borrowed; NULL: nothing is known to be damaged. */
static inline const char *sd_view_damage(const struct sd_record *r)
{
	static const char begin[] = "DAMAGED RECORD";

	return r->warnings.n && strncmp(r->warnings.text[0], begin, sizeof begin - 1) == 0
		       ? r->warnings.text[0]
		       : NULL;
}

/* A warning of runs that print different things begins so. */
#define SD_VIEW_RACE "results differ: "

static inline int sd_view_is_race(const char *warning)
{
	return strncmp(warning, SD_VIEW_RACE, sizeof SD_VIEW_RACE - 1) == 0;
}

/* The sentence, borrowed; NULL: the runs agree. */
static inline const char *sd_view_race(const struct sd_analysis *a)
{
	for (size_t i = 0; i < a->warnings.n; i++)
		if (sd_view_is_race(a->warnings.text[i]))
			return a->warnings.text[i];
	return NULL;
}

#endif
