/* The setter of an affinity is read off the stacks, whatever is between: wrappers, the kernel. */
#include "evidence/affinity_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct frame {
	const char *function;
	int kernel;
};

/* Adds a stack, outermost frame first. */
static void add(struct sd_stacks *s, const struct frame *f, size_t n)
{
	unsigned node = 0;

	for (size_t i = 0; i < n; i++) {
		struct sd_frame frame = {.kernel = f[i].kernel};
		unsigned index;

		assert_int_equal(sd_stacks_text(s, f[i].function, &frame.function), 0);
		assert_int_equal(sd_stacks_frame(s, &frame, &index), 0);
		assert_int_equal(sd_stacks_node(s, node, index, &node), 0);
	}
}

static const char *place(const struct sd_stacks *s)
{
	const struct sd_frame *const f = sd_affinity_place(s);

	return f ? s->text[f->function] : NULL;
}

static void the_caller_of_the_call_is_the_place(void **state)
{
	static const struct frame work[] = {{"main", 0}, {"work", 0}},
				  bare[] = {{"sched_setaffinity", 0}},
				  bound[] = {{"main", 0}, {"pin_worker", 0}, {"", 0},
					  {"pthread_setaffinity_np", 0},
					  {"__x64_sys_sched_setaffinity", 1},
					  {"wait_for_completion", 1}};
	struct sd_stacks s = {0};

	(void)state;
	assert_null(place(&s));
	add(&s, work, 2);
	add(&s, bare, 1);
	assert_null(place(&s));
	add(&s, bound, 6);
	assert_string_equal(place(&s), "pin_worker");
	sd_stacks_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_caller_of_the_call_is_the_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
