/*
 * The files that a warm run caches, and those that it does not.
 */
#include "diagnose/measure/experiment/arm_world.h"
#include "experiment/page_cache.h"

static double resident(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct sd_value v;

	assert_true(fd >= 0);
	v = sd_page_cache_bytes(fd, INPUT_BYTES);
	close(fd);
	return sd_has(v) ? v.value / INPUT_BYTES : -1;
}

/* 0: this folder's file system keeps every page whatever it is told, or does not tell. */
static int can_evict(const struct world *w, const char *name)
{
	if (resident(w->input) == 0)
		return 1;
	print_message("SKIP %s: this folder's files cannot be dropped from the page cache\n", name);
	return 0;
}

static void what_the_program_was_seen_to_read_is_cached_before_a_warm_run(void **state)
{
	struct world w;

	(void)state;
	/* it holds the file open, and reads none of it */
	make_world(&w, SD_EXPERIMENT_WARM_CACHE, "exec 5<input; sleep 0.4");
	if (can_evict(&w, __func__)) {
		for (unsigned pair = 0; pair < 2; pair++) {
			assert_int_equal(round_of(&w), 0);
			assert_string_equal(skipped(&w), "");
			assert_int_equal(w.kept[SD_ARM_PLAIN], pair + 1);
			assert_int_equal(w.kept[SD_ARM_CHANGED], pair + 1);
			w.record.plan.seed++;
		}
		assert_int_equal(w.inputs.path.n, 1);
		assert_string_equal(strrchr(w.inputs.path.text[0], '/'), "/input");
		assert_true(sd_has(w.cached[SD_ARM_CHANGED]));
		assert_true(w.cached[SD_ARM_CHANGED].value > .95);
		assert_true(sd_has(w.cached[SD_ARM_PLAIN]));
		assert_true(w.cached[SD_ARM_PLAIN].value < .05);
	}
	drop_world(&w);
}

static void files_that_are_cached_anyway_make_no_experiment(void **state)
{
	struct world w;

	(void)state;
	/* its first run shows which file it reads, and leaves it in the cache */
	make_world(&w, SD_EXPERIMENT_WARM_CACHE,
		"exec 5<input; cat input input >/dev/null; sleep 0.3; cat input >/dev/null");
	assert_int_equal(sd_input_files_named(&w.inputs, (char *[]){NULL, w.input}, 2, NULL), 0);
	assert_int_equal(sd_input_files_read(&w.inputs, NULL), 0);
	w.inputs.looked = 1;
	w.record.plan.seed = 1;
	for (int i = 0; i < 3 && !*skipped(&w); i++) {
		assert_int_equal(sd_input_files_read(&w.inputs, NULL), 0);
		assert_int_equal(round_of(&w), 0);
		w.record.plan.seed++;
	}
	if (resident(w.input) >= 0 && w.kept[SD_ARM_CHANGED] == 0)
		assert_non_null(strstr(skipped(&w), "in the page cache before it starts"));
	drop_world(&w);
}

static void a_program_that_reads_no_file_is_skipped(void **state)
{
	struct world w;

	(void)state;
	make_world(&w, SD_EXPERIMENT_WARM_CACHE, "sleep 0.3");
	assert_int_equal(round_of(&w), 0);
	assert_non_null(strstr(skipped(&w), "was not seen to read any file"));
	drop_world(&w);
}

static void files_that_do_not_fit_into_memory_are_not_read(void **state)
{
	struct world w;

	(void)state;
	make_world(&w, SD_EXPERIMENT_WARM_CACHE, "exec 5<input; sleep 0.3");
	w.record.host.memory_bytes = SD_OK(1e6);
	if (can_evict(&w, __func__)) {
		assert_int_equal(round_of(&w), 0);
		assert_non_null(strstr(skipped(&w), "do not fit into the memory"));
		assert_true(resident(w.input) < .05);
	}
	drop_world(&w);
}

static void arguments_name_files_by_themselves_or_behind_an_equals_sign(void **state)
{
	char *argv[] = {NULL, (char[]){"input"}, (char[]){"--from=input"}, (char[]){"if=other"},
		(char[]){"/proc/cpuinfo"}, (char[]){"."}, (char[]){""}, (char[]){"="}, NULL};
	struct sd_input_files in = {0};
	char folder[128], path[200];

	(void)state;
	make_folder(folder, sizeof folder);
	snprintf(path, sizeof path, "%s/input", folder);
	write_file(path, "1", 0600);
	snprintf(path, sizeof path, "%s/other", folder);
	write_file(path, "2", 0600);
	assert_int_equal(sd_input_files_named(&in, argv, 8, folder), 0);
	assert_int_equal(in.path.n, 2);
	assert_false(in.looked);
	sd_input_files_free(&in);
	remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_program_was_seen_to_read_is_cached_before_a_warm_run),
		cmocka_unit_test(files_that_are_cached_anyway_make_no_experiment),
		cmocka_unit_test(a_program_that_reads_no_file_is_skipped),
		cmocka_unit_test(files_that_do_not_fit_into_memory_are_not_read),
		cmocka_unit_test(arguments_name_files_by_themselves_or_behind_an_equals_sign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
