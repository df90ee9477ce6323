/*
 * The members of a record's structs that are no structs themselves. All return 0, -EINVAL (said) or
 * -ENOMEM; what they fill is zeroed before, and is to be freed by the struct's owner in every case.
 */
#ifndef SD_DECODE_FIELD_H
#define SD_DECODE_FIELD_H

#include <jansson.h>

#include "base/texts.h"
#include "fields/fields.h"

/* "must be `wanted`, is a number". -EINVAL. */
int sd_decode_wrong_type(const struct sd_source *s, const struct sd_json_path *at,
	const char *wanted, const json_t *v);
/* A fresh string. */
int sd_decode_text(
	const struct sd_source *s, const struct sd_json_path *at, const json_t *v, char **out);
/* At most `most` of them, of at most so many bytes each. */
int sd_decode_texts(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	size_t most, size_t bytes, struct sd_texts *out);
/* A number within [low, high]; `whole` refuses 1.5 and 1.0. */
int sd_decode_number(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	double low, double high, int whole, double *out);
/* Refuses anything but an array of at most `most` elements. */
int sd_decode_array(
	const struct sd_source *s, const struct sd_json_path *at, const json_t *v, size_t most);

/* The member `f` of the struct `out`. */
int sd_decode_scalar(const struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	const struct sd_field *f, void *out);

/* A number of something is below how many of it there are. */
int sd_decode_is_below(const struct sd_field_in *c, enum sd_field_of of, double number);

#endif
