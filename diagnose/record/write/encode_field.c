#include "write/encode_field.h"

#include <errno.h>
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

__extension__ typedef unsigned __int128 product;

#define TEN_HALF 10 /* 10^20 is the largest power that is needed, and none that a uint64_t has */
static const uint64_t ten[TEN_HALF + 1] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000};

static product times_ten(uint64_t v, int power)
{
	return (product)v * ten[power / 2] * ten[power - power / 2];
}

/* Numbers whose digits 128 bits hold: v = mantissa / 2^shift, a mantissa of 53 bits. */
#define EXACT_FROM 1e-4
#define EXACT_BELOW 1e14

/* v * 10^power to the nearest whole number, of two the even one: as printf() rounds. */
static uint64_t round_scaled(uint64_t mantissa, int shift, int power)
{
	const product all = times_ten(mantissa, power), half = (product)1 << (shift - 1);
	const uint64_t down = (uint64_t)(all >> shift);
	const product rest = all & (2 * half - 1);

	return down + (rest > half || (rest == half && down & 1));
}

/* Is v the double nearest to digits / 10^power? All others are an ulp or more away, which is
 * 10^power here, where v is no power of two. */
static int reads_back(uint64_t mantissa, int shift, uint64_t digits, int power)
{
	const product is = (product)digits << shift, v = times_ten(mantissa, power);
	const product twice = 2 * (is > v ? is - v : v - is), ulp = times_ten(1, power);

	return twice < ulp || (twice == ulp && !(mantissa & 1));
}

/* digits / 10^power without zeros at its end; text[32] is filled from its end. */
static const char *write_digits(char text[32], uint64_t digits, int power)
{
	char *p = text + 31;

	*p = '\0';
	for (; power > 0 && digits % 10 == 0; power--)
		digits /= 10;
	do {
		*--p = (char)('0' + digits % 10);
		digits /= 10;
		if (--power == 0)
			*--p = '.';
	} while (digits || power >= 0);
	return p;
}

/* A number from EXACT_FROM to EXACT_BELOW that is no power of two. */
static const char *write_exactly(char text[32], double v)
{
	int exponent, power = 14 - (int)floor(log10(v));
	const uint64_t mantissa = (uint64_t)ldexp(frexp(v, &exponent), 53);
	const int shift = 53 - exponent;
	uint64_t digits;

	/* a logarithm beside a power of ten may be of the other side */
	digits = round_scaled(mantissa, shift, power);
	power += digits < UINT64_C(100000000000000);
	power -= digits >= UINT64_C(1000000000000000);
	while (digits = round_scaled(mantissa, shift, power),
		!reads_back(mantissa, shift, digits, power)) /* 17 do at the latest */
		power++;
	return write_digits(text, digits, power);
}

/* The fewest digits that read back to the same number, from 15 on. */
static int put_real(FILE *f, double v)
{
	char text[32];
	int exponent;

	if (!isfinite(v))
		return -EINVAL;
	if (v == 0 && signbit(v)) /* without a point it would be read as 0 */
		return fputs("-0.0", f) < 0 ? -EIO : 0;
	/* as %g writes it, and most are zeros or counts */
	if (v >= 0 && v < 1e15 && v == trunc(v))
		return fputs(write_digits(text, (uint64_t)v, 0), f) < 0 ? -EIO : 0;
	if (v >= EXACT_FROM && v < EXACT_BELOW && frexp(v, &exponent) != .5)
		return fputs(write_exactly(text, v), f) < 0 ? -EIO : 0;
	for (int digits = 15; digits <= 17; digits++) {
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
