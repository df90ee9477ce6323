/*
 * The body of the keeper process (keeper.h): starts the program, reaps, ends what is left.
 */
#ifndef SD_REAPER_H
#define SD_REAPER_H

#include <stdint.h>

#include "launch/keeper.h"

#define SD_REAPER_GIVE_UP_MS 10000u /* of killing without success */
#define SD_REAPER_LEFTOVER_MS 550u  /* after the program, before killing: for what it leaves */
#define SD_REAPER_ROUND_MS 2u       /* between rounds of killing: deaths need a moment */

/* Shared with the program until its exec replaces its memory: when did it call exec? */
struct sd_keeper_clock {
	uint64_t exec_ns;
};

/* What a program that could not start says through the exec pipe. */
struct sd_reaper_failure {
	int error, in_chdir;
};

/* Both ends of a channel, as they are after the fork; the reaper closes what is not its own. */
struct sd_reaper {
	const struct sd_keeper_spec *spec;
	struct sd_keeper_clock *clock;
	int socket;  /* its end: commands (unsigned ms of grace) come, reports go */
	int gate[2]; /* [0] the program's */
	int exec[2]; /* [1] the program's */
};

/* Called in a fresh child with every signal blocked; ends it. */
_Noreturn void sd_reaper_run(const struct sd_reaper *r);

#endif
