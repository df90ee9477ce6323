/*
 * The names for the time of threads and cores, from observation to the stack that sums to N. The
 * last columns of each table say what a row becomes in the next one:
 *
 *   wait       what the kernel says that a thread waits for           -> idle
 *   activity   what a stack says that a thread did or waited for      -> wait, part
 *   idle       what an idle core was, given all threads of a moment   -> part
 *   part       a share of one run's capacity                          -> component, cost
 *   component  cores of the stack, compared with the reference        -> cause
 *   cost       what a function's cores were lost to: a column of the table of functions
 *
 * A new kind of wait is a row here and a rule that recognises it (resolve/wait_rules.c).
 */
#ifndef SD_CORE_TIME_H
#define SD_CORE_TIME_H

#include "record/cause.h"

/* clang-format off */

/*
 * Waits. `idle`: the class of an idle core whose thread waits like this while others run; `turn`:
 * when such threads get their cores (METHODS 2.3); `alone`: the class when no thread of the program
 * runs or could, and `rank`: which of the waits there are then has all idle cores, 1 first, 0 never.
 */
#define SD_WAITS(X) \
	/* id      idle       turn    alone      rank */ \
	X(NONE,    UNKNOWN,   NONE,   UNKNOWN,   0) /* runs or is ready to */ \
	X(LOCK,    LOCK,      FIRST,  LOCK,      2) /* a mutex or another lock */ \
	X(SYNC,    IMBALANCE, PEERS,  IMBALANCE, 5) /* a barrier, condition or semaphore: for what peers do */ \
	X(JOIN,    UNKNOWN,   NONE,   UNKNOWN,   0) /* for the end of a thread or a child process, or for a signal */ \
	X(DISK,    DISK,      FIRST,  DISK,      1) /* a block device */ \
	X(SLEEP,   SLEEP,     SECOND, SLEEP,     6) /* a timer */ \
	X(POLL,    IMBALANCE, PEERS,  SLEEP,     6) /* a timer, to look again then whether peers have done something */ \
	X(PIPE,    IMBALANCE, PEERS,  NETWORK,   7) /* for what a peer writes or reads; the tree inherits none from us */ \
	X(NETWORK, NETWORK,   SECOND, NETWORK,   4) /* a socket, a terminal, anything polled */ \
	X(KERNEL,  KERNEL,    FIRST,  KERNEL,    3) /* a lock of the kernel itself: the address space, page tables */ \
	X(TASK,    TASKLESS,  SECOND, TASKLESS,  8) /* a task to run, of a runtime that schedules them; why there is none is not known */ \
	X(UNKNOWN, UNKNOWN,   SECOND, UNKNOWN,   0) \
	X(GONE,    UNKNOWN,   NONE,   UNKNOWN,   0) /* a zombie, stopped, dead: waits for nothing */

/*
 * Activities. `wait`: what it is to the division of idle cores; `at`: where threads meet there, WORD
 * at the first argument of the futex call, CALL at the call that waits, NOWHERE when no other thread is
 * waited for or it is not known; `kernel`: what the kernel's futex and scheduler time below such a
 * function is (USEFUL: nothing more particular); `part`: what its seconds stand for.
 */
