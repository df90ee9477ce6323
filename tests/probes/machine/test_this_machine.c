/*
 * The machine of this test itself, and files planted in the place of its own.
 */
#include <unistd.h>
#include <hwloc.h>
#include <errno.h>
#include <ftw.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "probes/machine/heard_messages.h"

/* Writes a file of a fake tree, its folders too. */
static void plant(const char *root, const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof full, "%s%s", root, path);
	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		assert_true(mkdir(full, 0700) == 0 || errno == EEXIST);
		*p = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	assert_true(fprintf(f, "%s\n", text) > 0);
	assert_int_equal(fclose(f), 0);
}

static void plant_cpu(const char *root, unsigned cpu, const char *mask, const char *all)
{
	static const char *const file[] = {"core_id", "physical_package_id", "thread_siblings",
		"core_siblings", "core_cpus", "package_cpus"};
	char id[16], path[128];
	const char *text[] = {id, "0", mask, all, mask, all};

	snprintf(id, sizeof id, "%u", cpu);
	for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
		snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/%s", cpu,
			file[i]);
		plant(root, path, text[i]);
	}
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static void fell(const char *root)
{
	assert_int_equal(nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* 4 CPUs, number 2 offline; the CPUs of two NUMA nodes (one without is of HBM or CXL), or NULL. */
static void plant_machine(const char *root, const char *node0, const char *node1)
{
	plant(root, "/proc/cpuinfo", "processor\t: 0\nmodel name\t: Some  \x1b CPU\n");
	plant(root, "/sys/devices/system/cpu/possible", "0-3");
	plant(root, "/sys/devices/system/cpu/present", "0-3");
	plant(root, "/sys/devices/system/cpu/online", "0-1,3");
	plant(root, "/sys/devices/system/cpu/cpu2/online", "0");
	plant_cpu(root, 0, "3", "b");
	plant_cpu(root, 1, "3", "b");
	plant_cpu(root, 3, "8", "b");
	if (!node0)
		return;
	plant(root, "/sys/devices/system/node/online", "0-1");
	plant(root, "/sys/devices/system/node/node0/cpumap", node0);
	plant(root, "/sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 1000 kB");
	plant(root, "/sys/devices/system/node/node1/cpumap", node1);
	plant(root, "/sys/devices/system/node/node1/meminfo", "Node 1 MemTotal: 1000 kB");
}

static void offline_cpus_and_nodes_without_cpus_are_not_counted(void **state)
{
	static const char *const nodes[][2] = {{NULL, NULL}, {"b", "0"}, {"0", "b"}, {"3", "8"}};
	static const unsigned n_numa[] = {1, 1, 1, 2};

	(void)state;
	for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
		char root[] = "/tmp/sd-topology-XXXXXX";
		const struct sd_topology_source source = {.root = root};
		struct sd_topology t;
		int rc;

		assert_non_null(mkdtemp(root));
		plant_machine(root, nodes[i][0], nodes[i][1]);
		rc = sd_topology_load(&t, &source, NULL);
		fell(root);
		assert_int_equal(rc, 0);
		assert_int_equal(t.n_pu, 3);
		assert_int_equal(t.n_online, 3);
		assert_int_equal(t.pu[2].os, 3);
		assert_int_equal(t.n_core, 2);
		assert_int_equal(t.pu[1].smt_rank, 1);
		assert_int_equal(t.n_numa, n_numa[i]);
		assert_int_equal(t.n_llc, 1);
		assert_int_equal(t.llc_bytes.status, SD_STATUS_ABSENT);
		assert_string_equal(t.cpu_model, "Some ? CPU");
		assert_string_equal(t.hypervisor, "");
		sd_topology_free(&t);
	}
}

static void the_firmware_names_the_hypervisor(void **state)
{
	static const struct {
		const char *path, *text, *product, *name;
	} rows[] = {
		{"/sys/hypervisor/type", "xen", "", "Xen"},
		{"/sys/class/dmi/id/sys_vendor", "Amazon EC2", "m7g.large", "KVM"},
		{"/sys/class/dmi/id/sys_vendor", "Amazon EC2", "c7g.metal", ""},
		{"/sys/class/dmi/id/sys_vendor", "Microsoft Corporation", "Virtual Machine",
			"Hyper-V"},
		{"/sys/class/dmi/id/sys_vendor", "Microsoft Corporation", "Surface Pro", ""},
		{"/sys/class/dmi/id/sys_vendor", "Dell Inc.", "PowerEdge R760", ""},
		{"/proc/device-tree/hypervisor/compatible", "linux,kvm", "", "KVM"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char root[] = "/tmp/sd-topology-XXXXXX";
		const struct sd_topology_source source = {.root = root};
		struct sd_topology t;
		int rc;

		assert_non_null(mkdtemp(root));
		plant_machine(root, NULL, NULL);
		plant(root, rows[i].path, rows[i].text);
		plant(root, "/sys/class/dmi/id/product_name", rows[i].product);
		rc = sd_topology_load(&t, &source, NULL);
		fell(root);
		assert_int_equal(rc, 0);
		assert_string_equal(t.hypervisor, rows[i].name);
		sd_topology_free(&t);
	}
}

static void this_machine_s_cpus_are_this_process_s_affinity(void **state)
{
	const struct sd_topology_source source = {0};
	const size_t size = CPU_ALLOC_SIZE(SD_CPU_MAX);
	cpu_set_t *set = CPU_ALLOC(SD_CPU_MAX);
	struct sd_topology t;

	(void)state;
	assert_non_null(set);
	assert_int_equal(sched_getaffinity(0, size, set), 0);
	assert_int_equal(sd_topology_load(&t, &source, NULL), 0);
	assert_int_equal(t.n_pu, CPU_COUNT_S(size, set));
	for (size_t i = 0; i < t.n_pu; i++)
		assert_true(CPU_ISSET_S(t.pu[i].os, size, set));
	assert_true(t.granted >= 1 && t.granted <= t.n_pu);
	assert_true(t.n_online >= t.n_pu);
	CPU_FREE(set);
	sd_topology_free(&t);
}

static void loading_leaves_the_affinity_as_it_was(void **state)
{
	const struct sd_topology_source source = {0};
	const size_t size = CPU_ALLOC_SIZE(SD_CPU_MAX);
	cpu_set_t *before = CPU_ALLOC(SD_CPU_MAX), *one = CPU_ALLOC(SD_CPU_MAX),
		  *after = CPU_ALLOC(SD_CPU_MAX);
	struct sd_topology t;
	unsigned cpu = 0;

	(void)state;
	assert_true(before && one && after);
	assert_int_equal(sched_getaffinity(0, size, before), 0);
	while (!CPU_ISSET_S(cpu, size, before))
		cpu++;
	CPU_ZERO_S(size, one);
	CPU_SET_S(cpu, size, one);
	assert_int_equal(sched_setaffinity(0, size, one), 0);
	assert_int_equal(sd_topology_load(&t, &source, NULL), 0);
	assert_int_equal(t.n_pu, 1);
	assert_int_equal(t.pu[0].os, cpu);
	memset(after, 0, size);
	assert_int_equal(sched_getaffinity(0, size, after), 0);
	assert_true(CPU_EQUAL_S(size, one, after));
	assert_int_equal(sched_setaffinity(0, size, before), 0);
	CPU_FREE(before);
	CPU_FREE(one);
	CPU_FREE(after);
	sd_topology_free(&t);
}

static void a_topology_of_the_environment_is_refused(void **state)
{
	const struct sd_topology_source source = {0};
	struct heard heard = {0};
	const struct sd_sink sink = {hear, &heard};
	struct sd_topology t;
	int rc;

	(void)state;
	assert_int_equal(setenv("HWLOC_SYNTHETIC", "core:2 pu:1", 1), 0);
	rc = sd_topology_load(&t, &source, &sink);
	unsetenv("HWLOC_SYNTHETIC");
	assert_int_equal(rc, -EINVAL);
	assert_non_null(strstr(heard.last, "HWLOC_SYNTHETIC"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offline_cpus_and_nodes_without_cpus_are_not_counted),
		cmocka_unit_test(the_firmware_names_the_hypervisor),
		cmocka_unit_test(this_machine_s_cpus_are_this_process_s_affinity),
		cmocka_unit_test(loading_leaves_the_affinity_as_it_was),
		cmocka_unit_test(a_topology_of_the_environment_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
