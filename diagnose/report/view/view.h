/*
 * The first things that a reader has to know, as data: the answer, the cores by component, and for
 * each cause that matters where it is, what to do and what that is worth. Text, HTML, Markdown and
 * JSON draw the same view, so that they cannot differ; everything else stands in the long report.
 *
 * Strings may hold any bytes of the program's (names, paths): who draws them cleans them.
 */
#ifndef SD_VIEW_H
#define SD_VIEW_H

#include <stddef.h>
#include <time.h>

#include "analysis/analysis.h"
#include "base/texts.h"
#include "record/record.h"

/* A cause below this share of the cores is not shown: nobody would start with it. It is the gate
 * of the verdicts (METHODS 5). */
#define SD_VIEW_LEAST .05
/* From this efficiency on it scales well. */
#define SD_VIEW_WELL .9
/* Share of a cause's cores: the first sentence names no place with less. */
#define SD_VIEW_PLACE .2
#define SD_VIEW_CAUSES 3

enum sd_view_mood { SD_VIEW_GOOD, SD_VIEW_BAD, SD_VIEW_UNSURE, SD_VIEW_NOTHING };

/* A line of the stack. */
struct sd_view_row {
	enum sd_component component; /* COUNT: all that print as nothing */
	const char *label;           /* static */
	struct sd_interval cores;    /* of the largest point; of the rest the sum, unbounded */
	unsigned cause;              /* number of the cause it belongs to; 0 none of those shown */
	int gain;                    /* fewer core-seconds than at the reference */
};

/* Items on a cause, in this order, and the word in front of each. */
#define SD_VIEW_ITEMS(X)                                                              \
	X(LOCK, "lock")     /* of lock contention: which, who takes and holds it */   \
	X(WHERE, "where")   /* "part() -> work() a.c:26 (80 %)" */                    \
	X(WHAT, "what")     /* what most of it is, where the places do not tell */    \
	X(FIX, "fix")       /* what to change */                                      \
	X(OPEN, "open")     /* of growth whose cause was not found: what it may be */ \
	X(PAYOFF, "payoff") /* "1.46x faster on 2 cores (1.40x to 1.60x)" */          \
	X(NEXT, "next")     /* the command that shows or decides more */

enum sd_view_item {
#define X(id, name) SD_VIEW_##id,
	SD_VIEW_ITEMS(X)
#undef X
		SD_VIEW_ITEM_COUNT
};
extern const char *const sd_view_item_name[SD_VIEW_ITEM_COUNT];

struct sd_view_cause {
	unsigned number;             /* 1, 2, 3 */
	const struct sd_finding *of; /* borrowed of the analysis; NULL: the growth that is open */
	const struct sd_where *at; /* the place to look at: who takes the lock, who calls what runs
				      alone; borrowed; NULL unknown */
	char *title;               /* "Lock contention costs 1.60 of 2 cores (likely)" */
	char *item[SD_VIEW_ITEM_COUNT]; /* NULL: nothing is known */
	struct sd_texts next; /* the command of SD_VIEW_NEXT, word by word; empty: it is a sentence,
				 or names what the user has to fill in */
};

struct sd_view {
	char *command;     /* as one could type it */
	char *again;       /* the same behind the options of scalediag that it ran with */
	char *record_word; /* the record's path as one could type it; NULL unknown */
	char *measured;    /* "1 to 8 cores, 7 runs each" */
	char *basis;       /* "strong scaling · 2 CPUs granted · events: os" */
	enum sd_view_mood mood;
	char *answer;            /* a sentence: how it scales */
	char *main_cause;        /* a sentence; NULL: none is shown */
	char *banner;            /* what took CPUs from the program meanwhile; NULL */
	char *wasted;            /* where the reference spent what more cores do not; NULL */
	char *latency;           /* what its requests took meanwhile; NULL: not watched */
	struct sd_view_row *row; /* useful work first, then the largest, the rest last */
	size_t n_row;
	double rest; /* cores: less of a component belongs to the row of the rest */
	struct sd_view_cause cause[SD_VIEW_CAUSES];
	size_t n_cause, n_more; /* shown; others that are possible at least */
	char *quality;          /* how far to believe it */
	char *outlook;          /* what more cores would do; NULL */
	char *more_time;        /* what more time would narrow; "" */
	char *missing;          /* what is not installed or permitted and would tell more; "" */
	const struct sd_analysis *a; /* borrowed, with the record */
	const struct sd_record *r;
};

/*
 * Makes the view of an analysis; `record_path` is for the commands it names, NULL for none. Borrows
 * both until sd_view_free. 0 or -ENOMEM, and then there is nothing to free.
 */
int sd_view_make(struct sd_view *v, const struct sd_record *r, const struct sd_analysis *a,
	const char *record_path);

/*
 * How it scales and the main cause, in a fresh string without control characters; NULL without
 * memory. For formats of others, which have room for a sentence.
 */
char *sd_view_sentence(const struct sd_record *r, const struct sd_analysis *a);

/* Growth of user time at the largest point that no likely cause explains, with its interval; absent
 * where it was not measured. */
struct sd_interval sd_view_growth(const struct sd_analysis *a);

/* Cores of a component with the interval of the finding that they are all of, which counts what
 * disturbed the runs, too: a cost has one interval. `f` NULL, or of another size: their own. */
struct sd_interval sd_view_cost(struct sd_interval cores, const struct sd_finding *f);

/* The next command, with the record and the program of this report for RECORD and PROGRAM: a fresh
 * string or NULL. */
char *sd_view_next(const struct sd_view *v, const char *next);

/* When its first run began, UTC; 0: unknown. */
time_t sd_view_measured_at(const struct sd_record *r);

/* A sentence of a finding with short names of its functions and files: a fresh string or NULL. */
char *sd_view_short(const struct sd_view *v, const struct sd_finding *f, const char *text);

/* Accepts the zeroed value. */
void sd_view_free(struct sd_view *v);

#endif
