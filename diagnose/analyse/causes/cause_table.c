#include "case/rule.h"

#include "evidence/evidence_counts.h"
#include "evidence/evidence_os.h"
#include "record/experiment.h"
#include "evidence/evidence_traffic.h"

#define NO_CPU "needs CPU times, and this record has none"
#define NO_POLLER "needs thread states sampled while the program ran, and this record has none"
#define TEST(name) (1ul << SD_EXPERIMENT_##name)

#define SHARED_HARDWARE                                                                        \
	.tests = TEST(REPLICAS) | TEST(BANDWIDTH_THIEF) | TEST(CACHE_THIEF),                   \
	.finds = " # copies that slow down as much share hardware, others the program's data", \
	.next = "scalediag --events hw PROGRAM # on a machine with a PMU"

#define SHARED_LINES                                                \
	.tests = TEST(SOFTWARE_PMU), .finds = " # names the lines", \
	.next = "perf c2c record PROGRAM # on a machine with a PMU"

#define HARDWARE                                                                             \
	.carriers = SD_BIT(GROWTH), .counted = SD_BIT(CPI_OTHER), .needs = SD_RUN_PARTS_CPU, \
	.lacking = NO_CPU, .what = "go to slower user code"

const struct sd_rule sd_cause_table[SD_CAUSE_COUNT] = {
	[SD_CAUSE_MEMORY_BANDWIDTH] = {HARDWARE, .own = SD_BIT(CPI_BANDWIDTH), .traffic = 1,
		.counts = sd_evidence_traffic_say, .against = sd_evidence_traffic_falsified,
		SHARED_HARDWARE,
		.advice = {"move less memory: block loops for the cache, use smaller types, write "
			   "with non-temporal stores"}},
	[SD_CAUSE_LLC_CAPACITY] = {HARDWARE, .own = SD_BIT(CPI_LLC), .traffic = 1,
		.counts = sd_evidence_counts_llc, SHARED_HARDWARE,
		.advice = {"make what the cores use at one time fit into the shared cache: smaller "
			   "blocks, data used by several cores at the same time"}},
	[SD_CAUSE_DTLB] = {HARDWARE, .own = SD_BIT(CPI_DTLB), .counts = sd_evidence_counts_dtlb,
		.tests = TEST(HUGE_PAGES) | TEST(SOFTWARE_PMU),
		.next = "scalediag --events hw PROGRAM # on a machine with a PMU",
		.advice = {"use huge pages, or touch fewer pages at a time"}},
	[SD_CAUSE_FALSE_SHARING] = {HARDWARE, .own = SD_BIT(CPI_SHARING), .twin = 1,
		.counts = sd_evidence_counts_sharing, .evidence = sd_evidence_unsteady,
		.falsified = sd_evidence_output_falsified, SHARED_LINES,
		.advice = {"keep what different threads write 128 bytes apart; collect in locals "
			   "and write once"}},
	[SD_CAUSE_TRUE_SHARING] = {HARDWARE, .own = SD_BIT(CPI_SHARING), .twin = 1,
		.counts = sd_evidence_counts_sharing, .evidence = sd_evidence_output, SHARED_LINES,
		.advice = {"count per thread and add up at the end; fewer atomic operations on the "
			   "same variable"}},
	[SD_CAUSE_BUS_LOCKS] = {.carriers = SD_BIT(GROWTH),
		.counted = SD_BIT(CPI_OTHER),
		.tests = TEST(REPLICAS),
		.finds = " # copies that share no data, and slow each other down at atomic "
			 "instructions, lock the bus",
		.next = "perf stat -e sq_misc.bus_lock PROGRAM # on a machine with a PMU",
		.advice = {"align what atomic instructions work on, so that it lies in one cache "
			   "line"}},
	[SD_CAUSE_LOCK_CONTENTION] = {.carriers = SD_BIT(LOCK),
		.needs = SD_RUN_PARTS_CPU | SD_RUN_PARTS_POLLER,
		.direct = 1,
		.lacking = NO_POLLER,
		.what = "wait for locks",
		.next = "perf record -g -e sched:sched_switch PROGRAM # who holds it; or gdb's "
			"`thread apply all bt` while it runs",
		.advice = {"shorten the critical section: move work out of the lock",
			"split the lock, or give each worker data of its own"}},
	[SD_CAUSE_SERIAL_CODE] = {.carriers = SD_BIT(SERIAL),
		.needs = SD_RUN_PARTS_CPU | SD_RUN_PARTS_POLLER,
		.direct = 1,
		.lacking = NO_POLLER,
		.what = "wait while one thread runs alone",
		.next = "perf record -g PROGRAM # what runs alone; or gdb's `thread apply all bt` while "
			"one thread runs",
		.advice =
			{"make the part that one thread does alone parallel, or overlap it with the rest"}},
	[SD_CAUSE_LOAD_IMBALANCE] = {.carriers = SD_BIT(IMBALANCE),
		.needs = SD_RUN_PARTS_CPU | SD_RUN_PARTS_POLLER,
		.direct = 1,
		.peers = 1,
		.lacking = NO_POLLER,
		.what = "wait for slower threads",
		.next = "give out the work in smaller pieces and measure again",
		.advice = {"give out smaller pieces of work, to whoever is free"}},
	[SD_CAUSE_BARRIER_OVERHEAD] = {.carriers = SD_BIT(GROWTH) | SD_BIT(SYSTEM),
		.counted = SD_BIT(INSTRUCTIONS) | SD_BIT(CPI_OTHER) | SD_BIT(SYSTEM),
		.sampled = SD_BIT(SPINNING) | SD_BIT(THREADS),
		.more = sd_evidence_barriers_more,
		.mine = sd_evidence_barriers_own,
		.what_mine =
			"go to starting, waking and ending threads, and to waits no longer than that",
		.evidence = sd_evidence_barrier,
		.needs = SD_RUN_PARTS_CPU | SD_RUN_PARTS_POLLER,
		.peers = 1,
		.lacking = NO_POLLER,
		.what = "go to user time, kernel time and short waits, where its cost would be",
		.what_tasks = "go to making tasks, handing them out and waiting for them",
		.tests = TEST(PASSIVE_WAIT),
		.finds = " # less CPU time means waiting in loops",
		.advice = {"fewer waits for each other, with more work between them"}},
	[SD_CAUSE_EXTRA_WORK] = {.carriers = SD_BIT(GROWTH),
		.counted = SD_BIT(INSTRUCTIONS),
		.own = SD_BIT(INSTRUCTIONS),
		.own_needs = SD_RUN_PARTS_SPIN,
		.counts = sd_evidence_counts_work,
		.needs = SD_RUN_PARTS_CPU,
		.lacking = NO_CPU,
		.what = "go to user time, which more instructions would lengthen",
		.tests = TEST(SOFTWARE_PMU),
		.finds = " # counts instructions",
		.next = "perf stat -e instructions:u PROGRAM # at both core counts, on a machine with a PMU",
		.advice = {"do not repeat work on every core; larger pieces of work"}},
	[SD_CAUSE_SPINNING] = {.carriers = SD_BIT(GROWTH),
		.counted = SD_BIT(INSTRUCTIONS) | SD_BIT(CPI_OTHER),
		.own = SD_BIT(SPINNING),
		.sampled = SD_BIT(SPINNING),
		.counts = sd_evidence_counts_spin,
		.needs = SD_RUN_PARTS_CPU,
		.peers = 1,
		.lacking = NO_CPU,
		.what = "go to user time, where waiting in a loop would count",
		.tests = TEST(PASSIVE_WAIT),
		.finds = " # less CPU time means waiting in loops",
		.advice = {"let threads that wait for long sleep"}},
	[SD_CAUSE_KERNEL_MEMORY] = {.carriers = SD_BIT(SYSTEM),
		.next = "perf record -a -g -e cpu-clock PROGRAM # which kernel code",
		.advice = {"map and unmap less: reuse memory, raise M_TRIM_THRESHOLD and "
			   "M_MMAP_THRESHOLD",
			"use huge pages: fewer faults"}},
	[SD_CAUSE_ALLOCATOR] = {.carriers = SD_BIT(GROWTH) | SD_BIT(SYSTEM) | SD_BIT(LOCK),
		.counted = SD_BIT(INSTRUCTIONS) | SD_BIT(CPI_OTHER) | SD_BIT(SYSTEM) | SD_BIT(LOCK),
		.tests = TEST(ONE_ARENA) | TEST(ALLOCATOR),
		.finds = " # needs libjemalloc2",
		.advice = {"allocate per thread and less often; another allocator"}},
	[SD_CAUSE_NUMA] = {HARDWARE, .own = SD_BIT(CPI_NUMA),
		.next = "numactl --interleave=all PROGRAM # at the largest core count: faster means "
			"memory on one node",
		.advice = {"let each thread touch its own data first"}},
	[SD_CAUSE_SMT] = {HARDWARE, .own = SD_BIT(CPI_SMT),
		.next = "measure --place spread with as many cores as the machine has",
		.advice = {"use one thread a core"}},
	[SD_CAUSE_FREQUENCY] = {.carriers = SD_BIT(GROWTH),
		.counted = SD_BIT(FREQUENCY),
		.own = SD_BIT(FREQUENCY),
		.next = "perf stat -e cycles:u,task-clock PROGRAM # at both core counts, on a machine with a PMU",
		.advice = {"compare with a fixed clock; lighter vector instructions"}},
	[SD_CAUSE_CPU_QUOTA] = {.carriers = SD_BIT(THROTTLED),
		.needs = SD_RUN_PARTS_CPU | SD_RUN_PARTS_QUOTA,
		.direct = 1,
		.machine = 1,
		.lacking = "needs the cgroup's throttling counters, and this record has none",
		.what = "are throttled by the cgroup's CPU quota",
		.next = "raise the quota (cpu.max), or use no more threads than it grants",
		.advice = {"use as many threads as the quota grants CPUs"}},
	[SD_CAUSE_OVERSUBSCRIPTION] = {.carriers = SD_BIT(RUN_QUEUE),
		.needs = SD_RUN_PARTS_CPU | SD_RUN_PARTS_POLLER,
		.direct = 1,
		.lacking = NO_POLLER,
		.what = "wait for a CPU that another thread of the program has",
		.next = "give it as many threads as cores ({n}, the size of its pools) and measure "
			"again",
		.advice = {"make as many threads as there are CPUs to run on "
			   "(sched_getaffinity, nproc), not a fixed number"}},
	[SD_CAUSE_NOISE] = {.carriers = SD_BIT(STOLEN) | SD_BIT(RUN_QUEUE),
		.needs = SD_RUN_PARTS_CPU,
		.direct = 1,
		.machine = 1,
		.lacking = "needs steal times or thread states, and this record has neither",
		.what = "are waits for a CPU, or stolen by the hypervisor",
		.next = "measure again on a quiet machine",
		.advice = {"measure on a machine that runs nothing else"}},
	[SD_CAUSE_DISK] = {.carriers = SD_BIT(DISK),
		.next = "run it with its files in memory (a folder on tmpfs, or read once before): "
			"faster means disk",
		.advice = {"fewer and larger writes, fewer fsync; read ahead"}},
	[SD_CAUSE_MPI] = {.carriers = SD_BIT(MPI),
		.next = "scalediag --ranks LIST mpirun -n {ranks} PROGRAM # logs what the ranks "
			"call",
		.advice = {"fewer and larger messages, started early and waited for late"}},
};
