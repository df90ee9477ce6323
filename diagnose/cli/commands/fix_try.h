/*
 * Tries changes of the sources: two copies of them are built, one with the changes, and timed in
 * pairs.
 */
#ifndef SD_FIX_TRY_H
#define SD_FIX_TRY_H

#include "commands/fix_after.h"
#include "commands/timed_pairs.h"
#include "fix/fix_source.h"

enum sd_fix_verdict {
	SD_FIX_GAIN,
	SD_FIX_NO_GAIN,   /* surely less than a twentieth */
	SD_FIX_UNDECIDED, /* the pairs differ too much */
	SD_FIX_OTHER,     /* the changed program prints something else */
};
/* "gain", "no gain", "undecided", "other output" */
extern const char *const sd_fix_verdict_name[SD_FIX_OTHER + 1];

struct sd_fix_trial {
	/* to be set; borrowed */
	const struct sd_fix_sources *sources;
	const struct sd_fix_plan *plan;
	const struct sd_analysis *analysis;
	const char *command;
	int simulated; /* the software PMU told the lines of the plan */
	/* what comes of it */
	struct sd_timed_pairs pairs; /* pairs 0: they were not timed */
	enum sd_fix_verdict verdict;
	struct sd_fix_left left[SD_FIX_ENTRIES];
};

/*
 * Builds by `command`, which is split as a shell does and has no input, in copies of the sources'
 * folder below TMPDIR (fix/source_copy.h), which are gone afterwards; runs the program of the
 * record there with its arguments and the largest count, in pairs, and then measures the changed
 * one. SD_EXIT_DONE; SD_EXIT_CHECK: it gains nothing, or prints something else; another status
 * after a message: SD_EXIT_USAGE: the program does not lie in the folder, or the command is none;
 * SD_EXIT_PROGRAM: it could not be built or run.
 */
enum sd_exit sd_fix_try(const struct sd_cli *cli, struct sd_fix_trial *t);

/* Says what came of it. */
void sd_fix_try_put(struct sd_page *p, const struct sd_fix_trial *t);

#endif
