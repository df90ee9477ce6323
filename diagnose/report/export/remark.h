/*
 * What a finding says beside a line of code.
 */
#ifndef SD_REMARK_H
#define SD_REMARK_H

#include "analysis/analysis.h"
#include "record/record.h"

/* Of places with less than this share of a cause no remark is made. */
#define SD_REMARK_SHARE .05

/* Is it worth one? */
static inline int sd_remark_wanted(const struct sd_finding *x)
{
	/* what others took is no remark on the program */
	return x->verdict <= SD_VERDICT_POSSIBLE && x->cause != SD_CAUSE_NOISE;
}

/* "Lock contention costs 1.60 of 2 cores (likely)."; clean, a fresh string or NULL. */
char *sd_remark_title(const struct sd_finding *x, const struct sd_point *p);

/*
 * The rest: where it stands (`at`, NULL: nowhere), what it is worth, the first evidence, what to
 * do. Clean, a fresh string or NULL; "" nothing.
 */
char *sd_remark_text(const struct sd_finding *x, const struct sd_where *at);

/* The folder that files are named from: the top of the repository, else the working folder; NULL
 * unknown. Borrowed. */
const char *sd_remark_root(const struct sd_record *r);

/* The file of a place from there; "" unknown. Borrowed, any bytes. */
const char *sd_remark_file(const struct sd_record *r, const struct sd_where *at);

#endif
