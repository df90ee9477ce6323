/*
 * Aggregates sampled accesses by cache line, in bounded memory.
 */
#ifndef SD_LINE_TABLE_H
#define SD_LINE_TABLE_H

#include <stddef.h>

#include "base/key_table.h"
#include "memory/sampled_access.h"
#include "record/simulated.h"

#define SD_LINE_TABLE_MOST 16384 /* lines kept; the least informative are evicted */
#define SD_LINE_TABLE_CODES 32   /* code locations kept of a line */

/* An address space: a process, from one exec to the next. */
struct sd_memspace {
	int pid;
	uint64_t since; /* time of the exec; 0: the first */
	int gone;       /* another exec followed: its addresses can no longer be named */
};

struct sd_memcode {
	uint64_t pc;
	int writes, locked;
	double accesses, hitm;
};

struct sd_memline {
	uint64_t address;
	unsigned space;               /* index */
	struct sd_sim_sharer *sharer; /* owned; SD_SIM_SHARERS at most */
	struct sd_memcode *code;      /* owned; SD_LINE_TABLE_CODES at most */
	size_t n_sharer, n_code;
	double accesses, local, remote, peer;
	double cycles, timed; /* sum of latencies of the loads that moved it; their number */
};

struct sd_memthread {
	int pid, tid;
	double loads, stores, hitm;
};

/* Zeroed with `bytes` set is empty. */
struct sd_line_table {
	unsigned bytes;          /* of a line: a power of two from 16 on */
	struct sd_memline *line; /* owned */
	size_t n, n_seen;
	struct sd_memspace *space; /* owned */
	size_t n_space;
	struct sd_memthread *thread; /* owned; SD_SIM_THREADS at most */
	size_t n_thread, n_thread_seen;
	struct sd_key_table by_line, by_thread, by_pid; /* by_pid: its last space */
	double loads, stores, local, remote, peer, unplaced;
};

/* Adds an access; 0 or -ENOMEM. One without address or thread is only counted. */
int sd_line_table_add(struct sd_line_table *m, const struct sd_sampled_access *a);

/* The address space of `pid` at a time, an index of space[]; -ENOMEM. */
long sd_line_table_space(struct sd_line_table *m, int pid, uint64_t time);

/* Process `pid` got a new address space at `time`. 0 or -ENOMEM. */
int sd_line_table_exec(struct sd_line_table *m, int pid, uint64_t time);

/* Sorts the lines, most moves first. */
void sd_line_table_sort(struct sd_line_table *m);

/* The kind of sharing, by the bytes each thread was seen to access. */
enum sd_sim_sharing sd_line_table_sharing(const struct sd_memline *l);

double sd_line_table_moves(const struct sd_memline *l);

void sd_line_table_free(struct sd_line_table *m); /* leaves the empty one */

#endif
