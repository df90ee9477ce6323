/*
 * Changes that each experiment makes for the program: one row each.
 */
#ifndef SD_TREATMENTS_H
#define SD_TREATMENTS_H

#include "experiment/experiments.h"
#include "witness/witness.h"

#define SD_TREATMENT_VARIABLES 3

struct sd_treatment {
	/* value "" means the library of `preload` */
	struct sd_environment_setting variable[SD_TREATMENT_VARIABLES + 1]; /* ends at name NULL */
	struct sd_keeper_tune tune;
	int sampled; /* both arms */
	/* It shows in the busiest process of a changed run that the change took place in it:
	 * signs of witness/witness.h; 0: the arm has a witness of its own (arm.c). */
	unsigned signs;
	/*
	 * Stores why it cannot be done, a sentence without a full stop, in why[size]; "" if it can.
	 * May choose another point and CPUs. 0 or -ENOMEM. NULL: found out by trying.
	 */
	int (*look)(const struct sd_experiments_world *w, const struct sd_plan *plan,
		struct sd_plan_experiment *e, char *why, size_t size);
};
extern const struct sd_treatment sd_treatment[SD_EXPERIMENT_COUNT];

/* The largest point that is run natively. */
size_t sd_treatment_largest(const struct sd_plan *plan);

#endif