#define SD_ACTIVITIES(X) \
	/* id              name in records     label                                   group     wait     at       kernel          part */ \
	X(USEFUL,          "useful",           "the program's own work",               RUNNING,  UNKNOWN, NOWHERE, USEFUL,         USER) \
	X(SPIN_BARRIER,    "spin-barrier",     "spinning at a barrier",                SPINNING, UNKNOWN, NOWHERE, USEFUL,         SPIN) \
	X(SPIN_LOCK,       "spin-lock",        "spinning for a lock",                  SPINNING, UNKNOWN, NOWHERE, USEFUL,         SPIN_LOCK) \
	X(SPIN_MPI,        "spin-mpi",         "polling inside MPI",                   SPINNING, UNKNOWN, NOWHERE, USEFUL,         SPIN_MPI) \
	X(SPIN_OTHER,      "spin-other",       "spinning",                             SPINNING, UNKNOWN, NOWHERE, USEFUL,         SPIN) \
	X(KERNEL_FAULT,    "kernel-fault",     "page faults",                          KERNEL,   UNKNOWN, NOWHERE, USEFUL,         SYSTEM) \
	X(KERNEL_ZEROING,  "kernel-zeroing",   "zeroing pages",                        KERNEL,   UNKNOWN, NOWHERE, USEFUL,         SYSTEM) \
	X(KERNEL_MMAP_LOCK, "kernel-mmap-lock", "the address space's lock",            KERNEL,   UNKNOWN, NOWHERE, USEFUL,         SYSTEM) \
	X(KERNEL_SHOOTDOWN, "kernel-shootdown", "interrupting other cores to flush their TLBs", KERNEL,   UNKNOWN, NOWHERE, USEFUL,         SYSTEM) \
	X(KERNEL_FORK,     "kernel-fork",      "copying and dropping page tables of processes", KERNEL, UNKNOWN, NOWHERE, USEFUL, SYSTEM) \
	X(KERNEL_NAMES,    "kernel-names",     "names of files",                       KERNEL,   UNKNOWN, NOWHERE, USEFUL,         SYSTEM) \
	X(KERNEL_DESCRIPTORS, "kernel-descriptors", "the table of descriptors",        KERNEL,   UNKNOWN, NOWHERE, USEFUL,         SYSTEM) \
	X(KERNEL_FUTEX,    "kernel-futex",     "futex calls",                          KERNEL,   UNKNOWN, NOWHERE, USEFUL,         SYSTEM) \
	X(KERNEL_SCHEDULER, "kernel-scheduler", "the scheduler",                       KERNEL,   UNKNOWN, NOWHERE, USEFUL,         SYSTEM) \
	X(KERNEL_LOCKING,  "kernel-locking",   "sleeping and waking at locks",         KERNEL,   UNKNOWN, NOWHERE, USEFUL,         SYSTEM_LOCK) \
	X(KERNEL_THREADS,  "kernel-threads",   "starting, waking, ending threads",     KERNEL,   UNKNOWN, NOWHERE, USEFUL,         SYSTEM_THREADS) \
	X(KERNEL_YIELD,    "kernel-yield",     "giving up the CPU in a loop",          KERNEL,   UNKNOWN, NOWHERE, USEFUL,         SYSTEM_YIELD) \
	X(KERNEL_FILE,     "kernel-file",      "files",                                KERNEL,   UNKNOWN, NOWHERE, USEFUL,         SYSTEM) \
	X(KERNEL_NETWORK,  "kernel-network",   "the network",                          KERNEL,   UNKNOWN, NOWHERE, USEFUL,         SYSTEM) \
	X(KERNEL_OTHER,    "kernel-other",     "the kernel",                           KERNEL,   UNKNOWN, NOWHERE, USEFUL,         SYSTEM) \
	X(RUNNABLE,        "runnable",         "ready, without a CPU",                 WAITING,  UNKNOWN, NOWHERE, USEFUL,         USER) \
	X(MUTEX,           "mutex",            "waiting for a mutex",                  WAITING,  LOCK,    WORD,    KERNEL_LOCKING, USER) \
	X(RWLOCK,          "rwlock",           "waiting for a read-write lock",        WAITING,  LOCK,    WORD,    KERNEL_LOCKING, USER) \
	X(FILE_LOCK,       "file-lock",        "waiting for a lock on a file",         WAITING,  LOCK,    CALL,    KERNEL_LOCKING, USER) \
	X(WRITER_LOCK,     "writer-lock",      "sleeping until another writer is done", WAITING, LOCK,    CALL,    KERNEL_LOCKING, USER) \
	X(POSITION_LOCK,   "position-lock",    "waiting for the position of a shared file descriptor", WAITING, LOCK, CALL, KERNEL_LOCKING, USER) \
	X(INODE_LOCK,      "inode-lock",       "waiting for a file that others change", WAITING, LOCK,   CALL,    KERNEL_LOCKING, USER) \
	X(DIRECTORY_LOCK,  "directory-lock",   "waiting for a directory that others change", WAITING, LOCK, CALL, KERNEL_LOCKING, USER) \
	X(PIPE_LOCK,       "pipe-lock",        "waiting for a pipe that others read or write", WAITING, LOCK, CALL, KERNEL_LOCKING, USER) \
	X(SOCKET_LOCK,     "socket-lock",      "waiting for a socket that others use", WAITING,  LOCK,    CALL,    KERNEL_LOCKING, USER) \
	X(RING_LOCK,       "ring-lock",        "waiting for an io_uring that others enter", WAITING, LOCK, CALL,   KERNEL_LOCKING, USER) \
	X(SEMAPHORE,       "semaphore",        "waiting for a semaphore",              WAITING,  SYNC,    WORD,    KERNEL_LOCKING, USER) \
	X(CONDITION,       "condition",        "waiting for a condition",              WAITING,  SYNC,    WORD,    KERNEL_THREADS, USER) \
	X(BARRIER,         "barrier",          "waiting at a barrier",                 WAITING,  SYNC,    WORD,    KERNEL_THREADS, USER) \
	X(JOIN,            "join",             "waiting for a thread or process to end", WAITING, JOIN,   NOWHERE, USEFUL,         USER) \
	X(RUNTIME_LOCK,    "runtime-lock",     "waiting for a language runtime's lock", WAITING, LOCK,    WORD,    KERNEL_LOCKING, USER) \
	X(POOL,            "pool",             "idle worker waiting for work",         WAITING,  SYNC,    WORD,    KERNEL_THREADS, USER) \
	X(TASKLESS,        "taskless",         "a runtime's thread without a task to run", WAITING, TASK, NOWHERE, USEFUL,         USER) \
	X(KERNEL_LOCK,     "kernel-lock",      "waiting for a lock of the kernel",     WAITING,  KERNEL,  NOWHERE, USEFUL,         KERNEL) \
	X(DISK,            "disk",             "waiting for the disk",                 WAITING,  DISK,    NOWHERE, USEFUL,         DISK) \
	X(PIPE,            "pipe",             "waiting for a pipe",                   WAITING,  PIPE,    NOWHERE, USEFUL,         NETWORK) \
	X(SOCKET,          "socket",           "waiting for a socket",                 WAITING,  NETWORK, NOWHERE, USEFUL,         NETWORK) \
	X(COMPLETION,      "completion",       "waiting for what an io_uring was asked", WAITING, NETWORK, NOWHERE, USEFUL,        NETWORK) \
	X(SLEEP,           "sleep",            "sleeping on a timer",                  WAITING,  SLEEP,   NOWHERE, USEFUL,         SLEEP) \
	X(MPI,             "mpi",              "waiting in MPI",                       WAITING,  SYNC,    NOWHERE, USEFUL,         MPI) \
	X(FUTEX,           "futex",            "waiting on a futex of unknown kind",   WAITING,  SYNC,    WORD,    USEFUL,         USER) \
	X(UNKNOWN,         "unknown",          "waiting, the reason unknown",          WAITING,  UNKNOWN, NOWHERE, USEFUL,         USER)

