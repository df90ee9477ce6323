/*
 * The log of the library preloaded into MPI ranks (probes/mpi/preload): one file a rank, which the
 * rank maps and fills while it runs, so that a rank that dies leaves what it did until then. Its
 * readers take it for untrusted bytes.
 *
 * The file: struct sd_mpi_log, then SD_MPI_LOG_EVENTS events at most, as far as the file goes.
 * Times are CLOCK_MONOTONIC of the rank's node, ns.
 */
#ifndef SD_MPI_LOG_H
#define SD_MPI_LOG_H

#include <stdint.h>

#define SD_MPI_LOG_MAGIC 0x31676f6c69706d73ull /* "smpilog1" on a little-endian machine */

/* Bounds of a rank's log. Calls beyond the events are counted by call site alone, sites beyond the
 * table under its last row, communicators beyond theirs as unknown. */
#define SD_MPI_LOG_EVENTS (1u << 19)
#define SD_MPI_LOG_SITES 1024u
#define SD_MPI_LOG_COMMS 256u
#define SD_MPI_LOG_MODULES 32u
#define SD_MPI_LOG_THREADS 64u /* later ones count as the last */

/* Kinds of calls by their effect on the ranks of the communicator, which is all a replay needs. */
/* clang-format off */
#define SD_MPI_KINDS(X) \
	X(TIME, "time")         /* waits for nobody that the log can name */ \
	X(IO, "io")             /* MPI-IO */ \
	X(SEND, "send")         /* blocking */ \
	X(SSEND, "ssend")       /* blocking until received */ \
	X(ISEND, "isend") \
	X(RECV, "recv") \
	X(IRECV, "irecv") \
	X(SENDRECV, "sendrecv") /* the send; its RECEIVED follows */ \
	X(RECEIVED, "received") /* part of the call before: a receive that ended in it */ \
	X(DONE, "done")         /* part of the call before: another request that ended in it */ \
	X(WAIT, "wait")         /* Wait, Test and their like: what ended in it follows */ \
	X(PROBE, "probe") \
	X(ALL, "all")           /* leaves when all have entered: barrier, allreduce, alltoall */ \
	X(FROM, "from")         /* leaves when the root has entered: bcast, scatter */ \
	X(TO, "to")             /* the root leaves when all have entered: reduce, gather */ \
	X(BELOW, "below")       /* leaves when the ranks below have entered: scan */ \
	X(IALL, "iall") X(IFROM, "ifrom") X(ITO, "ito") X(IBELOW, "ibelow") /* started only */ \
	X(NEAR, "near")         /* neighbours only; who they are is not in the log */
/* clang-format on */

enum sd_mpi_kind {
#define X(id, name) SD_MPI_##id,
	SD_MPI_KINDS(X)
#undef X
		SD_MPI_KIND_COUNT
};

#define SD_MPI_NOBODY (-1) /* peer: none, or not a rank of MPI_COMM_WORLD */
#define SD_MPI_NO_COMM UINT32_MAX

struct sd_mpi_event {
	uint64_t enter, leave; /* written when the call is left */
	uint32_t off;          /* us the thread was ready without a CPU since the event before */
	uint16_t kind, thread; /* thread: 0 called MPI_Init; others in order of their first call */
	uint32_t site;
	uint32_t comm; /* row of the communicators, or SD_MPI_NO_COMM */
	int32_t peer;  /* rank in MPI_COMM_WORLD: destination, source or root */
	int32_t tag;
	uint32_t request; /* number of the request that is started, or that ended; 0 none */
	uint32_t bytes;   /* of a message sent, at most UINT32_MAX */
	uint32_t order;   /* of a collective: which one of its communicator, from 0 */
	uint32_t held;    /* us in the call that the thread was ready without a CPU */
};

/* A place that calls MPI. Every call is counted, also beyond the bound of the events. */
struct sd_mpi_site {
	uint64_t address; /* return address; in the file of the module, from its load address */
	uint64_t calls, ns, bytes;
	uint32_t module;
	char call[36]; /* "MPI_Allreduce" */
};

struct sd_mpi_comm {
	uint64_t members; /* hash of its ranks of MPI_COMM_WORLD, in order */
	uint32_t nth;     /* how many with the same members were made before */
	uint32_t size, rank;
	uint32_t pad;
};

/* CPU time of the thread that called MPI_Init, and what of its wall time it had none. */
struct sd_mpi_times {
	uint64_t wall, off, delay; /* ns; off: without a CPU; delay: of that, ready to run */
};

struct sd_mpi_log {
	uint64_t magic;
	uint32_t size_of_event; /* 0: no call is logged, only times of the rank as a whole */
	uint32_t abi;           /* 0 MPICH, 1 Open MPI, 2 MPI 5 */
	uint32_t rank, ranks, pid, threads;
	uint32_t events; /* written or being written; above SD_MPI_LOG_EVENTS: folded */
	uint32_t sites, comms, modules;
	uint32_t lost;                                   /* requests that could not be followed */
	uint32_t provided;                               /* thread level */
	uint64_t loaded, init, inited, final, finalized; /* when; 0: never came so far */
	uint64_t process_cpu; /* ns of CPU time of all threads from inited to final */
	struct sd_mpi_times outside, inside; /* of MPI calls, between inited and final */
	char host[64];
	char module[SD_MPI_LOG_MODULES][256];
	struct sd_mpi_site site[SD_MPI_LOG_SITES];
	struct sd_mpi_comm comm[SD_MPI_LOG_COMMS];
};

#endif
