/*
 * The state of each thread and place on the walk through a timeline, shared by the parts of blame:
 * the moments (blame_moments.c), the time between two (blame_step.c), what it cost
 * (blame_settle.c).
 */
#ifndef SD_BLAME_STATE_H
#define SD_BLAME_STATE_H

#include "attribute/blame.h"

#define SD_CHARGES_PENDING 4

struct sd_blame_thread {
	struct sd_thread_view view;
	int alive;
	/* the stack of its last sample or, before the first, of its last switch */
	unsigned node;
	enum sd_activity activity;
	int sampled;
	int displaced; /* it was at work when another got its CPU */
	struct sd_twin twin;
	/* its stack and activity while waiting, also for a CPU */
	unsigned out_node;
	enum sd_activity out_activity;
	unsigned lock;               /* place + 1, while it waits for a lock */
	unsigned answerer;           /* thread + 1 that ends its wait for a message; 0 unknown */
	uint64_t since, since_stood; /* by both clocks */
	uint64_t slept, came; /* ns of its last wait, if that was a sleep; when it got its CPU */
	/* from the end of its wait until it is on a CPU: when that was, and what the wait was for;
	 * 0 none */
	uint64_t woken;
	struct sd_wait_seen waited;
	unsigned waited_lock; /* place + 1, if that was a lock */
	int on_its_way;       /* waking up: in this step its core still idles for that wait
			       (blame_step.c) */
	/* samples with a predecessor; those whose predecessor spun; of these, those that spin; and
	 * all that spin */
	double pairs, spinning, both, spins;
	double run, height; /* s on a CPU; the same, each moment divided by the number of running
			       threads */
	int alone;          /* no other does useful work, if clocks do not tick together */
	/* not yet charged to a stack: held until its next sample taken while (`now`) the others
	 * spin or cores idle for the same reason. If phases are shorter than the sampling period,
	 * its very next sample often shows another phase */
	struct {
		double amount;
		int now;
	} imbalance, other, spun_serial, spun_imbalance;
	struct {
		size_t solo; /* case */
		double amount;
		int now;
	} serial[SD_CHARGES_PENDING];
	size_t n_serial;
};

struct sd_blame_place {
	size_t next; /* into contended.end: the first not yet passed */
	unsigned waiting;
	unsigned at;                     /* its index among c->waited, while somebody waits */
	unsigned parked;                 /* of those that wait */
	double parked_wait, parked_idle; /* the sums of c that are in those owed */
	uint64_t busy_since;             /* in represented time */
	double busy, waits, wait_s, longest_s;
	double owed_wait,
		owed_idle; /* s of waits, core-s idle for it, not yet charged to a stack */
	struct sd_stack_times holder, waiter;
};

static inline int sd_blame_spins(const struct sd_blame_thread *t)
{
	return t->sampled && sd_spins(t->activity);
}

/* ---- blame_settle.c: what idle cores, waits and spinning cost, to whom, at which stack ---- */

/* The row of a stack; NULL: out of memory, as noted in c->failed. */
struct sd_use *sd_blame_row(
	struct sd_blame *c, struct sd_stack_times *u, unsigned node, enum sd_activity activity);

/* Charges what a thread owes to the stack it was last seen at: only the classes that cores still
 * idle for or, with `all`, everything. */
void sd_blame_settle(struct sd_blame *c, struct sd_blame_thread *t, int all);

/* At the end: charges what no sample met as what samples of the same case met, else of the same
 * runner; without any, where it was last seen. */
void sd_blame_settle_unmet(struct sd_blame *c);

/* Charges the cost of a lock's waits to a stack of its holder. */
void sd_blame_settle_lock(
	struct sd_blame *c, struct sd_blame_place *p, unsigned node, enum sd_activity activity);

/* Before the number of parked threads that wait there changes, and before what is owed is charged:
 * it has what they waited. */
void sd_blame_settle_parked(const struct sd_blame *c, struct sd_blame_place *p);

/* The holder: the thread that ends the next wait there, -1 unknown. */
long sd_blame_holder(const struct sd_blame *c, size_t place);

/* Distributes what a step of `step` s added to idle[] over the running threads. `before` is idle[]
 * before the step, `idle` its idle core-s, `running` the number of running threads. */
void sd_blame_owe_idle(struct sd_blame *c, const double before[SD_IDLE_COUNT], double idle,
	double running, double step);

/* Distributes what was spun in a step over the threads that did useful work meanwhile. */
void sd_blame_owe_spinning(struct sd_blame *c, double step);

/* ---- blame_moments.c: what the timeline's moments change ---- */

/* A thread of the timeline starts to exist, ready. 0 or -ENOMEM. */
int sd_blame_enter(struct sd_blame *c, unsigned number);

/* It is on a CPU, whatever it was before. */
void sd_blame_take_cpu(struct sd_blame *c, struct sd_blame_thread *t);

/* It has ended, and owes nothing. */
void sd_blame_exit(struct sd_blame *c, struct sd_blame_thread *t);

/* Applies a moment; the time up to it must be accounted for. Errors go to
 * c->failed. */
void sd_blame_moment(struct sd_blame *c, const struct sd_moment *m);

/* ---- blame_step.c ---- */

/* It is among the living threads from now on; no longer. 0 or -ENOMEM. */
int sd_blame_add(struct sd_blame *c, struct sd_blame_thread *t);
void sd_blame_remove(struct sd_blame *c, const struct sd_blame_thread *t);

/* Before anything of it changes: a thread that waits, or is ready, is parked after a step. */
void sd_blame_unpark(struct sd_blame *c, struct sd_blame_thread *t);

/* Accounts for the time up to `time`; does nothing if that is not later than now. */
void sd_blame_step(struct sd_blame *c, uint64_t time);

#endif
