/*
 * A rest before a run, until the machine is in the state whose runs are compared.
 */
#ifndef SD_MEASURE_REST_H
#define SD_MEASURE_REST_H

#include "measure/measure_job.h"

/*
 * Looks at the machine's state every tenth of a second until it is the one that is waited for, or
 * for twice the expected time, or until a budget would have no room for a run; not at all with a
 * rest of 0 s. *rested: s that passed. 0, or -EINTR: the user has stopped it.
 */
int sd_measure_rest(struct sd_measure_job *j, const struct sd_rest *rest, double *rested);

#endif
