/*
 * A streaming team: each member has its own arrays, which it touches first.
 */
#ifndef SD_STREAM_TEAM_H
#define SD_STREAM_TEAM_H

#include <signal.h>

#include "harness/arena.h"
#include "loops/stream.h"
#include "harness/team.h"

struct sd_stream_team {
	struct sd_team team;
	struct sd_arena arena;
	size_t slice;                /* bytes of each member */
	struct sd_stream_work *work; /* in team.shared */
	char why[96];                /* set if the pages are not those requested */
};

/*
 * Creates the team and its memory: `bytes` for all members together, with these pages, touched by
 * their owners and verified. 0; -errno of sd_team_start, sd_arena_map, sd_team_run or
 * sd_arena_verify, with *out empty except `why`.
 */
int sd_stream_team_start(struct sd_stream_team *out, enum sd_team_kind kind,
	const struct sd_cpulist *cpus, enum sd_pages pages, size_t bytes,
	const volatile sig_atomic_t *stop);

/* Writes all of p, a multiple of SD_STREAM_GRAIN doubles: the first touch by this member. 0, or
 * -EINTR on Ctrl-C. */
int sd_stream_fill(const struct sd_member *m, unsigned char *p, size_t bytes);

/*
 * Each member streams over `bytes` of its memory (counted like the op's, rounded to the grain),
 * continuing where the last run ended, so that everything touched was last touched a whole slice
 * ago. *rate is in bytes/s as counted by the op, from the first start to the last stop. 0 or -errno
 * of sd_team_run.
 */
int sd_stream_team_run(struct sd_stream_team *s, enum sd_stream_op op, enum sd_stores stores,
	const struct sd_stream_isa *isa, double bytes, const volatile sig_atomic_t *stop,
	double *rate);

/*
 * Sweeps over all memory like a measurement, then tests where the first member's next data comes
 * from: its sd_reuse_ratio(), 1 if from memory. 0 or -errno of sd_team_run.
 */
int sd_stream_team_reuse(
	struct sd_stream_team *s, const volatile sig_atomic_t *stop, struct sd_value *ratio);

void sd_stream_team_end(struct sd_stream_team *s); /* accepts the zeroed value */

#endif
