/*
 * Verdicts that say what the runs cannot tell, and why: each takes the numbers from the finding.
 */
#ifndef SD_CANNOT_TELL_H
#define SD_CANNOT_TELL_H

#include "case/rule.h"

/* It was not measured; `why` says so. */
enum sd_verdict sd_cannot_tell(struct sd_case *c, struct sd_finding *f, const char *why);

/* The interval of what was added has the gate in it. */
enum sd_verdict sd_cannot_tell_noisy(
	struct sd_case *c, struct sd_finding *f, struct sd_interval added);

/* CPUs of unequal speed make threads wait as much. */
enum sd_verdict sd_cannot_tell_unequal(
	struct sd_case *c, struct sd_finding *f, struct sd_interval added);

/* Idle time that nobody could explain may be a wait of any kind that was not counted: is it enough
 * to hold this cause? */
int sd_cannot_tell_unaccounted_may_be(const struct sd_case *c, const struct sd_rule *r);
enum sd_verdict sd_cannot_tell_unaccounted(struct sd_case *c, struct sd_finding *f);

#endif
