#include "read/decode_field.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

static const char *type_name(const json_t *v)
{
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
	case JSON_REAL:
		return "a number";
	case JSON_TRUE:
	case JSON_FALSE:
		return "true or false";
	case JSON_NULL:
		break;
	}
	return "null";
}

int sd_decode_wrong_type(const struct sd_source *s, const struct sd_json_path *at,
	const char *wanted, const json_t *v)
{
	return sd_json_path_fault(s, at, "must be %s, is %s", wanted, type_name(v));
}

int sd_decode_array(
	const struct sd_source *s, const struct sd_json_path *at, const json_t *v, size_t most)
{
	if (!json_is_array(v))
		return sd_decode_wrong_type(s, at, "an array", v);
	if (json_array_size(v) > most)
		return sd_json_path_fault(s, at, "has %zu elements, at most %zu are possible",
			json_array_size(v), most);
	return 0;
}

int sd_decode_number(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	double low, double high, int whole, double *out)
{
	double d;

	if (!json_is_number(v))
		return sd_decode_wrong_type(s, at, "a number", v);
	if (whole && !json_is_integer(v))
		return sd_json_path_fault(
			s, at, "must be a whole number, is %.17g", json_real_value(v));
	d = json_number_value(v); /* jansson refuses numbers that are not finite */
	if (d < low || d > high)
		return sd_json_path_fault(
			s, at, "must be within %.17g and %.17g, is %.17g", low, high, d);
	*out = d;
	return 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The text of {"hex": "ff00"}. */
static int decode_hex(
	const struct sd_source *s, const struct sd_json_path *at, const json_t *v, char **out)
{
	const json_t *member = json_object_get(v, "hex");
	const char *hex = json_string_value(member);
	const size_t n = json_string_length(member);
	char *text;

	if (!hex || json_object_size(v) != 1)
		return sd_json_path_fault(s, at, "must be a string or {\"hex\": \"…\"}");
	if (n % 2 || n / 2 > SD_RECORD_TEXT_BYTES)
		return sd_json_path_fault(
			s, at, "has %zu hexadecimal digits, not pairs of them", n);
	text = calloc(n / 2 + 1, 1);
	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < n / 2; i++) {
		const int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);

		if (high < 0 || low < 0 || high + low == 0) {
			free(text);
			return sd_json_path_fault(
				s, at, "holds \"%.2s\", which is no byte of a text", hex + 2 * i);
		}
		text[i] = (char)(high << 4 | low);
	}
	*out = text;
	return 0;
}

int sd_decode_text(
	const struct sd_source *s, const struct sd_json_path *at, const json_t *v, char **out)
{
	if (json_is_object(v))
		return decode_hex(s, at, v, out);
	if (!json_is_string(v))
		return sd_decode_wrong_type(s, at, "a string", v);
	if (json_string_length(v) > SD_RECORD_TEXT_BYTES)
		return sd_json_path_fault(s, at, "is %zu bytes long, at most %zu are possible",
			json_string_length(v), SD_RECORD_TEXT_BYTES);
	*out = strdup(json_string_value(v)); /* jansson refuses strings with a NUL inside */
	return *out ? 0 : -ENOMEM;
}

static int decode_fixed_text(const struct sd_source *s, const struct sd_json_path *at,
	const json_t *v, const struct sd_field *f, char *out)
{
	char *text = NULL;
	int rc = sd_decode_text(s, at, v, &text);

	if (rc || !text)
		return rc;
	if (strlen(text) >= f->size)
		rc = sd_json_path_fault(s, at, "is %zu bytes long, at most %zu are possible",
			strlen(text), f->size - 1);
	else
		memcpy(out, text, strlen(text) + 1);
	free(text);
	return rc;
}

static int decode_status(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	enum sd_status *out)
{
	const char *name = json_string_value(v);

	if (name && sd_status_parse(name, out) == 0)
		return 0;
	return sd_json_path_fault(
		s, at, "\"%.40s\" is no status of a number", name ? name : type_name(v));
}

