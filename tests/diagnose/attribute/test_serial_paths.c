#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "attribute/serial_paths.h"

struct fixture {
	struct sd_stacks stacks;
	struct sd_stack_times uses;
	unsigned met[64]; /* samples beside a twin, by node */
};

#define GOMP "/usr/lib/libgomp.so.1.0.0"

/* A node below `parent`, in a module. */
static unsigned below_at(
	struct fixture *f, unsigned parent, const char *function, unsigned line, const char *module)
{
	struct sd_frame frame = {.line = line};
	unsigned number = 0, node = 0;

	assert_int_equal(sd_stacks_text(&f->stacks, function, &frame.function), 0);
	assert_int_equal(sd_stacks_text(&f->stacks, module, &frame.module), 0);
	assert_int_equal(sd_stacks_frame(&f->stacks, &frame, &number), 0);
	assert_int_equal(sd_stacks_node(&f->stacks, parent, number, &node), 0);
	return node;
}

static unsigned below(struct fixture *f, unsigned parent, const char *function, unsigned line)
{
	return below_at(f, parent, function, line, "/usr/bin/app");
}

static unsigned below_in(
	struct fixture *f, unsigned parent, const char *function, const char *module)
{
	return below_at(f, parent, function, 0, module);
}

static void runs(struct fixture *f, unsigned node, double seconds, double solo, double samples)
{
	struct sd_use *const row = sd_stack_times_row(&f->uses, node, SD_ACTIVITY_USEFUL);

	assert_non_null(row);
	row->seconds = seconds;
	row->solo = solo;
	row->count = samples;
}

static enum sd_path path_of(struct fixture *f, unsigned node)
{
	const struct sd_concurrent_code twins = {.met = f->met, .n = 64};
	struct sd_serial_paths p;
	enum sd_path path;

	assert_int_equal(sd_serial_paths_make(&p, &f->uses, &f->stacks, &twins), 0);
	path = sd_serial_paths_of(&p, node);
	sd_serial_paths_free(&p);
	return path;
}

static void done(struct fixture *f)
{
	sd_stack_times_free(&f->uses);
	sd_stacks_free(&f->stacks);
}

/* work() is called while the others wait at a barrier, and behind it by all. */
static void a_function_called_from_two_places_is_two(void **state)
{
	struct fixture f = {0};
	const unsigned serial = below(&f, below(&f, 0, "part", 18), "work", 26),
		       parallel = below(&f, below(&f, 0, "part", 21), "work", 26);

	(void)state;
	runs(&f, serial, .1, .098, 50);
	runs(&f, parallel, .2, .004, 100);
	assert_int_equal(path_of(&f, serial), SD_PATH_ALONE);
	assert_int_equal(path_of(&f, parallel), SD_PATH_BESIDE);
	done(&f);
}

/* The first thread is in the region by a call, the others from their start. */
static void a_regions_code_is_one_whoever_runs_it(void **state)
{
	struct fixture f = {0};
	const unsigned region = below_in(&f, below(&f, 0, "main", 9), "GOMP_parallel", GOMP),
		       start = below_in(&f, 0, "gomp_thread_start", GOMP),
		       first = below(&f, below(&f, region, "part._omp_fn", 18), "work", 26),
		       other = below(&f, below(&f, start, "part._omp_fn", 18), "work", 26),
		       serial = below(&f, below(&f, 0, "main", 12), "work", 26);

	(void)state;
	runs(&f, first, .28, .25, 140);
	runs(&f, other, .10, 0, 50);
	runs(&f, serial, .28, .25, 140);
	assert_int_equal(path_of(&f, first), SD_PATH_BESIDE);
	assert_int_equal(path_of(&f, other), SD_PATH_BESIDE);
	assert_int_equal(path_of(&f, serial), SD_PATH_ALONE);
	done(&f);
}

/* One thread has nine tenths of the work: it ran alone for long, but not at first. */
static void a_late_share_of_a_parallel_part_is_not_serial(void **state)
{
	struct fixture f = {0};
	const unsigned node = below(&f, 0, "part", 18);

	(void)state;
	runs(&f, node, 1, .8, 500);
	assert_int_equal(path_of(&f, node), SD_PATH_BESIDE);
	done(&f);
}

/* Nineteen to one: alone for 95 % of its time, and still the one and the other ran it at once. */
static void code_that_two_ran_at_once_is_not_serial_however_short(void **state)
{
	struct fixture f = {0};
	const unsigned often = below(&f, 0, "part", 18), once = below(&f, 0, "part", 19),
		       single = below(&f, 0, "part", 30);

	(void)state;
	runs(&f, often, 1, .95, 500);
	runs(&f, once, .002, .002, 1);
	runs(&f, single, .1, .1, 50);
	f.met[often] = 1; /* may be anything */
	assert_int_equal(path_of(&f, often), SD_PATH_ALONE);
	f.met[often] = 4; /* and so may one in a hundred */
	assert_int_equal(path_of(&f, often), SD_PATH_ALONE);
	f.met[often] = 20;
	assert_int_equal(path_of(&f, often), SD_PATH_BESIDE);
	assert_int_equal(path_of(&f, once), SD_PATH_BESIDE);
	/* what one thread does in a region is a line that nobody else was met in */
	assert_int_equal(path_of(&f, single), SD_PATH_ALONE);
	done(&f);
}

