/*
 * What a simulated run says about causes that nothing else measured: its counts times the costs
 * that this node was calibrated to, against the growth of user time they must be part of.
 */
#ifndef SD_JUDGE_SIMULATED_H
#define SD_JUDGE_SIMULATED_H

#include "case/case.h"

/*
 * A verdict on the cause from the simulated runs at the reference and the last point: 1 and
 * *verdict, with evidence, cores and places in *f; 0 when they say nothing. `set`: the components
 * that hold the growth to be explained. At most likely: a model's counts, a node's costs.
 */
int sd_judge_simulated_judge(struct sd_case *c, enum sd_cause cause, unsigned long set, int twin,
	struct sd_finding *f, enum sd_verdict *verdict);

#endif
