/*
 * A record of the changed program: what is left in it of what the changes are to end.
 */
#ifndef SD_FIX_AFTER_H
#define SD_FIX_AFTER_H

#include "analysis/analysis.h"
#include "context/context.h"
#include "fix/fix_plan.h"

/* The rest of an entry of the plan, in the changed program. */
struct sd_fix_left {
	int looked;                       /* the record says; else nothing is known */
	size_t lines;                     /* contested lines with the entry's object */
	struct sd_interval before, after; /* cores that its cause takes at the largest count */
};

/* How the changed program is run. */
struct sd_fix_changed {
	const struct sd_program *program; /* of the record; borrowed, like the others */
	const char *path, *cwd;           /* the changed one, and where it runs */
	const char *record;               /* is written there */
	unsigned cores;
	int simulated; /* lines are told by the software PMU, as those of the plan */
};

/*
 * Measures it at one core and at `cores`, and fills in left[i] of the entries that have a diff.
 * SD_EXIT_DONE; another status after a message, then nothing is known.
 */
enum sd_exit sd_fix_after_look(const struct sd_cli *cli, const struct sd_fix_changed *c,
	const struct sd_fix_plan *plan, const struct sd_analysis *before, struct sd_fix_left *left);

/* "gone: the record of the changed program has no contested line of count". */
void sd_fix_after_say(
	const struct sd_fix_entry *e, const struct sd_fix_left *left, char *out, size_t size);

#endif
