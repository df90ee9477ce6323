/*
 * Cache lines that the program's own, native run was seen to touch: data addresses from the
 * registers of ordinary samples of the CPU clock (probes/operands). No counter, no emulator, no
 * other run. All weights are seconds of user CPU time that samples stand for.
 */
#ifndef SD_NATIVE_LINES_H
#define SD_NATIVE_LINES_H

#include <stddef.h>

#include "base/status.h"
#include "record/memory_sampled.h"
#include "record/simulated.h"

#define SD_NATIVE_LINES 64  /* contested lines kept, most contested time first */
#define SD_NATIVE_LOOPS 256 /* loops kept, most time first; the rest is added up at node 0 */

/* Accesses of two threads this close to each other meet, if they do so in turns. */
#define SD_NATIVE_WINDOW_S .010

/*
 * A line that several threads touched interleaved in time, at least one of them writing.
 * In `line`: loads, stores, locked and hitm of a sharer count samples: those that read it, wrote
 * it, did so atomically, and (hitm) met another thread's access within the window; those of a code
 * location likewise. hitm_load, hitm_store are the samples that met another thread's access,
 * reading and writing; share: of the contested time of all lines; invalidations and upgrades are
 * 0 and `separated` absent: nothing was counted.
 */
struct sd_native_line {
	struct sd_sim_contested line;
	double seconds; /* of samples with a sure access that touches it, or a loop's around them */
	double contested; /* of these, within the window of another thread's access, one of both a
			     write */
	double maybe;     /* likewise, by accesses that may have been skipped */
	double read;      /* likewise, by threads that take turns reading it, while no sample writes
			     it: a writer that no sample is at is not seen */
	double spun;      /* of samples that spun; they are in none of the above */
	double split;     /* of samples with a sure atomic access that begins in it and ends in the
			     next line: it locks the bus */
	struct sd_value writes; /* samples that write it, a second: a rough rate; absent: none */
	/*
	 * Watchpoints on its words, in all threads of its process, in windows of a millisecond: the
	 * writes of all threads a second, and the upper end of their 95 % interval, absent where
	 * the hits themselves took most of a thread's time. Why nothing was counted: denied,
	 * unsupported, absent (nobody asked, or there were too many threads).
	 */
	struct sd_value proven, proven_most;
	double watched_s, hits;           /* of all windows, and what they counted: each stops its
					     thread for some microseconds */
	unsigned watched, writers;        /* threads that were watched; of these, seen to write */
	unsigned own_words, shared_words; /* of 8 bytes: touched by one thread; by several */
	int lock;   /* the word of a lock that threads wait or spin for, by address or by code */
	int pair;   /* contested only together with the other line of its 128-byte pair: `contested`
		       is 0, `maybe` is that time, and it is in no loop's parts */
	int shared; /* touched by several processes, known by file and offset */
};

/* A place of the time: an innermost loop, or the code of a function outside of loops. */
struct sd_native_loop {
	unsigned node;  /* of the record's stacks: function and line of its first instruction,
			   without callers; 0: all others */
	double seconds; /* user CPU time of its samples, without those that spun */
	double false_s; /* of these: touching a line whose threads use different bytes, for sure */
	double true_s;  /* the same bytes, but no lock's word */
	double lock_s;  /* a lock's word */
	double split_s; /* none of these three: a sure atomic access lies in two lines */
	double maybe_s; /* only accesses to such lines that may have been skipped, or whose
			   interleaving is unsure */
	double unknown_s; /* none of the above, and an address is unknown, or there is more code in
			     the loop than was looked at */
	double read_s;    /* none of the above: reading a line that other threads read, too, while
			     no sample writes it */
	/* the rest: all addresses are known, each touched by one thread alone at the time */
	double spun;   /* of its samples that spun */
	unsigned line; /* index + 1 of the line with most of its contested time; 0 none */
	double bytes;  /* distinct bytes that a pass touches, by its strides; 0 unknown */
	double pages;  /* distinct pages of 4 KiB that its samples touched: a lower bound */
	double lines;  /* distinct lines likewise */
};

struct sd_native_lines {
	/* ok: the fields below are valid; denied: no user registers; unsupported: code of a machine
	 * that is not decoded */
	enum sd_status status;
	char why[160]; /* why there is nothing, or what is missing; "" */
	unsigned line_bytes;
	double samples;  /* in user code, looked at */
	double resolved; /* of these, with a known address, or without any access of memory */
	double seconds;  /* user CPU time of all samples in user code */
	/* A library preloaded into the program was to log who asked for its heap blocks; it did;
	 * and there were more blocks than it logs. */
	int heap_asked, heap_told, heap_cut;
	char heap_why[80]; /* who asked for its blocks should be asked, and why not, as a clause:
			      "the program is static"; "" */
	struct sd_mem_thread *thread; /* owned; sharers are of these; counts of samples */
	size_t n_thread, n_thread_seen;
	struct sd_native_line *line; /* owned */
	size_t n_line, n_line_seen;
	struct sd_native_loop *loop; /* owned */
	size_t n_loop, n_loop_seen;
};

/* Is a line of a run of `wall_s` s worth watchpoints, which say who writes it: one that matters,
 * and whose accesses samples leave open, or that they seldom saw written? */
int sd_native_lines_is_unsure(
	const struct sd_native_lines *n, const struct sd_native_line *l, double wall_s);

/* Frees what it owns and *n; accepts NULL. */
void sd_native_lines_free(struct sd_native_lines *n);

#endif
