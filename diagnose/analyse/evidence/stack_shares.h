/*
 * How much of an activity is below functions of certain names, by the samples of the last point.
 */
#ifndef SD_STACK_SHARES_H
#define SD_STACK_SHARES_H

#include "case/case.h"
#include "hotspots/allocator_names.h"

/* Parts of names, ended by NULL: pthread_cond_broadcast() and what languages make of it; the
 * making and ending of a thread or process; a future of std::async that is destroyed and waits; an
 * event loop that calls what is to be done; a strand of Asio, which calls one handler at a time; a
 * process that keeps objects for others; page tables that fork() copies. */
extern const char *const sd_stack_shares_broadcast[];
extern const char *const sd_stack_shares_created[];
extern const char *const sd_stack_shares_discarded[];
extern const char *const sd_stack_shares_event_loop[];
extern const char *const sd_stack_shares_strand[];
extern const char *const sd_stack_shares_manager[];
extern const char *const sd_stack_shares_forking[];

/*
 * Thread-seconds a sampled run of this activity whose stack has a function with one of these parts
 * in its name; 0: none, or nothing was sampled. *all: those of the activity. Adds the seconds of
 * each stack to weight[] of its spot (c->spread->places) unless that is NULL.
 */
double sd_stack_shares_seconds(const struct sd_case *c, enum sd_activity activity,
	const char *const *part, double *all, double *weight);

/*
 * Share of the cores that wait for one thread, by blame, while its stack has a function with one
 * of these parts in its name, in the process that called it; 0: none, or nothing was sampled.
 */
double sd_stack_shares_blamed(const struct sd_case *c, const char *const *part);

/*
 * Share of this activity in the time in which only one thread of all processes did work, by the
 * samples of the last point; 0: none, or nothing was sampled.
 */
double sd_stack_shares_alone(const struct sd_case *c, enum sd_activity activity);

/*
 * Whose allocator the program spends its time in, by the samples of the last point: one that names
 * itself where it has a twentieth of the time below malloc and its like, since the others'
 * functions are called by it or are its own by a common name; NONE: no sample is there.
 */
enum sd_allocator sd_stack_shares_allocator(const struct sd_case *c);

/* Is this work of the kernel of a kind that has a remedy of its own (configs/advice)? */
int sd_stack_shares_is_remedied(enum sd_activity a);

/*
 * Share of the cores that wait for one thread, by blame, while that is in such work of the kernel;
 * 0 unless the kernel's time as well takes more of the cores than at the reference, and the share
 * is more than half: it is then one cause with what follows from it (METHODS 4.1).
 */
double sd_stack_shares_serial(const struct sd_case *c);

#endif