/*
 * Kinds of idle core-seconds of a run (METHODS 2.3): at each moment the N - running idle cores are
 * given to throttled, then runnable threads, then the waits by their turn, and the rest to "no
 * thread". Unit: core-seconds.
 */
#define SD_IDLES(X) \
	/* id        name in records  part       meaning */ \
	X(THROTTLED, "throttled",     THROTTLED, "the cgroup's quota was used up") \
	X(RUNNABLE,  "runnable",      RUN_QUEUE, "a thread was ready but had no CPU of the set") \
	X(LOCK,      "lock",          LOCK,      "threads waited for a lock") \
	X(DISK,      "disk",          DISK,      "threads waited for a block device (state D)") \
	X(IMBALANCE, "imbalance",     IMBALANCE, "threads waited at a barrier, join or condition while two or more ran, or for a slower peer") \
	X(SERIAL,    "serial",        SERIAL,    "exactly one thread ran and the others waited for it, or did not exist") \
	X(KERNEL,    "kernel",        KERNEL,    "threads waited for a lock of the kernel, such as the address space's") \
	X(SLEEP,     "sleep",         SLEEP,     "threads slept by a timer and no core was wanted") \
	X(NETWORK,   "network",       NETWORK,   "threads waited for a pipe, a socket or a terminal") \
	X(MPI,       "mpi",           MPI,       "processes waited in MPI for messages under way") \
	X(TASKLESS,  "taskless",      UNKNOWN,   "a runtime that schedules its own tasks had none to run; what they waited for was not seen") \
	X(UNKNOWN,   "unknown",       UNKNOWN,   "the reason could not be read")

/*
 * Parts of one run's capacity, N cores over its time; they sum to 1. `of`: what it was taken out
 * of by samples (USER: it spun; SYSTEM: what the kernel did it for; WHOLE: measured by itself).
 * Spinning that is known to be a wait is that wait (METHODS 2.4): for a lock, for MPI, while one
 * thread did useful work (serial code), while two or more did (imbalance). `cost`: what it costs a
 * function; COUNT: no stack stands for it.
 */
