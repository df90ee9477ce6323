/*
 * Source lines of the functions that have a row.
 */
#ifndef SD_LOSS_LINES_H
#define SD_LOSS_LINES_H

#include "analysis/analysis.h"
#include "hotspots/loss_by_stack.h"

/* The lines of the rows, each once, the costliest first; names each row's costliest. `row_of`: of
 * each function its row + 1, 0 none. 0 or -ENOMEM. */
int sd_loss_lines_find(
	const struct sd_loss_by_stack *from, const size_t *row_of, struct sd_losses *out);

#endif
