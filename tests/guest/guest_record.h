/*
 * Records that scalediag wrote in the guest: their runs' metrics, and the CPUs of their plan.
 */
#ifndef GUEST_RECORD_H
#define GUEST_RECORD_H

#include "guest.h"

static inline double guest_record_metric(const json_t *run, const char *name)
{
	const json_t *const v = json_object_get(json_object_get(run, "metrics"), name);

	if (!json_is_number(v))
		fail_msg("%s is not a number", name);
	return json_number_value(v);
}

static inline const char *guest_record_status(const json_t *run, const char *name)
{
	const char *const s =
		json_string_value(json_object_get(json_object_get(run, "metrics"), name));

	return s ? s : "a number";
}

static inline json_t *guest_record_load(const struct e2e *e, const char *name)
{
	json_t *const r = json_load_file(e2e_path(e, name), 0, NULL);

	assert_non_null(r);
	return r;
}

static inline void guest_record_expect_cpus(const json_t *record, const char *const *cpus, size_t n)
{
	const json_t *const points = json_object_get(json_object_get(record, "plan"), "points");

	assert_int_equal(json_array_size(points), n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(
			json_string_value(json_object_get(json_array_get(points, i), "cpus")),
			cpus[i]);
}

#endif
