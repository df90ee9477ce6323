/* The host's facts, from this machine and from fake /proc trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "probe/host_facts.h"
#include "machine/hypervisor_tsc.h"

/* A fake tree with these two files; NULL leaves one out. */
struct tree {
	char root[64];
};

static void put(const char *root, const char *path, const char *text)
{
	char full[256];
	FILE *f;

	snprintf(full, sizeof full, "%s%s", root, path);
	f = fopen(full, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void plant(struct tree *tree, const char *meminfo, const char *paranoid)
{
	static const char *const folders[] = {"/proc", "/proc/sys", "/proc/sys/kernel"};
	char full[256];

	strcpy(tree->root, "/tmp/sd-host-XXXXXX");
	assert_non_null(mkdtemp(tree->root));
	for (size_t i = 0; i < 3; i++) {
		snprintf(full, sizeof full, "%s%s", tree->root, folders[i]);
		assert_int_equal(mkdir(full, 0700), 0);
	}
	if (meminfo)
		put(tree->root, "/proc/meminfo", meminfo);
	if (paranoid)
		put(tree->root, "/proc/sys/kernel/perf_event_paranoid", paranoid);
}

static void fell(const struct tree *tree)
{
	static const char *const parts[] = {"/proc/sys/kernel/perf_event_paranoid", "/proc/meminfo",
		"/proc/sys/kernel", "/proc/sys", "/proc", ""};
	char full[256];

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		snprintf(full, sizeof full, "%s%s", tree->root, parts[i]);
		remove(full);
	}
}

static void memory_and_paranoid_level_are_read_or_said_to_be_unknown(void **state)
{
	static const struct {
		const char *meminfo, *paranoid;
		enum sd_status memory;
		double bytes;
		int level;
	} rows[] = {
		{"MemTotal:  8 kB\nMemFree: 5 kB\nMemAvailable:    6 kB\nBuffers: 1 kB\n", "2\n",
			SD_STATUS_OK, 6144, 2},
		{"MemTotal: 8 kB\nMemAvailable: 0 kB\n", "-1\n", SD_STATUS_OK, 0, -1},
		{"MemTotal: 8 kB\n", "4", SD_STATUS_ABSENT, 0, 4},
		{"MemTotal: 8 kB\nMemAvailable: 6\n", "", SD_STATUS_UNSUPPORTED, 0, -100},
		{"MemTotal: 8 kB\nMemAvailable: kB\n", "two", SD_STATUS_UNSUPPORTED, 0, -100},
		{"MemTotal: 8 kB\nMemAvailable: 99999999999999999999 kB\n", "1.5",
			SD_STATUS_UNSUPPORTED, 0, -100},
		{"", "1e9", SD_STATUS_ABSENT, 0, -100},
		{NULL, NULL, SD_STATUS_ABSENT, 0, -100},
	};
	const struct sd_topology t = {0};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct tree tree;
		struct sd_host host;

		plant(&tree, rows[i].meminfo, rows[i].paranoid);
		assert_int_equal(sd_host_facts_read(&host, &t, tree.root), 0);
		fell(&tree);
		assert_int_equal(host.memory_bytes.status, rows[i].memory);
		if (sd_has(host.memory_bytes))
			assert_true(host.memory_bytes.value == rows[i].bytes);
		assert_int_equal(host.perf_paranoid, rows[i].level);
	}
}

