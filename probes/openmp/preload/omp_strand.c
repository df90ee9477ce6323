#include "preload/omp_strand.h"

extern int sd_program_sandbox_entered; /* trace/program_sandbox.h */

__thread struct sd_omp_strand sd_omp_strand;

/* The thread's CPU time when the kernel was last asked, and the latest that was told. */
static __thread struct {
	uint64_t asked, cpu, told;
} clock_seen;

static uint64_t ask_kernel(uint64_t now)
{
	struct timespec t;

	if (__atomic_load_n(&sd_program_sandbox_entered, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&sd_omp_strand.team->span.unspanned, 1, __ATOMIC_RELAXED);
		return now;
	}
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	clock_seen.asked = now;
	clock_seen.cpu = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	return clock_seen.cpu;
}

uint64_t sd_omp_strand_clock(uint64_t now)
{
	const uint64_t cpu = now - clock_seen.asked < SD_OMP_STRAND_APART
				     ? clock_seen.cpu + (now - clock_seen.asked)
				     : ask_kernel(now);

	if (clock_seen.told < cpu)
		clock_seen.told = cpu;
	return clock_seen.told;
}

struct sd_omp_strand sd_omp_strand_enter(struct sd_omp_team *t, struct sd_omp_chain *c)
{
	const struct sd_omp_strand before = sd_omp_strand;

	sd_omp_strand = (struct sd_omp_strand){.chain = c, .team = t};
	return before;
}

void sd_omp_strand_leave(const struct sd_omp_strand *before)
{
	if (sd_omp_strand.team)
		sd_omp_add(&sd_omp_strand.team->work, sd_omp_strand.work);
	sd_omp_strand = *before;
}

void sd_omp_strand_add(const struct sd_omp_team *t)
{
	struct sd_omp_region *const r = t->row;

	if (!t->tasks)
		return;
	if (t->span.dependent) {
		sd_omp_add(&r->dependent, 1);
	} else if (!t->follows || t->span.unspanned || t->whole || t->around) {
		sd_omp_add(&r->unspanned, 1);
	} else {
		sd_omp_add(&r->task_work, t->work);
		sd_omp_add(&r->task_span, sd_omp_span_longest(&t->span));
		sd_omp_add(&r->loop_span, sd_omp_span_loops(&t->span));
	}
}
