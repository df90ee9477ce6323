/*
 * The PMU of a machine that is modelled whole (configs/machines, `model`): which events of its
 * family of CPUs it has, and what each counts.
 */
#ifndef SD_MODELLED_PMU_H
#define SD_MODELLED_PMU_H

#include <stddef.h>

#include "record/modelled_count.h"

struct sd_modelled_event {
	char *name; /* owned; as in the family's map */
	double weight[SD_MODELLED_COUNT];
};

struct sd_modelled_pmu {
	char family[32];                 /* of the event map */
	struct sd_modelled_event *event; /* owned */
	size_t n;
};

#endif
