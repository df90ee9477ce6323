/*
 * Contested lines in a record, simulated or sampled, and what lists of them are read with.
 */
#ifndef SD_DECODE_LINES_H
#define SD_DECODE_LINES_H

#include "read/decode.h"

/* Everything that refers to something else is checked against it. */
struct sd_decode_in {
	const struct sd_source *s;
	const struct sd_stacks *stacks;
	size_t n_thread; /* that a line may name */
};

/* Fills one element; `at` is its place. */
typedef int sd_decode_element(const struct sd_decode_in *c, const struct sd_json_path *at,
	const json_t *v, size_t index, void *out);

/* A list of at most `most` elements of `size` bytes, each filled in by `fill`; *list is owned. 0;
 * -EINVAL, said; -ENOMEM. */
int sd_decode_list(const struct sd_decode_in *c, const struct sd_json_path *up, const json_t *v,
	const char *key, size_t most, size_t size, sd_decode_element *fill, void **list, size_t *n);

/* Numbers of the record's stacks; 0 is always there: unknown. 0 or -EINVAL, said. */
int sd_decode_node(const struct sd_decode_in *c, const struct sd_json_path *up, const char *key,
	unsigned node);
int sd_decode_text_number(const struct sd_decode_in *c, const struct sd_json_path *up,
	const char *key, unsigned text);

/* n elements are as many as were seen, or fewer. */
int sd_decode_seen(const struct sd_decode_in *c, const struct sd_json_path *up, const char *key,
	size_t n, size_t seen);

/* A line; `others` are the keys beside its fields. What it owns is in *out also on failure. */
int sd_decode_contested(const struct sd_decode_in *c, const struct sd_json_path *at,
	const json_t *v, const char *const *others, struct sd_sim_contested *out);

#endif
