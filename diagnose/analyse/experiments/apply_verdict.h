/*
 * The parts of settle.h: what the experiments are weighed against, and how a verdict is changed.
 */
#ifndef SD_SETTLING_H
#define SD_SETTLING_H

#include "causes/judge.h"
#include "experiments/experiment_results.h"

struct sd_settling {
	struct sd_case *c;
	struct sd_tested *t[SD_EXPERIMENT_COUNT]; /* NULL: too few pairs */
	struct sd_interval growth;                /* share of the last point's N */
	struct sd_interval efficiency;
	struct sd_interval hardware, software; /* by the copies; absent without them */
	struct sd_interval told;               /* of the growth, by causes that were confirmed */
};

#define SD_SETTLING_ABSENT ((struct sd_interval){.status = SD_STATUS_ABSENT})

/* ---- numbers --------------------------------------------------------------------------------- */

int sd_settling_has(struct sd_interval v);
/* a - b of independent estimates; 1 - v; 1 / v. */
struct sd_interval sd_settling_less(struct sd_interval a, struct sd_interval b);
struct sd_interval sd_settling_rest(struct sd_interval v);
struct sd_interval sd_settling_inverse(struct sd_interval v);
/* Surely above the gate of METHODS 3, surely below it. */
int sd_settling_clearly(struct sd_interval v);
int sd_settling_hardly(struct sd_interval v);

/*
 * Share of the last point's cores that come free when its time is multiplied by `last` and the
 * reference's by `ref` (absent: stays): the efficiency that this leads to, less the one there is.
 */
struct sd_interval sd_settling_gain(
	const struct sd_settling *b, struct sd_interval last, struct sd_interval ref);

/* Of the plan's experiments. */
size_t sd_settling_index(const struct sd_settling *b, const struct sd_tested *t);

/* ---- verdicts -------------------------------------------------------------------------------- */

struct sd_finding *sd_settling_finding(const struct sd_settling *b, enum sd_cause cause);

/* Open, or likely by other evidence. */
int sd_settling_named(const struct sd_settling *b, enum sd_cause cause);

/* Out; what other evidence speaks for is only doubtful then. */
void sd_settling_exclude(struct sd_finding *f);

/* Gives the cause this share of the cores. A machine that is not to be trusted keeps every verdict
 * at possible. */
void sd_settling_give(
	struct sd_settling *b, enum sd_cause cause, enum sd_verdict verdict, struct sd_interval v);

/* The same of a cause that hides in the growth of user time: never more than that. One that other
 * evidence has measured keeps its own share, of which this must be half at least. */
void sd_settling_grow(
	struct sd_settling *b, enum sd_cause cause, enum sd_verdict verdict, struct sd_interval v);

/* A sentence of what an experiment showed. */
#define sd_settling_seen(b, t, ...) ((b)->c->rc |= sd_texts_add(&(t)->seen, __VA_ARGS__))

/* Of a cause that is still open: the sentence says why it is out. Where others took the CPUs
 * nothing met, and nothing is said. */
#define sd_settling_rule_out(b, cause, ...)                                               \
	do {                                                                              \
		if (sd_settling_named(b, cause) && !(b)->c->disturbed) {                  \
			sd_rules_say((b)->c, sd_settling_finding(b, cause), __VA_ARGS__); \
			sd_settling_exclude(sd_settling_finding(b, cause));               \
		}                                                                         \
	} while (0)

/* Of a cause that is still open: a fact that does not settle it. */
#define sd_settling_mention(b, cause, ...)                                                \
	do {                                                                              \
		if (sd_settling_named(b, cause))                                          \
			sd_rules_say((b)->c, sd_settling_finding(b, cause), __VA_ARGS__); \
	} while (0)

/* ---- each experiment, in this order ---------------------------------------------------------- */

void sd_settle_copies(struct sd_settling *b);
void sd_settle_clock(struct sd_settling *b);
void sd_settle_thieves(struct sd_settling *b);
void sd_settle_prefetchers(struct sd_settling *b);
void sd_settle_waits(struct sd_settling *b);
void sd_settle_padding(struct sd_settling *b);
void sd_settle_allocator(struct sd_settling *b);
void sd_settle_pages(struct sd_settling *b);
void sd_settle_places(struct sd_settling *b);
void sd_settle_files(struct sd_settling *b);
void sd_settle_atomics(struct sd_settling *b);
void sd_settle_repeated(struct sd_settling *b);

#endif
