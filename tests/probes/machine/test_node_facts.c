#include "machine/node_facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "machine/memory_modules.h"
#include "support/fakeproc.h"

#define CPU "sys/devices/system/cpu/"

static void settings_are_read_and_what_names_the_node_is_left_out(void **state)
{
	char root[64];
	struct sd_node_facts f;

	(void)state;
	fake_make(root);
	for (int i = 0; i < 3; i++) {
		char path[96];

		snprintf(path, sizeof path, CPU "cpu%d/topology/core_id", i);
		fake_write(root, path, "%d\n", i);
		snprintf(path, sizeof path, CPU "cpu%d/cpufreq/scaling_governor", i);
		fake_write(root, path, "performance\n");
	}
	fake_write(root, CPU "intel_pstate/no_turbo", "1\n");
	fake_write(root, CPU "smt/control", "off\n");
	fake_write(root, "sys/devices/system/node/online", "0-1\n");
	fake_write(root, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	fake_write(root, "sys/class/dmi/id/bios_vendor", "Maker\n");
	fake_write(root, "sys/class/dmi/id/bios_version", "2.7\n");
	fake_write(root, "proc/meminfo", "MemTotal:       263921404 kB\nMemFree: 1 kB\n");
	fake_write(root, "proc/cpuinfo", "processor\t: 0\nmicrocode\t: 0xd0003a5\n");
	fake_write(root, "proc/cmdline",
		"BOOT_IMAGE=/vmlinuz root=UUID=77 ro mitigations=off ip=10.0.0.7 -- --for-init\n");
	sd_node_facts_read(&f, root);
	assert_string_equal(f.text[SD_NODE_FACT_GOVERNOR], "performance");
	assert_string_equal(f.text[SD_NODE_FACT_TURBO], "off");
	assert_string_equal(f.text[SD_NODE_FACT_SMT], "off");
	assert_string_equal(f.text[SD_NODE_FACT_NUMA], "0-1");
	assert_string_equal(f.text[SD_NODE_FACT_THP], "madvise");
	assert_string_equal(f.text[SD_NODE_FACT_MEMORY], "256 GiB");
	assert_string_equal(f.text[SD_NODE_FACT_BIOS], "Maker 2.7");
	assert_string_equal(f.text[SD_NODE_FACT_MICROCODE], "0xd0003a5");
	assert_string_equal(f.text[SD_NODE_FACT_BOOT], "ro mitigations=off");
	assert_string_equal(f.text[SD_NODE_FACT_KERNEL], "");
	fake_write(root, CPU "cpu2/cpufreq/scaling_governor", "powersave\n");
	sd_node_facts_read(&f, root);
	assert_string_equal(f.text[SD_NODE_FACT_GOVERNOR], "different from CPU to CPU");
	fake_remove(root);
}

/* A type 17 structure of SMBIOS 3.2 with two texts behind it; its size. */
static size_t put_module(unsigned char *at, unsigned mib, unsigned mts, unsigned configured,
	const char *locator, const char *bank)
{
	size_t n = 0x28;

	memset(at, 0, n);
	at[0] = 17;
	at[1] = (unsigned char)n;
	at[0x0a] = 64; /* data width, bits */
	at[0x0c] = (unsigned char)mib;
	at[0x0d] = (unsigned char)(mib >> 8);
	at[0x10] = 1;
	at[0x11] = 2;
	at[0x12] = 0x22; /* DDR5 */
	at[0x15] = (unsigned char)mts;
	at[0x16] = (unsigned char)(mts >> 8);
	at[0x20] = (unsigned char)configured;
	at[0x21] = (unsigned char)(configured >> 8);
	n += (size_t)sprintf((char *)at + n, "%s", locator) + 1;
	n += (size_t)sprintf((char *)at + n, "%s", bank) + 1;
	at[n++] = '\0';
	return n;
}

static void channels_are_told_apart_by_their_names(void **state)
{
	unsigned char table[4096];
	struct sd_memory_modules m;
	size_t n = 0;

	(void)state;
	n += put_module(table + n, 16384, 5600, 4800, "DIMM 0", "P0 CHANNEL A");
	n += put_module(table + n, 16384, 5600, 4800, "DIMM 1", "P0 CHANNEL A");
	n += put_module(table + n, 16384, 5600, 4800, "DIMM 0", "P0 CHANNEL B");
	n += put_module(table + n, 0, 0, 0, "DIMM 1", "P0 CHANNEL B");
	n += put_module(table + n, 16384, 5600, 0, "DIMM 0", "P1 CHANNEL A");
	sd_memory_modules_parse(table, n, &m);
	assert_int_equal(m.modules, 4);
	assert_int_equal(m.channels, 3);
	assert_true(m.channels_named);
	assert_int_equal(m.transfers / 1000000, 4800);
	/* two channels of 4800 MT/s x 8 B, one of 5600: what a module can do, where no more is
	 * known */
	assert_true(sd_has(m.peak));
	assert_int_equal(m.peak.value / 1e6, (4800 + 4800 + 5600) * 8);
	assert_string_equal(m.text, "4 x 16 GiB DDR5 at 4800 MT/s, 3 channels");

	n = put_module(table, 16384, 4800, 4800, "ChB1", "Bank 3");
	n += put_module(table + n, 16384, 4800, 4800, "ChB2", "Bank 3");
	sd_memory_modules_parse(table, n, &m);
	assert_int_equal(m.channels, 1);
	n = put_module(table, 16384, 4800, 4800, "DIMM 0", "BANK 0");
	n += put_module(table + n, 16384, 4800, 4800, "DIMM 1", "BANK 1");
	sd_memory_modules_parse(table, n, &m);
	assert_int_equal(m.channels, 2);
	assert_false(m.channels_named);
}

static void a_damaged_table_ends_where_it_is_damaged(void **state)
{
	unsigned char table[4096];
	struct sd_memory_modules m;
	const size_t n = put_module(table, 16384, 4800, 4800, "DIMM 0", "CHANNEL A");

	(void)state;
	for (size_t cut = 0; cut < n; cut++) {
		unsigned char *const part = test_malloc(cut + !cut);

		memcpy(part, table, cut);
		sd_memory_modules_parse(part, cut, &m);
		assert_int_equal(m.modules, 0);
		assert_int_equal(m.peak.status, SD_STATUS_ABSENT);
		test_free(part);
	}
	sd_memory_modules_parse(table, n, &m);
	assert_int_equal(m.modules, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_are_read_and_what_names_the_node_is_left_out),
		cmocka_unit_test(channels_are_told_apart_by_their_names),
		cmocka_unit_test(a_damaged_table_ends_where_it_is_damaged),
	};

	return cmocka_run_group_tests_name("node_facts", tests, NULL, NULL);
}
