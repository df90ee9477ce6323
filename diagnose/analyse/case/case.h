/*
 * The data that every verdict is made from, and the gate that all of them share.
 */
#ifndef SD_CASE_H
#define SD_CASE_H

#include "analysis/analysis.h"
#include "case/statements.h"
#include "hotspots/loss_by_stack.h"
#include "ledger/disturbance.h"
#include "loops/native_growth.h"
#include "metrics/metric_eval.h"
#include "record/record.h"
#include "runs/run_selection.h"
#include "runs/shared_cores.h"
#include "stack/stack.h"

/* A component or cause matters from this share of the cores on (METHODS 3). */
#define SD_CASE_GATE .05

/* The data that the verdicts are made from. */
struct sd_case {
	const struct sd_record *record;
	const struct sd_run_selection *choice;
	const struct sd_chosen *ref, *last; /* of choice */
	const struct sd_loss *loss;
	const struct sd_loss_by_stack *spread;     /* spread->now NULL: there are no samples */
	const struct sd_native_growth *native;     /* NULL, or unknown: no run of it looked */
	const struct sd_model *model;              /* model->row NULL: nothing was counted */
	struct sd_metric_eval_point before, after; /* of ref and last, when something was */
	struct sd_analysis *a;
	struct sd_shared_cores neighbours; /* of ref and last */
	int no_loss;    /* how much is lost cannot be told; c->a->no_verdict says why */
	int fixed_time; /* it may run for a fixed time: then its user time grows for no loss */
	int lost;       /* a loss of efficiency was seen beyond doubt: causes may be named */
	int scales;     /* it was seen that there is none: no cause may be named */
	unsigned long
		contradicted; /* causes, a bit each, that something speaks against: no advice */
	unsigned mechanism[SD_CAUSE_COUNT]; /* SD_SEES_*: what a source must see of each to bound it
					       from above */
	unsigned blind[SD_CAUSE_COUNT]; /* SD_SEES_*: what the counts of this CPU miss of each */
	double explained; /* cores of growth that have their cause: a likely one by simulated runs
			     or locks, or one that experiments confirmed */
	struct sd_statements said;         /* owned: what all sources state */
	struct sd_disturbance_facts facts; /* what the machine did, before anything is stated */
	struct sd_disturbance disturbance[SD_DISTURBANCE_COUNT];
	double *scratch; /* loss->n_sample */
	int rc;          /* -ENOMEM once memory ran out */
};

#define SD_BIT(component) (1ul << SD_COMPONENT_##component)

/* Components of time that user code took beyond the reference: several causes hide in each. */
#define SD_CASE_GROWTH \
	(SD_BIT(GROWTH) | SD_BIT(INSTRUCTIONS) | SD_BIT(CPI_OTHER) | SD_BIT(FREQUENCY))

/* Formats one sentence of evidence; an allocation that fails is kept in c->rc (0 or -ENOMEM). */
#define sd_case_say(c, f, ...)                                 \
	((c)->rc |= sd_texts_add(&(f)->evidence, __VA_ARGS__), \
		sd_texts_unsign_zeroes(&(f)->evidence))

/* The sentence said last is what the cause is, unless an earlier one was; memory as above. */
void sd_case_is_what(struct sd_case *c, struct sd_finding *f);

/* Says what the reader must know first; memory as above. */
#define sd_case_warn(c, ...) ((c)->rc |= sd_texts_add(&(c)->a->warnings, __VA_ARGS__))

#endif
