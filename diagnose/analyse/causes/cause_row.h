/*
 * All that is known of a cause: who states its bounds (METHODS 4), what narrows them, what to do.
 * One file a cause defines its row.
 */
#ifndef SD_CAUSE_ROW_H
#define SD_CAUSE_ROW_H

#include "case/case.h"
#include "record/experiment.h"

/* States what one source says of the cause (case/stated.h), and the sentences that belong to it. A
 * source that says nothing changes nothing. */
typedef void sd_cause_row_state(struct sd_case *c, struct sd_finding *f);

struct sd_cause_row {
	/* SD_BIT: where its cores can ever be. Those that a record does not tell apart do not
	 * count. */
	unsigned long components;
	unsigned long (*also)(const struct sd_case *c); /* more of them, by the data; NULL none */
	/* Components that may contain its cores, by the data, for a cause of many that may all be
	 * user time; NULL: as components */
	unsigned long (*carriers)(const struct sd_case *c);
	int of_others; /* what others on the machine take, or do not grant: none of the program's
			  loss */
	int hides;     /* in the growth of user time, unless it is told apart */
	unsigned mechanism; /* SD_SEES_*: what a source must see to bound it from above */
	sd_cause_row_state *const *state; /* NULL-ended; one a source */
	const char *finds;                /* what they show, after "scalediag --experiments ..." */
	const char *next; /* what would decide when they are made, or there is none; NULL */
	const char *advice[3];
};

/* One a file of this folder. */
#define X(id, name, label) extern const struct sd_cause_row sd_cause_row_##id;
SD_CAUSES(X)
#undef X

/* SD_CAUSE_COUNT rows, by cause. */
extern const struct sd_cause_row *const sd_cause_row_list[SD_CAUSE_COUNT];

/* States what all sources say of all causes: fills c->said, and of c->a->finding, by cause, all but
 * what the ledger makes of it. */
void sd_cause_row_state_all(struct sd_case *c);

#endif
