/*
 * Events of a run's threads in time order: a compact copy of those that decide where its time went,
 * each with its stack.
 */
#ifndef SD_TIMELINE_H
#define SD_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "record/sampled.h"
#include "trace/wait.h"

enum sd_moment_kind {
	SD_MOMENT_SAMPLE, /* it ran here */
	SD_MOMENT_OUT,    /* it left its CPU and waits */
	SD_MOMENT_PUSHED, /* it left its CPU and is still ready */
	SD_MOMENT_IN,
	SD_MOMENT_WAKE, /* `thread` made `other` ready */
	SD_MOMENT_BORN, /* ready for the first time */
	SD_MOMENT_EXIT,
};

struct sd_moment {
	uint64_t time; /* ns */
	enum sd_moment_kind kind;
	enum sd_activity activity; /* of SAMPLE and OUT */
	unsigned thread, other;    /* of the timeline's threads; other: of WAKE */
	unsigned node;             /* of SAMPLE, OUT, PUSHED; 0 unknown */
	unsigned lock;             /* of OUT: index + 1 of the place it waits at; 0 none */
	int atomic;                /* of SAMPLE: at or just behind an atomic instruction */
	uint64_t weight;           /* ns, of SAMPLE */
	uint64_t ip, sp;           /* of SAMPLE: same_code.h */
};

struct sd_timeline_thread {
	int pid, tid;
	int ppid; /* of its process; 0 unknown */
	char name[16];
	unsigned next; /* index + 1 of an older thread in its hash chain */
};

/* A place where threads wait for each other: a futex, or a call stack if the futex is unknown. */
struct sd_timeline_place {
	int pid;          /* 0: threads of several processes meet there */
	uint64_t address; /* 0 unknown: then `node` */
	unsigned node;
	enum sd_activity kind;        /* of the first wait there */
	enum sd_libgomp_barrier gomp; /* from the words around the futex */
	unsigned name;                /* text of the stacks; 0 unknown */
	unsigned next;                /* index + 1, in its hash chain */
};

/* An interval in which switches and wake-ups were not recorded. */
struct sd_gap {
	uint64_t from, to;
};

#define SD_TIMELINE_HASH 4096u

/* Zeroed is empty. */
struct sd_timeline {
	struct sd_moment *moment; /* owned */
	size_t n, room;
	struct sd_timeline_thread *thread; /* owned */
	size_t n_thread, room_thread;
	struct sd_timeline_place *place; /* owned */
	size_t n_place, room_place;
	struct sd_gap *gap; /* owned; ascending, and no two touch */
	size_t n_gap, room_gap;
	struct sd_gap *part; /* owned; ascending: the parts of the run that are judged; none: all */
	size_t n_part;
	double unwatched;              /* share of the run in them */
	unsigned *by_tid, *by_address; /* owned; SD_TIMELINE_HASH each */
	uint64_t start, end;           /* ns: the run */
	int first;                     /* tid of the program's first thread */
	uint64_t lost;                 /* events missing somewhere in it */
	int together;                  /* the sampling clocks of all CPUs tick together */
};

/* Is a thread with this tid known? Then *out is its index. */
int sd_timeline_find(const struct sd_timeline *t, int tid, unsigned *out);

/* The living thread with this tid; created (ready, as if just born) if there is none. 0 or
 * -ENOMEM. */
int sd_timeline_thread(struct sd_timeline *t, int pid, int tid, unsigned *out);

/* A new thread gets this tid, even if an older one had it. `ppid`: its process's parent. */
int sd_timeline_born(struct sd_timeline *t, int pid, int tid, int ppid, unsigned *out);

/* The place of a futex, or of a stack if the address is 0. *fresh is set to 1 if it is new. */
int sd_timeline_place(struct sd_timeline *t, int pid, uint64_t address, unsigned node,
	enum sd_activity kind, unsigned *out, int *fresh);

/* Appends; times must not decrease. 0 or -ENOMEM. */
int sd_timeline_add(struct sd_timeline *t, const struct sd_moment *m);

/* A gap begins, or ends; the run's end closes an open one. 0 or -ENOMEM. */
int sd_timeline_shut(struct sd_timeline *t, uint64_t time);
void sd_timeline_open(struct sd_timeline *t, uint64_t time);

/* Is this time in a gap known so far? */
int sd_timeline_is_shut(const struct sd_timeline *t, uint64_t time);

/* Once the run's start and end are known: clips the gaps to it and computes their share. */
void sd_timeline_bound(struct sd_timeline *t);

void sd_timeline_free(struct sd_timeline *t); /* accepts the zeroed value */

#endif
