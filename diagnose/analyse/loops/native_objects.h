/*
 * The objects contested in the loops that grew: variables, and memory by where it was allocated,
 * the same in all runs although its addresses are not.
 */
#ifndef SD_NATIVE_OBJECTS_H
#define SD_NATIVE_OBJECTS_H

#include "loops/loop_times.h"
#include "loops/native_growth.h"

/* Fills out->object, and what their moves cost. `sure`[row of t][kind]: of each loop's growth, the
 * share that is contested for sure. 0 or -ENOMEM. */
int sd_native_objects_make(const struct sd_record *record, const struct sd_loop_times *t,
	const double *sure, struct sd_native_growth *out);

/* The share of loop `row`'s growth that those who write its lines can have others made wait for. */
double sd_native_objects_answered(const struct sd_stacks *s, const struct sd_native_growth *g,
	const struct sd_loop_times *t, size_t row);

/* Leaves each object no more growth than that. */
void sd_native_objects_keep(struct sd_native_growth *g);

/* Are lines of two runs of one object? By the name, else by where it was allocated, else by the
 * address; not every run is told who allocated it. */
int sd_native_objects_is_same(const struct sd_stacks *s, const struct sd_sim_contested *a,
	const struct sd_sim_contested *b);

/* The object with most growth of a kind; NULL: none has any. */
const struct sd_native_object *sd_native_objects_first(
	const struct sd_native_growth *g, enum sd_native_kind kind);

#endif
