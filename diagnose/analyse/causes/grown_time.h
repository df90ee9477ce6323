/*
 * Statements that the causes of slower user code have in common: the growth of user time, which
 * hides all of them, and the component of each where counts tell it apart.
 */
#ifndef SD_GROWN_TIME_H
#define SD_GROWN_TIME_H

#include "case/case.h"

/* Why nothing is known of how much user time grew; NULL: it is. */
const char *sd_grown_time_unknown(const struct sd_case *c, const struct sd_interval *grown);

/* Was there a loss, and in it as much growth (cores) as matters? Then it speaks for what may be in
 * it. */
int sd_grown_time_seen(const struct sd_case *c, const struct sd_interval *grown);

/*
 * States that the cause has no more than user time grew by, and that as much speaks for it as for
 * its rivals where nothing counted the `own` component (SD_BIT) apart. Says so, and `what` these
 * cores do; where it cannot, why. 1 when that is all there is: the growth has no component of the
 * cause's own.
 */
int sd_grown_time_state(struct sd_case *c, struct sd_finding *f, const char *id,
	unsigned long components, unsigned long own, const char *what);

/* Was the cause's own component counted, and how much is known? Says why not of one that was. */
int sd_grown_time_is_counted(struct sd_case *c, struct sd_finding *f, unsigned long own);

/* How much is lost cannot be told, or something speaks against the cause: none of it is sure. */
int sd_grown_time_is_unsure(const struct sd_case *c, enum sd_cause cause);

/* Says where most of it is in code that makes tasks and hands them out: that speaks against it. */
void sd_grown_time_dispatched(struct sd_case *c, struct sd_finding *f);

/* States the count of the cause's own component, if there is one: returns 1 then, else 0. */
int sd_grown_time_counted(struct sd_case *c, struct sd_finding *f, const char *id,
	unsigned long own, const char *what);

#endif
