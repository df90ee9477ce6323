#include "evidence/late_drift.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "case/stated.h"

/* Kendall's test: 10 numbers in any order have 27 ordered pairs more than inverted ones, of 45, in
 * .8 % of all orders. */
#define ORDERED 27

/* The first and the last so many tenths are compared. */
#define ENDS 3

/* Other waits beside a running thread, as a share of those for late peers: lanes do not tell them
 * apart. */
#define OTHER_WAITS .25

/* Numbers of threads in a bin that run, and that wait for peers by spinning or asleep. */
struct bin {
	unsigned run, wait;
};

static int runs(unsigned state)
{
	return state == SD_BINNED_ON_CPU ||
	       (state < SD_ACTIVITY_COUNT && !sd_spins((enum sd_activity)state) &&
		       sd_activity_info[state].group != SD_GROUP_WAITING);
}

static int waits_in_mpi(unsigned state)
{
	return state == SD_ACTIVITY_SPIN_MPI || state == SD_ACTIVITY_MPI;
}

static int waits_for_threads(unsigned state)
{
	return state == SD_ACTIVITY_BARRIER || state == SD_ACTIVITY_POOL ||
	       state == SD_ACTIVITY_CONDITION ||
	       (state < SD_ACTIVITY_COUNT && sd_spins_for_peers((enum sd_activity)state));
}

/* Ranks wait for each other in MPI, and whatever else is there waits for nothing of theirs. */
static int is_of_ranks(const struct sd_binned_lanes *l)
{
	for (size_t i = 0; i < l->n_doing; i++)
		if (waits_in_mpi(l->doing[i].state))
			return 1;
	return 0;
}

static void count(const struct sd_binned_lanes *l, int ranks, struct bin *bin)
{
	for (size_t i = 0; i < l->n_lane; i++) {
		unsigned at = 0;

		for (size_t k = 0; k < l->lane[i].n_step; k++) {
			const struct sd_binned_step *const s = &l->lane[i].step[k];
			const unsigned state = l->doing[s->doing].state;
			const int run = runs(state),
				  wait = ranks ? waits_in_mpi(state) : waits_for_threads(state);

			for (unsigned b = 0; b < s->bins && at < l->bins; b++, at++) {
				bin[at].run += (unsigned)run;
				bin[at].wait += (unsigned)wait;
			}
		}
	}
}

static double late_in(const struct bin *b, unsigned cores)
{
	return b->run > 0 && b->run < cores ? fmin(cores - b->run, b->wait) : 0;
}

static int order_of(const double *x)
{
	int out = 0;

	for (int j = 1; j < SD_LATE_DRIFT_SLICES; j++)
		for (int i = 0; i < j; i++)
			out += (x[j] > x[i]) - (x[j] < x[i]);
	return out;
}

int sd_late_drift_of(const struct sd_binned_lanes *l, unsigned cores, struct sd_late_drift *out)
{
	struct bin *const bin = calloc(l->bins + 1, sizeof *bin);
	const int ranks = is_of_ranks(l);
	unsigned first = l->bins, end = 0;
	double all = 0;

	*out = (struct sd_late_drift){.order = 0};
	if (!bin)
		return -ENOMEM;
	count(l, ranks, bin);
	for (unsigned i = 0; i < l->bins; i++) {
		if (!(late_in(&bin[i], cores) > 0) && (ranks || bin[i].run < 2))
			continue;
		first = first < i ? first : i;
		end = i + 1;
	}
	for (unsigned i = first; i < end; i++) {
		const double late = late_in(&bin[i], cores);

		out->late[(size_t)(i - first) * SD_LATE_DRIFT_SLICES / (end - first)] +=
			late * SD_LATE_DRIFT_SLICES / (end - first);
		all += late;
	}
	free(bin);
	out->order = order_of(out->late);
	return all > 0;
}

static double mean(const double *x)
{
	double sum = 0;

	for (int i = 0; i < ENDS; i++)
		sum += x[i];
	return sum / ENDS;
}

static const struct sd_binned_lanes *lanes_of(const struct sd_chosen *p)
{
	for (size_t i = 0; i < p->n_run; i++)
		if (p->run[i]->lanes)
			return p->run[i]->lanes;
	return NULL;
}

static int is_for_late_peers(const struct sd_case *c)
{
	const struct sd_interval late = sd_stated_added(c, SD_BIT(IMBALANCE)),
				 other = sd_stated_added(c, SD_BIT(SERIAL) | SD_BIT(MPI));

	return sd_status_measured(late) && late.value > 0 &&
	       !(sd_status_measured(other) && other.value > OTHER_WAITS * late.value);
}

void sd_late_drift_say(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_binned_lanes *const l = lanes_of(c->last);
	struct sd_late_drift d;
	double from, to;
	int rc;

	if (!l || !is_for_late_peers(c))
		return;
	rc = sd_late_drift_of(l, c->last->n, &d);
	c->rc |= rc < 0 ? rc : 0;
	if (rc <= 0 || abs(d.order) < ORDERED)
		return;
	from = mean(d.late);
	to = mean(d.late + SD_LATE_DRIFT_SLICES - ENDS);
	if (fabs(to - from) < SD_CASE_GATE * c->last->n)
		return;
	sd_case_say(c, f,
		"it %s during the run, from %.2f of %u cores in the first three tenths to %.2f in the last three%s",
		to > from ? "grows" : "shrinks", from, c->last->n, to,
		to > from ? ": shares that were divided once do not stay even" : "");
	if (to > from)
		sd_case_is_what(c, f);
}
