/*
 * One run of the program at one core count: every measurement, raw, with its status.
 */
#ifndef SD_RUN_H
#define SD_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpulist.h"
#include "record/binned_lanes.h"
#include "record/cause.h"
#include "record/memory_sampled.h"
#include "record/mpi_run.h"
#include "record/native_lines.h"
#include "record/region_run.h"
#include "record/role.h"
#include "record/sampled.h"
#include "record/simulated.h"
#include "base/status.h"
#include "record/experiment_run.h"
#include "record/experiment.h"

/*
 * The measured values of a run: identifier, name in records, unit, meaning. They cover the whole
 * process tree unless stated otherwise, and are raw: the analysis computes rates and ratios.
 */
#define SD_METRICS(X)                                                                              \
	X(WALL, "wall", "s", "from exec to the program's exit")                                    \
	X(USER, "user", "s", "user CPU time")                                                      \
	X(SYSTEM, "system", "s", "system CPU time")                                                \
	X(TASK_CLOCK, "task_clock", "s",                                                           \
		"CPU time by perf's task-clock: also counts children nobody waited for")           \
	X(TSC_CYCLES, "tsc_cycles", "cycles",                                                      \
		"TSC cycles while a thread was on a CPU (effective reference cycles)")             \
	X(TSC_HZ, "tsc_hz", "1/s", "TSC rate of the machine")                                      \
	X(CYCLES, "cycles", "cycles", "core cycles, user")                                         \
	X(INSTRUCTIONS, "instructions", "instructions", "retired instructions, user")              \
	X(RUN_DELAY, "run_delay", "s",                                                             \
		"time threads were runnable but had no CPU (schedstat), as far as seen")           \
	X(VOLUNTARY_SWITCHES, "voluntary_switches", "switches",                                    \
		"context switches because a thread waited")                                        \
	X(INVOLUNTARY_SWITCHES, "involuntary_switches", "switches",                                \
		"context switches because a thread was preempted")                                 \
	X(MIGRATIONS, "migrations", "migrations", "moves of a thread to another CPU")              \
	X(SYSTEM_CALLS, "system_calls", "calls",                                                   \
		"system calls, if they were asked for (--system-calls)")                           \
	X(MINOR_FAULTS, "minor_faults", "faults", "page faults without I/O")                       \
	X(MAJOR_FAULTS, "major_faults", "faults", "page faults with I/O")                          \
	X(BLKIO_WAIT, "blkio_wait", "s",                                                           \
		"block-I/O wait by delay accounting (off on most kernels)")                        \
	X(BLOCK_READ, "block_read", "bytes", "bytes read from block devices")                      \
	X(BLOCK_WRITTEN, "block_written", "bytes", "bytes written to block devices")               \
	X(THROTTLED, "throttled", "s", "time the cgroup was throttled by its CPU quota")           \
	X(PERIODS, "quota_periods", "periods", "enforcement periods of the CPU quota")             \
	X(THROTTLED_PERIODS, "throttled_periods", "periods",                                       \
		"enforcement periods that were throttled")                                         \
	X(PSI_CPU, "psi_cpu", "s", "machine: time some task waited for a CPU")                     \
	X(PSI_IO, "psi_io", "s", "machine: time some task waited for I/O")                         \
	X(PSI_MEMORY, "psi_memory", "s", "machine: time some task waited for memory")              \
	X(STEAL, "steal", "s", "time the hypervisor ran something else on the run's CPUs")         \
	X(FOREIGN, "foreign", "s", "CPU time of other processes on the run's CPUs")                \
	X(MAX_RSS, "max_rss", "bytes", "largest resident set of any process of the tree")          \
	X(LINE_BEFORE, "line_before", "s",                                                         \
		"round trip of a contended cache line before the run, median of pairs")            \
	X(LINE_AFTER, "line_after", "s", "the same after the run")                                 \
	X(WIDTH, "width", "additions",                                                             \
		"independent additions in the time of a chained one, mean of the run's CPUs: "     \
		"falls while something else uses their cores")                                     \
	X(WIDTH_LEAST, "width_least", "additions", "the same of the narrowest CPU of each moment") \
	X(WIDTH_MOST, "width_most", "additions",                                                   \
		"the same of each CPU's widest moment: of a core that it has alone")               \
	X(WAIT_TRANSFER, "wait_transfer", "s",                                                     \
		"of a modelled machine: threads stood still for lines that other cores had")       \
	X(WAIT_MEMORY, "wait_memory", "s", "the same for lines from memory")                       \
	X(WAIT_BUS, "wait_bus", "s", "the same until the bus was free for these")                  \
	X(RATE, "rate", "1/s", "throughput the program printed (--rate)")                          \
	X(LATENCY_P50, "latency_p50", "s",                                                         \
		"half of the watched region's entries took less (--latency)")                      \
	X(LATENCY_P99, "latency_p99", "s", "99 % of them did")                                     \
	X(USABLE, "usable_cpus", "CPUs",                                                           \
		"CPUs it was given that the affinity of its threads lets them use")                \
	X(BOUND_WAIT, "bound_wait", "s",                                                           \
		"threads were ready while others of the program had the one CPU that their "       \
		"affinity lets them use")                                                          \
	X(TASKS_MADE, "tasks_made", "tasks",                                                       \
		"processes and threads that the machine made meanwhile")                           \
	X(POLLS, "polls", "samples", "samples of the thread-state poller")                         \
	X(POLL_PERIOD, "poll_period", "s", "mean period of the poller")                            \
	X(POLL_CPU, "poll_cpu", "s", "CPU time that measuring took while the program ran")