static void the_topology_s_facts_are_copied_with_their_status(void **state)
{
	struct sd_topology t = {.n_pu = 6,
		.n_core = 3,
		.n_llc = 2,
		.n_numa = 4,
		.n_package = 1,
		.n_kind = 5,
		.n_online = 8,
		.granted = 2,
		.quota = SD_OK(2.5),
		.llc_bytes = SD_NOT(UNSUPPORTED),
		.cpu_model = "A\x1b[2J CPU",
		.hypervisor = "KVM"};
	struct sd_host host;
	struct utsname u;

	(void)state;
	assert_int_equal(sd_host_facts_read(&host, &t, NULL), 0);
	assert_int_equal(host.allowed, 6);
	assert_int_equal(host.cores, 3);
	assert_int_equal(host.llc, 2);
	assert_int_equal(host.numa, 4);
	assert_int_equal(host.packages, 1);
	assert_int_equal(host.kinds, 5);
	assert_int_equal(host.online, 8);
	assert_int_equal(host.granted, 2);
	assert_true(host.quota.value == 2.5 && host.quota.status == SD_STATUS_OK);
	assert_int_equal(host.llc_bytes.status, SD_STATUS_UNSUPPORTED);
	assert_string_equal(host.cpu, "A?[2J CPU");
	assert_string_equal(host.hypervisor, "KVM");
	assert_int_equal(uname(&u), 0);
	assert_string_equal(host.name, u.nodename);
	assert_non_null(strstr(host.kernel, u.release));

	/* what was only guessed is not recorded as a fact */
	t.undescribed = 1;
	assert_int_equal(sd_host_facts_read(&host, &t, NULL), 0);
	assert_int_equal(host.allowed, 6);
	assert_int_equal(host.cores + host.llc + host.numa + host.packages + host.kinds, 0);
}

static void this_machine_has_memory_and_a_known_or_unknown_pmu(void **state)
{
	const struct sd_topology t = {0};
	struct sd_host host;

	(void)state;
	assert_int_equal(sd_host_facts_read(&host, &t, ""), 0);
	assert_int_equal(host.memory_bytes.status, SD_STATUS_OK);
	assert_true(host.memory_bytes.value > 0);
	assert_true(host.pmu == SD_STATUS_OK || host.pmu == SD_STATUS_UNSUPPORTED ||
		    host.pmu == SD_STATUS_DENIED || host.pmu == SD_STATUS_ABSENT);
}

#if defined(__x86_64__)
/* The TSC's rate by another clock over 10 ms; the best of a few tries, as others use this
 * machine. */
static double deviation(double hz)
{
	double least = 1;

	for (int i = 0; i < 10; i++) {
		struct timespec a, b;
		uint64_t from, to;
		double d;

		clock_gettime(CLOCK_MONOTONIC, &a);
		from = __rdtsc();
		usleep(10000);
		clock_gettime(CLOCK_MONOTONIC, &b);
		to = __rdtsc();
		d = (double)(to - from) / hz /
			    ((double)(b.tv_sec - a.tv_sec) +
				    (double)(b.tv_nsec - a.tv_nsec) / 1e9) -
		    1;
		least = fabs(d) < least ? fabs(d) : least;
	}
	return least;
}
#endif

static void the_tsc_counts_at_its_rate(void **state)
{
	const struct sd_value hz = sd_hypervisor_tsc_hz();

	(void)state;
#if defined(__x86_64__)
	if (hz.status == SD_STATUS_OK) {
		assert_true(deviation(hz.value) < 0.01);
		return;
	}
#endif
	fprintf(stderr, "SKIP: the_tsc_counts_at_its_rate: TSC rate %s\n",
		sd_status_name(hz.status));
	skip();
}

/* Over some time the rate is what a measurement beside it says, and none at all is not taken for a
 * rate. */
static void the_rate_since_then_is_the_rate(void **state)
{
	const struct sd_hypervisor_tsc_moment none = {0}, then = sd_hypervisor_tsc_now();
	const struct sd_value hz = sd_hypervisor_tsc_hz();
	struct sd_value since;

	(void)state;
	assert_int_equal(then.ns != 0, hz.status != SD_STATUS_UNSUPPORTED);
	if (!sd_has(hz)) {
		fprintf(stderr, "SKIP: %s: TSC rate %s\n", __func__, sd_status_name(hz.status));
		skip();
	}
	usleep(10000);
	since = sd_hypervisor_tsc_since(&then);
	assert_true(sd_has(since) && fabs(since.value / hz.value - 1) < 0.01);
	since = sd_hypervisor_tsc_since(&none);
	assert_true(!sd_has(since) || fabs(since.value / hz.value - 1) < 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_and_paranoid_level_are_read_or_said_to_be_unknown),
		cmocka_unit_test(the_topology_s_facts_are_copied_with_their_status),
		cmocka_unit_test(this_machine_has_memory_and_a_known_or_unknown_pmu),
		cmocka_unit_test(the_tsc_counts_at_its_rate),
		cmocka_unit_test(the_rate_since_then_is_the_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
