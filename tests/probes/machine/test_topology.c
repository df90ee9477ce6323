/* The topology of synthetic machines, of XML exports, of fake /sys trees, and of this machine. */
#include <errno.h>
#include <ftw.h>
#include <sched.h>
#include <sys/stat.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <hwloc.h>

#include "probes/machine/heard_messages.h"

#define CORE "l2:1 l1d:1 core:1"

static void synthetic_machines_are_counted_and_numbered(void **state)
{
	static const struct {
		const char *machine, *allowed;
		unsigned pu, core, llc, numa, package, smt, online;
		size_t last;     /* index of the last PU … */
		struct sd_pu is; /* … and what it is */
	} rows[] = {
		{"pack:1 " CORE " pu:1", NULL, 1, 1, 1, 1, 1, 1, 1, 0, {.os = 0}},
		{"pack:1 l3:1 l2:2 l1d:1 core:1 pu:1", NULL, 2, 2, 1, 1, 1, 1, 2, 1,
			{.os = 1, .core = 1}},
		{"pack:2 [numa] l3:1 l2:24 l1d:1 core:1 pu:2", NULL, 96, 48, 2, 2, 2, 2, 96, 95,
			{.os = 95, .core = 47, .smt_rank = 1, .llc = 1, .numa = 1, .package = 1}},
		{"pack:2 [numa] l3:8 l2:8 l1d:1 core:1 pu:1", NULL, 128, 128, 16, 2, 2, 1, 128, 127,
			{.os = 127, .core = 127, .llc = 15, .numa = 1, .package = 1}},
		{"pack:4 numa:2 l3:12 l2:8 l1d:1 core:1 pu:2", NULL, 1536, 768, 96, 8, 4, 2, 1536,
			1535,
			{.os = 1535,
				.core = 767,
				.smt_rank = 1,
				.llc = 95,
				.numa = 7,
				.package = 3}},
		/* holes: parts of cores, of LLCs and of packages; ids stay dense */
		{"pack:2 [numa] l3:1 l2:24 l1d:1 core:1 pu:2", "1,3-4,90-95", 9, 6, 2, 2, 2, 2, 96,
			8, {.os = 95, .core = 5, .smt_rank = 1, .llc = 1, .numa = 1, .package = 1}},
		{"pack:4 numa:2 l3:12 l2:8 l1d:1 core:1 pu:2", "1025,1535", 2, 2, 2, 2, 2, 1, 1536,
			1, {.os = 1535, .core = 1, .llc = 1, .numa = 1, .package = 1}},
		/* CPUs that do not exist are no CPUs */
		{"pack:1 l3:1 l2:2 l1d:1 core:1 pu:1", "1-9000", 1, 1, 1, 1, 1, 1, 2, 0, {.os = 1}},
		/* no L3: the L2 is the last level; no cache at all: the package */
		{"pack:1 l2:2 l1d:2 core:1 pu:1", NULL, 4, 4, 2, 1, 1, 1, 4, 3,
			{.os = 3, .core = 3, .llc = 1}},
		{"pack:2 core:2 pu:2", NULL, 8, 4, 2, 1, 2, 2, 8, 7,
			{.os = 7, .core = 3, .smt_rank = 1, .llc = 1, .package = 1}},
		/* the kernel's numbers need not follow the machine's order, nor be believed */
		{"pack:1 l3:1 core:2 pu:2(indexes=0,2,1,3)", NULL, 4, 2, 1, 1, 1, 2, 4, 2,
			{.os = 2, .smt_rank = 1}},
		{"pack:1 l3:1 core:2 pu:1(indexes=1,70000)", NULL, 1, 1, 1, 1, 1, 1, 2, 0,
			{.os = 1}},
		/* neither cores nor packages are told */
		{"pu:3", NULL, 3, 3, 1, 1, 1, 1, 3, 2, {.os = 2, .core = 2}},
		/* several NUMA nodes under one LLC */
		{"pack:1 l3:1 numa:2 l2:2 l1d:1 core:1 pu:1", NULL, 4, 4, 1, 2, 1, 1, 4, 3,
			{.os = 3, .core = 3, .numa = 1}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct sd_topology_source source = {
			.synthetic = rows[i].machine, .allowed = rows[i].allowed};
		struct sd_topology t;
		unsigned smt = 0;

		assert_int_equal(sd_topology_load(&t, &source, NULL), 0);
		assert_int_equal(t.n_pu, rows[i].pu);
		assert_int_equal(t.granted, rows[i].pu);
		assert_int_equal(t.n_core, rows[i].core);
		assert_int_equal(t.n_llc, rows[i].llc);
		assert_int_equal(t.n_numa, rows[i].numa);
		assert_int_equal(t.n_package, rows[i].package);
		assert_int_equal(t.n_kind, 1);
		assert_int_equal(t.n_online, rows[i].online);
		assert_int_equal(t.quota.status, SD_STATUS_ABSENT);
		for (size_t k = 0; k < t.n_pu; k++) {
			assert_true(k == 0 || t.pu[k - 1].os < t.pu[k].os);
			smt = t.pu[k].smt_rank + 1 > smt ? t.pu[k].smt_rank + 1 : smt;
		}
		assert_int_equal(smt, rows[i].smt);
		assert_memory_equal(&t.pu[rows[i].last], &rows[i].is, sizeof rows[i].is);
		sd_topology_free(&t);
		assert_null(t.pu);
	}
}

static void the_first_usable_sibling_of_a_core_has_rank_0(void **state)
{
	const struct sd_topology_source source = {
		.synthetic = "pack:1 l3:1 core:2 pu:4", .allowed = "2-3,5,7"};
	struct sd_topology t;

	(void)state;
	assert_int_equal(sd_topology_load(&t, &source, NULL), 0);
	assert_int_equal(t.n_pu, 4);
	assert_int_equal(t.pu[0].smt_rank, 0);
	assert_int_equal(t.pu[1].smt_rank, 1);
	assert_int_equal(t.pu[2].smt_rank, 0);
	assert_int_equal(t.pu[3].smt_rank, 1);
	sd_topology_free(&t);
}

static void cpus_that_nobody_describes_are_said_to_be_so(void **state)
{
	static const struct {
		const char *machine;
		int undescribed;
	} rows[] = {{"pu:4", 1}, {"core:4 pu:1", 0}, {"pack:1 l3:1 core:2 pu:2", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct sd_topology_source source = {.synthetic = rows[i].machine};
		struct sd_topology t;

		assert_int_equal(sd_topology_load(&t, &source, NULL), 0);
		assert_int_equal(t.n_pu, 4);
		assert_int_equal(t.undescribed, rows[i].undescribed);
		sd_topology_free(&t);
	}
}

static void cache_sizes_are_claimed_or_absent(void **state)
{
	static const struct {
		const char *machine;
		struct sd_value llc, l2, l1d;
	} rows[] = {
		{"pack:1 l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=49152) core:1 pu:1",
			{33554432, SD_STATUS_OK}, {1048576, SD_STATUS_OK}, {49152, SD_STATUS_OK}},
		{"pack:1 l2:2(size=524288) l1d:2(size=32768) core:1 pu:1", {524288, SD_STATUS_OK},
			{524288, SD_STATUS_OK}, {32768, SD_STATUS_OK}},
		{"pack:1 core:2 pu:1", {0, SD_STATUS_ABSENT}, {0, SD_STATUS_ABSENT},
			{0, SD_STATUS_ABSENT}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct sd_topology_source source = {.synthetic = rows[i].machine};
		struct sd_topology t;

		assert_int_equal(sd_topology_load(&t, &source, NULL), 0);
		assert_int_equal(t.llc_bytes.status, rows[i].llc.status);
		assert_int_equal(t.l2_bytes.status, rows[i].l2.status);
		assert_int_equal(t.l1d_bytes.status, rows[i].l1d.status);
		assert_true(t.llc_bytes.value == rows[i].llc.value);
		assert_true(t.l2_bytes.value == rows[i].l2.value);
		assert_true(t.l1d_bytes.value == rows[i].l1d.value);
		assert_int_equal(t.line_bytes, 64);
		sd_topology_free(&t);
	}
}

static void a_quota_limits_what_is_granted(void **state)
{
	static const struct {
		const char *machine, *tree;
		unsigned granted;
	} rows[] = {
		{"pack:1 core:8 pu:1", "tests/fixtures/cgroup-v1", 2}, /* 2.5 CPUs */
		{"pack:1 core:2 pu:1", "tests/fixtures/cgroup-v1", 2}, /* fewer CPUs than quota */
		{"pack:1 core:8 pu:1", "tests/fixtures/cgroup-namespace", 1}, /* 0.5 CPUs */
		{"pack:1 core:8 pu:1", "tests/fixtures/cgroup-max", 8},
		{"pack:1 core:8 pu:1", "tests/fixtures/cgroup-garbage", 8},
		{"pack:1 core:8 pu:1", "tests/fixtures/cgroup-none", 8},
		{"pack:1 core:8 pu:1", NULL, 8},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct sd_topology_source source = {
			.synthetic = rows[i].machine, .root = rows[i].tree};
		struct sd_topology t;

		assert_int_equal(sd_topology_load(&t, &source, NULL), 0);
		assert_int_equal(t.granted, rows[i].granted);
		sd_topology_free(&t);
	}
}

/* A machine of 2 fast cores with SMT and 4 slow ones, as an XML export; `ranked`: hwloc knows
 * which. */
static void export_hybrid(const char *path, int ranked)
{
	hwloc_topology_t h;
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	assert_non_null(set);
	assert_int_equal(hwloc_topology_init(&h), 0);
	assert_int_equal(hwloc_topology_set_synthetic(h, "pack:1 l3:1 core:4 pu:2"), 0);
	assert_int_equal(hwloc_topology_load(h), 0);
	hwloc_bitmap_set_range(set, 0, 3);
	assert_int_equal(hwloc_cpukinds_register(h, set, ranked ? 20 : -1, 0, NULL, 0), 0);
	hwloc_bitmap_zero(set);
	hwloc_bitmap_set_range(set, 4, 7);
	assert_int_equal(hwloc_cpukinds_register(h, set, ranked ? 10 : -1, 0, NULL, 0), 0);
	assert_int_equal(hwloc_topology_export_xml(h, path, 0), 0);
	hwloc_topology_destroy(h);
	hwloc_bitmap_free(set);
}

static void core_kinds_are_ranked_slowest_first_or_all_the_same(void **state)
{
	static const struct {
		int ranked;
		const char *allowed;
		unsigned kinds, first, last;
	} rows[] = {
		{1, NULL, 2, 1, 0},
		{1, "0-3", 1, 0, 0}, /* only the fast kind is left: there is one kind */
		{1, "4-7", 1, 0, 0},
		{0, NULL, 1, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char path[] = "/tmp/sd-topology-XXXXXX";
		const int fd = mkstemp(path);
		const struct sd_topology_source source = {.xml = path, .allowed = rows[i].allowed};
		struct sd_topology t;
		int rc;

		assert_true(fd >= 0);
		close(fd);
		export_hybrid(path, rows[i].ranked);
		rc = sd_topology_load(&t, &source, NULL);
		remove(path);
		assert_int_equal(rc, 0);
		assert_int_equal(t.n_kind, rows[i].kinds);
		assert_int_equal(t.pu[0].kind, rows[i].first);
		assert_int_equal(t.pu[t.n_pu - 1].kind, rows[i].last);
		sd_topology_free(&t);
	}
}

static void a_machine_that_cannot_be_used_is_refused_with_one_message(void **state)
{
	static const struct {
		struct sd_topology_source source;
		const char *says;
	} rows[] = {
		{{.synthetic = "pack:two"}, "pack:two"},
		{{.synthetic = "core:2 pu:1", .allowed = "5-6"}, "5-6"},
		{{.synthetic = "core:2 pu:1", .allowed = ""}, "none of the CPUs"},
		{{.synthetic = "core:2 pu:1", .allowed = "1-"}, "1-"},
		{{.synthetic = "core:2 pu:1", .allowed = "4294967296"}, "4294967296"},
		{{.allowed = "65535"}, "65535"},
		{{.xml = "/no/such/file.xml"}, "/no/such/file.xml"},
		{{.xml = "/dev/null"}, "/dev/null"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct heard heard = {0};
		const struct sd_sink sink = {hear, &heard};
		struct sd_topology t;

		assert_true(sd_topology_load(&t, &rows[i].source, &sink) < 0);
		assert_int_equal(heard.n, 1);
		assert_non_null(strstr(heard.last, rows[i].says));
		assert_null(t.pu);
		assert_int_equal(t.granted, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(synthetic_machines_are_counted_and_numbered),
		cmocka_unit_test(the_first_usable_sibling_of_a_core_has_rank_0),
		cmocka_unit_test(cpus_that_nobody_describes_are_said_to_be_so),
		cmocka_unit_test(cache_sizes_are_claimed_or_absent),
		cmocka_unit_test(a_quota_limits_what_is_granted),
		cmocka_unit_test(core_kinds_are_ranked_slowest_first_or_all_the_same),
		cmocka_unit_test(a_machine_that_cannot_be_used_is_refused_with_one_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
