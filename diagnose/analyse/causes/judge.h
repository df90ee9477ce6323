/*
 * The verdicts: one row a cause says which components carry it, what it needs, what contradicts it
 * and what to do (METHODS 3 and 5).
 */
#ifndef SD_JUDGE_H
#define SD_JUDGE_H

#include "analysis/analysis.h"
#include "runs/run_selection.h"
#include "metrics/metric_eval.h"
#include "runs/shared_cores.h"
#include "record/record.h"
#include "hotspots/loss_by_stack.h"
#include "stack/stack.h"

/* A component or cause matters from this share of the cores on (METHODS 3). */
#define SD_JUDGE_GATE .05

/* What the verdicts are made from. */
struct sd_case {
	const struct sd_record *record;
	const struct sd_run_selection *choice;
	const struct sd_chosen *ref, *last; /* of choice */
	const struct sd_loss *loss;
	const struct sd_loss_by_stack *spread;     /* spread->now NULL: there are no samples */
	const struct sd_model *model;              /* model->row NULL: nothing was counted */
	struct sd_metric_eval_point before, after; /* of ref and last, when something was */
	struct sd_analysis *a;
	struct sd_shared_cores neighbours; /* of ref and last */
	int capped;      /* the data do not carry a verdict stronger than possible; said why */
	int disturbed;   /* nor do they, except for the disturbance of the machine itself */
	double together; /* share of the time that two cores of the last point both were the
			    program's, as others took them: what threads do to each other shows only
			    then */
	int fixed_time;  /* it may run for a fixed time: then its user time grows for no loss */
	int incomplete;  /* much of the loss is in `unaccounted` */
	int lost;        /* a loss of efficiency was seen beyond doubt: causes may be named */
	int scales;      /* it was seen that there is none: no cause may be named */
	unsigned long
		contradicted; /* causes, a bit each, that something speaks against: no advice */
	double explained; /* cores of growth that have their cause: a likely one by simulated runs
			     or locks, or one that experiments confirmed */
	double *scratch;  /* loss->n_sample */
	int rc;           /* -ENOMEM once memory ran out */
};

#define SD_BIT(component) (1ul << SD_COMPONENT_##component)

struct sd_rule {
	unsigned long carriers; /* components that hold this cause's cost */
	unsigned long counted;  /* the same when counters split the growth of user time; 0: as
				   carriers */
	unsigned long sampled;  /* the same when samples told work from spinning; 0: as carriers */
	unsigned long (*more)(const struct sd_case *c); /* further carriers, by the data */
	unsigned long own; /* the component that counts of roles, or samples where `sampled` has it
			      too, give this cause alone, or with its
			      twin; judged instead of the others where it is there */
	unsigned long (*mine)(const struct sd_case *c); /* components that are this cause alone, by
							   the data: judged instead of the others; 0
							   none */
	const char *what_mine;                          /* `what` of those */
	unsigned own_needs; /* SD_PARTS_* without which it is not this cause's alone */
	int twin;       /* true and false sharing have one component: only addresses divide it */
	int traffic;    /* curves of lines say something about it */
	unsigned needs; /* SD_PARTS_* that must have been measured on both sides */
	int direct;     /* the carriers hold nothing but this cause */
	int machine;    /* it is the machine's doing, not the program's */
	int peers;      /* threads wait for peers: those on a slower core come last as well */
	const char *lacking;     /* what it needs, when that was not measured */
	const char *what;        /* "were …", after the number of cores */
	const char *what_stacks; /* the same, when stacks say how much it is; NULL: they do not */
	const char *what_words;  /* the same, of user time that only works at locks; NULL: none is
				    its */
	const char *what_tasks;  /* the same, where tasks are too small; NULL: that is another's */
	unsigned long parts;     /* SD_PART_* that may be the allocator's instead */
	/* Facts that settle the question before any number: ruled out when it says so (1). */
	int (*excluded)(struct sd_case *c, struct sd_finding *f);
	/* Says what contradicts the cause, and returns 1 then: it is possible at most. */
	int (*falsified)(struct sd_case *c, struct sd_finding *f);
	void (*evidence)(struct sd_case *c, struct sd_finding *f);
	/* The same, of what was counted; only where something was. */
	void (*counts)(struct sd_case *c, struct sd_finding *f);
	int (*against)(struct sd_case *c, struct sd_finding *f);
	unsigned long tests; /* bits of enum sd_experiment: those that decide about it */
	const char *finds;   /* what they show, after "scalediag --experiments ..." */
	const char *next;    /* what would decide when they are made, or there is none; NULL */
	const char *advice[3];
};
extern const struct sd_rule sd_cause_table[SD_CAUSE_COUNT];

/* What user code takes more than at the reference: components that hide several causes. */
#define SD_JUDGE_GROWTH \
	(SD_BIT(GROWTH) | SD_BIT(INSTRUCTIONS) | SD_BIT(CPI_OTHER) | SD_BIT(FREQUENCY))

/* Fills c->a->finding, worst first, and `undecided`. */
void sd_judge_all(struct sd_case *c);

/* Formats one sentence of evidence; an allocation that fails is kept in c->rc (0 or -ENOMEM). */
#define sd_judge_say(c, f, ...) ((c)->rc |= sd_texts_add(&(f)->evidence, __VA_ARGS__))

/* Says what the reader must know first; memory as above. */
#define sd_judge_warn(c, ...) ((c)->rc |= sd_texts_add(&(c)->a->warnings, __VA_ARGS__))

/* Without this share of the cores the run would end so much earlier, if all of it lay on the
 * critical path (METHODS 3.1). A gain is not worth anything, and what is lost was useful to none:
 * absent then. */
struct sd_interval sd_judge_worth(struct sd_interval share);

#endif