#define SD_PARTS(X) \
	/* id             component    cost       of */ \
	X(USER,           USEFUL,      GROWTH,    WHOLE) \
	X(SYSTEM,         SYSTEM,      KERNEL,    WHOLE) \
	X(STOLEN,         STOLEN,      COUNT,     WHOLE) \
	X(THROTTLED,      THROTTLED,   COUNT,     WHOLE) \
	X(RUN_QUEUE,      RUN_QUEUE,   COUNT,     WHOLE) \
	X(LOCK,           LOCK,        LOCK,      WHOLE) \
	X(DISK,           DISK,        WAITS,     WHOLE) \
	X(IMBALANCE,      IMBALANCE,   IMBALANCE, WHOLE) \
	X(SERIAL,         SERIAL,      SERIAL,    WHOLE) \
	X(SLEEP,          SLEEP,       WAITS,     WHOLE) \
	X(NETWORK,        NETWORK,     WAITS,     WHOLE) \
	X(KERNEL,         SYSTEM,      KERNEL,    WHOLE) \
	X(SYSTEM_LOCK,    LOCK,        LOCK,      SYSTEM) \
	X(SYSTEM_THREADS, THREADS,     KERNEL,    SYSTEM) \
	X(SYSTEM_YIELD,   SPINNING,    SPINNING,  SYSTEM) \
	X(MPI,            MPI,         WAITS,     WHOLE) \
	X(LAUNCH,         LAUNCH,      COUNT,     WHOLE) \
	X(SPIN,           SPINNING,    SPINNING,  USER) \
	X(SPIN_LOCK,      LOCK,        LOCK,      USER) \
	X(SPIN_MPI,       MPI,         WAITS,     USER) \
	X(SPIN_SERIAL,    SERIAL,      SERIAL,    USER) \
	X(SPIN_IMBALANCE, IMBALANCE,   IMBALANCE, USER) \
	X(YIELD_SERIAL,   SERIAL,      SERIAL,    SYSTEM) \
	X(YIELD_IMBALANCE, IMBALANCE,  IMBALANCE, SYSTEM) \
	X(UNKNOWN,        UNACCOUNTED, COUNT,     WHOLE)

/*
 * The parts of the stack (DESIGN 7 and 11), in cores; they sum to the point's N. `growth` is there
 * when user time could not be split into instructions and CPI. `cause`: the one whose verdict
 * belongs to it; COUNT: none, or one of several.
 */
#define SD_COMPONENTS(X) \
	/* id            name in JSON     label                                   cause */ \
	X(USEFUL,        "useful",        "useful work",                          COUNT) \
	X(GROWTH,        "growth",        "work inflation (same work, more CPU time)",                  COUNT) \
	X(INSTRUCTIONS,  "instructions",  "extra instructions",                   EXTRA_WORK) \
	X(CPI_BANDWIDTH, "cpi-bandwidth", "memory bandwidth",                     MEMORY_BANDWIDTH) \
	X(CPI_LLC,       "cpi-llc",       "shared cache capacity",                LLC_CAPACITY) \
	X(CPI_DTLB,      "cpi-dtlb",      "DTLB misses",                          DTLB) \
	X(CPI_SHARING,   "cpi-sharing",   "cache-line sharing",                   COUNT) \
	X(CPI_SMT,       "cpi-smt",       "SMT siblings",                         SMT) \
	X(CPI_NUMA,      "cpi-numa",      "remote memory",                        NUMA) \
	X(CPI_OTHER,     "cpi-other",     "slower instructions, cause not split", COUNT) \
	X(FREQUENCY,     "frequency",     "lower clock",                          FREQUENCY) \
	X(SPINNING,      "spinning",      "spinning",                             SPINNING) \
	X(SYSTEM,        "system",        "kernel time",                          KERNEL_MEMORY) \
	X(THREADS,       "threads",       "thread management (create, wake, join)", BARRIER_OVERHEAD) \
	X(RUN_QUEUE,     "run-queue",     "runnable, but no free CPU",                    NOISE) \
	X(THROTTLED,     "throttled",     "cgroup CPU throttling",           CPU_QUOTA) \
	X(STOLEN,        "stolen",        "hypervisor steal",             NOISE) \
	X(LOCK,          "lock",          "waiting for locks",                    LOCK_CONTENTION) \
	X(IMBALANCE,     "imbalance",     "load imbalance (waiting for slower threads)",            LOAD_IMBALANCE) \
	X(SERIAL,        "serial",        "serial sections (one thread active)",  SERIAL_CODE) \
	X(DISK,          "disk",          "waiting for the disk",                 DISK) \
	X(SLEEP,         "sleep",         "timed sleep",                          COUNT) \
	X(NETWORK,       "network",       "blocked on I/O (pipes, sockets, tty)", COUNT) \
	X(MPI,           "mpi",           "waiting in MPI",                       MPI) \
	X(LAUNCH,        "launch",        "launching (launcher, MPI_Init, MPI_Finalize)", COUNT) \
	X(UNACCOUNTED,   "unaccounted",   "unattributed",                    COUNT)