/* A bare number is ok; a bare string is the reason why there is none; the object is for
 * the rest. */
static int decode_value(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	const struct sd_field *f, struct sd_value *out)
{
	const struct sd_json_path value = {.up = at, .key = "value"};
	const struct sd_json_path status = {.up = at, .key = "status"};
	int rc;

	*out = (struct sd_value){.status = SD_STATUS_OK};
	if (json_is_number(v))
		return sd_decode_number(s, at, v, f->low, f->high, 0, &out->value);
	if (json_is_string(v)) {
		rc = decode_status(s, at, v, &out->status);
		if (!rc && sd_has(*out))
			rc = sd_json_path_fault(s, at, "is \"%s\", but the number is missing",
				sd_status_name(out->status));
		return rc;
	}
	if (!json_object_get(v, "value") || !json_object_get(v, "status") ||
		json_object_size(v) != 2)
		return sd_json_path_fault(s, at,
			"must be a number, a status, or an object of \"value\" and \"status\"");
	rc = decode_status(s, &status, json_object_get(v, "status"), &out->status);
	if (!rc && !sd_has(*out))
		rc = sd_json_path_fault(
			s, &status, "\"%s\" has no number", sd_status_name(out->status));
	if (rc)
		return rc;
	return sd_decode_number(
		s, &value, json_object_get(v, "value"), f->low, f->high, 0, &out->value);
}

static int decode_bits(
	const struct sd_source *s, const struct sd_json_path *at, const json_t *v, uint64_t *out)
{
	if (sd_number_u64(json_string_value(v), 0, UINT64_MAX, out) == 0)
		return 0;
	return sd_json_path_fault(s, at, "must be a whole number below 2^64 in quotes");
}

static int decode_name(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	const struct sd_field *f, unsigned *out)
{
	const char *name = json_string_value(v);

	for (size_t i = 0; name && i < f->size; i++)
		if (f->names[i] && strcmp(name, f->names[i]) == 0) {
			*out = (unsigned)i;
			return 0;
		}
	return sd_json_path_fault(s, at, "\"%.40s\" is none of its names (\"%s\", …)",
		name ? name : type_name(v), f->names[0]);
}

int sd_decode_is_below(const struct sd_field_in *c, enum sd_field_of of, double number)
{
	const int unknown = number == 0 && (of == SD_FIELD_OF_NODES || of == SD_FIELD_OF_TEXTS);

	return of == SD_FIELD_OF_NOTHING || unknown || number < (double)c->count[of];
}

static int check_below(const struct sd_field_in *c, const struct sd_json_path *at,
	enum sd_field_of of, double number)
{
	/* clang-format off */
	static const char *const words[SD_FIELD_OF_COUNT][2] = {
		[SD_FIELD_OF_POINTS] = {"the plan has", "points"},
		[SD_FIELD_OF_PASSES] = {"the plan has", "passes"},
		[SD_FIELD_OF_EXPERIMENTS] = {"the plan has", "experiments"},
		[SD_FIELD_OF_NODES] = {"there are", "nodes"},
		[SD_FIELD_OF_TEXTS] = {"there are", "texts"},
		[SD_FIELD_OF_THREADS] = {"there are", "threads"},
	};
	/* clang-format on */

	if (sd_decode_is_below(c, of, number))
		return 0;
	return sd_json_path_fault(c->s, at, "is %.0f, but %s %zu %s", number, words[of][0],
		c->count[of], words[of][1]);
}

static int decode_whole(const struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	const struct sd_field *f, void *out)
{
	double d = 0;
	int rc = sd_decode_number(c->s, at, v, f->low, f->high, 1, &d);

	if (!rc)
		rc = check_below(c, at, f->of, d);
	if (rc)
		return rc;
	/* the ranges in the tables keep within the types */
	if (f->type == SD_FIELD_UNSIGNED)
		*(unsigned *)out = (unsigned)d;
	else if (f->type == SD_FIELD_INT)
		*(int *)out = (int)d;
	else if (f->type == SD_FIELD_INT64)
		*(int64_t *)out = (int64_t)d;
	else if (f->type == SD_FIELD_SIZE)
		*(size_t *)out = (size_t)d;
	else
		*(uint64_t *)out = (uint64_t)d;
	return 0;
}

