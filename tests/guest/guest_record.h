/*
 * A record measured in the guest.
 */
#ifndef SD_TEST_GUEST_RECORD_H
#define SD_TEST_GUEST_RECORD_H

#include <unistd.h>

#include "guest.h"

#define EMULATED_HZ 1e9

static inline double metric(const json_t *run, const char *name)
{
	const json_t *const v = json_object_get(json_object_get(run, "metrics"), name);

	if (!json_is_number(v))
		fail_msg("%s is not a number", name);
	return json_number_value(v);
}

static inline const char *status(const json_t *run, const char *name)
{
	const char *const s =
		json_string_value(json_object_get(json_object_get(run, "metrics"), name));

	return s ? s : "a number";
}

static inline json_t *record(const struct e2e *e, const char *name)
{
	json_t *const r = json_load_file(e2e_path(e, name), 0, NULL);

	assert_non_null(r);
	return r;
}

static inline void expect_cpus(const json_t *record, const char *const *cpus, size_t n)
{
	const json_t *const points = json_object_get(json_object_get(record, "plan"), "points");

	assert_int_equal(json_array_size(points), n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(
			json_string_value(json_object_get(json_array_get(points, i), "cpus")),
			cpus[i]);
}

/* What the kernel counted in user mode is no more than what it accounted to all modes. */
static inline void expect_cycles(const json_t *record)
{
	const json_t *run;
	size_t i;

	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		const double clock = metric(run, "task_clock") * EMULATED_HZ;
		const double cycles = metric(run, "cycles");

		/* two clocks, read one after the other, on a busy host */
		if (!(cycles > 0 && cycles < 1.05 * clock))
			fail_msg("%g cycles in %g ns of CPU time", cycles, clock);
	}
}

#define CPU_FILE "/sys/devices/system/cpu/cpu%u/online"

static inline void online(unsigned cpu, int on)
{
	char path[64];

	snprintf(path, sizeof path, CPU_FILE, cpu);
	guest_write(path, on ? "1" : "0");
}

static inline int both_online(void **state)
{
	if (getenv("SCALEDIAG_GUEST")) {
		online(3, 1);
		online(7, 1);
	}
	return e2e_teardown(state);
}

#endif
