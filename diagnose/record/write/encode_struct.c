#include "write/encode_struct.h"

#include <errno.h>
#include <string.h>

#include "write/encode_field.h"

static int put_member(FILE *f, const struct sd_field *field, const void *in, int in_row);

/* Without the brackets; zeros behind what a row needs are left out. */
static int put_row(FILE *f, const struct sd_fields *fields, const void *in)
{
	size_t n = fields->n;
	int rc = 0;

	while (n > fields->row && *(const double *)(const void *)((const char *)in +
								  fields->field[n - 1].offset) == 0)
		n--;
	for (size_t i = 0; !rc && i < n; i++) {
		rc = i && fputs(",", f) < 0 ? -EIO : 0;
		rc = rc ? rc : put_member(f, &fields->field[i], in, 1);
	}
	return rc;
}

static int put_object(FILE *f, const struct sd_fields *fields, const void *in)
{
	const char *before = "{\"";
	int rc = 0;

	for (size_t i = 0; !rc && i < fields->n; i++) {
		const struct sd_field *const field = &fields->field[i];

		if ((field->need == SD_FIELD_SPARSE || field->type == SD_FIELD_VALUE) &&
			sd_field_empty(field, in))
			continue;
		rc = fprintf(f, "%s%s\":", before, field->key) < 0 ? -EIO : 0;
		rc = rc ? rc : put_member(f, field, in, 0);
		before = ",\"";
	}
	if (!rc && fputs(*before == '{' ? "{}" : "}", f) < 0)
		rc = -EIO;
	return rc;
}

int sd_encode_struct(FILE *f, const struct sd_fields *fields, const void *in)
{
	int rc;

	if (!fields->row)
		return fields->field->key ? put_object(f, fields, in)
					  : put_member(f, fields->field, in, 0);
	rc = fputs("[", f) < 0 ? -EIO : put_row(f, fields, in);
	return !rc && fputs("]", f) < 0 ? -EIO : rc;
}

int sd_encode_struct_list(FILE *f, const struct sd_fields *fields, const void *first, size_t n,
	size_t size, const char *between)
{
	int rc = fputs("[", f) < 0 ? -EIO : 0;

	for (size_t i = 0; !rc && i < n; i++) {
		rc = i && fputs(between, f) < 0 ? -EIO : 0;
		rc = rc ? rc : sd_encode_struct(f, fields, (const char *)first + i * size);
	}
	return !rc && fputs("]", f) < 0 ? -EIO : rc;
}

/* Rows among them stand one behind the other without brackets of their own. */
static int put_fixed(FILE *f, const struct sd_field *field, const void *in)
{
	const char *const first = (const char *)in + field->offset;
	size_t n = field->most;
	int rc;

	while (n > 0 && sd_field_last_zero(field->fields, first + (n - 1) * field->size))
		n--;
	if (!field->fields->row)
		return sd_encode_struct_list(f, field->fields, first, n, field->size, ",");
	rc = fputs("[", f) < 0 ? -EIO : 0;
	for (size_t i = 0; !rc && i < n; i++) {
		rc = i && fputs(",", f) < 0 ? -EIO : 0;
		rc = rc ? rc : put_row(f, field->fields, first + i * field->size);
	}
	return !rc && fputs("]", f) < 0 ? -EIO : rc;
}

static int put_member(FILE *f, const struct sd_field *field, const void *in, int in_row)
{
	const char *const p = (const char *)in + field->offset;
	const void *there = NULL;
	size_t n = 0;

	switch (field->type) {
	case SD_FIELD_STRUCT:
		return sd_encode_struct(f, field->fields, p);
	case SD_FIELD_OWNED:
		memcpy(&there, p, sizeof there);
		return sd_encode_struct(f, field->fields, there);
	case SD_FIELD_ARRAY:
		memcpy(&there, p, sizeof there);
		memcpy(&n, (const char *)in + field->count, sizeof n);
		return sd_encode_struct_list(f, field->fields, there, n, field->size, ",");
	case SD_FIELD_FIXED:
		return put_fixed(f, field, in);
	default:
		return sd_encode_field_scalar(f, field, in, in_row);
	}
}
