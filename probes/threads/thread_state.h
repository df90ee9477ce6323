/*
 * One thread of the tree, read again at every poll.
 */
#ifndef SD_THREAD_STATE_H
#define SD_THREAD_STATE_H

#include <stdint.h>

#include "proc/proc_parse.h"
#include "threads/libgomp_barrier.h"
#include "threads/wait_classes.h"
#include "trace/thread_view.h"

#define SD_THREAD_STATE_RUNTIMES 64

/* What all threads of a tree share while they are read. */
struct sd_thread_state_env {
	const char *root;
	int has_sched;        /* the kernel keeps schedstat */
	int sparse;           /* many threads: skip what can be skipped */
	unsigned files;       /* descriptors the threads may still keep open */
	uint64_t now, before; /* ns: this poll and the one before */
	unsigned threads;     /* of the tree, for plausibility */
	struct {
		int pid, schedules; /* 0 none; whether its program's runtime schedules tasks */
	} runtime[SD_THREAD_STATE_RUNTIMES]; /* by number: a program's file is looked into once */
	int (*is_thread)(void *ctx, uint32_t tid);
	void *ctx;
};

enum sd_thread_state_file {
	SD_THREAD_STATE_STAT,
	SD_THREAD_STATE_SCHEDSTAT,
	SD_THREAD_STATE_SYSCALL,
	SD_THREAD_STATE_FILES
};

struct sd_thread_state {
	int pid, tid;
	int ppid; /* of its process */
	char name[16];
	int fd[SD_THREAD_STATE_FILES]; /* -1: not kept open */
	int fresh;                     /* not read yet */
	int no_syscall;                /* its syscall file may not be read */

	char state;
	struct sd_wait_seen seen;
	enum sd_wait habit;  /* what it waited for when last met waiting; none: never met */
	uint64_t maybe_lock; /* where it last waited, if that may have been a mutex */
	enum sd_libgomp_barrier gomp; /* of the futex it waits at */
	int new_wait;                 /* this poll saw it waiting somewhere for the first time */
	int on_cpu, queued;           /* at this poll: on a CPU; ready but not on one */

	struct sd_proc_sched sched;  /* as read last */
	uint64_t advanced;           /* ns: when sched.run_ns was last seen to change */
	double run, delay;           /* s since it began: best estimates for this moment */
	double run_step, delay_step; /* of this poll, may be negative: an estimate put right */
	double base_run, base_delay; /* before the program was released */
	uint64_t ticks;              /* utime + stime, clock ticks */
	uint64_t blkio, base_blkio;  /* clock ticks; has_blkio */
	int has_blkio;

	uint64_t checked; /* ns: affinity last looked at; 0 never */
	int gone;         /* its last reading failed */

	struct sd_thread_view view; /* what attribution sees of it: sd_process_tree_view() */
};

void sd_thread_state_init(struct sd_thread_state *t, int pid, int tid);

/*
 * Reads it. 0, or -ESRCH when it is gone (its last values stay). The kernel brings run_ns up to
 * date at the scheduler's tick only, and delay_ns when a wait ends: `run` and `delay` are carried
 * forward for a thread that has been on its CPU, or has been waiting for one, all the time.
 */
int sd_thread_state_read(struct sd_thread_state *t, struct sd_thread_state_env *env);

/* Closes its files; gives their number back to *env. */
void sd_thread_state_close(struct sd_thread_state *t, struct sd_thread_state_env *env);

#endif
