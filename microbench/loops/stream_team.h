/*
 * A team that streams: every member over arrays of its own, touched first by it.
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
	char why[96];                /* when the pages are not what was asked for */
};

/*
 * Makes the team and its memory: `bytes` for all members together, with these pages, touched by its
 * owners and verified. 0; -errno of sd_team_start, sd_arena_map, sd_team_run or sd_arena_verify,
 * *out empty but for `why`.
 */
int sd_stream_team_start(struct sd_stream_team *out, enum sd_team_kind kind,
	const struct sd_cpulist *cpus, enum sd_pages pages, size_t bytes,
	const volatile sig_atomic_t *stop);

/* Writes to all of p, a multiple of SD_STREAM_GRAIN doubles: first touch by this member. 0, or
 * -EINTR on Ctrl-C. */
int sd_stream_fill(const struct sd_member *m, unsigned char *p, size_t bytes);

/*
 * Every member streams over `bytes` of its memory (counted as the op counts them, rounded to the
 * grain), going on where the last run ended: whatever is touched was last touched a whole slice
 * ago. *rate is in bytes/s as the op counts them, from the first start to the last stop. 0 or
 * -errno of sd_team_run.
 */
int sd_stream_team_run(struct sd_stream_team *s, enum sd_stream_op op, enum sd_stores stores,
	const struct sd_stream_isa *isa, double bytes, const volatile sig_atomic_t *stop,
	double *rate);

/*
 * Sweeps over all memory, as a measurement does, and says where the first member finds what it is
 * to use next: sd_reuse_ratio() of it, 1 when memory answers. 0 or -errno of sd_team_run.
 */
int sd_stream_team_reuse(
	struct sd_stream_team *s, const volatile sig_atomic_t *stop, struct sd_value *ratio);

void sd_stream_team_end(struct sd_stream_team *s); /* accepts the zeroed value */

#endif
