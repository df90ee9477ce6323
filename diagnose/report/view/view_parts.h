/* The parts a view is made of; every string is fresh, or NULL without memory. */
#ifndef SD_VIEW_PARTS_H
#define SD_VIEW_PARTS_H

#include <stdio.h>

#include "view/view.h"

/* "Poor scaling: 1.30x speedup on 2 cores (65 ±1 % efficiency)." */
char *sd_view_answer(
	const struct sd_record *r, const struct sd_analysis *a, enum sd_view_mood *mood);

/* " Most of it is timed sleep in fetch() ...", where the program chose most of its waits; else
 * nothing. */
void sd_view_own_waits(FILE *f, const struct sd_analysis *a);

/* " Only one thread ever worked ...", by how the program was started and the threads that it made.
 */
void sd_view_alone(FILE *f, const struct sd_record *r);

/* "1, 2, 4 cores, 7 to 10 runs each" */
char *sd_view_measured(const struct sd_analysis *a);

/* "strong scaling · 2 CPUs granted · events: os (no PMU: virtual machine)" */
char *sd_view_basis(const struct sd_record *r);

/* "10 runs each, drift +0.9 %, ..." */
char *sd_view_quality(const struct sd_record *r, const struct sd_analysis *a);

/* The intervals that more runs and experiments would narrow, of a record that had no time for them;
 * "" where time left nothing out. */
char *sd_view_more_time(const struct sd_record *r, const struct sd_analysis *a);

/* Names what this machine or program lacks that would tell more, of a view with its causes: "line
 * numbers (compile with -g)"; "" where it lacks nothing. */
char *sd_view_missing(const struct sd_view *v);

/* Fills `v->cause`, `v->n_more`, `v->banner` and `v->main_cause`. 0 or -ENOMEM. */
int sd_view_causes(struct sd_view *v);

/* Fills the items of a cause, but for what to do next; the place alone, of a finding that may be
 * it. 0 or -ENOMEM. */
int sd_view_items(struct sd_view_cause *c, const struct sd_view *v);
/* Is it a cause that is possible at best, of a program that may scale? */
int sd_view_is_suspicion(const struct sd_view *v, const struct sd_finding *f);
int sd_view_item_next(struct sd_view_cause *c, const struct sd_view *v, const char *next);
int sd_view_item_where(struct sd_view_cause *c, const struct sd_finding *f);

/* The lock that lock contention is of; NULL: none is surely it, or the finding is another. */
const struct sd_lock_row *sd_view_hottest_lock(
	const struct sd_finding *f, const struct sd_analysis *a);

/* The place at which it is taken; NULL: the stacks of those who wait end in the C library, which is
 * no place. */
const struct sd_where *sd_view_lock_taken(const struct sd_lock_row *l);

/* 0 or -ENOMEM; with a fresh text in *out. */
int sd_view_say(char **out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Did background load cost the program something, or may it have? A banner says so. */
int sd_view_is_loaded(const struct sd_analysis *a);

/* Did all runs that are compared have precedence over other work on their CPUs? */
int sd_view_shielded(const struct sd_record *r);

/* Fills `v->wasted`. 0 or -ENOMEM. */
int sd_view_reference(struct sd_view *v);

/* Fills `v->latency`. 0 or -1. */
int sd_view_latency(struct sd_view *v);

/* Fills `v->row` after the causes: rows bear their numbers. 0 or -ENOMEM. */
int sd_view_rows(struct sd_view *v);
/* The component's name in this report; static. */
const char *sd_view_label(
	const struct sd_record *r, const struct sd_analysis *a, enum sd_component k);

/* A word of a text and what stands for it here; `to` NULL: nothing does. */
struct sd_view_word {
	const char *from, *to;
};

/* The text with its words replaced; the table ends with a NULL. */
char *sd_view_words(const char *text, const struct sd_view_word *words);

/* The command with the options of scalediag that the runs had: what measures the same once more. */
char *sd_view_again(const struct sd_record *r, const char *command);

#endif
