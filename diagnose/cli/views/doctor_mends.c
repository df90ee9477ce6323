#include "views/doctor_mends.h"

#include <assert.h>

const char *const sd_doctor_ready_label[SD_READY_COUNT] = {
#define X(id, name, label) [SD_READY_##id] = (label),
	SD_READINESS(X)
#undef X
};

const char *const sd_doctor_reach[] = {"no", "likely at most", "can be confirmed"};

/*
 * Lists what can be mended, that first which tells most: samples name functions and lines, the
 * software PMU tells four causes apart, the others are one cause's or an interval's. Counters come
 * last: only who owns the host can give them.
 */
static const struct {
	int ready, fact; /* one of them; -1: not that */
	const char *gives;
} mends[] = {
	{-1, SD_FACT_TASK_CLOCK, "which function and line"},
	{-1, SD_FACT_SYSCALL, "what threads wait for"},
	{SD_READY_SIMULATOR, -1, "sharing, caches and extra work told apart"},
	{SD_READY_DEBUG, -1, "names in libraries, and whole stacks"},
	{-1, SD_FACT_SWITCHES, "every wait, not only looks at threads"},
	{SD_READY_CALIBRATION, -1, "how near a program is to this machine's limits"},
	{SD_READY_ALLOCATOR, -1, "what malloc costs"},
	{SD_READY_GOVERNOR, -1, "times that repeat"},
	{SD_READY_TURBO, -1, "times that repeat"},
	{-1, SD_FACT_NATIVE, "which cache lines threads fight for"},
	{-1, SD_FACT_SCHEDSTAT, "waits for a CPU"},
	{-1, SD_FACT_DELAYACCT, "waits for the disk, to the microsecond"},
	{-1, SD_FACT_PMU, "counters of caches and memory"},
};
static_assert(sizeof mends / sizeof *mends == SD_DOCTOR_MENDS, "a row each");

size_t sd_doctor_mends(
	const struct sd_doctor *d, const struct sd_readiness *ready, struct sd_doctor_mend *out)
{
	size_t n = 0;

	for (size_t i = 0; i < SD_DOCTOR_MENDS; i++) {
		const int r = mends[i].ready, f = mends[i].fact;
		const enum sd_status status = r >= 0 ? ready->ready[r].status : d->fact[f].status;
		const char *const fix = r >= 0 ? ready->ready[r].fix : d->fact[f].enable;

		if (status != SD_STATUS_OK && *fix)
			out[n++] = (struct sd_doctor_mend){
				r >= 0 ? sd_doctor_ready_label[r] : sd_fact_label[f], fix,
				mends[i].gives};
	}
	return n;
}

int sd_doctor_counts(const struct sd_doctor *d)
{
	return d->fact[SD_FACT_PMU].status == SD_STATUS_OK;
}

const char *sd_doctor_answer(const struct sd_doctor *d)
{
	return sd_doctor_counts(d)
		       ? "Hardware counters work here: every cause can be measured that has an event "
			 "below."
		       : "No hardware counters here. Times, waits and code are measured all the same; "
			 "caches and memory are judged by experiments, or simulated (--events sim).";
}
