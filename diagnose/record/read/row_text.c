#include "read/row_text.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "read/decode_field.h"

#define NAME "uses"
static const char key[] = "\"" NAME "\":[";

/* Digits whose number a uint64_t surely holds, and what a whole number may have to be read here. */
#define DIGITS 19
#define WHOLE_DIGITS 15

/* ---- numbers --------------------------------------------------------------------------------- */

/* One of decimal digits: mantissa * 10^exponent. */
struct decimal {
	uint64_t mantissa;
	int digits; /* of it, without zeros in front */
	int exponent;
	int is_whole; /* neither point nor exponent */
};

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *scan_digits(const char *p, struct decimal *d)
{
	for (; is_digit(*p); p++) {
		d->mantissa = d->mantissa * 10 + (uint64_t)(*p - '0');
		d->digits += d->digits || *p != '0';
	}
	return p;
}

/* Behind the number without a sign that begins at p; NULL: none. Something that is no digit follows
 * it. */
static const char *scan(const char *p, struct decimal *d)
{
	const char *const begin = p;
	int e = 0, sign = 1;

	*d = (struct decimal){.is_whole = 1};
	p = scan_digits(p, d);
	if (p == begin || (*begin == '0' && p > begin + 1))
		return NULL;
	if (*p == '.') {
		const char *const point = ++p;

		p = scan_digits(p, d);
		if (p == point)
			return NULL;
		d->exponent = -(int)(p - point);
		d->is_whole = 0;
	}
	if (*p != 'e' && *p != 'E')
		return p;
	p++;
	if (*p == '-' || *p == '+')
		sign = *p++ == '-' ? -1 : 1;
	if (!is_digit(*p))
		return NULL;
	for (; is_digit(*p) && e < 10000; p++)
		e = e * 10 + (*p - '0');
	d->exponent += sign * e;
	d->is_whole = 0;
	return p;
}

/* The nearest double, as strtod() finds it: a mantissa and a power of ten that both are exact give
 * it by one operation. */
static double value_of(const struct decimal *d, const char *text)
{
	static const double ten[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	const int most = (int)(sizeof ten / sizeof *ten) - 1;

	if (FLT_EVAL_METHOD != 0 || d->digits > DIGITS || d->mantissa > (uint64_t)1 << 53 ||
		d->exponent < -most || d->exponent > most)
		return strtod(text, NULL);
	return d->exponent < 0 ? (double)d->mantissa / ten[-d->exponent]
			       : (double)d->mantissa * ten[d->exponent];
}

static const char *read_number(
	const struct sd_field_in *c, const char *p, const struct sd_field *f, void *out)
{
	struct decimal d;
	const char *const behind = scan(p, &d);
	double v;

	if (!behind || (d.is_whole && d.digits > WHOLE_DIGITS))
		return NULL;
	v = value_of(&d, p);
	if (!isfinite(v) || v < f->low || v > f->high || !sd_decode_is_below(c, f->of, v))
		return NULL;
	if (f->type == SD_FIELD_REAL)
		*(double *)out = v;
	else if (f->type == SD_FIELD_UNSIGNED && d.is_whole)
		*(unsigned *)out = (unsigned)v;
	else
		return NULL;
	return behind;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Rows end at `last`, of two brackets the first. */
static const char *read_name(const char *p, const char *last, const struct sd_field *f, void *out)
{
	const char *const end = *p == '"' ? memchr(p + 1, '"', (size_t)(last - p)) : NULL;
	const size_t n = end ? (size_t)(end - p - 1) : 0;

	for (size_t i = 0; end && i < f->size; i++)
		if (f->names[i] && strlen(f->names[i]) == n && memcmp(f->names[i], p + 1, n) == 0) {
			*(unsigned *)out = (unsigned)i;
			return end + 1;
		}
	return NULL;
}

/* Behind the row at p; NULL: it is none, or not a valid one. */
static const char *read_row(const struct sd_field_in *c, const char *p, const char *last,
	const struct sd_fields *fields, char *out)
{
	size_t n = 0;

	if (*p++ != '[')
		return NULL;
	for (; p && n < fields->n; n++) {
		const struct sd_field *const f = &fields->field[n];

		p = f->type == SD_FIELD_NAME ? read_name(p, last, f, out + f->offset)
					     : read_number(c, p, f, out + f->offset);
		if (!p || *p != ',')
			break;
		p++;
	}
	if (!p || *p != ']' || ++n < fields->row)
		return NULL;
	/* a zero at its end is left out */
	if (n > fields->row && *(double *)(void *)(out + fields->field[n - 1].offset) == 0)
		return NULL;
	return p + 1;
}

/* From the first row on; 1: they are all in `list`. */
static int read_rows(const struct sd_field_in *c, const char *p, const char *last,
	const struct sd_field *f, char *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		p = read_row(c, p, last, f->fields, list + i * f->size);
		if (!p || *p != (i + 1 < n ? ',' : ']'))
			return 0;
		p++;
	}
	return 1;
}

/* ---- in the text of a run -------------------------------------------------------------------- */

static const struct sd_field *find_field(void)
{
	const struct sd_fields *const s = &sd_fields_sampled;

	for (size_t i = 0; i < s->n; i++)
		if (s->field[i].key && strcmp(s->field[i].key, NAME) == 0)
			return &s->field[i];
	return NULL;
}

static const char *find(const char *from, const char *end, const char *what, size_t n)
{
	return memmem(from, (size_t)(end - from), what, n);
}

static size_t count(const char *from, const char *end, char what)
{
	size_t n = 0;

	for (; from < end; from++)
		n += *from == what;
	return n;
}

static int put_rest(
	struct sd_row_text *t, const char *text, size_t size, const char *from, const char *to)
{
	const size_t before = (size_t)(from - text), behind = size - (size_t)(to - text);

	t->rest = malloc(before + behind);
	if (!t->rest)
		return -ENOMEM;
	memcpy(t->rest, text, before);
	memcpy(t->rest + before, to, behind);
	t->rest_size = before + behind;
	return 0;
}

int sd_row_text_read(
	struct sd_row_text *out, const struct sd_field_in *c, const char *text, size_t size)
{
	const struct sd_field *const f = find_field();
	const char *const end = text + size;
	/* within a string the quotes would have a backslash before them */
	const char *const at = find(text, end, key, sizeof key - 1);
	const char *const from = at ? at + sizeof key - 1 : NULL;
	const char *const last = from ? find(from, end, "]]", 2) : NULL;
	size_t n;

	*out = (struct sd_row_text){.rows.field = f};
	if (!f || !last || find(from, end, key, sizeof key - 1))
		return 0;
	n = count(from, last, '[');
	if (n == 0 || n > f->most)
		return 0;
	out->rows.list = calloc(n, f->size);
	if (!out->rows.list)
		return -ENOMEM;
	out->rows.n = n;
	if (read_rows(c, from, last, f, out->rows.list, n))
		return put_rest(out, text, size, from, last + 1);
	sd_row_text_free(out);
	return 0;
}

void sd_row_text_free(struct sd_row_text *t)
{
	free(t->rows.list);
	free(t->rest);
	*t = (struct sd_row_text){0};
}
