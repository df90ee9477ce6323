#include "read/decode_struct.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read/decode_field.h"

static int decode_member(struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	const struct sd_field *f, void *out);

static int is_known(const char *key, const struct sd_fields *fields, const char *const *others)
{
	for (size_t i = 0; i < fields->n; i++)
		if (strcmp(key, fields->field[i].key) == 0)
			return 1;
	for (; others && *others; others++)
		if (strcmp(key, **others == '?' ? *others + 1 : *others) == 0)
			return 1;
	return 0;
}

static int name_unknown(const struct sd_source *s, const struct sd_json_path *at,
	const json_t *object, const struct sd_fields *fields, const char *const *others)
{
	/* jansson's iterator takes the object without const and does not change it */
	union {
		const json_t *in;
		json_t *out;
	} u = {.in = object};

	for (void *i = json_object_iter(u.out); i; i = json_object_iter_next(u.out, i)) {
		const struct sd_json_path here = {.up = at, .key = json_object_iter_key(i)};

		if (!is_known(here.key, fields, others))
			return sd_json_path_fault(s, &here,
				"is not known here: made by a newer scalediag, or changed by hand");
	}
	return 0;
}

int sd_decode_fields(struct sd_field_in *c, const struct sd_json_path *at, const json_t *object,
	const struct sd_fields *fields, const char *const *others, void *out)
{
	const size_t size = json_object_size(object);
	size_t found = 0;

	if (!json_is_object(object))
		return sd_decode_wrong_type(c->s, at, "an object", object);
	for (const char *const *o = others; o && *o; o++) {
		const int optional = **o == '?';

		if (json_object_get(object, *o + optional))
			found++;
		else if (!optional)
			return sd_json_path_fault(c->s, at, "\"%s\" is missing", *o);
	}
	for (size_t i = 0; i < fields->n; i++) {
		const struct sd_field *const f = &fields->field[i];
		const struct sd_json_path here = {.up = at, .key = f->key};
		/* most members may be left out: nothing is looked for when all were found */
		const json_t *const v = found < size ? json_object_get(object, f->key) : NULL;
		int rc;

		if (!v && (f->type == SD_FIELD_VALUE || f->need != SD_FIELD_NEEDED))
			continue;
		if (!v)
			return sd_json_path_fault(c->s, at, "\"%s\" is missing", f->key);
		rc = decode_member(c, &here, v, f, out);
		if (rc)
			return rc;
		found++;
	}
	return found == size ? 0 : name_unknown(c->s, at, object, fields, others);
}

/* n members from element `first` of a list on. */
static int decode_row(struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	size_t first, const struct sd_fields *fields, size_t n, void *out)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = first + i};

		rc = decode_member(c, &here, json_array_get(v, first + i), &fields->field[i], out);
	}
	return rc;
}

/* A row in brackets of its own. */
static int decode_whole_row(struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	const struct sd_fields *fields, void *out)
{
	const size_t n = json_array_size(v);
	int rc = sd_decode_array(c->s, at, v, fields->n);

	if (!rc && n < fields->row)
		rc = sd_json_path_fault(
			c->s, at, "has %zu elements, at least %zu are needed", n, fields->row);
	if (!rc)
		rc = decode_row(c, at, v, 0, fields, n, out);
	if (!rc && n > fields->row && json_number_value(json_array_get(v, n - 1)) == 0)
		rc = sd_json_path_fault(c->s, at, "ends in 0, which is left out");
	return rc;
}

int sd_decode_struct(struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	const struct sd_fields *fields, const void *before, void *out)
{
	int rc;

	if (fields->row)
		rc = decode_whole_row(c, at, v, fields, out);
	else if (fields->field->key)
		rc = sd_decode_fields(c, at, v, fields, NULL, out);
	else
		rc = decode_member(c, at, v, fields->field, out);
	return !rc && fields->check ? fields->check(c, at, out, before) : rc;
}