static void a_line_that_was_hardly_sampled_is_as_its_function(void **state)
{
	struct fixture f = {0};
	const unsigned often = below(&f, 0, "part", 18), once = below(&f, 0, "part", 19),
		       serial = below(&f, 0, "part", 30);

	(void)state;
	runs(&f, often, .2, .01, 100);
	runs(&f, once, .002, .002, 1);
	runs(&f, serial, .1, .1, 50);
	assert_int_equal(path_of(&f, once), SD_PATH_BESIDE);
	assert_int_equal(path_of(&f, serial), SD_PATH_ALONE);
	done(&f);
}

/* Three quarters of a late share ran alone: of fifteen samples of one line, by chance, fourteen. */
static void a_line_that_differs_by_chance_is_as_its_function(void **state)
{
	struct fixture f = {0};
	const unsigned often = below(&f, 0, "part", 18), few = below(&f, 0, "part", 19);

	(void)state;
	runs(&f, often, 1, .75, 500);
	runs(&f, few, .03, .028, 15);
	assert_int_equal(path_of(&f, few), SD_PATH_BESIDE);
	runs(&f, few, 1, .95, 500);
	assert_int_equal(path_of(&f, few), SD_PATH_ALONE);
	done(&f);
}

static unsigned in_kernel(struct fixture *f, unsigned parent, const char *function)
{
	struct sd_frame frame = {.kernel = 1};
	unsigned number = 0, node = 0;

	assert_int_equal(sd_stacks_text(&f->stacks, function, &frame.function), 0);
	assert_int_equal(sd_stacks_text(&f->stacks, "[kernel]", &frame.module), 0);
	assert_int_equal(sd_stacks_frame(&f->stacks, &frame, &number), 0);
	assert_int_equal(sd_stacks_node(&f->stacks, parent, number, &node), 0);
	sd_stack_times_row(&f->uses, node, SD_ACTIVITY_KERNEL_OTHER)->seconds = .002;
	return node;
}

/* Their lines differ from those that were sampled: the function decides. */
static void an_interrupt_is_of_the_code_that_it_stops(void **state)
{
	struct fixture f = {0};
	const unsigned alone = below(&f, 0, "alone", 22), part = below(&f, 0, "part", 37),
		       write = below_at(&f, part, "write", 0, "libc.so.6");
	const unsigned in_serial =
		in_kernel(&f, in_kernel(&f, below(&f, alone, "work", 25), "irq"), "softirq");
	const unsigned in_part = in_kernel(&f, below(&f, part, "work", 26), "irq"),
		       of_call = in_kernel(&f, write, "sys_write"),
		       of_none = in_kernel(&f, 0, "irq");

	(void)state;
	runs(&f, below(&f, alone, "work", 26), .2, .2, 100);
	runs(&f, below(&f, part, "work", 26), .4, .01, 200);
	assert_int_equal(path_of(&f, in_serial), SD_PATH_ALONE);
	assert_int_equal(path_of(&f, in_part), SD_PATH_BESIDE);
	assert_int_equal(path_of(&f, of_call), SD_PATH_UNKNOWN);
	assert_int_equal(path_of(&f, of_none), SD_PATH_UNKNOWN);
	done(&f);
}

static void nothing_is_said_of_what_was_not_sampled(void **state)
{
	struct fixture f = {0};
	const unsigned node = below(&f, 0, "part", 18);
	const struct sd_concurrent_code none = {0};
	struct sd_serial_paths p;

	(void)state;
	assert_int_equal(path_of(&f, node), SD_PATH_UNKNOWN);
	runs(&f, node, 1, 1, 100);
	assert_int_equal(sd_serial_paths_make(&p, &f.uses, NULL, &none), 0);
	assert_int_equal(sd_serial_paths_of(&p, node), SD_PATH_UNKNOWN);
	sd_serial_paths_free(&p);
	assert_int_equal(path_of(&f, 0), SD_PATH_UNKNOWN);
	assert_int_equal(path_of(&f, 12345), SD_PATH_UNKNOWN);
	done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_called_from_two_places_is_two),
		cmocka_unit_test(a_regions_code_is_one_whoever_runs_it),
		cmocka_unit_test(a_late_share_of_a_parallel_part_is_not_serial),
		cmocka_unit_test(code_that_two_ran_at_once_is_not_serial_however_short),
		cmocka_unit_test(a_line_that_was_hardly_sampled_is_as_its_function),
		cmocka_unit_test(a_line_that_differs_by_chance_is_as_its_function),
		cmocka_unit_test(an_interrupt_is_of_the_code_that_it_stops),
		cmocka_unit_test(nothing_is_said_of_what_was_not_sampled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
