/*
 * The parts of apply.h: what the experiments are weighed against, and what they state.
 */
#ifndef SD_APPLY_VERDICT_H
#define SD_APPLY_VERDICT_H

#include "case/case.h"
#include "experiments/experiment_results.h"

struct sd_apply_verdict {
	struct sd_case *c;
	struct sd_tested *t[SD_EXPERIMENT_COUNT]; /* NULL: too few pairs */
	struct sd_interval growth;                /* share of the last point's N */
	struct sd_interval efficiency;
	struct sd_interval hardware, software; /* by the copies; absent without them */
	struct sd_interval told;               /* of the growth, by causes that were confirmed */
};

#define SD_APPLY_VERDICT_ABSENT ((struct sd_interval){.status = SD_STATUS_ABSENT})

/* ---- numbers --------------------------------------------------------------------------------- */

/* The program's efficiency in the state of the machine that the experiment's pairs met, as known as
 * in the one that is compared; absent where no run of the program met it. */
struct sd_interval sd_apply_verdict_efficiency(
	const struct sd_apply_verdict *b, const struct sd_tested *t);

int sd_apply_verdict_has(struct sd_interval v);
/* a - b of independent estimates; 1 - v; 1 / v. */
struct sd_interval sd_apply_verdict_less(struct sd_interval a, struct sd_interval b);
struct sd_interval sd_apply_verdict_rest(struct sd_interval v);
struct sd_interval sd_apply_verdict_inverse(struct sd_interval v);
/* Surely above the gate of METHODS 3, surely below it. */
int sd_apply_verdict_clearly(struct sd_interval v);
int sd_apply_verdict_hardly(const struct sd_apply_verdict *b, struct sd_interval v);
/* Is this ratio of times near enough to 1 to be called no effect? */
int sd_apply_verdict_none(struct sd_interval ratio);

/*
 * Share of the last point's cores that come free when its time is multiplied by `last` and the
 * reference's by `ref` (absent: stays): the efficiency that this leads to, less the one there is.
 */
struct sd_interval sd_apply_verdict_gain(
	const struct sd_apply_verdict *b, struct sd_interval last, struct sd_interval ref);

/* The number of this experiment in the plan. */
size_t sd_apply_verdict_index(const struct sd_apply_verdict *b, const struct sd_tested *t);

/* ---- causes ---------------------------------------------------------------------------------- */

struct sd_finding *sd_apply_verdict_finding(const struct sd_apply_verdict *b, enum sd_cause cause);

/* Does something speak for it, and nothing rule it out? */
int sd_apply_verdict_named(const struct sd_apply_verdict *b, enum sd_cause cause);

/* The growth of user time has this much less to explain, and most of it may be this cause's. */
void sd_apply_verdict_tell(struct sd_apply_verdict *b, enum sd_cause cause, struct sd_interval v);

/* ---- statements ------------------------------------------------------------------------------ */

/* A share of the last point's cores, in cores. */
struct sd_interval sd_apply_verdict_cores(const struct sd_apply_verdict *b, struct sd_interval v);

/* States, in cores, what a cause costs by a change that moved the program's time. Runs took turns:
 * the machine's states and drift cancel, others that kept threads apart do not. */
void sd_apply_verdict_state(struct sd_apply_verdict *b, enum sd_cause cause, const char *id,
	struct sd_interval at_least, struct sd_interval at_most);

/* States, in cores, what was observed beside the program. */
void sd_apply_verdict_observe(struct sd_apply_verdict *b, enum sd_cause cause, const char *id,
	struct sd_interval at_least, struct sd_interval at_most);

/* At least this share of the cores is a cause's that hides in the growth of user time, or is in its
 * own component (SD_BIT) where that was told apart: never more than these. */
void sd_apply_verdict_grown(struct sd_apply_verdict *b, enum sd_cause cause, const char *id,
	enum sd_statement_kind kind, unsigned long own, struct sd_interval v);

/* A sentence of what an experiment showed. */
#define sd_apply_verdict_seen(b, t, ...) ((b)->c->rc |= sd_texts_add(&(t)->seen, __VA_ARGS__))

/* Mentions a fact about a cause that is still open and stays so. */
#define sd_apply_verdict_mention(b, cause, ...)                                               \
	do {                                                                                  \
		if (sd_apply_verdict_named(b, cause))                                         \
			sd_case_say((b)->c, sd_apply_verdict_finding(b, cause), __VA_ARGS__); \
	} while (0)

/* ---- each experiment, in this order ---------------------------------------------------------- */

void sd_apply_copies(struct sd_apply_verdict *b);
void sd_apply_clock(struct sd_apply_verdict *b);
/* Tells what a thief moved beside the program, if e is one and a pair shows it. 1: told. */
int sd_apply_thief_moved(struct sd_apply_verdict *b, enum sd_experiment e);
void sd_apply_thieves(struct sd_apply_verdict *b);
void sd_apply_prefetchers(struct sd_apply_verdict *b);
void sd_apply_waits(struct sd_apply_verdict *b);
void sd_apply_padding(struct sd_apply_verdict *b);
void sd_apply_allocator(struct sd_apply_verdict *b);
void sd_apply_pages(struct sd_apply_verdict *b);
void sd_apply_places(struct sd_apply_verdict *b);
/* How much of its files was in the page cache before the runs of either arm. */
void sd_apply_files_cached(struct sd_apply_verdict *b);
void sd_apply_files(struct sd_apply_verdict *b);
void sd_apply_bus(struct sd_apply_verdict *b);
void sd_apply_atomics(struct sd_apply_verdict *b);
void sd_apply_repeated(struct sd_apply_verdict *b);
void sd_apply_races(struct sd_apply_verdict *b);

#endif
