#include "fields/field_rows.h"

#include <float.h>

/* Fields of a run's waiting for the kernel's own locks. */

#define OF_TEXT(m) NUMBER(sd_kernel_lock, m, #m, UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_TEXTS)
static const struct sd_field lock[] = {
	OF_TEXT(name),
	OF_TEXT(call),
	OF_TEXT(held),
	NUMBER(sd_kernel_lock, node, "node", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_NODES),
	COUNT(sd_kernel_lock, waits),
	COUNT(sd_kernel_lock, wait_s),
	COUNT(sd_kernel_lock, slept_s),
	COUNT(sd_kernel_lock, longest_s),
};
static const struct sd_fields lock_fields = TABLE(lock);

static int check_locks(struct sd_field_in *c, const struct sd_json_path *at, const void *element,
	const void *before)
{
	const struct sd_kernel_locks *const l = element;
	const struct sd_json_path status = {.up = at, .key = "status"};

	(void)before;
	if (l->status == SD_STATUS_ABSENT)
		return sd_json_path_fault(c->s, &status, "is absent: then the whole is left out");
	return l->status != SD_STATUS_OK && (l->n_row || l->other_s > 0)
		       ? sd_json_path_fault(c->s, &status, "is not ok: then there are no rows")
		       : 0;
}

static const struct sd_field locks[] = {
	NAME(sd_kernel_locks, status, "status", sd_field_rows_status),
	NUMBER(sd_kernel_locks, other_s, "other_s", REAL, 0, DBL_MAX, .need = SD_FIELD_SPARSE),
	NUMBER(sd_kernel_locks, recorded, "recorded", REAL, 0, DBL_MAX, .need = SD_FIELD_SPARSE),
	NUMBER(sd_kernel_locks, n_row_seen, "rows_seen", SIZE, 0, SD_FIELD_WHOLE,
		.need = SD_FIELD_SPARSE),
	ARRAY(sd_kernel_locks, row, "rows", lock_fields, SD_KERNEL_LOCK_ROWS,
		.seen = offsetof(struct sd_kernel_locks, n_row_seen), .need = SD_FIELD_SPARSE),
};
const struct sd_fields sd_fields_kernel_locks = TABLE(locks, .check = check_locks);
