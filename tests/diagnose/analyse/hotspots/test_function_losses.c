/*
 * Programs whose stacks are known: which function is charged with what, to the last digit.
 */
#include "diagnose/analyse/hotspots/sampled_mixture.h"
#include "hotspots/fold_stacks.h"

/* A sum of a column over all rows, the rest and what has no stack. */
static double column(const struct sd_losses *l, enum sd_cost k)
{
	double sum = l->rest[k] + l->unknown[k];

	for (size_t i = 0; i < l->n_row; i++)
		sum += l->row[i].cost[k];
	return sum;
}

static double component(const struct sd_analysis *a, enum sd_component k)
{
	const struct sd_interval v = a->point[a->n_point - 1].stack[k];

	return v.status == SD_STATUS_OK ? v.value : 0;
}

static void spinning_leaves_the_user_time_and_the_stack_still_sums_to_n(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	const struct sd_interval *stack;

	(void)state;
	make_mixture(&r, &a);
	stack = a.point[1].stack;
	assert_near(stack_sum(&a.point[1]), 4, 1e-9);
	/* 14 s of user time, of which 2.5 spun: .5 for nothing known, 1.5 serial, .5 imbalance */
	assert_near(stack[SD_COMPONENT_GROWTH].value, (14 - 2.5 - 9) / 5, 1e-6);
	assert_near(stack[SD_COMPONENT_SPINNING].value, .5 / 5, 1e-6);
	assert_near(stack[SD_COMPONENT_SERIAL].value, (3 + 1.5) / 5, 1e-6);
	assert_near(stack[SD_COMPONENT_IMBALANCE].value, (.8 + .5) / 5, 1e-6);
	assert_near(stack[SD_COMPONENT_LOCK].value, 1.2 / 5, 1e-6);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void a_functions_losses_sum_to_the_components(void **state)
{
	static const struct {
		enum sd_cost cost;
		enum sd_component component;
	} row[] = {
		{SD_COST_GROWTH, SD_COMPONENT_GROWTH},
		{SD_COST_KERNEL, SD_COMPONENT_SYSTEM},
		{SD_COST_SPINNING, SD_COMPONENT_SPINNING},
		{SD_COST_LOCK, SD_COMPONENT_LOCK},
		{SD_COST_IMBALANCE, SD_COMPONENT_IMBALANCE},
		{SD_COST_SERIAL, SD_COMPONENT_SERIAL},
	};
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make_mixture(&r, &a);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		assert_near(column(&a.losses, row[i].cost), component(&a, row[i].component), 1e-9);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void blame_goes_to_the_code_that_was_waited_for(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	const struct sd_loss_row *relax, *init, *push, *main_row;

	(void)state;
	make_mixture(&r, &a);
	relax = row_of(&a, "relax");
	init = row_of(&a, "init");
	push = row_of(&a, "push");
	main_row = row_of(&a, "main");
	assert_non_null(relax);
	assert_non_null(init);
	assert_non_null(push);
	assert_non_null(main_row);
	/* 11.5 s of work were sampled as 11.5: relax 10 against 8 at the reference */
	assert_near(relax->cost[SD_COST_GROWTH], (10 - 8) / 5., 1e-6);
	assert_near(relax->cost[SD_COST_IMBALANCE], 1.3 / 5, 1e-6);
	assert_near(init->cost[SD_COST_SERIAL], 4.5 / 5, 1e-6);
	assert_near(init->cost[SD_COST_KERNEL], .5 / 5, 1e-6);
	assert_near(push->cost[SD_COST_LOCK], 1.2 / 5, 1e-6);
	/* what libgomp spun stands with its caller */
	assert_near(main_row->cost[SD_COST_SPINNING], .5 / 5, 1e-6);
	assert_string_equal(main_row->at.in, "GOMP_barrier");
	/* everything is below main, and relax() itself lost less than with what it calls */
	assert_near(main_row->inclusive.value,
		relax->total.value + init->total.value + push->total.value + main_row->total.value,
		1e-9);
	assert_true(relax->exclusive.value < relax->inclusive.value);
	assert_string_equal(a.losses.row[0].at.function, "init");
	assert_true(a.losses.row[0].total.low <= a.losses.row[0].total.value &&
		    a.losses.row[0].total.value <= a.losses.row[0].total.high);
	assert_int_equal(relax->at.line, 88);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void every_cause_names_its_place(void **state)
{
	static const struct {
		enum sd_cause cause;
		const char *function;
		unsigned line;
		double share;
	} row[] = {
		{SD_CAUSE_SERIAL_CODE, "init", 30, 1},
		{SD_CAUSE_LOAD_IMBALANCE, "relax", 88, 1},
		{SD_CAUSE_LOCK_CONTENTION, "push", 41, 1},
		/* of 2.5 s: relax 2, push .5 */
		{SD_CAUSE_MEMORY_BANDWIDTH, "relax", 88, 2 / 2.5},
	};
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make_mixture(&r, &a);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_finding *f = finding_of(&a, row[i].cause);

		assert_true(f->n_where >= 1);
		assert_string_equal(f->where[0].function, row[i].function);
		assert_int_equal(f->where[0].line, row[i].line);
		assert_near(f->where[0].share, row[i].share, 1e-6);
	}
	assert_string_equal(finding_of(&a, SD_CAUSE_SERIAL_CODE)->where[0].from, "main");
	assert_string_equal(finding_of(&a, SD_CAUSE_LOCK_CONTENTION)->where[0].from, "relax");
	/* those that spin run, to the kernel: how many run says nothing then */
	assert_true(has_evidence(finding_of(&a, SD_CAUSE_SERIAL_CODE), "(spent spinning)"));
	assert_non_null(
		strstr(finding_of(&a, SD_CAUSE_SERIAL_CODE)->evidence.text[1], "were not idle"));
	assert_false(has_evidence(finding_of(&a, SD_CAUSE_SERIAL_CODE), "at most one thread ran"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* Page tables are copied for a process and dropped when it executes another program or ends, most
 * of it on a stack that has lost its callers. */
static void who_forks_is_the_place_of_its_page_tables(void **state)
{
	static const char app[] = "/home/u/app", libc[] = "/usr/lib/x86_64-linux-gnu/libc.so.6";
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 10, .user = 9, .system = 1};
	static const struct sample two = {.wall = 8, .user = 9, .system = 7};
	struct sd_record r;
	struct sd_analysis a;
	unsigned start, copy, drop, end;

	(void)state;
	record_make(&r, cores, 2);
	start = make_call(&r, make_stacks(&r).main, "start_job", "/home/u/app.c", 11, app);
	copy = make_call(&r, make_call(&r, start, "fork", NULL, 0, libc), "copy_page_range", NULL,
		0, "[kernel]");
	drop = make_call(&r, make_call(&r, 0, "execve", NULL, 0, libc), "unmap_page_range", NULL, 0,
		"[kernel]");
	end = make_call(&r, make_call(&r, 0, "do_exit", NULL, 0, "[kernel]"), "exit_mmap", NULL, 0,
		"[kernel]");
	for (int i = 0; i < RUNS; i++) {
		struct sd_run *run = record_sample(&r, 0, &one, 1 + .001 * i);

		make_use(run, start, SD_ACTIVITY_USEFUL, 9);
		make_use(run, copy, SD_ACTIVITY_KERNEL_FORK, 1);
		run = record_sample(&r, 1, &two, 1 + .001 * i);
		make_use(run, start, SD_ACTIVITY_USEFUL, 9);
		make_use(run, copy, SD_ACTIVITY_KERNEL_FORK, 3);
		make_use(run, drop, SD_ACTIVITY_KERNEL_FORK, 2);
		make_use(run, end, SD_ACTIVITY_KERNEL_THREADS, 2);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_true(finding_of(&a, SD_CAUSE_KERNEL_MEMORY)->n_where > 0);
	assert_string_equal(finding_of(&a, SD_CAUSE_KERNEL_MEMORY)->where[0].function, "start_job");
	assert_true(finding_of(&a, SD_CAUSE_BARRIER_OVERHEAD)->n_where > 0);
	assert_string_equal(
		finding_of(&a, SD_CAUSE_BARRIER_OVERHEAD)->where[0].function, "start_job");
	sd_analysis_free(&a);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spinning_leaves_the_user_time_and_the_stack_still_sums_to_n),
		cmocka_unit_test(a_functions_losses_sum_to_the_components),
		cmocka_unit_test(blame_goes_to_the_code_that_was_waited_for),
		cmocka_unit_test(every_cause_names_its_place),
		cmocka_unit_test(who_forks_is_the_place_of_its_page_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
