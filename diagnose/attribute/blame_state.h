/*
 * What is kept of each thread and each place on the walk through a timeline, and its parts: the
 * moments (blame_moments.c), the time between two (blame_step.c), what it cost (blame_settle.c).
 */
#ifndef SD_BLAME_STATE_H
#define SD_BLAME_STATE_H

#include "attribute/blame.h"

#define SD_CHARGES_PENDING 4

struct sd_charges_thread {
	struct sd_thread_view view;
	int alive;
	/* the stack of its last sample or, before the first, of its last switch */
	unsigned node;
	enum sd_activity activity;
	int sampled;
	struct sd_twin twin;
	/* of its wait or of its waiting for a CPU */
	unsigned out_node;
	enum sd_activity out_activity;
	unsigned lock;               /* place + 1, while it waits for a lock */
	unsigned answerer;           /* thread + 1 that ends its wait for a message; 0 unknown */
	uint64_t since, since_stood; /* by both clocks */
	/* since its wait was over, and what that was for: until it is on a CPU; 0 none */
	uint64_t woken;
	struct sd_wait_seen waited;
	unsigned waited_lock; /* place + 1, where that was a lock */
	int on_its_way;       /* in this step its core is still idle for that (blame_step.c) */
	/* samples after another; of them those after spinning, and those that spin too */
	double pairs, spinning, both, spins;
	double run, height; /* s on a CPU; of it divided by how many ran */
	int alone;          /* no other does useful work, where clocks do not tick together */
	/* not charged to a stack yet: until its next sample while the others spin or cores idle for
	 * the same. Phases may be shorter than the time between two samples, and the next one is
	 * often of another phase. `now`: they do */
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

struct sd_charges_place {
	size_t next; /* of contended.end: the first that is not over */
	unsigned waiting;
	uint64_t busy_since; /* by what stands for all */
	double busy, waits, wait_s, longest_s;
	double owed_wait,
		owed_idle; /* s of waits, core-s idle for it: not charged to a stack yet */
	struct sd_stack_times holder, waiter;
};

static inline int sd_charges_spins(const struct sd_charges_thread *t)
{
	return t->sampled && sd_activity_info[t->activity].group == SD_GROUP_SPINNING;
}

/* ---- blame_settle.c: what idle cores, waits and spinning cost, to whom, at which stack ---- */

/* The row of a stack; NULL: without memory, which c->failed says. */
struct sd_use *sd_charges_row(
	struct sd_blame *c, struct sd_stack_times *u, unsigned node, enum sd_activity activity);

/* What a thread owes goes to the stack it was last seen at: of idle cores that which they still
 * idle for or, with `all`, all. */
void sd_charges_settle(struct sd_blame *c, struct sd_charges_thread *t, int all);

/* What a lock's waits cost goes to a stack of its holder. */
void sd_charges_settle_lock(
	struct sd_blame *c, struct sd_charges_place *p, unsigned node, enum sd_activity activity);

/* The thread that ends the next wait there, -1 unknown. */
long sd_charges_holder(const struct sd_blame *c, size_t place);

/* What idle[] got in a step of so many s, to whom it is owed. `before` is idle[] ahead of it,
 * `idle` the core-s that were idle, `running` the threads that ran. */
void sd_charges_owe_idle(struct sd_blame *c, const double before[SD_IDLE_COUNT], double idle,
	double running, double step);

/* What was spun in a step, to those that did useful work meanwhile. */
void sd_charges_owe_spinning(struct sd_blame *c, double step);

/* ---- blame_moments.c: what the timeline's moments change ---- */

/* A thread of the timeline is there from now on, ready. 0 or -ENOMEM. */
int sd_blame_enter(struct sd_blame *c, unsigned number);

/* It is on a CPU, whatever it was before. */
void sd_blame_take_cpu(struct sd_blame *c, struct sd_charges_thread *t);

/* It is gone, and owes nothing. */
void sd_blame_exit(struct sd_blame *c, struct sd_charges_thread *t);

/* What happens at a moment, the time until which is accounted for; c->failed says what went wrong.
 */
void sd_blame_moment(struct sd_blame *c, const struct sd_moment *m);

/* ---- blame_step.c ---- */

/* Accounts for the time until then; no time where that is not later than now. */
void sd_blame_step(struct sd_blame *c, uint64_t time);

#endif
