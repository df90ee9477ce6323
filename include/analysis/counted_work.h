/*
 * Counted work of a record: what a program does, in events, not in seconds. Counts of one build
 * repeat where times do not, on a busy machine and above its CPUs, so they can be gated tightly.
 * What does not repeat, as the order in which threads meet, has a spread, which decides nothing.
 */
#ifndef SD_COUNTED_WORK_H
#define SD_COUNTED_WORK_H

#include <stddef.h>

#include "analysis/requirement.h"
#include "record/record.h"

/* identifier, name in requirements, meaning */
#define SD_COUNTED_WORKS(X)                                                          \
	X(INSTRUCTIONS, "instructions", "instructions of the program")               \
	X(MOVES, "moves", "cache lines that moved, modified, from core to core")     \
	X(FILLS, "fills", "cache lines brought in from beyond the last-level cache") \
	X(LOCKED, "locked", "locked or exclusive loads")                             \
	X(SYSTEM_CALLS, "system-calls", "system calls")                              \
	X(HAND_OVERS, "hand-overs", "waiting threads that another woke")             \
	X(WAITS, "waits", "context switches because a thread waited")                \
	X(FAULTS, "faults", "page faults without I/O")

enum sd_counted_work {
#define X(id, name, meaning) SD_COUNTED_WORK_##id,
	SD_COUNTED_WORKS(X)
#undef X
		SD_COUNTED_WORK_COUNT
};

struct sd_counted_work_info {
	const char *name, *meaning;
};
extern const struct sd_counted_work_info sd_counted_work_info[SD_COUNTED_WORK_COUNT];

/* COUNT: no counted work of that name. */
enum sd_counted_work sd_counted_work_named(const char *name);

/*
 * Judges a requirement of kind COUNT by the intervals of both counts; `baseline` NULL: there is
 * none, and a factor is undecided. The ratio's interval is that of the ends: low / high to high /
 * low. `why` names the runs and their spread whatever the outcome. 0 or -ENOMEM.
 */
int sd_counted_work_judge(const struct sd_requirement *g, const struct sd_record *now,
	const struct sd_record *baseline, struct sd_requirement_result *out);

#endif
