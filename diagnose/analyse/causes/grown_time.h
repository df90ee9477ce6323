/*
 * What the causes have in common that make user code slower: the growth of user time, which hides
 * all of them, and the component of each where counts tell it apart.
 */
#ifndef SD_GROWN_TIME_H
#define SD_GROWN_TIME_H

#include "case/case.h"

/*
 * States that the cause has no more than user time grew by, and that as much speaks for it as for
 * its rivals where nothing counted the `own` component (SD_BIT) apart. Says so, and `what` these
 * cores do; where it cannot, why. 1 when that is all there is: the growth has no component of the
 * cause's own.
 */
int sd_grown_time_state(struct sd_case *c, struct sd_finding *f, const char *id,
	unsigned long components, unsigned long own, const char *what);

/* What was counted of the cause's own component; nothing where none was. 1 when there is one. */
int sd_grown_time_counted(struct sd_case *c, struct sd_finding *f, const char *id,
	unsigned long own, const char *what);

#endif
