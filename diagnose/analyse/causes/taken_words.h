/*
 * Locks that lie in one line: a thread that takes one of them waits for the line, not for a thread.
 */
#ifndef SD_TAKEN_WORDS_H
#define SD_TAKEN_WORDS_H

#include "case/case.h"

/*
 * Cores at the last point that samples saw at the exchange which takes a spin lock, as far as the
 * moves of the simulated lines are of different bytes: false sharing, which looks like spinning. 0
 * where nothing was simulated, or most moves are of the same bytes.
 */
double sd_taken_words_false(const struct sd_case *c);

#endif
