/*
 * Mappings, JIT maps and kernel addresses as they come and go.
 */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "probes/symbols/known_chain.h"
#include "probes/symbols/stopped.h"
#include "symbols/modules.h"

static void nothing_is_said_of_nothing(void **state)
{
	const struct sd_event none = {.pid = 1};
	struct sd_unwound how = {.whole = 1};
	struct sd_placement_of place;
	struct sd_symbols *s;
	const char *name;
	uint64_t pc[4], start_at;
	unsigned char code[4];

	(void)state;
	assert_int_equal(sd_symbols_open(&s, ""), 0);
	assert_int_equal(sd_symbols_unwind(s, &none, pc, 4, &how), 0);
	assert_int_equal(how.whole, 0);
	assert_int_equal(sd_symbols_at(s, 1, 0x1234, 0, &place, 1), 1);
	assert_null(place.function);
	assert_null(place.module);
	assert_int_equal(place.offset, 0x1234);
	assert_int_equal(sd_symbols_data(s, 1, 0x1234, &name, &start_at), -ENOENT);
	assert_int_equal(sd_symbols_code(s, 1, 0x1234, code, 4), 0);
	sd_symbols_visit(s, 0x7fffffff);
	sd_symbols_close(s);
	sd_symbols_close(NULL);
}

static const char *module_at(struct sd_symbols *s, int pid, uint64_t pc)
{
	struct sd_placement_of place;

	assert_int_equal(sd_symbols_at(s, pid, pc, 0, &place, 1), 1);
	return place.module ? place.module : "";
}

static void map(struct sd_symbols *s, int pid, uint64_t address, uint64_t size, const char *name)
{
	const struct sd_event e = {.kind = SD_EVENT_MAP,
		.pid = pid,
		.tid = pid,
		.address = address,
		.size = size,
		.name = name};

	assert_int_equal(sd_symbols_event(s, &e), 0);
}

static void a_fork_keeps_the_space_that_an_exec_leaves(void **state)
{
	const struct sd_event fork_2 = {.kind = SD_EVENT_FORK, .pid = 2, .tid = 2, .other = 1};
	const struct sd_event thread = {.kind = SD_EVENT_FORK, .pid = 1, .tid = 3, .other = 1};
	const struct sd_event exec_1 = {.kind = SD_EVENT_EXEC, .pid = 1, .tid = 1};
	const struct sd_event exit_2 = {.kind = SD_EVENT_EXIT, .pid = 2, .tid = 2};
	struct sd_symbols *s;

	(void)state;
	assert_int_equal(sd_symbols_open(&s, "/nonexistent"), 0);
	map(s, 1, 0x1000, 0x3000, "/a");
	assert_int_equal(sd_symbols_event(s, &fork_2), 0);
	assert_int_equal(sd_symbols_event(s, &thread), 0);
	map(s, 1, 0x2000, 0x1000, "/b");
	/* in the middle of what was there, for itself alone */
	assert_string_equal(module_at(s, 1, 0x1fff), "/a");
	assert_string_equal(module_at(s, 1, 0x2000), "/b");
	assert_string_equal(module_at(s, 1, 0x3000), "/a");
	assert_string_equal(module_at(s, 2, 0x2000), "/a");
	assert_int_equal(sd_symbols_event(s, &exec_1), 0);
	assert_string_equal(module_at(s, 1, 0x2000), "");
	/* what has ended is still known */
	assert_int_equal(sd_symbols_event(s, &exit_2), 0);
	assert_string_equal(module_at(s, 2, 0x3fff), "/a");
	assert_string_equal(module_at(s, 2, 0x4000), "");
	assert_string_equal(module_at(s, 2, 0xfff), "");
	sd_symbols_close(s);
}

/* A root with one text file in it. */
static void put_file(const char *folder, const char *below, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, below);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof path, "%s/%s/%s", folder, below, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void remove_file(const char *folder, const char *below, const char *name)
{
	char path[128];

	snprintf(path, sizeof path, "%s/%s/%s", folder, below, name);
	unlink(path);
	snprintf(path, sizeof path, "%s/%s", folder, below);
	rmdir(path);
	rmdir(folder);
}

