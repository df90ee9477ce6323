/*
 * Samples and context switches of one run, aggregated: which stacks ran, waited or spun, and which
 * of them other cores waited for.
 */
#ifndef SD_SAMPLED_H
#define SD_SAMPLED_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "record/core_time.h"

/* One stack in one activity. Beyond SD_SAMPLED_ROWS the rows with the least time lose their outer
 * callers, then everything but their function; the remainder is summed under node 0, one row an
 * activity. Sums over rows are preserved. */
#define SD_SAMPLED_ROWS 8192
struct sd_use {
	unsigned node; /* leaf, in the record's stacks; 0 = no stack, or the remainder */
	enum sd_activity activity;
	double seconds; /* thread-seconds: samples x period, or duration of the waits */
	double count;   /* samples, or waits */
	double longest; /* s, longest wait; 0 if it ran */
	double solo;  /* s of it as the only thread of the tree doing useful work (not spinning) */
	double blame; /* idle core-s charged to this stack while it ran: each idle core's time is
			 divided among the running threads (HPCToolkit), waits for a lock go to its
			 holder */
	/* parts of blame by the class of idle[] they count as; the rest is of other classes */
	double blame_serial, blame_imbalance, blame_lock;
	/* core-s that others spun meanwhile, charged likewise to this useful stack: its parts of
	 * spun_serial and spun_imbalance below */
	double spun_serial, spun_imbalance;
	double atomic; /* s of it at or just behind an atomic instruction (locked, exclusive), where
			  a core waits for a line that another one holds; of spinning for a lock:
			  at the exchange that takes it */
};

#define SD_SAMPLED_LOCKS 64
#define SD_LOCK_STACKS 4
/* Waiting for a lock that is charged to a holder, or was spent by a waiter. */
struct sd_lock_stack {
	unsigned node;  /* of the record's stacks */
	double seconds; /* thread-s */
};

/* A contended lock, identified by its address in a process, or by name. */
struct sd_lock_use {
	unsigned name;    /* text of the record's stacks: "symbol", "symbol+0x40", "allocated at
			     f() a.c:12"; 0 unknown */
	uint64_t address; /* 0 unknown */
	int pid;
	enum sd_activity kind;
	double waits, wait_s, longest_s;
	struct sd_value acquisitions; /* absent unless counted */
	struct sd_value busy; /* share of the run with at least one thread waiting for it: a lower
				 bound of its utilisation */
	/* most first; seconds 0 = none */
	struct sd_lock_stack holder[SD_LOCK_STACKS], waiter[SD_LOCK_STACKS];
};

/* The critical-path share of a thread (bottle graph, Du Bois 2013): height, s, sums to the time in
 * which any thread ran; width = running time / height. */
#define SD_SAMPLED_THREADS 64
struct sd_bottle {
	int pid, tid;
	char name[16];
	double height, width;
};

/* Samples a second and core, and the largest share of a core they may take: fewer if a sample costs
 * more. Reading them takes up to half as much again on other cores (measured: .2 to .35 %), and the
 * total must stay below 1 %. */
#define SD_SAMPLED_HZ 401
#define SD_SAMPLED_MOST .006

/* Length of a window of recorded switches, if there are too many for all. */
#define SD_SAMPLED_WINDOW_S 0.01

struct sd_sampled {
	enum sd_status status;        /* ok: the fields below are valid */
	enum sd_status switch_stacks; /* stacks of waits; denied: from the poller, or none */
	enum sd_status kernel;        /* samples in the kernel */
	enum sd_status wakers;        /* who ended a wait */
	/* Programs in the kernel (BPF) recorded the switches; denied, unsupported: its events did,
	 * because it does not let them; absent: nobody asked. */
	enum sd_status programs;
	int idle;  /* the run's idle[] and concurrency[] are from switches, not from the poller */
	double hz; /* samples a second and core */
	struct sd_value sample_s;       /* time a sample takes from the code it interrupts, measured
					   before the runs */
	double samples, switches, lost; /* events; lost: the kernel says it dropped them */
	/* Share of the run without recorded switches, because there were too many. Waits and idle
	 * cores were then seen in windows of SD_SAMPLED_WINDOW_S, which represent the gaps between
	 * them; the longest waits are those within a window. 0: every switch was recorded. */
	double unwatched;
	double stack_bytes; /* of its stack that a sample copied; 0 unknown, or none */
	double pointed; /* share of sampled stacks with callers behind the copy, which the kernel
			   found by frame pointers */
	double unwound; /* share of sampled stacks that reach a known outermost frame */
	double cpu_s;   /* CPU time of sampling while the program ran */
	/*
	 * Spinning hides who waits for whom (METHODS 2.4). A thread whose last sample was in a
	 * SPINNING activity does no useful work until a later sample shows some. Absent: no
	 * samples.
	 */
	struct sd_value useful_alone; /* s with exactly one thread doing useful work */
	/* core-s in spin-barrier and spin-other while exactly one thread did useful work, and while
	 * two or more did. The rest was spun while nobody worked. */
	struct sd_value spun_serial, spun_imbalance;
	struct sd_use *use; /* owned; most time first */
	size_t n_use;
	struct sd_lock_use *lock; /* owned; most wait first */
	size_t n_lock, n_lock_seen;
	struct sd_bottle *bottle; /* owned; highest first */
	size_t n_bottle;
};

/*
 * Waiting for the kernel's own locks in a run: which lock, in which call, and in which call it was
 * held. All of the tree's waits are counted (lock:contention_begin), however short; but a semaphore
 * (rwsem) that was got by spinning alone is none, and a spin lock's two waiters may be none.
 */
#define SD_KERNEL_LOCK_ROWS 64u

/* Texts and the node are of the record's stacks; 0 unknown. Times are of threads, s. */
struct sd_kernel_lock {
	unsigned name; /* "mmap_lock (the address space of a process)" */
	unsigned call; /* of the waiter: "munmap", "page fault" */
	unsigned held; /* call of whoever woke the waiter; 0: nobody did, it got it by spinning */
	unsigned node; /* where the program calls that, by samples and switches */
	double waits, wait_s, longest_s;
	double slept_s; /* of wait_s: waits that did not end by spinning alone */
};

struct sd_kernel_locks {
	enum sd_status status; /* ok: the rest is valid, and without rows nothing was waited for */
	double other_s;        /* waited for locks that are in no row */
	double recorded;       /* of the waits: those that the sums are of, taken for all */
	struct sd_kernel_lock *row; /* owned; most wait first */
	size_t n_row, n_row_seen;
};

void sd_kernel_locks_free(struct sd_kernel_locks *l); /* frees what it owns and *l; accepts NULL */

void sd_sampled_free(struct sd_sampled *s); /* accepts the zeroed value, leaves it */

#endif