enum sd_metric {
#define X(id, name, unit, meaning) SD_METRIC_##id,
	SD_METRICS(X)
#undef X
		SD_METRIC_COUNT
};

struct sd_metric_info {
	const char *name, *unit, *meaning;
};
extern const struct sd_metric_info sd_metric_info[SD_METRIC_COUNT];

/* One thread of the tree as the poller saw it; unreadable values are absent. */
struct sd_thread {
	int pid, tid;
	char name[16];             /* comm, control characters replaced */
	struct sd_value cpu;       /* s on a CPU (schedstat), until last seen */
	struct sd_value run_delay; /* s runnable without a CPU */
	struct sd_value solo;      /* s as the only running thread of the tree */
	unsigned stage, stages;    /* of a pipeline, its process: from 1 on; 0: of none */
};

/* A run keeps at most this many threads, those with the most CPU time; n_thread_seen counts all. */
#define SD_RUN_THREADS 256

/*
 * The count of a role, raw and never scaled: the weighted sum of its events, for the whole process
 * tree (scope thread), the cores the run was bound to (scope core) or all sockets (scope socket),
 * whoever ran there. If running < 1 the status is multiplexed and the analysis scales once, value /
 * running; below 0.9 it is not used for differences. Without a count: denied, unsupported, or
 * absent (the counter never ran).
 */
struct sd_role_count {
	enum sd_role role;
	struct sd_value value;
	double running; /* time counted / time enabled, 0..1; the smallest of its events */
	enum sd_quality quality;
	enum sd_scope scope;
	int shared;      /* may include SMT siblings of the run's CPUs */
	int user;        /* user mode only: the kernel was not counted */
	unsigned sees;   /* SD_SIGHT_BIT(), where the map says what its events see; 0: what the
			    role's meaning says (sd_role_sees()) */
	char source[32]; /* the map's family; "perf-stat" or similar if imported */
};

/* Neighbours: other processes that worked while the program ran. A run keeps at most this many,
 * those with the most CPU time and disk traffic. */
#define SD_NEIGHBOURS 4u

/* Less than both is not told: cores; bytes a second. */
#define SD_NEIGHBOUR_LEAST_CPU .02
#define SD_NEIGHBOUR_LEAST_DISK 1e6

