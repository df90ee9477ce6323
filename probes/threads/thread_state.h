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

/* Shared by all threads of a tree while they are read. */
struct sd_thread_state_env {
	const char *root;
	int has_sched;        /* the kernel keeps schedstat */
	int sparse;           /* many threads: read less of each */
	unsigned files;       /* descriptors still available to keep open */
	uint64_t now, before; /* ns: this poll and the one before */
	unsigned threads;     /* of the tree, for plausibility */
	struct {
		int pid, schedules;          /* 0 none; its program's runtime schedules tasks */
	} runtime[SD_THREAD_STATE_RUNTIMES]; /* by pid: cache of one look into each
					      program's file */
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
	int no_syscall;                /* its syscall file is unreadable */

	char state;
	struct sd_wait_seen seen;
	enum sd_wait habit;           /* what it waited for when last seen waiting; none: never */
	uint64_t maybe_lock;          /* where it last waited, if possibly a mutex */
	enum sd_libgomp_barrier gomp; /* of the futex it waits at */
	int new_wait;                 /* this poll first saw this wait */
	int on_cpu, queued;           /* at this poll: on a CPU; ready but not on one */
	int processor;                /* the CPU that it is or was on, or that it waits for; -1 */

	struct sd_proc_sched sched;  /* as read last */
	uint64_t advanced;           /* ns: when sched.run_ns last changed */
	double run, delay;           /* s since its start: best estimates for this moment */
	double run_step, delay_step; /* in this poll; negative where an estimate is corrected */
	double base_run, base_delay; /* before the program was released */
	uint64_t ticks;              /* utime + stime, clock ticks */
	uint64_t blkio, base_blkio;  /* clock ticks; has_blkio */
	int has_blkio;

	uint64_t checked;   /* ns: last affinity check; 0 never */
	double run_checked; /* s: its run then */
	int bound;          /* it might run on one CPU only then, of several */
	int gone;           /* its last reading failed */

	struct sd_thread_view view; /* for attribution: sd_process_tree_view() */
};

void sd_thread_state_init(struct sd_thread_state *t, int pid, int tid);

/*
 * Reads the thread. 0, or -ESRCH if it has ended (its last values stay). The kernel updates run_ns
 * only at the scheduler's tick, and delay_ns when the wait for a CPU ends, so `run` and `delay` are
 * extrapolated for a thread that has been running, or waiting for a CPU, all the time.
 */
int sd_thread_state_read(struct sd_thread_state *t, struct sd_thread_state_env *env);

/* Closes its files and returns them to env->files. */
void sd_thread_state_close(struct sd_thread_state *t, struct sd_thread_state_env *env);

#endif
