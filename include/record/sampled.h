/*
 * What samples and context switches said of one run, aggregated: which stacks ran, waited, spun,
 * and which of them other cores waited for.
 */
#ifndef SD_SAMPLED_H
#define SD_SAMPLED_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "record/core_time.h"

/* One stack in one activity. Of more than SD_SAMPLED_ROWS those with the least time lose their
 * outer callers, then all but their function; what is still too much is added up under node 0, one
 * row an activity. The sums over rows stay what was measured. */
#define SD_SAMPLED_ROWS 8192
struct sd_use {
	unsigned node; /* of the record's stacks: leaf; 0 = no stack or the rest */
	enum sd_activity activity;
	double seconds; /* thread-seconds: samples x period, or the length of the waits */
	double count;   /* samples, or waits */
	double longest; /* s, of the waits; 0 for what runs */
	double solo;    /* s of it as the only thread of the tree that ran and did not spin */
	double blame;   /* core-s that sat idle meanwhile and are charged to this running stack:
			   each idle core's time is divided among those that ran (HPCToolkit), a
			   lock's waits go to its holder */
	/* parts of blame, by what the idle core's time counts as in the run's idle[]; the rest of
	   it is any other class */
	double blame_serial, blame_imbalance, blame_lock;
	/* core-s that others spun meanwhile, charged to this useful stack in the same way: of
	   spun_serial and of spun_imbalance below */
	double spun_serial, spun_imbalance;
	double atomic; /* s of it at atomic instructions (locked, exclusive), or just behind one:
			  there a core waits for a line that another one has */
};

/* A contended lock, by its address in a process, or by what its name is. */
#define SD_SAMPLED_LOCKS 64
#define SD_LOCK_STACKS 4
struct sd_lock_use {
	unsigned name;    /* text of the record's stacks: "symbol", "symbol+0x40", "allocated at
			     f() a.c:12"; 0 unknown */
	uint64_t address; /* 0 unknown */
	int pid;
	enum sd_activity kind;
	double waits, wait_s, longest_s;
	struct sd_value acquisitions; /* absent unless counted */
	struct sd_value busy; /* share of the run in which at least one thread waited for it: a
				 lower bound of the utilisation */
	struct {
		unsigned node;
		double seconds; /* thread-s of waiting: charged to this holder, or done by this
				   waiter */
	} holder[SD_LOCK_STACKS], waiter[SD_LOCK_STACKS]; /* most first; seconds 0 = none */
};

/* The critical-path share of a thread (bottle graph, Du Bois 2013): height, s, sums to the time in
 * which any thread ran; width = running time / height. */
#define SD_SAMPLED_THREADS 64
struct sd_bottle {
	int pid, tid;
	char name[16];
	double height, width;
};

/* Samples a second and core, and the share of a core that they may take: fewer where one takes
 * more. Reading them takes up to half as much again on other cores (seen: .2 to .35 %), and all of
 * it together is to stay below 1 %. */
#define SD_SAMPLED_HZ 401
#define SD_SAMPLED_MOST .006

#define SD_SAMPLED_WINDOW_S 0.01 /* in which switches are recorded where there are too many */

struct sd_sampled {
	enum sd_status status;        /* ok: there is something below */
	enum sd_status switch_stacks; /* of the waits; denied: from the poller, or none */
	enum sd_status kernel;        /* samples in the kernel */
	enum sd_status wakers;        /* who ended a wait */
	int idle;  /* the run's idle[] and concurrency[] are from switches, not from the poller */
	double hz; /* samples a second and core */
	struct sd_value sample_s; /* that one takes from what it interrupts, before the runs */
	double samples, switches, lost; /* events; lost: the kernel says it dropped them */
	/* Share of the run in which switches were not recorded, being too many: what waits and
	 * idle cores are made of was seen in windows of SD_SAMPLED_WINDOW_S, which stand for the
	 * times between them; the longest waits are of what was seen in one piece. 0: every
	 * switch. */
	double unwatched;
	double unwound; /* share of the samples' stacks that end at a known outermost frame */
	double cpu_s;   /* CPU time that sampling took while the program ran */
	/*
	 * Spinning hides who waits for whom (METHODS 2.4). A thread whose last sample was in a
	 * SPINNING activity does not do useful work until its next one says so. Absent: no samples.
	 */
	struct sd_value useful_alone; /* s with exactly one thread doing useful work */
	/* core-s in spin-barrier and spin-other: while exactly one thread did useful work; while
	 * two or more did. What is left spun while nobody worked. */
	struct sd_value spun_serial, spun_imbalance;
	struct sd_use *use; /* owned; most time first */
	size_t n_use;
	struct sd_lock_use *lock; /* owned; most wait first */
	size_t n_lock, n_lock_seen;
	struct sd_bottle *bottle; /* owned; highest first */
	size_t n_bottle;
};

void sd_sampled_free(struct sd_sampled *s); /* accepts the zeroed value, leaves it */

#endif
