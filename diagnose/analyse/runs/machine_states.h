/*
 * Machine states: on a virtual machine the distance between two CPUs can change within seconds
 * (DESIGN 9), and only runs in the same state may be compared.
 */
#ifndef SD_STATE_SPLIT_H
#define SD_STATE_SPLIT_H

#include <stddef.h>

#include "record/run.h"

enum sd_label {
	SD_LABEL_NONE, /* line transfer not measured: unknown */
	SD_LABEL_NEAR,
	SD_LABEL_FAR,
	SD_LABEL_MIXED, /* the state changed during the run */
};

struct sd_machine_states {
	unsigned n;              /* 0 unknown, 1 or 2 */
	double split;            /* s; longer round trips are far; only with n == 2 */
	struct sd_value line[2]; /* s; median round trip of each state, near first */
};

/* One measured round trip and the point it was measured at. */
struct sd_state_sample {
	double line; /* s, > 0 */
	size_t point;
};

/*
 * Decides from the data alone. There are two states if the widest gap (a ratio) between
 * neighbouring values is at least 1.6, with two or more values on either side, and at least one
 * point was seen on both sides (otherwise points just bind different CPUs). Reorders v.
 */
void sd_machine_states_split(struct sd_state_sample *v, size_t n, struct sd_machine_states *out);

enum sd_label sd_machine_states_label(const struct sd_machine_states *s, const struct sd_run *run);

#endif
