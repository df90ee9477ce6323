#include "attribute/idle_classes.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* s; waking a thread takes 5 to 100 us, more if an idle CPU was returned to a hypervisor
 * (METHODS 2.3.7). */
#define STALL_MOST 1e-3

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* Number of waiting threads of this turn. */
static double waiting(const struct sd_idle_classes_sample *s, enum sd_wait_turn turn)
{
	double threads = 0;

	for (int w = 0; w < SD_WAIT_COUNT; w++)
		threads += sd_wait_info[w].turn == turn ? s->waiting[w] : 0;
	return threads;
}

/* Gives each thread of this turn up to one core; returns the remainder. */
static double give(enum sd_wait_turn turn, const struct sd_idle_classes_sample *s, double left,
	double out[SD_IDLE_COUNT])
{
	const double threads = waiting(s, turn);
	double share;

	if (threads <= 0)
		return left;
	share = least(1, left / threads);
	for (int w = 0; w < SD_WAIT_COUNT; w++)
		if (sd_wait_info[w].turn == turn)
			out[sd_wait_info[w].idle] += share * s->waiting[w];
	return share < 1 ? 0 : left - threads;
}

/* The class that gets all idle cores if nothing runs: a wait for the outside explains them. Threads
 * that all wait for each other would be a deadlock, so peers qualify only for the duration of a
 * wake-up; for longer, a wait of theirs has a time-out. */
static enum sd_idle who_stalls(const struct sd_idle_classes_sample *s)
{
	const int waking = s->lasted > 0 && s->lasted <= STALL_MOST;
	const struct sd_wait_info *first = NULL;

	for (int w = 0; w < SD_WAIT_COUNT; w++) {
		const struct sd_wait_info *const i = &sd_wait_info[w];

		if (!i->rank || !(s->waiting[w] > 0) || (!waking && w == SD_WAIT_SYNC))
			continue;
		first = first && first->rank < i->rank ? first : i;
	}
	if (!first)
		return s->lasted > STALL_MOST && s->waiting[SD_WAIT_SYNC] > 0 ? SD_IDLE_SLEEP
									      : SD_IDLE_UNKNOWN;
	return first->alone;
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
	left = give(SD_TURN_FIRST, s, left, out);
	left = give(SD_TURN_PEERS, s, left, out);
	left = give(SD_TURN_SECOND, s, left, out);
	if (runners < 2) {
		out[SD_IDLE_SERIAL] += left + out[SD_IDLE_IMBALANCE];
		out[SD_IDLE_IMBALANCE] = 0;
		return;
	}
	/* waiting peers are accounted for above: ended peers are the others */
	ended = s->peak - runners - waiting(s, SD_TURN_FIRST) - waiting(s, SD_TURN_PEERS);
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

int sd_idle_classes_serves(double busiest, const struct sd_thread_view *t)
{
	return t->cpu < 0.05 * busiest;
}

int sd_idle_classes_stands_by(double busiest, const struct sd_thread_view *t)
{
	return t->met && (t->cpu <= 0 || sd_idle_classes_serves(busiest, t));
}

static int is_outside(enum sd_wait wait)
{
	return wait == SD_WAIT_SLEEP || wait == SD_WAIT_POLL || wait == SD_WAIT_NETWORK ||
	       wait == SD_WAIT_PIPE;
}

enum sd_wait sd_idle_classes_told(double busiest, const struct sd_thread_view *t, enum sd_wait wait)
{
	return wait == SD_WAIT_SYNC && sd_idle_classes_stands_by(busiest, t) ? SD_WAIT_JOIN : wait;
}

enum sd_wait sd_idle_classes_wanted(
	double busiest, const struct sd_thread_view *t, enum sd_wait wait)
{
	return is_outside(wait) && sd_idle_classes_serves(busiest, t)
		       ? SD_WAIT_JOIN
		       : sd_idle_classes_told(busiest, t, wait);
}

static void count(struct sd_idle_classes_parked *p, double busiest, struct sd_thread_view *t)
{
	const enum sd_wait wait = t->seen.wait;
	/* a little early, for the rounding */
	const double flips = fmax(t->cpu / 0.05 * (1 - 1e-9), DBL_MIN);

	t->told = sd_idle_classes_told(busiest, t, wait);
	t->wanted = sd_idle_classes_wanted(busiest, t, wait);
	p->told[t->told]++;
	p->wanted[t->wanted]++;
	if ((is_outside(wait) || (wait == SD_WAIT_SYNC && t->met)) &&
		!sd_idle_classes_serves(busiest, t) && (!(p->flips > 0) || flips < p->flips))
		p->flips = flips;
}

static void discount(struct sd_idle_classes_parked *p, const struct sd_thread_view *t)
{
	p->told[t->told]--;
	p->wanted[t->wanted]--;
}

void sd_idle_classes_park(
	struct sd_idle_classes_parked *p, double busiest, struct sd_thread_view *t)
{
	t->parked = 1;
	if (t->queued)
		p->ready++;
	else
		count(p, busiest, t);
}

void sd_idle_classes_unpark(struct sd_idle_classes_parked *p, struct sd_thread_view *t)
{
	t->parked = 0;
	if (t->queued)
		p->ready--;
	else
		discount(p, t);
}

void sd_idle_classes_recount(
	struct sd_idle_classes_parked *p, double busiest, const struct sd_thread_views *all)
{
	if (!(p->flips > 0) || busiest < p->flips)
		return;
	p->flips = 0;
	for (size_t i = 0; i < all->n; i++)
		if (all->thread[i]->parked && !all->thread[i]->queued) {
			discount(p, all->thread[i]);
			count(p, busiest, all->thread[i]);
		}
}
