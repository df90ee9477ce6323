/*
 * The type behind counter_plan.h: the roles as this machine counts them, and opening a set of them.
 */
#ifndef SD_EVIDENCE_COUNTS_H
#define SD_EVIDENCE_COUNTS_H

#include <sys/types.h>

#include "perf_event/counter_read.h"
#include "probe/counter_plan.h"
#include "pmu/counter_passes.h"
#include "pmu/role_events.h"

struct sd_counting {
	struct sd_role_events_role *role; /* owned; including uncountable ones, with the reason */
	size_t n_role;
	struct sd_counter_passes passes; /* over role[] */
	int multiplex;
	char source[32];
};

/* One open counter. */
struct sd_counter_set {
	int fd;
	int error; /* of opening it, -errno */
	enum sd_role_events_where where;
	const struct sd_role_events_event *event; /* of the first role that needs it */
	struct sd_counter_read_reading before;    /* at the start of the run; zero on a tree that
						     an exec starts */
};

struct sd_counter_set_fixed {
	struct sd_counter_set *counter; /* owned */
	size_t n;
	/* owned; [i] of n_link: counter `counter` times `weight` is part of role `role` */
	struct sd_counter_set_link {
		size_t role, counter;
		double weight;
	} * link;
	size_t n_link;
	int running; /* of a thread that ran before: no exec starts its counters */
};

/* Processes and CPUs that a set is opened on. */
struct sd_counter_set_target {
	pid_t pid;                     /* root of the tree; 0: this process */
	const struct sd_cpulist *cpus; /* that the run is bound to; their cores are counted */
	const char *root;
	int trial;   /* to find out whether it fits, see sd_counter_set_open */
	int here;    /* trial: the CPU that represents all others */
	int running; /* `pid` is a thread that runs already, and what it creates:
			sd_counter_set_switch() starts its events, too */
};

/*
 * Opens the counters of the roles `member`. An event shared by several roles is counted once. The
 * tree's events are opened ungrouped, so that the kernel multiplexes what does not fit, except
 * those that must follow a leader; when multiplexing, the events of a role form a group, so that
 * they are counted together. A trial opens the tree's events as one group on this process, not
 * inherited, because the kernel then rejects at once (EINVAL) what does not fit; and one each of
 * the others. 0, with the errors of single counters in the set; -ENOMEM.
 */
int sd_counter_set_open(struct sd_counter_set_fixed *set, const struct sd_counting *c,
	const size_t *member, size_t n, const struct sd_counter_set_target *target);
void sd_counter_set_close(struct sd_counter_set_fixed *set); /* accepts the zeroed value */

/* Adds the counts of one set to those of another, of the same n roles: what one of them could not
 * count the sum has not. */
void sd_counter_set_add(struct sd_role_count *to, const struct sd_role_count *more, size_t n);

/* Starts or stops the counters that exec does not start. */
void sd_counter_set_switch(struct sd_counter_set_fixed *set, int on);

/*
 * Tries a set on this process. 0: fits; -EINVAL: does not fit; -EBUSY: opened, but others hold the
 * counters it needs; -ENOMEM; another -errno of the first counter that cannot be opened. *first
 * (may be NULL): the reading of the first counter.
 */
int sd_counter_set_try(const struct sd_counting *c, const size_t *member, size_t n,
	const char *root, struct sd_counter_read_reading *first);

/* The counts of a finished run, one entry for each role of `member`, in order. */
void sd_counter_set_read(struct sd_counter_set_fixed *set, const struct sd_counting *c,
	const size_t *member, size_t n, struct sd_role_count *out);

#endif
