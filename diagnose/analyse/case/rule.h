/*
 * One row a cause: which components carry it, what it needs, what contradicts it and what to do
 * (METHODS 3 and 5).
 */
#ifndef SD_RULE_H
#define SD_RULE_H

#include "case/case.h"

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
	const char *lacking;    /* what it needs, when that was not measured */
	const char *what;       /* "were …", after the number of cores */
	const char *what_tasks; /* the same, where tasks are too small; NULL: that is another's */
	unsigned long parts;    /* SD_PART_* that may be the allocator's instead */
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

#endif
