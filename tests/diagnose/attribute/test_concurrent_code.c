#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attribute/concurrent_code.h"

static unsigned node(struct sd_stacks *s, unsigned parent, const char *function, unsigned line)
{
	struct sd_frame frame = {.line = line};
	unsigned number = 0, out = 0;

	assert_int_equal(sd_stacks_text(s, function, &frame.function), 0);
	assert_int_equal(sd_stacks_frame(s, &frame, &number), 0);
	assert_int_equal(sd_stacks_node(s, parent, number, &out), 0);
	return out;
}

struct fixture {
	struct sd_stacks stacks;
	struct sd_concurrent_code twins;
	struct sd_twin a, b;
	unsigned part, line, other;
};

static void set_up(struct fixture *f)
{
	*f = (struct fixture){0};
	f->part = node(&f->stacks, 0, "part", 18);
	f->line = node(&f->stacks, 0, "part", 19);
	f->other = node(&f->stacks, node(&f->stacks, 0, "main", 5), "part", 18);
	assert_int_equal(sd_concurrent_code_open(&f->twins, &f->stacks), 0);
}

static void done(struct fixture *f)
{
	sd_concurrent_code_free(&f->twins);
	sd_stacks_free(&f->stacks);
}

static void a_samples(struct fixture *f, unsigned at)
{
	sd_concurrent_code_sample(&f->twins, &f->a, at);
	sd_concurrent_code_meet(&f->twins, &f->b, at);
}

static void b_samples(struct fixture *f, unsigned at)
{
	sd_concurrent_code_sample(&f->twins, &f->b, at);
	sd_concurrent_code_meet(&f->twins, &f->a, at);
}

static void two_in_one_function_meet_whatever_their_lines(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f);
	b_samples(&f, f.part);
	a_samples(&f, f.line);
	assert_int_equal(
		sd_concurrent_code_met(&f.twins, f.line), 0); /* b may have left it meanwhile */
	b_samples(&f, f.part);
	assert_int_equal(sd_concurrent_code_met(&f.twins, f.line), 1);
	assert_int_equal(sd_concurrent_code_met(&f.twins, f.part), 0);
	a_samples(&f, f.line);
	assert_int_equal(sd_concurrent_code_met(&f.twins, f.part), 1);
	done(&f);
}

static void who_left_the_code_or_the_cpu_was_not_met(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f);
	b_samples(&f, f.part);
	a_samples(&f, f.part);
	b_samples(&f, f.other); /* the same function on another path */
	assert_int_equal(sd_concurrent_code_met(&f.twins, f.part), 0);
	a_samples(&f, 0);
	b_samples(&f, f.part);
	a_samples(&f, f.part);
	b_samples(&f, 0); /* not useful */
	assert_int_equal(sd_concurrent_code_met(&f.twins, f.part), 0);
	a_samples(&f, 0);
	b_samples(&f, f.part);
	a_samples(&f, f.part);
	f.b = (struct sd_twin){0}; /* it left its CPU */
	b_samples(&f, f.part);
	assert_int_equal(sd_concurrent_code_met(&f.twins, f.part), 0);
	done(&f);
}

static void functions_without_names_are_not_taken_for_one(void **state)
{
	struct fixture f = {0};
	unsigned unnamed;

	(void)state;
	unnamed = node(&f.stacks, 0, "", 0);
	assert_int_equal(sd_concurrent_code_open(&f.twins, &f.stacks), 0);
	b_samples(&f, unnamed);
	a_samples(&f, unnamed);
	b_samples(&f, unnamed);
	assert_int_equal(sd_concurrent_code_met(&f.twins, unnamed), 0);
	done(&f);
}

static void nothing_is_known_without_stacks(void **state)
{
	struct fixture f = {0};

	(void)state;
	assert_int_equal(sd_concurrent_code_open(&f.twins, NULL), 0);
	b_samples(&f, 7);
	a_samples(&f, 7);
	b_samples(&f, 7);
	assert_int_equal(sd_concurrent_code_met(&f.twins, 7), 0);
	done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_in_one_function_meet_whatever_their_lines),
		cmocka_unit_test(who_left_the_code_or_the_cpu_was_not_met),
		cmocka_unit_test(functions_without_names_are_not_taken_for_one),
		cmocka_unit_test(nothing_is_known_without_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