/* Non-numeric facts: bits of `facts`, and their names in records. */
#define SD_NEIGHBOUR_FACTS(X)                                                                  \
	X(REAL_TIME, 0, "real-time", "its priority is real-time: nothing else runs before it") \
	X(BOUND, 1, "bound",                                                                   \
		"it may not use all CPUs of the machine, and may use some of the run's")       \
	X(CHILDREN, 2, "children",                                                             \
		"most of its time is that of processes it started, which have ended")          \
	X(KERNEL, 3, "kernel", "a thread of the kernel")

enum sd_neighbour_fact {
#define X(id, bit, name, meaning) SD_NEIGHBOUR_##id = 1 << (bit),
	SD_NEIGHBOUR_FACTS(X)
#undef X
};

/* Rates are means since the look before, which is of the session's start or of the disturbed run
 * before: they hold pauses between runs, too. */
struct sd_neighbour {
	int pid;
	char name[16]; /* comm, control characters replaced */
	unsigned facts;
	struct sd_value cpu;  /* cores, those of its ended children included */
	struct sd_value disk; /* bytes a second read from and written to block devices */
	/* bytes of memory that it goes through, at least, as samples of its addresses show (METHODS
	 * 2.3.16); absent: not looked at, or too few */
	struct sd_value memory;
};

enum sd_run_kind {
	SD_RUN_WARMUP, /* discarded: page cache, clocks */
	SD_RUN_BLOCK,  /* part of a randomised block */
	SD_RUN_DRIFT,  /* the first count again at the end: has the machine drifted? */
	/* under other conditions, so never among the times above */
	SD_RUN_EXPERIMENT,
	SD_RUN_SIMULATED,
	SD_RUN_MEMORY, /* loads and stores are sampled */
	SD_RUN_EVENTS, /* events of the counters are sampled */
	SD_RUN_COST,   /* with all probes, or without one: what it costs (probe_cost.h) */
};
extern const char *const sd_run_kind_name[SD_RUN_COST + 1]; /* in records */

/* How the program ended. */
enum sd_end {
	SD_END_EXITED,
	SD_END_SIGNALLED,
	SD_END_TIMEOUT,
	SD_END_RATE_MISSING,
	SD_END_REGION_MISSING
};

/* Non-numeric facts about a run: bits of `flags`, and their names in records. */
#define SD_RUN_FLAGS(X)                                                                               \
	X(REBOUND, 0, "rebound", "a thread set its own affinity outside its CPUs")                    \
	X(LEFTOVER, 1, "leftover", "processes outlived the program and were killed")                  \
	X(MIXED, 2, "mixed",                                                                          \
		"the machine changed its state during the run, and again when repeated: see line.h")  \
	X(HELD, 3, "held", "a cpuset cgroup held the tree on its CPUs")                               \
	X(UNREADABLE, 4, "unreadable",                                                                \
		"the kernel ended the counters of a process when it was executed: it runs "           \
		"as another user, or may be executed and not read")                                   \
	X(SHIELDED, 6, "shielded", "it had precedence over other work on its CPUs")                   \
	X(GOES_ON, 5, "goes-on",                                                                      \
		"processes outlived the program and went on working; they were killed")               \
	X(BY_CYCLES, 7, "by-cycles",                                                                  \
		"imported: its CPU time is its core cycles at the clock of the smallest count")       \
	X(ANY_STATUS, 8, "any-status",                                                                \
		"it ended with a status that is not 0, which --ignore-failure counts as well")        \
	X(UNLOADED, 9, "unloaded",                                                                    \
		"the process with most CPU time did not load the libraries that scalediag preloads: " \
		"what they would have logged of it is not known")                                     \
	X(STOPPED, 10, "stopped",                                                                     \
		"a signal stopped the whole program for a part of it (SIGSTOP, Ctrl-Z)")              \
	X(UNCOUNTED, 11, "uncounted", "the counters of its processes were left out")                  \
	X(UNLOGGED, 12, "unlogged", "the library preloaded for OpenMP was left out")                  \
	X(UNMARKED, 13, "unmarked", "the library preloaded for tools' markers was left out")          \
	X(UNTRACED, 14, "untraced",                                                                   \
		"the library preloaded for MPI logged the launch alone, or was left out")             \
	X(THINNED, 15, "thinned",                                                                     \
		"samples and recorded switches were fewer, since all of them cost too much")