/*
 * Kinds of loss of a function's cores (METHODS 1.6). Own costs stand where the code ran; those of
 * idle and spinning cores where the code ran that they waited for.
 */
#define SD_COSTS(X) \
	/* id        name in JSON  head of a column */ \
	X(GROWTH,    "growth",     "user") \
	X(KERNEL,    "system",     "kernel") \
	X(SPINNING,  "spinning",   "spin") \
	X(LOCK,      "lock",       "lock") \
	X(IMBALANCE, "imbalance",  "imbal.") \
	X(SERIAL,    "serial",     "serial") \
	X(WAITS,     "waits",      "waits")

#define X(id, ...) SD_WAIT_##id,
enum sd_wait { SD_WAITS(X) SD_WAIT_COUNT };
#undef X

#define X(id, ...) SD_ACTIVITY_##id,
enum sd_activity { SD_ACTIVITIES(X) SD_ACTIVITY_COUNT };
#undef X

#define X(id, ...) SD_IDLE_##id,
enum sd_idle { SD_IDLES(X) SD_IDLE_COUNT };
#undef X

#define X(id, ...) SD_PART_##id,
enum sd_part { SD_PARTS(X) SD_PART_COUNT };
#undef X

#define X(id, ...) SD_COMPONENT_##id,
enum sd_component { SD_COMPONENTS(X) SD_COMPONENT_COUNT };
#undef X

#define X(id, ...) SD_COST_##id,
enum sd_cost { SD_COSTS(X) SD_COST_COUNT };
#undef X

/* clang-format on */

enum sd_wait_turn { SD_TURN_NONE, SD_TURN_FIRST, SD_TURN_PEERS, SD_TURN_SECOND };

struct sd_wait_info {
	enum sd_idle idle;
	enum sd_wait_turn turn;
	enum sd_idle alone;
	int rank;
};
extern const struct sd_wait_info sd_wait_info[SD_WAIT_COUNT];

enum sd_activity_at { SD_AT_NOWHERE, SD_AT_WORD, SD_AT_CALL };
enum sd_activity_group { SD_GROUP_RUNNING, SD_GROUP_SPINNING, SD_GROUP_KERNEL, SD_GROUP_WAITING };

struct sd_activity_info {
	const char *name, *label;
	enum sd_activity_group group;
	enum sd_wait wait;
	enum sd_activity_at at;
	enum sd_activity kernel;
	enum sd_part part;
};
extern const struct sd_activity_info sd_activity_info[SD_ACTIVITY_COUNT];

/* Waiting in a loop, also in one that gives up the CPU and gets it back. */
static inline int sd_spins(enum sd_activity a)
{
	return sd_activity_info[a].group == SD_GROUP_SPINNING || a == SD_ACTIVITY_KERNEL_YIELD;
}

/* For another thread's work, not for a lock or a message. */
static inline int sd_spins_for_peers(enum sd_activity a)
{
	return a == SD_ACTIVITY_SPIN_BARRIER || a == SD_ACTIVITY_SPIN_OTHER ||
	       a == SD_ACTIVITY_KERNEL_YIELD;
}

extern const char *const sd_idle_name[SD_IDLE_COUNT];
extern const enum sd_part sd_idle_part[SD_IDLE_COUNT];

enum sd_part_of { SD_PART_OF_WHOLE, SD_PART_OF_USER, SD_PART_OF_SYSTEM };

struct sd_part_info {
	enum sd_component component;
	enum sd_cost cost; /* SD_COST_COUNT: no stack stands for it */
	enum sd_part_of of;
};
extern const struct sd_part_info sd_part_info[SD_PART_COUNT];

struct sd_component_info {
	const char *name, *label;
	enum sd_cause cause; /* SD_CAUSE_COUNT: none, or not one alone */
};
extern const struct sd_component_info sd_component_info[SD_COMPONENT_COUNT];

extern const char *const sd_cost_name[SD_COST_COUNT];

#endif
