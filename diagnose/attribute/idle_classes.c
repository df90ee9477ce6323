#include "attribute/idle_classes.h"

#include <stddef.h>

struct claim {
	enum sd_wait wait;
	enum sd_idle idle;
};

#define N_FIRST 3
#define N_PEERS 2
#define N_SECOND 4

static const struct claim first[N_FIRST] = {
	{SD_WAIT_LOCK, SD_IDLE_LOCK},
	{SD_WAIT_DISK, SD_IDLE_DISK},
	{SD_WAIT_KERNEL, SD_IDLE_KERNEL},
};

static const struct claim peers[N_PEERS] = {
	{SD_WAIT_SYNC, SD_IDLE_IMBALANCE},
	{SD_WAIT_PIPE, SD_IDLE_IMBALANCE},
};

static const struct claim second[N_SECOND] = {
	{SD_WAIT_SLEEP, SD_IDLE_SLEEP},
	{SD_WAIT_NETWORK, SD_IDLE_NETWORK},
	{SD_WAIT_TASK, SD_IDLE_TASKLESS},
	{SD_WAIT_UNKNOWN, SD_IDLE_UNKNOWN},
};

/* s; waking a thread takes 5 to 100 us, more where an idle CPU is given back to a hypervisor. */
#define STALL_MOST 1e-3

/* Who has it when nothing runs: the first; peers only for as long as a wake-up. */
static const struct claim stalled[] = {
	{SD_WAIT_DISK, SD_IDLE_DISK},
	{SD_WAIT_LOCK, SD_IDLE_LOCK},
	{SD_WAIT_KERNEL, SD_IDLE_KERNEL},
	{SD_WAIT_NETWORK, SD_IDLE_NETWORK},
	{SD_WAIT_SYNC, SD_IDLE_IMBALANCE},
	{SD_WAIT_SLEEP, SD_IDLE_SLEEP},
	{SD_WAIT_PIPE, SD_IDLE_NETWORK},
	{SD_WAIT_TASK, SD_IDLE_TASKLESS},
};

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* Gives up to one core to each waiting thread of the claims; returns what is left. */
static double give(const struct claim *claims, size_t n, const struct sd_idle_classes_sample *s,
	double left, double out[SD_IDLE_COUNT])
{
	double threads = 0, share;

	for (size_t i = 0; i < n; i++)
		threads += s->waiting[claims[i].wait];
	if (threads <= 0)
		return left;
	share = least(1, left / threads);
	for (size_t i = 0; i < n; i++)
		out[claims[i].idle] += share * s->waiting[claims[i].wait];
	return share < 1 ? 0 : left - threads;
}

static enum sd_idle who_stalls(const struct sd_idle_classes_sample *s)
{
	const int waking = s->lasted > 0 && s->lasted <= STALL_MOST;

	for (size_t i = 0; i < sizeof stalled / sizeof *stalled; i++)
		if (s->waiting[stalled[i].wait] > 0 && (waking || stalled[i].wait != SD_WAIT_SYNC))
			return stalled[i].idle;
	return SD_IDLE_UNKNOWN;
}

void sd_idle_classes_allocate(const struct sd_idle_classes_sample *s, double out[SD_IDLE_COUNT])
{
	const double ready = s->running + s->runnable;
	const double runners = s->runners > 0 ? s->runners : ready;
	double left = s->cores - s->running, ended;

	for (int i = 0; i < SD_IDLE_COUNT; i++)
		out[i] = 0;
	if (!(left > 0))
		return;
	out[SD_IDLE_THROTTLED] = least(left, least(s->throttled, s->runnable));
	out[SD_IDLE_RUNNABLE] = least(left, s->runnable) - out[SD_IDLE_THROTTLED];
	left -= least(left, s->runnable);
	if (ready <= 0) {
		out[who_stalls(s)] += left;
		return;
	}
	left = give(first, N_FIRST, s, left, out);
	left = give(peers, N_PEERS, s, left, out);
	left = give(second, N_SECOND, s, left, out);
	if (runners < 2) {
		out[SD_IDLE_SERIAL] += left + out[SD_IDLE_IMBALANCE];
		out[SD_IDLE_IMBALANCE] = 0;
		return;
	}
	/* peers that wait are accounted for above: those that ended are the ones beyond them */
	ended = s->peak - runners;
	for (int i = 0; i < N_FIRST; i++)
		ended -= s->waiting[first[i].wait];
	for (int i = 0; i < N_PEERS; i++)
		ended -= s->waiting[peers[i].wait];
	ended = ended > 0 ? least(ended, left) : 0;
	out[SD_IDLE_IMBALANCE] += ended;
	out[SD_IDLE_SERIAL] += left - ended;
}

void sd_idle_classes_throttle(double idle[SD_IDLE_COUNT], double throttled)
{
	const double moved = least(throttled, idle[SD_IDLE_RUNNABLE]);

	if (!(moved > 0))
		return;
	idle[SD_IDLE_THROTTLED] += moved;
	idle[SD_IDLE_RUNNABLE] -= moved;
}
