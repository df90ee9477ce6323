#include "fields/field_rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *const sd_field_rows_status[SD_STATUS_COUNT] = {
#define X(id, name) [SD_STATUS_##id] = name,
	SD_STATUSES(X)
#undef X
};
const char *const sd_field_rows_role[SD_ROLE_COUNT] = {
#define X(id, name, unit, meaning) [SD_ROLE_##id] = name,
	SD_ROLES(X)
#undef X
};
const char *const sd_field_rows_activity[SD_ACTIVITY_COUNT] = {
#define X(id, name, ...) [SD_ACTIVITY_##id] = name,
	SD_ACTIVITIES(X)
#undef X
};

static const struct sd_field cores[] = {
	{.type = SD_FIELD_UNSIGNED, .low = 1, .high = UINT32_MAX},
};
const struct sd_fields sd_fields_cores = TABLE(cores);

static const struct sd_field reals[] = {{.type = SD_FIELD_REAL, .high = DBL_MAX}};
const struct sd_fields sd_fields_reals = TABLE(reals);

int sd_field_fits(const struct sd_field *f, double v)
{
	return isfinite(v) && v >= f->low && v <= f->high;
}

/* Whether so many bytes are all 0: a null pointer, a count, false, 0.0. */
static int is_zero(const void *p, size_t n)
{
	static const char zero[sizeof(double)];

	return memcmp(p, zero, n) == 0;
}

static int all_empty(const struct sd_fields *fields, const void *in)
{
	for (size_t i = 0; i < fields->n; i++)
		if (!sd_field_empty(&fields->field[i], in))
			return 0;
	return 1;
}

int sd_field_empty(const struct sd_field *f, const void *in)
{
	const char *const p = (const char *)in + f->offset;

	if (f->there)
		return !f->there(in);
	if (f->type == SD_FIELD_VALUE) /* most fields of a run are */
		return ((const struct sd_value *)(const void *)p)->status == SD_STATUS_ABSENT;
	switch (f->type) {
	case SD_FIELD_TEXT:
		return !*p;
	case SD_FIELD_BOOL:
	case SD_FIELD_INT:
		return is_zero(p, sizeof(int));
	case SD_FIELD_FLAGS:
	case SD_FIELD_UNSIGNED:
		return is_zero(p, sizeof(unsigned));
	case SD_FIELD_SIZE:
		return is_zero(p, sizeof(size_t));
	case SD_FIELD_COUNT64:
	case SD_FIELD_BITS64:
		return is_zero(p, sizeof(uint64_t));
	case SD_FIELD_STRUCT:
		return all_empty(f->fields, p);
	case SD_FIELD_REAL:
		return is_zero(p, sizeof(double));
	case SD_FIELD_STRING:
	case SD_FIELD_OWNED:
		return is_zero(p, sizeof(void *));
	case SD_FIELD_ARRAY:
		return is_zero((const char *)in + f->count, sizeof(size_t));
	case SD_FIELD_TEXTS:
		return ((const struct sd_texts *)(const void *)p)->n == 0;
	case SD_FIELD_CPUS:
		return ((const struct sd_cpulist *)(const void *)p)->n == 0;
	default: /* nothing says that it is not there */
		return 0;
	}
}

int sd_field_last_zero(const struct sd_fields *fields, const void *element)
{
	const struct sd_field *const last = &fields->field[fields->n - 1];

	return *(const double *)(const void *)((const char *)element + last->offset) == 0;
}