enum sd_run_flag {
#define X(id, bit, name, meaning) SD_RUN_##id = 1 << (bit),
	SD_RUN_FLAGS(X)
#undef X
};

/* The worth of a step, as expected when it was chosen; it stands at the first run of the step. */
struct sd_run_choice {
	double narrows;    /* cores by which bounds come closer, on average */
	double takes;      /* s of the whole step */
	enum sd_cause of;  /* whose bounds most; COUNT: the loss's, whether it scales */
	enum sd_look look; /* by what, of a step that is no experiment */
	double rested;     /* s that it waited before for the machine to change its state */
};

/* A rest: no run is made until the machine is in the state whose runs are compared. */
struct sd_rest {
	double seconds; /* as long as it stayed in the other state on average; 0: no rest */
	double split;   /* s, between the round trips of a line in either state */
	int far;        /* it waits for the longer ones */
};

struct sd_run {
	size_t point; /* index into the plan's points */
	enum sd_run_kind kind;
	unsigned block;
	double start; /* s since the epoch, sd_clock_day() */
	enum sd_end end;
	int code;               /* exit status or signal number */
	unsigned flags;         /* SD_RUN_* facts */
	unsigned repeats;       /* earlier attempts that older versions dropped, because the
				   machine's state changed during them */
	uint64_t stdout_digest; /* FNV-1a 64 of the program's standard output */
	uint64_t stdout_bytes;
	struct sd_value metric[SD_METRIC_COUNT];
	struct sd_value
		whole; /* wall time, s, when SD_METRIC_WALL is only that of the judged part */
	struct sd_value idle[SD_IDLE_COUNT]; /* core-s; all absent without a poller */
	double *concurrency; /* owned; [k] = s with exactly k threads running or runnable, k =
				0..n_concurrency-1 */
	size_t n_concurrency;
	struct sd_thread *thread; /* owned */
	size_t n_thread, n_thread_seen;
	/* owned; the counts of this run's pass (plan.h), each role at most once; empty without a
	 * PMU
	 */
	struct sd_role_count *role;
	size_t n_role;
	unsigned pass; /* index into the plan's passes; 0 if there are none */
	struct sd_sampled sampled;
	/* owned; NULL: not sampled, or another run of the point is the one that has them */
	struct sd_binned_lanes *lanes;
	struct sd_simulated *simulated; /* owned; counts of the software PMU; NULL: not simulated */
	struct sd_native_lines *native; /* owned; NULL: nobody looked */
	struct sd_neighbour *neighbour; /* owned; empty: none was seen, or the run was not disturbed
					   enough to look for them */
	size_t n_neighbour;
	struct sd_memory_sampled *memory;     /* owned; if of kind memory, else NULL */
	struct sd_event_sampled *events;      /* owned; if of kind events, else NULL */
	struct sd_mpi_run *mpi;               /* owned; of an MPI run, else NULL */
	struct sd_region_run *regions;        /* owned; NULL: no region was seen */
	struct sd_kernel_locks *kernel_locks; /* owned; NULL: nobody looked */
	struct sd_experiment_run *tried;      /* owned; if part of an experiment, else NULL */
	struct sd_run_choice *choice;         /* owned; NULL: it was due in any case, or an older
						 version measured */
};

/* Did the program end by itself, with status 0 or one that the user has allowed? */
static inline int sd_run_ended_well(const struct sd_run *r)
{
	return r->end == SD_END_EXITED && (r->code == 0 || (r->flags & SD_RUN_ANY_STATUS));
}

/* How long it ran, also when only a part of it is judged. */
static inline struct sd_value sd_run_whole(const struct sd_run *r)
{
	return sd_has(r->whole) ? r->whole : r->metric[SD_METRIC_WALL];
}

/* The count of a role; NULL: this run did not count it. */
const struct sd_role_count *sd_run_role(const struct sd_run *r, enum sd_role role);

void sd_run_free(struct sd_run *r); /* leaves the zeroed value; accepts it */

#endif
