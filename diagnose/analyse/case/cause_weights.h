/*
 * How many cores a cause holds, which of the components hold them, and how sure that is (METHODS 3
 * and 5).
 */
#ifndef SD_CAUSE_WEIGHTS_H
#define SD_CAUSE_WEIGHTS_H

#include "case/rule.h"

/* Cores in these components (SD_BIT) of SD_COMPONENT_COUNT. */
double sd_cause_weights_sum(const double *cores, unsigned long components);

/* The same as a share of the last point's cores, of a value and its loss->n_sample resamples. */
struct sd_interval sd_cause_weights_share(
	const struct sd_case *c, const double *value, const double *sample, unsigned long set);

/* Share of the last point's cores that was added by these components, with its interval. */
struct sd_interval sd_cause_weights_added(const struct sd_case *c, unsigned long components);

/* Have counts, or samples of the loops that threads wait in, given this cause a component of its
 * own? */
int sd_cause_weights_owned(const struct sd_case *c, const struct sd_rule *r);

/* Components that are this cause alone by the data (r->mine), of those that were measured. */
unsigned long sd_cause_weights_mine(const struct sd_case *c, const struct sd_rule *r);

/* Do its components hold nothing but this cause? */
int sd_cause_weights_direct(const struct sd_case *c, const struct sd_rule *r);

/* The components that hold its cost, of those that were measured. */
unsigned long sd_cause_weights_carriers(const struct sd_case *c, const struct sd_rule *r);

/* Does this much pass the gate of METHODS 3: there, and grown from the reference? */
int sd_cause_weights_pass(const struct sd_case *c, unsigned long set);

/* What a cause must have to matter, a share of the cores: where threads wait for peers, more than
 * cores of unequal speed make them wait. */
double sd_cause_weights_gate(const struct sd_case *c, const struct sd_rule *r);

/* Is that much beyond doubt, whatever the noise of the times? By the 0.1 % level. */
int sd_cause_weights_certain(const struct sd_case *c, unsigned long components, double gate);

#endif
