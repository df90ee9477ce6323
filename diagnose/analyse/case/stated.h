/*
 * Statements that are read off the exact stack: a joint interval over components, and the
 * disturbances that these contain (METHODS 4.1).
 */
#ifndef SD_STATED_H
#define SD_STATED_H

#include "case/case.h"
#include "ledger/disturbance.h"

/* Cores that these components (SD_BIT) have more than at the reference, those of them that are part
 * of the stack taken together, resample by resample. Absent when none is. */
struct sd_interval sd_stated_added(const struct sd_case *c, unsigned long components);

/* SD_DISTURBANCE_BIT of all that these components contain. */
unsigned sd_stated_disturbed(const struct sd_case *c, unsigned long components);

/* The accounting's statement on a cause that has `components` alone: two bounds, all is seen. */
struct sd_statement sd_stated_components(
	const struct sd_case *c, enum sd_cause cause, const char *id, unsigned long components);

/* An amount of cores that is computed from the components, and not just their sum. */
typedef double sd_stated_amount(const struct sd_case *c, const double *added);

/* The amount with its interval: computed again from each resample. */
struct sd_interval sd_stated_of(const struct sd_case *c, sd_stated_amount *amount);

/* A fact of the machine: there is none of it, however many runs. */
struct sd_statement sd_stated_fact(enum sd_cause cause, const char *id);

/* Something speaks for the cause, and nobody knows how much of this it is. */
struct sd_interval sd_stated_unsized(const struct sd_case *c);

/* The amount, of which none is sure. */
struct sd_interval sd_stated_unsure(struct sd_interval v);

/* Do single runs, which have no interval, show a loss? None of it is sure, and what speaks for a
 * cause makes it possible. */
int sd_stated_one_run(const struct sd_case *c);

/* Has a fact of the machine been stated of it: that there is none, whatever the runs say? */
int sd_stated_excluded(const struct sd_case *c, enum sd_cause cause);

/* Has as much as matters been stated for it, and nothing that rules it out? And does any of what
 * speaks for it say how much? */
int sd_stated_speaks(const struct sd_case *c, enum sd_cause cause);
int sd_stated_sized(const struct sd_case *c, enum sd_cause cause);

/* Something speaks against the cause: nothing of what was observed or modelled so far is sure. */
void sd_stated_doubt(struct sd_case *c, enum sd_cause cause);

/* The amount that a statement has, in a sentence that ends with `what` these cores do. */
void sd_stated_say(
	struct sd_case *c, struct sd_finding *f, const struct sd_interval *cores, const char *what);

/* Keeps a copy; an allocation that fails is kept in c->rc. */
void sd_stated_keep(struct sd_case *c, const struct sd_statement *s);

#endif
