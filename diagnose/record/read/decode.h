/*
 * A record from JSON: every field checked for type, range and agreement with the others. The file
 * may come from anywhere.
 */
#ifndef SD_DECODE_H
#define SD_DECODE_H

#include <jansson.h>

#include "fields/fields.h"
#include "record/record.h"
#include "fields/json_path.h"

/* Fills *out (zeroed) from the root object. 0; -EINVAL, said; -ENOMEM, not said. *out is to be
 * freed in every case. */
int sd_decode(const struct sd_source *s, const json_t *root, struct sd_record *out);

/*
 * The building blocks, shared by decode.c and decode_run.c; all return 0, -EINVAL (said) or
 * -ENOMEM.
 */

/* The members of `object` that `fields` names, and besides only the keys in `others`
 * (NULL-terminated, all of them needed unless their name begins with '?'). */
int sd_decode_fields(const struct sd_source *s, const struct sd_json_path *at, const json_t *object,
	const struct sd_fields *fields, const char *const *others, void *out);
/* A fresh string. */
int sd_decode_text(
	const struct sd_source *s, const struct sd_json_path *at, const json_t *v, char **out);
/* A number within [low, high]; `whole` refuses 1.5 and 1.0. */
int sd_decode_number(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	double low, double high, int whole, double *out);
/* Refuses anything but an array of at most `most` elements. */
int sd_decode_array(
	const struct sd_source *s, const struct sd_json_path *at, const json_t *v, size_t most);

/* The counts of a run, the passes of a plan (decode_counts.c). */
int sd_decode_roles(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_run *out);
int sd_decode_passes(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_plan *out);

/* The table of stacks, and what samples said of a run, whose nodes are of that table
 * (decode_samples.c). */
int sd_decode_stacks(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_stacks *out);
int sd_decode_sampled(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	const struct sd_stacks *stacks, struct sd_sampled *out);

/* What a report draws of the machine (decode_layout.c). */
int sd_decode_layout(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_machine_layout *out);

/* What the software PMU saw of a run, and how it is planned (decode_simulated.c); *out is owned,
 * also on failure. */
int sd_decode_simulated(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	const struct sd_stacks *stacks, struct sd_simulated **out);
/* What samples of loads and stores said of a run (decode_memory.c); *out is owned, also on failure.
 */
int sd_decode_memory(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	const struct sd_stacks *stacks, struct sd_memory_sampled **out);
int sd_decode_simulation(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_plan_simulation **out);

/* The experiments of a plan whose points are decoded, and what a run of one has
 * (decode_experiments.c). */
int sd_decode_experiments(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_plan *out);
int sd_decode_tried(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_run *out);

/* Lines of source read while measuring (decode_source_text.c). */
int sd_decode_source_text(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_record *out);

/* A list of CPUs like "0-3,8". */
int sd_decode_cpus(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_cpulist *out);

/* One run of a record whose plan has n_point points and that has these
 * stacks; *out zeroed before. */
int sd_decode_run(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	size_t n_point, const struct sd_stacks *stacks, struct sd_run *out);

#endif
