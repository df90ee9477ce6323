/*
 * Times of the ranks of one MPI run: how long each computed, what they lost to imbalance,
 * serialisation and transfer by a replay of their calls with free messages (METHODS 1.4), and who
 * waited for whom.
 */
#ifndef SD_MPI_RUN_H
#define SD_MPI_RUN_H

#include <stddef.h>

#include "base/status.h"

#define SD_MPI_RUN_RANKS 65536u
#define SD_MPI_RUN_HOSTS 4096u
#define SD_MPI_RUN_SITES 1024u
#define SD_MPI_RUN_WAITS 256u

/* Kinds of waits between ranks. */
#define SD_MPI_WAITS(X)                                                             \
	X(COLLECTIVE, "collective", "for the last rank to enter a collective call") \
	X(LATE_SENDER, "late-sender", "for a message not sent yet")                 \
	X(LATE_RECEIVER, "late-receiver", "to send to a rank that does not receive yet")

enum sd_mpi_wait_kind {
#define X(id, name, meaning) SD_MPI_WAIT_##id,
	SD_MPI_WAITS(X)
#undef X
		SD_MPI_WAIT_COUNT
};

struct sd_mpi_host {
	char name[64];
	/* what rank agents measured there; agents 0: none did, and the rest is absent */
	unsigned agents;
	struct sd_value user, system, run_delay; /* s of their ranks' processes, summed */
	struct sd_value max_rss;                 /* bytes, of the largest process */
};

struct sd_mpi_rank_time {
	unsigned rank, host;    /* host: row of the run's */
	double useful, mpi, io; /* s of the rank's first thread outside of MPI, in it, in MPI-IO */
	double delay;        /* s of useful time that it was ready without a CPU: not in useful */
	double cpu;          /* CPU-s of all its threads outside of MPI calls */
	double calls, bytes; /* bytes sent by point-to-point messages */
	int lost;            /* it ended without MPI_Finalize(): up to where its log goes */
};

/* A place that calls MPI. */
struct sd_mpi_call_site {
	char call[36];
	unsigned node;                /* its code, in the record's stacks; 0 unknown */
	double calls, seconds, bytes; /* of all ranks */
};

/* Seconds that ranks waited at one place for one rank. */
struct sd_mpi_wait {
	enum sd_mpi_wait_kind kind;
	unsigned site;               /* row of the run's + 1; 0 unknown */
	unsigned peer;               /* the rank waited for */
	unsigned first, last, ranks; /* who waited: the lowest, the highest, how many */
	double seconds, count;       /* rank-seconds; waits */
};

struct sd_mpi_run {
	enum sd_status status; /* ok: the ranks are known; the times below too if `divided` */
	char why[160];         /* what is missing; "" */
	char library[32];      /* "Open MPI", "MPICH", "MPI 5" */
	unsigned expected;     /* ranks of MPI_COMM_WORLD */
	int divided;           /* 0: a log was folded or a rank is missing: load balance alone */
	/* s. elapsed: from MPI_Init()'s end to MPI_Finalize()'s begin. ideal: the replay with free
	 * messages; ideal_delayed: with the times too that ranks had no CPU */
	double elapsed, ideal, ideal_delayed;
	int launch; /* the calls were not logged: of its times elapsed and startup are known, no
		       rank */
	struct sd_value cpu;      /* of such a run: CPU-s of all ranks meanwhile */
	double startup;           /* s from the start of the program to the end of MPI_Init() */
	double unmatched;         /* events whose partner is in no log */
	struct sd_mpi_host *host; /* owned */
	size_t n_host;
	struct sd_mpi_rank_time *rank; /* owned; by number */
	size_t n_rank;
	struct sd_mpi_call_site *site; /* owned; most seconds first */
	size_t n_site;
	struct sd_mpi_wait *wait; /* owned; most seconds first */
	size_t n_wait, n_wait_seen;
};

/* Means and the largest over the ranks, s; 0 without ranks. */
struct sd_mpi_means {
	double useful, longest, io; /* longest: of useful and MPI-IO together */
	double cpu;                 /* CPU-s of all ranks, summed */
};
struct sd_mpi_means sd_mpi_run_means(const struct sd_mpi_run *m);

void sd_mpi_run_free(struct sd_mpi_run *m); /* frees what it owns and *m; accepts NULL */

#endif
