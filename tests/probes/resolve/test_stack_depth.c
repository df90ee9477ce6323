/*
 * Which copies are enough, and where stacks start.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "resolve/stack_depth.h"
#include "resolve/stack_starts.h"

static void add(struct sd_stack_depth *d, int is_sample, unsigned least, unsigned n)
{
	while (n-- > 0)
		sd_stack_depth_add(d, is_sample, least);
}

static void a_copy_is_enough_when_it_shows_nearly_all(void **state)
{
	struct sd_stack_depth d = {0};

	(void)state;
	assert_int_equal(sd_stack_depth_enough(&d), 0);
	add(&d, 1, 0, 20);
	assert_int_equal(sd_stack_depth_enough(&d), 0); /* of so few nothing is known */
	add(&d, 1, 0, 980);
	assert_int_equal(sd_stack_depth_enough(&d), 1024);
	add(&d, 1, 2, 4);
	assert_int_equal(sd_stack_depth_enough(&d), 1024);
	add(&d, 1, 2, 4); /* .8 % */
	assert_int_equal(sd_stack_depth_enough(&d), 2048);
	add(&d, 1, 3, 40);
	assert_int_equal(sd_stack_depth_enough(&d), 4096);
	add(&d, 1, SD_STACK_DEPTH_SIZES, 40);
	assert_int_equal(sd_stack_depth_enough(&d), 0);
}

/* Which copy half of that, and may be few. */
static void switches_need_theirs_too(void **state)
{
	struct sd_stack_depth d = {0};

	(void)state;
	add(&d, 1, 0, 1000);
	add(&d, 0, 0, 10); /* 512 bytes */
	assert_int_equal(sd_stack_depth_enough(&d), 1024);
	add(&d, 0, 1, 10);
	assert_int_equal(sd_stack_depth_enough(&d), 2048);
	add(&d, 0, 3, 10);
	assert_int_equal(sd_stack_depth_enough(&d), 0);
}

static unsigned below(struct sd_stacks *s, unsigned parent, const char *module, const char *name)
{
	struct sd_frame f = {.offset = 16};
	unsigned frame, node;

	assert_int_equal(sd_stacks_text(s, module, &f.module), 0);
	assert_int_equal(sd_stacks_text(s, name, &f.function), 0);
	assert_int_equal(sd_stacks_frame(s, &f, &frame), 0);
	assert_int_equal(sd_stacks_node(s, parent, frame, &node), 0);
	return node;
}

static void only_the_librarys_code_around_the_programs_is_a_start(void **state)
{
	struct sd_stacks s = {0};
	struct sd_stack_starts starts = {0};
	const unsigned first = below(&s, 0, "/bin/x", "_start");
	const unsigned outer = below(&s, first, "/lib/libc.so.6", "__libc_start_main");
	const unsigned inner = below(&s, outer, "/lib/libc.so.6", "call_main");
	const unsigned mine = below(&s, inner, "/bin/x", "main");
	const unsigned deep = below(&s, mine, "/lib/libc.so.6", "qsort");
	const unsigned deeper = below(&s, deep, "/lib/libc.so.6", "msort");
	const unsigned clone = below(&s, 0, "/lib/libc.so.6", "clone3");
	const unsigned thread = below(&s, clone, "/lib/libc.so.6", "start_thread");
	const unsigned worker = below(&s, thread, "/bin/x", "worker");
	const unsigned all[] = {first, outer, inner, mine, deep, deeper, clone, thread, worker};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		const unsigned node = all[i];
		const int is_start = node == inner || node == thread;

		assert_int_equal(sd_stack_starts_find(&starts, s.node[node].frame), 0);
		sd_stack_starts_learn(&starts, &s, node);
		sd_stack_starts_learn(&starts, &s, node);
		assert_int_equal(
			sd_stack_starts_find(&starts, s.node[node].frame), is_start ? node : 0);
	}
	sd_stacks_free(&s);
}

static void a_start_with_several_callers_is_none(void **state)
{
	struct sd_stacks s = {0};
	struct sd_stack_starts starts = {0};
	const unsigned one = below(&s, below(&s, 0, "/lib/a", "clone"), "/lib/a", "start");
	const unsigned two = below(&s, below(&s, 0, "/lib/a", "clone3"), "/lib/a", "start");

	(void)state;
	sd_stack_starts_learn(&starts, &s, 0);
	sd_stack_starts_learn(&starts, &s, one);
	assert_int_equal(sd_stack_starts_find(&starts, s.node[one].frame), one);
	sd_stack_starts_learn(&starts, &s, two);
	assert_int_equal(sd_stack_starts_find(&starts, s.node[one].frame), 0);
	sd_stack_starts_learn(&starts, &s, one);
	assert_int_equal(sd_stack_starts_find(&starts, s.node[one].frame), 0);
	sd_stacks_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_is_enough_when_it_shows_nearly_all),
		cmocka_unit_test(switches_need_theirs_too),
		cmocka_unit_test(only_the_librarys_code_around_the_programs_is_a_start),
		cmocka_unit_test(a_start_with_several_callers_is_none),
	};

	return cmocka_run_group_tests_name("probes/resolve/stack_depth", tests, NULL, NULL);
}
