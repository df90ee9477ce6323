#include "write/encode_field.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DUMP (JSON_COMPACT | JSON_ENCODE_ANY)

/* Takes `value`; NULL: without memory. */
static int dump(FILE *f, json_t *value)
{
	int bad;

	if (!value)
		return -ENOMEM;
	bad = json_dumpf(value, f, DUMP);
	json_decref(value);
	return bad ? -EIO : 0;
}

static int put_hex(FILE *f, const char *s)
{
	fputs("{\"hex\":\"", f);
	for (; *s; s++)
		fprintf(f, "%02x", (unsigned char)*s);
	return fputs("\"}", f) < 0 ? -EIO : 0;
}

int sd_encode_field_text(FILE *f, const char *s)
{
	json_t *text;

	errno = 0;
	text = json_string(s);
	if (!text && errno == ENOMEM)
		return -ENOMEM;
	return text ? dump(f, text) : put_hex(f, s); /* it is no UTF-8 */
}

int sd_encode_field_texts(FILE *f, const struct sd_texts *t)
{
	int rc = fputs("[", f) < 0 ? -EIO : 0;

	for (size_t i = 0; !rc && i < t->n; i++) {
		rc = i && fputs(",", f) < 0 ? -EIO : 0;
		rc = rc ? rc : sd_encode_field_text(f, t->text[i]);
	}
	return !rc && fputs("]", f) < 0 ? -EIO : rc;
}

/*
 * 1: its nearest number of 15 digits reads back to it; 0: it does not; -1: not known by arithmetic.
 * No two numbers of 15 digits read as the same double. So if there is one that reads as `v`, the
 * scaled v is within a quarter of that whole number, however it was rounded; and one operation on
 * two exact doubles reads it (read/row_text.c).
 */
static int has_15_digits(double v)
{
	static const double ten[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	const int most = (int)(sizeof ten / sizeof *ten) - 1;
	int scale = 14 - (int)floor(log10(v));

	/* a logarithm beside a power of ten may be of the other side */
	for (int i = 0; i < 2; i++) {
		double whole;

		if (FLT_EVAL_METHOD != 0 || scale < -most || scale > most)
			return -1;
		whole = nearbyint(scale < 0 ? v / ten[-scale] : v * ten[scale]);
		if (whole >= 1e14 && whole <= 1e15)
			return (scale < 0 ? whole * ten[-scale] : whole / ten[scale]) == v;
		scale += whole < 1e14 ? 1 : -1;
	}
	return -1;
}

/* The fewest digits that read back to the same number. */
static int put_real(FILE *f, double v)
{
	char text[32];
	int digits = 15;

	if (!isfinite(v))
		return -EINVAL;
	if (v == 0 && signbit(v)) /* without a point it would be read as 0 */
		return fputs("-0.0", f) < 0 ? -EIO : 0;
	/* as %g writes it, and most are zeros or counts */
	if (fabs(v) < 1e15 && v == trunc(v))
		return fprintf(f, "%" PRId64, (int64_t)v) < 0 ? -EIO : 0;
	if (v > 0) {
		const int has = has_15_digits(v);

		if (has == 1)
			return fprintf(f, "%.15g", v) < 0 ? -EIO : 0;
		digits = has == 0 ? 16 : 15;
	}
	for (; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, v);
		if (digits == 17 || strtod(text, NULL) == v)
			break;
	}
	return fputs(text, f) < 0 ? -EIO : 0;
}

static int put_quoted(FILE *f, const char *name)
{
	return fprintf(f, "\"%s\"", name) < 0 ? -EIO : 0;
}

static int put_value(FILE *f, const struct sd_field *field, struct sd_value v)
{
	int rc;

	if (!sd_has(v))
		return put_quoted(f, sd_status_name(v.status));
	if (!sd_field_fits(field, v.value))
		return put_quoted(f, sd_status_name(SD_STATUS_ABSENT));
	if (v.status == SD_STATUS_OK)
		return put_real(f, v.value);
	rc = fputs("{\"value\":", f) < 0 ? -EIO : put_real(f, v.value);
	if (!rc && fprintf(f, ",\"status\":\"%s\"}", sd_status_name(v.status)) < 0)
		rc = -EIO;
	return rc;
}

static int put_name(FILE *f, const struct sd_field *field, const char *p)
{
	unsigned v;

	_Static_assert(sizeof(enum sd_end) == sizeof v, "enums are read as unsigned");
	memcpy(&v, p, sizeof v);
	return v < field->size ? put_quoted(f, field->names[v]) : -EINVAL;
}

static int put_flags(FILE *f, const struct sd_field *field, unsigned flags)
{
	const char *comma = "";

	fputs("[", f);
	for (unsigned bit = 0; bit < field->size; bit++)
		if (flags >> bit & 1u && field->names[bit]) {
			fprintf(f, "%s\"%s\"", comma, field->names[bit]);
			comma = ",";
		}
	return fputs("]", f) < 0 ? -EIO : 0;
}

static int put_cpus(FILE *f, const struct sd_cpulist *list)
{
	char *const cpus = sd_cpulist_format(list);
	const int rc = cpus ? put_quoted(f, cpus) : -ENOMEM;

	free(cpus);
	return rc;
}

int sd_encode_field_scalar(FILE *f, const struct sd_field *field, const void *in)
{
	const void *const p = (const char *)in + field->offset;

	switch (field->type) {
	case SD_FIELD_TEXT:
		return sd_encode_field_text(f, p);
	case SD_FIELD_UNSIGNED:
		return fprintf(f, "%u", *(const unsigned *)p) < 0 ? -EIO : 0;
	case SD_FIELD_INT:
		return fprintf(f, "%d", *(const int *)p) < 0 ? -EIO : 0;
	case SD_FIELD_INT64:
		return fprintf(f, "%" PRId64, *(const int64_t *)p) < 0 ? -EIO : 0;
	case SD_FIELD_SIZE:
		return fprintf(f, "%zu", *(const size_t *)p) < 0 ? -EIO : 0;
	case SD_FIELD_COUNT64:
		return fprintf(f, "%" PRIu64, *(const uint64_t *)p) < 0 ? -EIO : 0;
	case SD_FIELD_BITS64:
		return fprintf(f, "\"%" PRIu64 "\"", *(const uint64_t *)p) < 0 ? -EIO : 0;
	case SD_FIELD_REAL:
		return put_real(f, *(const double *)p);
	case SD_FIELD_VALUE:
		return put_value(f, field, *(const struct sd_value *)p);
	case SD_FIELD_NAME:
		return put_name(f, field, p);
	case SD_FIELD_BOOL:
		return fputs(*(const int *)p ? "true" : "false", f) < 0 ? -EIO : 0;
	case SD_FIELD_FLAGS:
		return put_flags(f, field, *(const unsigned *)p);
	case SD_FIELD_STRING:
		return sd_encode_field_text(f, *(char *const *)p);
	case SD_FIELD_TEXTS:
		return sd_encode_field_texts(f, p);
	case SD_FIELD_CPUS:
		return put_cpus(f, p);
	default:
		return -EINVAL;
	}
}
