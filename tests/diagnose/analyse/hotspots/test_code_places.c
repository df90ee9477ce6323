/*
 * Stacks without symbols, without frames, or with odd ones have a place too.
 */
#include "diagnose/analyse/hotspots/sampled_mixture.h"
#include "hotspots/fold_stacks.h"

static void stacks_that_say_too_little_leave_the_rest_to_nobody(void **state)
{
	static const unsigned cores[] = {1, 4};
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample many = {.wall = 5, .user = 20};
	struct sd_record r;
	struct sd_analysis a;
	struct stacks s;

	(void)state;
	record_make(&r, cores, 2);
	s = make_stacks(&r);
	for (int i = 0; i < RUNS; i++) {
		make_use(record_sample(&r, 0, &one, 1), s.relax, SD_ACTIVITY_USEFUL, 10);
		make_use(record_sample(&r, 1, &many, 1), s.relax, SD_ACTIVITY_USEFUL, 12);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	/* 12 of 20 s were sampled: 8 s are no function's */
	assert_near(row_of(&a, "relax")->cost[SD_COST_GROWTH], (12 - 10) / 5., 1e-9);
	assert_near(a.losses.unknown[SD_COST_GROWTH], 8 / 5., 1e-9);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void without_samples_at_both_ends_there_is_no_table(void **state)
{
	static const unsigned cores[] = {1, 4};
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample many = {.wall = 5, .user = 20};
	struct sd_record r;
	struct sd_analysis a;
	struct stacks s;

	(void)state;
	record_make(&r, cores, 2);
	s = make_stacks(&r);
	for (int i = 0; i < RUNS; i++) {
		record_sample(&r, 0, &one, 1)->sampled.status = SD_STATUS_DENIED;
		make_use(record_sample(&r, 1, &many, 1), s.spin, SD_ACTIVITY_SPIN_BARRIER, 20);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.losses.n_row, 0);
	assert_int_equal(a.point[1].stack[SD_COMPONENT_SPINNING].status, SD_STATUS_ABSENT);
	assert_near(a.point[1].stack[SD_COMPONENT_GROWTH].value, 2, 1e-9);
	assert_true(a.sampling.mixed);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* Code without a symbol, as a stack of its own. */
static unsigned make_bare(struct sd_record *r, const char *module, uint64_t offset)
{
	struct sd_frame f = {.offset = offset};
	unsigned number, node;

	assert_int_equal(sd_stacks_text(&r->stacks, module, &f.module), 0);
	assert_int_equal(sd_stacks_frame(&r->stacks, &f, &number), 0);
	assert_int_equal(sd_stacks_node(&r->stacks, 0, number, &node), 0);
	return node;
}

static void code_without_symbols_is_told_apart_by_its_offset_in_its_file(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample many = {.wall = 8, .user = 16};
	unsigned near, far, jit, jit_too, jitted = 0;
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 2);
	near = make_bare(&r, "/opt/x/app", 0x1140);
	far = make_bare(&r, "/opt/x/app", 0x2200);
	jit = make_bare(&r, "[jit]", 0x7f0000001000);
	jit_too = make_bare(&r, "[jit]", 0x7f0000002000);
	for (int i = 0; i < RUNS; i++) {
		struct sd_run *run = record_sample(&r, 0, &one, 1);

		make_use(run, near, SD_ACTIVITY_USEFUL, 10);
		run = record_sample(&r, 1, &many, 1);
		make_use(run, near, SD_ACTIVITY_USEFUL, 11);
		make_use(run, far, SD_ACTIVITY_USEFUL, 3);
		make_use(run, jit, SD_ACTIVITY_USEFUL, 1);
		make_use(run, jit_too, SD_ACTIVITY_USEFUL, 1);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_near(row_of(&a, "[app+0x1140]")->cost[SD_COST_GROWTH], 1 / 8., 1e-9);
	assert_near(row_of(&a, "[app+0x2200]")->cost[SD_COST_GROWTH], 3 / 8., 1e-9);
	for (size_t i = 0; i < a.losses.n_row; i++)
		if (!a.losses.row[i].at.function) {
			assert_string_equal(a.losses.row[i].at.module, "[jit]");
			assert_near(a.losses.row[i].cost[SD_COST_GROWTH], 2 / 8., 1e-9);
			jitted++;
		}
	assert_int_equal(jitted, 1);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* Compiled code is called by what else the runtime compiled, never by the runtime itself. */
static void compiled_code_is_not_called_by_its_runtime(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample many = {.wall = 8, .user = 16};
	unsigned runtime, run, step;
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 2);
	runtime = make_call(&r, 0, "Builtins_JSEntry", NULL, 0, "/opt/node/bin/node");
	run = make_call(&r, runtime, "JS:*run /srv/app.js:3:1", NULL, 0, "[jit]");
	step = make_call(&r, run, "JS:*step /srv/app.js:9:1", NULL, 0, "[jit]");
	for (int i = 0; i < RUNS; i++) {
		make_use(record_sample(&r, 0, &one, 1), run, SD_ACTIVITY_USEFUL, 10);
		make_use(record_sample(&r, 1, &many, 1), run, SD_ACTIVITY_USEFUL, 13);
		make_use(&r.run[r.n_run - 1], step, SD_ACTIVITY_USEFUL, 3);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_null(row_of(&a, "JS:*run /srv/app.js:3:1")->at.from);
	assert_string_equal(
		row_of(&a, "JS:*step /srv/app.js:9:1")->at.from, "JS:*run /srv/app.js:3:1");
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* The code that calls main() is in the program too, and nobody's to change. */
static void what_calls_main_is_no_place(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample many = {.wall = 8, .user = 16};
	static const char app_file[] = "/home/u/app", libc[] = "/usr/lib/libc.so.6";
	struct sd_analysis a;
	struct sd_record r;
	unsigned start, work;

	(void)state;
	record_make(&r, cores, 2);
	start = make_call(&r, make_call(&r, 0, "_start", NULL, 0, app_file),
		"__libc_start_main_impl", NULL, 0, libc);
	work = make_call(&r, start, "main", NULL, 0, app_file);
	for (int i = 0; i < RUNS; i++) {
		make_use(record_sample(&r, 0, &one, 1), work, SD_ACTIVITY_USEFUL, 10);
		make_use(record_sample(&r, 1, &many, 1), work, SD_ACTIVITY_USEFUL, 14);
		make_use(&r.run[r.n_run - 1], start, SD_ACTIVITY_USEFUL, 2);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_non_null(row_of(&a, "main"));
	assert_null(row_of(&a, "main")->at.from);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* A library linked in has no lines; a frame may lack all but its module; numbers may lie. */
static void odd_stacks_have_a_place_too(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample many = {.wall = 8, .user = 16};
	struct sd_record r;
	struct sd_analysis a;
	unsigned work, linked, bare, std;

	(void)state;
	record_make(&r, cores, 2);
	work = make_call(&r, 0, "work", "/home/u/app.c", 7, "/home/u/app");
	linked = make_call(&r, work, "zlib_deflate", NULL, 0, "/home/u/app");
	std = make_call(&r, work, "std::vector<int>::operator[](unsigned long)",
		"/usr/include/c++/12/bits/stl_vector.h", 1123, "/home/u/app");
	bare = make_call(&r, 0, NULL, NULL, 0, "/opt/x/libx.so");
	for (int i = 0; i < RUNS; i++) {
		struct sd_run *run = record_sample(&r, 0, &one, 1);

		make_use(run, work, SD_ACTIVITY_USEFUL, 10);
		run = record_sample(&r, 1, &many, 1);
		make_use(run, work, SD_ACTIVITY_USEFUL, 11);
		make_use(run, linked, SD_ACTIVITY_USEFUL, 2);
		make_use(run, std, SD_ACTIVITY_USEFUL, 1);
		make_use(run, bare, SD_ACTIVITY_USEFUL, 1);
		make_use(run, 4000000, SD_ACTIVITY_USEFUL, 1);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_near(row_of(&a, "work")->cost[SD_COST_GROWTH], (14 - 10) / 8., 1e-9);
	assert_near(row_of(&a, "zlib_deflate")->exclusive.value, 2 / 8., 1e-9);
	assert_near(a.losses.unknown[SD_COST_GROWTH], 1 / 8., 1e-9);
	for (size_t i = 0; i < a.losses.n_row; i++)
		if (!a.losses.row[i].at.function)
			assert_string_equal(a.losses.row[i].at.module, "/opt/x/libx.so");
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* If the runtime names its functions, these are the places, and not what runs them. */
static void what_an_interpreter_runs_is_the_place(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample many = {.wall = 8, .user = 16};
	static const char python[] = "/opt/python/bin/python3.12";
	struct sd_record r;
	struct sd_analysis a;
	unsigned loop, unnamed;

	(void)state;
	record_make(&r, cores, 2);
	loop = make_call(&r, make_call(&r, 0, "_PyEval_Vector", "ceval.c", 9, python),
		"py::crunch:/home/u/app.py", NULL, 0, "[jit]");
	loop = make_call(&r, loop, "_PyEval_EvalFrameDefault", "bytecodes.c", 192, python);
	unnamed = make_call(&r, make_call(&r, 0, "main", "python.c", 15, python), "gc_collect",
		"gc.c", 805, python);
	for (int i = 0; i < RUNS; i++) {
		make_use(record_sample(&r, 0, &one, 1), loop, SD_ACTIVITY_USEFUL, 10);
		make_use(record_sample(&r, 1, &many, 1), loop, SD_ACTIVITY_USEFUL, 13);
		make_use(&r.run[r.n_run - 1], unnamed, SD_ACTIVITY_USEFUL, 3);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_near(row_of(&a, "py::crunch:/home/u/app.py")->cost[SD_COST_GROWTH], 3 / 8., 1e-9);
	assert_near(row_of(&a, "gc_collect")->cost[SD_COST_GROWTH], 3 / 8., 1e-9);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void folded_stacks_count_both_sides(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_folded_stacks f;
	double after = 0;

	(void)state;
	make_mixture(&r, &a);
	assert_int_equal(sd_fold_stacks(&r, 0, 0, &f), 0);
	assert_int_equal(f.cores_before, 1);
	assert_int_equal(f.cores_after, 4);
	for (size_t i = 0; i < f.n; i++) {
		after += f.row[i].after;
		if (i)
			assert_true(strcmp(f.row[i - 1].stack, f.row[i].stack) < 0);
		if (strcmp(f.row[i].stack, "main;init") == 0)
			assert_near(f.row[i].before, 1e6 * 1.0025, 1e-6 * 1e6);
	}
	assert_near(after, 1e6 * 15 * 1.0025, 1);
	assert_string_equal(f.row[0].stack,
		"main;GOMP_barrier;gomp_team_barrier_wait_end;[spinning at a barrier]");
	sd_folded_stacks_free(&f);
	assert_int_equal(sd_fold_stacks(&r, 3, 0, &f), -ENOENT);
	sd_folded_stacks_free(&f);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* The caller of malloc is a place that its programmer can change, our library beneath it is not. */
static void libraries_that_are_preloaded_are_nobodys_code(void **state)
{
	static const char *const ours[] = {"/opt/scalediag/scalediag-heap.so",
		"/opt/scalediag/scalediag-omp.so", "/opt/scalediag/scalediag-pad.so"};
	static const unsigned cores[] = {1, 4};
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample many = {.wall = 5, .user = 20};

	(void)state;
	for (size_t k = 0; k < sizeof ours / sizeof *ours; k++) {
		struct sd_record r;
		struct sd_analysis a;
		unsigned at;

		record_make(&r, cores, 2);
		at = make_call(&r, make_stacks(&r).relax, "malloc", "heap_log.c", 20, ours[k]);
		at = make_call(&r, at, "block_log_add", "block_log.c", 94, ours[k]);
		for (int i = 0; i < RUNS; i++) {
			make_use(record_sample(&r, 0, &one, 1), at, SD_ACTIVITY_USEFUL, 10);
			make_use(record_sample(&r, 1, &many, 1), at, SD_ACTIVITY_USEFUL, 20);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_true(!row_of(&a, "block_log_add") || !row_of(&a, "block_log_add")->own);
		/* 10 core-s more, in 5 s */
		assert_near(row_of(&a, "relax")->cost[SD_COST_GROWTH], 2, 1e-9);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libraries_that_are_preloaded_are_nobodys_code),
		cmocka_unit_test(stacks_that_say_too_little_leave_the_rest_to_nobody),
		cmocka_unit_test(without_samples_at_both_ends_there_is_no_table),
		cmocka_unit_test(code_without_symbols_is_told_apart_by_its_offset_in_its_file),
		cmocka_unit_test(compiled_code_is_not_called_by_its_runtime),
		cmocka_unit_test(what_calls_main_is_no_place),
		cmocka_unit_test(odd_stacks_have_a_place_too),
		cmocka_unit_test(what_an_interpreter_runs_is_the_place),
		cmocka_unit_test(folded_stacks_count_both_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
