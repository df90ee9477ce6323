/*
 * The causes of a program that does not scale.
 */
#ifndef SD_CAUSE_H
#define SD_CAUSE_H

#define SD_CAUSES(X)                                                      \
	X(MEMORY_BANDWIDTH, "memory-bandwidth", "memory bandwidth")       \
	X(LLC_CAPACITY, "llc-capacity", "shared cache capacity")          \
	X(DTLB, "dtlb", "DTLB")                                           \
	X(FALSE_SHARING, "false-sharing", "false sharing")                \
	X(TRUE_SHARING, "true-sharing", "true sharing")                   \
	X(BUS_LOCKS, "bus-locks", "bus locks")                            \
	X(LOCK_CONTENTION, "lock-contention", "lock contention")          \
	X(SERIAL_CODE, "serial-code", "serial code")                      \
	X(LOAD_IMBALANCE, "load-imbalance", "load imbalance")             \
	X(BARRIER_OVERHEAD, "barrier-overhead", "barrier overhead")       \
	X(EXTRA_WORK, "extra-work", "extra work")                         \
	X(SPINNING, "spinning", "spinning")                               \
	X(KERNEL_MEMORY, "kernel-memory", "kernel time")                  \
	X(ALLOCATOR, "allocator", "allocator")                            \
	X(NUMA, "numa", "remote memory")                                  \
	X(SMT, "smt", "SMT")                                              \
	X(FREQUENCY, "frequency", "clock frequency")                      \
	X(CPU_QUOTA, "cpu-quota", "CPU quota")                            \
	X(OVERSUBSCRIPTION, "oversubscription", "more threads than CPUs") \
	X(NOISE, "noise", "noisy machine")                                \
	X(DISK, "disk", "disk")                                           \
	X(MPI, "mpi", "MPI")

enum sd_cause {
#define X(id, name, label) SD_CAUSE_##id,
	SD_CAUSES(X)
#undef X
		SD_CAUSE_COUNT
};
struct sd_cause_info {
	const char *name, *label;
};
extern const struct sd_cause_info sd_cause_info[SD_CAUSE_COUNT];

#endif