static unsigned first_member(
	const struct sd_fields *fields, const char *list, size_t i, size_t size)
{
	unsigned v; /* or an enum of its size */

	memcpy(&v, list + i * size + fields->field->offset, sizeof v);
	return v;
}

/* Element i beside those before it. */
static int check_order(const struct sd_field_in *c, const struct sd_json_path *at,
	const struct sd_fields *fields, const char *list, size_t i, size_t size)
{
	const unsigned v = first_member(fields, list, i, size);

	if (fields->order == SD_FIELDS_RISING && i > 0) {
		const unsigned last = first_member(fields, list, i - 1, size);

		if (v <= last)
			return sd_json_path_fault(c->s, at,
				"begins with %u, but the one before it with %u: they must rise", v,
				last);
	}
	for (size_t k = 0; fields->order == SD_FIELDS_UNIQUE && k < i; k++)
		if (v == first_member(fields, list, k, size))
			return sd_json_path_fault(
				c->s, at, "\"%s\" stands here twice", fields->field->names[v]);
	return 0;
}

/* An empty list may have been read from its text already. */
static void take_rows(struct sd_field_in *c, const struct sd_field *f, void *out)
{
	if (!c->rows || c->rows->field != f || !c->rows->list)
		return;
	memcpy((char *)out + f->offset, &c->rows->list, sizeof c->rows->list);
	memcpy((char *)out + f->count, &c->rows->n, sizeof c->rows->n);
	c->rows->list = NULL;
}

int sd_decode_struct_list(struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	const struct sd_field *f, void *out)
{
	const size_t n = json_array_size(v);
	size_t seen = n;
	char *list;
	int rc = sd_decode_array(c->s, at, v, f->most);

	if (!rc && f->seen)
		memcpy(&seen, (char *)out + f->seen, sizeof seen);
	if (!rc && n > seen)
		rc = sd_json_path_fault(c->s, at, "are %zu, but only %zu were seen", n, seen);
	if (!rc)
		c->count[f->counts] = n;
	if (rc || n == 0) {
		if (!rc)
			take_rows(c, f, out);
		return rc;
	}
	list = calloc(n, f->size);
	if (!list)
		return -ENOMEM;
	memcpy((char *)out + f->offset, &list, sizeof list);
	memcpy((char *)out + f->count, &n, sizeof n);
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};
		char *const e = list + i * f->size;

		rc = sd_decode_struct(
			c, &here, json_array_get(v, i), f->fields, i ? e - f->size : NULL, e);
		rc = rc ? rc : check_order(c, &here, f->fields, list, i, f->size);
	}
	return rc;
}

static int decode_fixed(struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	const struct sd_field *f, void *out)
{
	const size_t each = f->fields->row ? f->fields->n : 1, n = json_array_size(v);
	int rc = sd_decode_array(c->s, at, v, f->most * each);

	if (!rc && n % each)
		rc = sd_json_path_fault(c->s, at, "has %zu elements, not %zu for each", n, each);
	for (size_t i = 0; !rc && i < n; i += each)
		rc = decode_row(
			c, at, v, i, f->fields, each, (char *)out + f->offset + i / each * f->size);
	return rc;
}

static int decode_owned(struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	const struct sd_field *f, void *out)
{
	void *const owned = calloc(1, f->size);

	if (!owned)
		return -ENOMEM;
	memcpy((char *)out + f->offset, &owned, sizeof owned);
	return sd_decode_struct(c, at, v, f->fields, NULL, owned);
}

static int decode_member(struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	const struct sd_field *f, void *out)
{
	switch (f->type) {
	case SD_FIELD_STRUCT:
		return sd_decode_struct(c, at, v, f->fields, NULL, (char *)out + f->offset);
	case SD_FIELD_OWNED:
		return decode_owned(c, at, v, f, out);
	case SD_FIELD_ARRAY:
		return sd_decode_struct_list(c, at, v, f, out);
	case SD_FIELD_FIXED:
		return decode_fixed(c, at, v, f, out);
	default:
		return sd_decode_scalar(c, at, v, f, out);
	}
}
