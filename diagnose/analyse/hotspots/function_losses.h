/*
 * Scaling loss by function, line and calling context (METHODS 1.6).
 */
#ifndef SD_FUNCTION_LOSSES_H
#define SD_FUNCTION_LOSSES_H

#include "hotspots/loss_by_stack.h"

/*
 * Fills a->losses and the intervals of the spread. Does nothing unless both ends were sampled. 0 or
 * -ENOMEM.
 */
int sd_function_losses_fill(
	const struct sd_record *record, struct sd_loss_by_stack *spread, struct sd_analysis *a);

#endif
