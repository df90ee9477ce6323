/*
 * Sampled accesses added up by cache line, in bounded memory.
 */
#ifndef SD_LINE_TABLE_H
#define SD_LINE_TABLE_H

#include <stddef.h>

#include "base/key_table.h"
#include "memory/sampled_access.h"
#include "record/simulated.h"

#define SD_LINE_TABLE_MOST 16384 /* lines held; the least telling ones make room */
#define SD_LINE_TABLE_CODES 32   /* places of a line */

/* An address space: a process, from one exec to the next. */
struct sd_memspace {
	int pid;
	uint64_t since; /* time of the exec; 0: of the first */
	int gone;       /* another exec came after it: nothing can be named there any more */
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
	double cycles, timed; /* sum of the latencies of the loads that moved it; how many */
};

struct sd_memthread {
	int pid, tid;
	double loads, stores, hitm;
};

/* Zeroed with `bytes` set is empty. */
struct sd_line_table {
	unsigned bytes;          /* of a line: a power of two from 16 on */
	struct sd_memline *line; /* owned */
	size_t n, room, n_seen;
	struct sd_memspace *space; /* owned */
	size_t n_space;
	struct sd_memthread *thread; /* owned; SD_SIM_THREADS at most */
	size_t n_thread, n_thread_seen;
	struct sd_key_table by_line, by_thread, by_pid; /* by_pid: its last space */
	double loads, stores, local, remote, peer, unplaced;
};

/* Adds one; 0 or -ENOMEM. Without an address or a thread it is only counted. */
int sd_line_table_add(struct sd_line_table *m, const struct sd_sampled_access *a);

/* At `time` pid's address space became a new one. 0 or -ENOMEM. */
int sd_line_table_exec(struct sd_line_table *m, int pid, uint64_t time);

/* The lines that moved first, most moves first. */
void sd_line_table_sort(struct sd_line_table *m);

/* How the threads share a line: by the bytes that were seen of each. */
enum sd_sim_sharing sd_line_table_sharing(const struct sd_memline *l);

double sd_line_table_moves(const struct sd_memline *l);

void sd_line_table_free(struct sd_line_table *m); /* leaves the empty one */

#endif
