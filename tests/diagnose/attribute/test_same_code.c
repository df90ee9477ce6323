#include "attribute/same_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static int zeroed(void **state)
{
	*state = calloc(1, sizeof(struct sd_same_code));
	return *state ? 0 : -1;
}

static int release(void **state)
{
	free(*state);
	return 0;
}

/* A loop of four instructions, reached over one path. */
static struct sd_code loop(uint64_t at, uint64_t sp, unsigned i)
{
	return (struct sd_code){.ip = at + 4 * (i % 4), .sp = sp};
}

static void nothing_learnt_is_nothing_known(void **state)
{
	const struct sd_code c = loop(0x1000, 0x7000, 0);

	assert_int_equal(sd_same_code_alone(*state, &c), -1);
}

static void the_same_loop_over_the_same_path_is_alike(void **state)
{
	for (unsigned i = 0; i < 40; i++) {
		const struct sd_code c = loop(0x1000, 0x7000, i);

		sd_same_code_beside(*state, &c);
	}
	for (unsigned i = 0; i < 40; i++) {
		const struct sd_code c = loop(0x1000, 0x7000, i), other = loop(0x1010, 0x7000, i),
				     other_path = loop(0x1000, 0x7040, i);

		assert_int_equal(sd_same_code_alone(*state, &c), 1);
		assert_int_equal(sd_same_code_alone(*state, &other), 0);
		assert_int_equal(sd_same_code_alone(*state, &other_path), 0);
	}
}

static void code_too_large_to_repeat_is_compared_by_its_lines(void **state)
{
	uint32_t random = 1;
	int alike = 0, others = 0;

	for (unsigned i = 0; i < 200; i++) {
		const struct sd_code c = {
			.ip = 0x10000 + (random = random * 1664525 + 1013904223) % 4096,
			.sp = 0x7000};

		sd_same_code_beside(*state, &c);
	}
	for (unsigned i = 0; i < 200; i++) {
		const uint64_t at = (random = random * 1664525 + 1013904223) % 4096;
		const struct sd_code c = {.ip = 0x10000 + at, .sp = 0x7000};
		const struct sd_code other = {.ip = 0x20000 + at, .sp = 0x7000};

		alike += sd_same_code_alone(*state, &c) == 1;
		others += sd_same_code_alone(*state, &other) == 1;
	}
	assert_true(alike > 100);
	assert_int_equal(others, 0);
}

static void a_stray_sample_does_not_make_serial_code_parallel(void **state)
{
	const struct sd_code serial = {.ip = 0x9000, .sp = 0x7000};
	int alike = 0;

	for (unsigned i = 0; i < 40; i++) {
		const struct sd_code c = loop(0x1000, 0x7000, i);

		sd_same_code_beside(*state, &c);
	}
	sd_same_code_beside(*state, &serial);
	for (unsigned i = 0; i < 1000; i++)
		alike += sd_same_code_alone(*state, &serial) == 1;
	assert_true(alike <= 20);
}

static void more_places_than_fit_are_dropped(void **state)
{
	int known = 0;

	for (uint64_t i = 0; i < 20000; i++) {
		const struct sd_code c = {.ip = i * 64, .sp = i * 16};

		sd_same_code_beside(*state, &c);
	}
	for (uint64_t i = 0; i < 20000; i++) {
		const struct sd_code c = {.ip = i * 64, .sp = i * 16};

		known += sd_same_code_alone(*state, &c) >= 0;
	}
	assert_int_equal(known, 0); /* nothing ever repeated: no comparison is sharp enough */
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, zeroed, release)
	const struct CMUnitTest tests[] = {
		TEST(nothing_learnt_is_nothing_known),
		TEST(the_same_loop_over_the_same_path_is_alike),
		TEST(code_too_large_to_repeat_is_compared_by_its_lines),
		TEST(a_stray_sample_does_not_make_serial_code_parallel),
		TEST(more_places_than_fit_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
