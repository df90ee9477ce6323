#include "write/encode_field.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every function here returns a new reference, or NULL: out of memory or not a JSON number. */

static json_t *put_hex(const char *s)
{
	static const char digit[] = "0123456789abcdef";
	const size_t n = strlen(s);
	char *hex = malloc(2 * n + 1);
	json_t *out;

	if (!hex)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		hex[2 * i] = digit[(unsigned char)s[i] >> 4];
		hex[2 * i + 1] = digit[(unsigned char)s[i] & 15];
	}
	hex[2 * n] = '\0';
	out = json_pack("{s:s}", "hex", hex);
	free(hex);
	return out;
}

/* jansson refuses a string that is not UTF-8: those go as hexadecimal, and nothing is lost. */
json_t *sd_encode_text(const char *s)
{
	json_t *out = json_string(s);

	return out ? out : put_hex(s);
}

json_t *sd_encode_texts(const struct sd_texts *t)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < t->n; i++)
		if (json_array_append_new(out, sd_encode_text(t->text[i])) != 0) {
			json_decref(out);
			return NULL;
		}
	return out;
}

static json_t *put_value(const struct sd_field *f, struct sd_value v)
{
	if (!sd_has(v))
		return json_string(sd_status_name(v.status));
	if (!sd_field_fits(f, v.value))
		return json_string(sd_status_name(SD_STATUS_ABSENT));
	if (v.status == SD_STATUS_OK)
		return json_real(v.value);
	return json_pack("{s:f,s:s}", "value", v.value, "status", sd_status_name(v.status));
}

static json_t *put_bits(uint64_t v)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, v);
	return json_string(text);
}

static json_t *put_name(const struct sd_field *f, const char *p)
{
	unsigned v; /* of an enum's size: see the assertion in put_field */

	memcpy(&v, p, sizeof v);
	return v < f->size ? json_string(f->names[v]) : NULL;
}

static json_t *put_field(const struct sd_field *f, const void *in)
{
	const char *p = (const char *)in + f->offset;

	_Static_assert(sizeof(enum sd_end) == sizeof(unsigned), "enums are read as unsigned");
	switch (f->type) {
	case SD_FIELD_TEXT:
		return sd_encode_text(p);
	case SD_FIELD_UNSIGNED:
		return json_integer(*(const unsigned *)(const void *)p);
	case SD_FIELD_INT:
		return json_integer(*(const int *)(const void *)p);
	case SD_FIELD_SIZE:
		return json_integer((json_int_t)(*(const size_t *)(const void *)p));
	case SD_FIELD_COUNT64:
		return json_integer((json_int_t)(*(const uint64_t *)(const void *)p));
	case SD_FIELD_BITS64:
		return put_bits(*(const uint64_t *)(const void *)p);
	case SD_FIELD_REAL:
		return json_real(*(const double *)(const void *)p);
	case SD_FIELD_VALUE:
		return put_value(f, *(const struct sd_value *)(const void *)p);
	case SD_FIELD_NAME:
		return put_name(f, p);
	case SD_FIELD_BOOL:
		return json_boolean(*(const int *)(const void *)p);
	}
	return NULL;
}

/* Takes `value` also on failure; a NULL one is a failure. */
int sd_encode_set(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new_nocheck(object, key, value) == 0 ? 0 : -1;
}

int sd_encode_fields(json_t *object, const struct sd_fields *fields, const void *in)
{
	for (size_t i = 0; i < fields->n; i++) {
		const struct sd_field *f = &fields->field[i];
		const char *p = (const char *)in + f->offset;

		if (f->type == SD_FIELD_VALUE &&
			((const struct sd_value *)(const void *)p)->status == SD_STATUS_ABSENT)
			continue;
		if (sd_encode_set(object, f->key, put_field(f, in)) != 0)
			return -1;
	}
	return 0;
}

json_t *sd_encode_struct(const struct sd_fields *fields, const void *in)
{
	json_t *out = json_object();

	if (out && sd_encode_fields(out, fields, in) != 0) {
		json_decref(out);
		return NULL;
	}
	return out;
}
