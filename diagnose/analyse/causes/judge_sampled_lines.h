/*
 * Which kind of sharing it is, by the lines that the CPU itself sampled: counters say how much.
 */
#ifndef SD_JUDGE_SAMPLED_LINES_H
#define SD_JUDGE_SAMPLED_LINES_H

#include "case/case.h"

/*
 * A verdict on false or true sharing, whose common cost stands in *f: 1 and *verdict, *f scaled to
 * the share of the sampled moves that are of lines of this kind, with evidence and places; 0 when
 * too few were sampled at the last point. At most likely: samples, and of no stores.
 */
int sd_judge_sampled_lines_judge(struct sd_case *c, struct sd_finding *f, enum sd_verdict *verdict);

#endif
