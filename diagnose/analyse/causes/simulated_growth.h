/*
 * Statements of a simulated run on the growth of user time: its counts times the costs that this
 * node was calibrated to, of the growth they must be part of (METHODS 6.2).
 */
#ifndef SD_SIMULATED_GROWTH_H
#define SD_SIMULATED_GROWTH_H

#include "case/case.h"
#include "simulated/cost_model.h"

/* Says what speaks against this many cores, and returns 1 then: none of them is sure. */
typedef int sd_simulated_growth_against(struct sd_case *c, struct sd_finding *f, double cores);

/*
 * States what the simulated runs at the reference and the last point say of the cause, a model's
 * counts at a node's costs: what of the growth in `components` these explain, where as much was
 * seen, and what they are at most under load. `against` may be NULL.
 */
void sd_simulated_growth_state(struct sd_case *c, struct sd_finding *f, unsigned long components,
	sd_simulated_growth_against *against);

/* The same of a cause that counts know a part of: what they explain it has at least. */
void sd_simulated_growth_least(struct sd_case *c, struct sd_finding *f, unsigned long components);

/* Why the counts rule nothing out and make nothing sure; NULL: they do. */
const char *sd_simulated_growth_reservation(
	const struct sd_cost_model *m, const struct sd_record *r);

/* Says which part of the program was simulated, or the reservation. */
void sd_simulated_growth_say_part(
	struct sd_case *c, struct sd_finding *f, const struct sd_cost_model *m, const char *but);

#endif