static void jit_code_is_named_by_its_map(void **state)
{
	char folder[] = "/tmp/sd-symbols-XXXXXX";
	struct sd_placement_of place;
	struct sd_symbols *s;

	(void)state;
	assert_non_null(mkdtemp(folder));
	put_file(folder, "tmp", "perf-77.map",
		"1000 20 first\n1010 xx broken\nnonsense\n1020 10 LazyCompile:~f a.js:1\n"
		"1020 10 again\n1040 ffffffffffffffff around\n1050 10 cut");
	assert_int_equal(sd_symbols_open(&s, folder), 0);
	map(s, 77, 0x1000, 0x1000, "//anon");
	assert_int_equal(sd_symbols_at(s, 77, 0x101f, 0, &place, 1), 1);
	assert_string_equal(place.function, "first");
	assert_string_equal(place.module, "[jit]");
	assert_int_equal(place.offset, 0x101f);
	assert_int_equal(place.start, 0x1000);
	/* as a return address it is the instruction before */
	assert_int_equal(sd_symbols_at(s, 77, 0x1020, 1, &place, 1), 1);
	assert_string_equal(place.function, "first");
	assert_int_equal(sd_symbols_at(s, 77, 0x1020, 0, &place, 1), 1);
	assert_string_equal(place.function, "again");
	assert_int_equal(sd_symbols_at(s, 77, 0x1041, 0, &place, 1), 1);
	assert_null(place.function);
	assert_int_equal(sd_symbols_at(s, 77, 0x1055, 0, &place, 1), 1);
	assert_null(place.function);
	sd_symbols_close(s);
	remove_file(folder, "tmp", "perf-77.map");
}

static void kernel_addresses_are_named_or_hidden(void **state)
{
	static const char shown[] = "ffffffff81000000 T _stext\nffffffff81000100 t one\n"
				    "ffffffff81000200 D data\nffffffffc0000000 t two\t[module]\n"
				    "ffffffffc0000100 t last\t[module]\n";
	static const char hidden[] = "0000000000000000 T _stext\n0000000000000000 t one\n";
	struct sd_placement_of place;

	(void)state;
	for (int is_hidden = 0; is_hidden < 2; is_hidden++) {
		char folder[] = "/tmp/sd-symbols-XXXXXX";
		struct sd_symbols *s;

		assert_non_null(mkdtemp(folder));
		put_file(folder, "proc", "kallsyms", is_hidden ? hidden : shown);
		assert_int_equal(sd_symbols_open(&s, folder), 0);
		sd_symbols_kernel(s, 0xffffffff81000142, &place);
		assert_string_equal(place.module, "[kernel]");
		if (is_hidden)
			assert_null(place.function);
		else
			assert_string_equal(place.function, "one");
		sd_symbols_kernel(s, 0xffffffffc00000ff, &place);
		assert_true(is_hidden || strcmp(place.function, "two") == 0);
		/* data, and what lies behind the last one */
		sd_symbols_kernel(s, 0xffffffff81000210, &place);
		assert_null(place.function);
		sd_symbols_kernel(s, 0xffffffffc0000200, &place);
		assert_null(place.function);
		sd_symbols_close(s);
		remove_file(folder, "proc", "kallsyms");
	}
}

/* Modules that were mapped and never looked into leave their places to what the next run maps. */
static void a_hundred_runs_have_no_more_modules_than_one(void **state)
{
	static const char *const name[] = {"//anon", "/nonexistent/file", "[heap]"};
	struct sd_string_pool pool = {0};
	struct sd_modules m = {.pool = &pool, .root = ""};
	size_t first = 0;

	(void)state;
	for (int run = 0; run < 100; run++) {
		for (unsigned i = 0; i < 3; i++) {
			const struct sd_event e = {.kind = SD_EVENT_MAP,
				.pid = run + 1,
				.inode = (uint64_t)run,
				.name = name[i]};
			unsigned number = 1000, again = 1001;

			assert_int_equal(sd_modules_add(&m, &e, &number), 0);
			assert_int_equal(sd_modules_add(&m, &e, &again), 0);
			assert_int_equal(number, again);
			assert_true(number < m.n);
			assert_int_equal(m.item[number]->pid, run + 1);
			assert_string_equal(m.item[number]->path, name[i]);
		}
		first = run ? first : m.n;
		assert_int_equal(m.n, first);
		sd_modules_check(&m);
	}
	sd_modules_free(&m);
	sd_string_pool_free(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_said_of_nothing),
		cmocka_unit_test(a_hundred_runs_have_no_more_modules_than_one),
		cmocka_unit_test(a_fork_keeps_the_space_that_an_exec_leaves),
		cmocka_unit_test(jit_code_is_named_by_its_map),
		cmocka_unit_test(kernel_addresses_are_named_or_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
