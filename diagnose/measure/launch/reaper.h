/*
 * The body of the keeper process (keeper.h): starts the program, reaps processes, kills what is
 * left.
 */
#ifndef SD_REAPER_H
#define SD_REAPER_H

#include <stdint.h>

#include "launch/keeper.h"

/* Time of killing in vain after which a process is given up; grace for processes that outlive the
 * program, before killing; time between rounds of killing, since dying takes a moment. */
#define SD_REAPER_GIVE_UP_MS 10000u
#define SD_REAPER_LEFTOVER_MS 550u
#define SD_REAPER_ROUND_MS 2u

/* Shared with the program until exec replaces its memory: the time when it called exec. */
struct sd_keeper_clock {
	uint64_t exec_ns;
};

/* The report of a program that failed to start, through the exec pipe. */
struct sd_reaper_failure {
	int error, in_chdir;
};

/* Both ends of all channels after the fork; the reaper closes those it does not use. */
struct sd_reaper {
	const struct sd_keeper_spec *spec;
	struct sd_keeper_clock *clock;
	int socket;  /* its end: receives commands (unsigned ms of grace), sends reports */
	int gate[2]; /* [0] is the program's */
	int exec[2]; /* [1] is the program's */
};

/* Called in a fresh child with every signal blocked; ends it. */
_Noreturn void sd_reaper_run(const struct sd_reaper *r);

#endif
