/*
 * The work of a thread: the chain of the task that it runs, and since when. Its clock is that of
 * the thread's CPU time, so that waits and time slices of others are no work. The kernel is asked
 * for it once in APART ns at most, as that takes some 300 to 700 ns; in between the monotonic
 * clock goes on from there, and stands where it went ahead of the other.
 */
#ifndef SD_OMP_STRAND_H
#define SD_OMP_STRAND_H

#include "preload/omp_preload.h"

#define SD_OMP_STRAND_APART 100000u

struct sd_omp_strand {
	struct sd_omp_chain *chain; /* NULL: none is followed */
	struct sd_omp_team *team;
	uint64_t since, work; /* of the thread's CPU time; ns that no team has yet */
};
extern __thread struct sd_omp_strand sd_omp_strand;

/* ns of the calling thread's CPU time, at a monotonic time. */
uint64_t sd_omp_strand_clock(uint64_t now);

/* The thread's task stops its work, and goes on. */
static inline void sd_omp_strand_pause(uint64_t now)
{
	struct sd_omp_strand *const s = &sd_omp_strand;
	uint64_t ns;

	if (!s->chain)
		return;
	ns = sd_omp_strand_clock(now) - s->since;
	s->work += ns;
	sd_omp_span_work(s->chain, ns);
}

static inline void sd_omp_strand_resume(uint64_t now)
{
	if (sd_omp_strand.chain)
		sd_omp_strand.since = sd_omp_strand_clock(now);
}

/* The thread comes to work at a chain of the team, and leaves it; what it was at before. */
struct sd_omp_strand sd_omp_strand_enter(struct sd_omp_team *t, struct sd_omp_chain *c);
void sd_omp_strand_leave(const struct sd_omp_strand *before);

/* All threads of the team have ended: what was followed goes to its row. */
void sd_omp_strand_add(const struct sd_omp_team *t);

#endif
