/*
 * Which kind of sharing it is, by the lines that the CPU itself sampled: counters say how much.
 */
#ifndef SD_SAMPLED_LINES_H
#define SD_SAMPLED_LINES_H

#include "case/case.h"

/*
 * The share of the moves at the last point that are of lines of this kind, false or true sharing: 1
 * with evidence and places; 0 when too few were sampled. Its high end counts what no CPU samples.
 */
int sd_sampled_lines_share(struct sd_case *c, struct sd_finding *f, struct sd_interval *out);

#endif
