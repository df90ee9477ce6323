/*
 * User time that takes and releases locks: nobody waits for them long, but with each, the lock's
 * line comes from another core.
 */
#ifndef SD_JUDGE_LOCK_LINES_H
#define SD_JUDGE_LOCK_LINES_H

#include "case/rule.h"

/*
 * A verdict on a rule with what_words: 1 and *verdict, with evidence and cores in *f, where such
 * time has grown by more than the rule's own components, `waits`, a share of the capacity; else 0.
 * Whether the threads take the same lock, or locks of one line (false sharing), times cannot say:
 * likely only where simulated lines do.
 */
int sd_judge_lock_lines_judge(struct sd_case *c, const struct sd_rule *r, struct sd_finding *f,
	struct sd_interval waits, enum sd_verdict *verdict);

/* Is a line that threads truly share, as *f has it, shared since a lock is in it? Says so then. */
int sd_judge_lock_lines_has(struct sd_case *c, enum sd_cause cause, struct sd_finding *f);

#endif
