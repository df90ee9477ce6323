/*
 * One source's statement on one cause at the judged core count: the cores that the cause surely
 * costs, and the most it can cost (METHODS 4.1). A source that cannot bound a side leaves it
 * absent, and one that sees only a part of the mechanism bounds nothing from above.
 */
#ifndef SD_STATEMENT_H
#define SD_STATEMENT_H

#include "record/cause.h"
#include "base/status.h"

/* How it is known, weakest first: counts times calibrated costs or a law; what was seen of the
 * program as it is; what was seen to move its time when one thing was changed. */
enum sd_statement_kind { SD_STATEMENT_MODEL, SD_STATEMENT_OBSERVATION, SD_STATEMENT_INTERVENTION };

/*
 * The parts of a mechanism that a source can see or miss. The row of a cause says which of them its
 * mechanism has (struct sd_ledger_row): a counter of loads that hit another core's modified line
 * misses the stores, one that counts between sockets misses what stays inside of one.
 */
#define SD_SEES(X)           \
	X(LOADS)             \
	X(STORES)            \
	X(PREFETCHES)        \
	X(INSIDE_CACHE)      \
	X(BETWEEN_CACHES)    \
	X(BETWEEN_SOCKETS)   \
	X(BETWEEN_THREADS)   \
	X(BETWEEN_PROCESSES) \
	X(USER_CODE)         \
	X(KERNEL_CODE)

enum sd_sees_index {
#define X(id) SD_SEES_INDEX_##id,
	SD_SEES(X)
#undef X
		SD_SEES_INDEX_COUNT
};
enum {
#define X(id) SD_SEES_##id = 1 << SD_SEES_INDEX_##id,
	SD_SEES(X)
#undef X
		SD_SEES_ALL = (1 << SD_SEES_INDEX_COUNT) - 1
};

struct sd_sees {
	unsigned mechanism; /* SD_SEES_* */
	double run;         /* share of the run that it looked at, 0..1 */
	double threads;     /* share of the threads */
};
#define SD_SEES_WHOLE ((struct sd_sees){SD_SEES_ALL, 1, 1})

#define SD_STATEMENT_NUMBERS 6

struct sd_statement {
	enum sd_cause cause;
	enum sd_statement_kind kind;
	/* Cores at the judged count, with their 95 % intervals. Status ok: it bounds that side;
	 * anything else: it does not. A number that one run gave has no interval, see
	 * disturbance.h. */
	struct sd_interval at_least, at_most;
	struct sd_sees sees;
	int unsized; /* something speaks for it, and nobody knows how much: at_least is the gate,
			with nothing sure of it */
	unsigned disturbed_by; /* SD_DISTURBANCE_BIT: those that its numbers contain */
	const char *id;        /* static; which sentence the report makes of it */
	double number[SD_STATEMENT_NUMBERS]; /* what that sentence needs */
};

/* A side that is not bounded. */
#define SD_STATEMENT_OPEN ((struct sd_interval){.status = SD_STATUS_ABSENT})

#endif