/* The names of bits, each once. */
static int decode_flags(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	const struct sd_field *f, unsigned *out)
{
	int rc = sd_decode_array(s, at, v, f->size);

	for (size_t i = 0; !rc && i < json_array_size(v); i++) {
		const struct sd_json_path here = {.up = at, .index = i};
		unsigned bit = 0;

		rc = decode_name(s, &here, json_array_get(v, i), f, &bit);
		if (!rc && *out >> bit & 1u)
			rc = sd_json_path_fault(
				s, &here, "\"%.40s\" stands here twice", f->names[bit]);
		*out |= rc ? 0 : 1u << bit;
	}
	return rc;
}

int sd_decode_texts(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	size_t most, size_t bytes, struct sd_texts *out)
{
	const size_t n = json_array_size(v);
	int rc = sd_decode_array(s, at, v, most);

	if (rc || n == 0)
		return rc;
	out->text = calloc(n, sizeof *out->text);
	if (!out->text)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};

		rc = sd_decode_text(s, &here, json_array_get(v, i), &out->text[i]);
		if (rc || !out->text[i])
			break;
		out->n++;
		if (strlen(out->text[i]) > bytes)
			rc = sd_json_path_fault(s, &here,
				"is %zu bytes long, at most %zu are possible", strlen(out->text[i]),
				bytes);
	}
	return rc;
}

static int decode_cpus(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_cpulist *out)
{
	const char *const list = json_string_value(v);
	/* the parser ends at a newline, as lists of the kernel do; ours have none */
	const int rc = list && strchr(list, '\n') ? -EINVAL : sd_cpulist_parse(list, out);

	if (rc == -EINVAL)
		return sd_json_path_fault(s, at,
			"must be a list of CPUs like \"0-3,8\", is \"%.40s\"",
			list ? list : "no string");
	return !rc && out->n == 0 ? sd_json_path_fault(s, at, "names no CPU") : rc;
}

static int decode_bool(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	const struct sd_field *f, int *out)
{
	if (!json_is_boolean(v))
		return sd_decode_wrong_type(s, at, "true or false", v);
	*out = json_is_true(v);
	return *out < f->low ? sd_json_path_fault(s, at, "must be true, or left out") : 0;
}

int sd_decode_scalar(const struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	const struct sd_field *f, void *out)
{
	const struct sd_source *const s = c->s;
	void *const p = (char *)out + f->offset;

	switch (f->type) {
	case SD_FIELD_TEXT:
		return decode_fixed_text(s, at, v, f, p);
	case SD_FIELD_UNSIGNED:
	case SD_FIELD_INT:
	case SD_FIELD_INT64:
	case SD_FIELD_SIZE:
	case SD_FIELD_COUNT64:
		return decode_whole(c, at, v, f, p);
	case SD_FIELD_BITS64:
		return decode_bits(s, at, v, p);
	case SD_FIELD_REAL:
		return sd_decode_number(s, at, v, f->low, f->high, 0, p);
	case SD_FIELD_VALUE:
		return decode_value(s, at, v, f, p);
	case SD_FIELD_NAME:
		return decode_name(s, at, v, f, p);
	case SD_FIELD_BOOL:
		return decode_bool(s, at, v, f, p);
	case SD_FIELD_FLAGS:
		return decode_flags(s, at, v, f, p);
	case SD_FIELD_STRING:
		return sd_decode_text(s, at, v, p);
	case SD_FIELD_TEXTS:
		return sd_decode_texts(s, at, v, f->most, f->size, p);
	case SD_FIELD_CPUS:
		return decode_cpus(s, at, v, p);
	default:
		return -EINVAL;
	}
}
