/*
 * Calls between the functions that have a row, with the cores lost below each.
 */
#ifndef SD_LOSS_CALLS_H
#define SD_LOSS_CALLS_H

#include "analysis/analysis.h"
#include "hotspots/loss_by_stack.h"

/* Inclusive cores of every call between two rows, most first. `row_of`: of each function its row +
 * 1, 0 none. 0 or -ENOMEM. */
int sd_loss_calls_find(
	const struct sd_loss_by_stack *from, const size_t *row_of, struct sd_losses *out);

#endif
