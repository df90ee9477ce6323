/*
 * Everything that this user can and cannot measure on this machine, why, and how to change it.
 */
#ifndef SD_DOCTOR_H
#define SD_DOCTOR_H

#include "record/role.h"
#include "record/run.h"
#include "base/sink.h"
#include "base/status.h"

/* identifier, name in JSON, label in text */
#define SD_FACTS(X)                                           \
	X(PMU, "pmu", "hardware counters")                    \
	X(COUNTERS, "counters", "counters at once")           \
	X(WATCHDOG, "nmi-watchdog", "NMI watchdog")           \
	X(SYSTEM_WIDE, "system-wide", "system-wide counting") \
	X(UNCORE, "uncore", "uncore counters")                \
	X(MEMORY, "memory-samples", "load and store samples") \
	X(NATIVE, "native-lines", "contested lines")          \
	X(TSC, "tsc", "reference clock")                      \
	X(TASK_CLOCK, "task-clock", "CPU time (perf)")        \
	X(SCHEDSTAT, "schedstat", "run-queue delay")          \
	X(SYSCALL, "syscall", "wait reasons")                 \
	X(SWITCHES, "switches", "context switches (BPF)")     \
	X(PSI, "psi", "pressure stalls (PSI)")                \
	X(DELAYACCT, "delayacct", "delay accounting")         \
	X(QUOTA, "quota", "CPU quota")                        \
	X(CPUSET, "cpuset", "CPU pinning (cpuset)")           \
	X(HUGE_PAGES, "huge-pages", "huge pages")             \
	X(MPI, "mpi", "MPI launchers")                        \
	X(JAVA, "java", "Java")                               \
	X(GO, "go", "Go")                                     \
	X(PYTHON, "python", "Python")                         \
	X(NODE, "node", "Node.js")                            \
	X(DOTNET, "dotnet", ".NET")

enum sd_fact_id {
#define X(id, name, label) SD_FACT_##id,
	SD_FACTS(X)
#undef X
		SD_FACT_COUNT
};

struct sd_fact {
	enum sd_status status; /* ok: can be used; unsupported, denied, absent (switched off) */
	char found[256];       /* what is there, or why nothing is */
	char enable[320]; /* the command or setting that enables it; "" = nothing is missing, or
			     nothing helps */
};

struct sd_doctor {
	struct sd_fact fact[SD_FACT_COUNT];
	char family[32]; /* family of the event map; "" = no hardware counters */
	struct sd_role_count role[SD_ROLE_COUNT]; /* value: ok = can be counted, or why not */
};

/* The source to read; all NULL means this machine. */
struct sd_doctor_source {
	const char *root;       /* prefix of /proc and /sys */
	const char *maps;       /* folder of the event maps */
	const char *hypervisor; /* its name, "" for none; NULL asks the CPU */
};

extern const char *const sd_fact_name[SD_FACT_COUNT], *const sd_fact_label[SD_FACT_COUNT];

/*
 * Tries everything: opens counters on this process, reads a waiting child's /proc files as the
 * thread poller would. 0; -ENOMEM; another -errno with one message said: an event map is broken or
 * missing.
 */
int sd_doctor_look(
	struct sd_doctor *out, const struct sd_doctor_source *source, const struct sd_sink *sink);

#endif
