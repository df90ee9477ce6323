#include "loops/chase.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

static void *new_lines(size_t n)
{
	void *p = aligned_alloc(4096, (n * 64 + 4095) / 4096 * 4096);

	assert_non_null(p);
	return p;
}

static void the_order_is_a_permutation(void **state)
{
	static const size_t sizes[] = {1, 2, 3, 5, 64, 100, 1023, 1024, 1025, 65537};

	(void)state;
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		const struct sd_chase c = {NULL, sizes[s], 64, 99 + s};
		unsigned char *seen = calloc(sizes[s], 1);

		assert_non_null(seen);
		for (uint64_t k = 0; k < sizes[s]; k++) {
			const uint64_t at = sd_chase_order(&c, k);

			assert_true(at < sizes[s]);
			assert_int_equal(seen[at]++, 0);
		}
		free(seen);
	}
}

static void the_chase_is_one_full_cycle(void **state)
{
	static const size_t sizes[] = {16, 48, 64, 1000, 4096, 70000};

	(void)state;
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		const size_t n = sizes[s];
		struct sd_chase c = {new_lines(n), n, 64, 7 * s + 1};
		unsigned char *seen = calloc(n, 1);
		void *p;

		assert_non_null(seen);
		/* in parts, as a large one is built */
		sd_chase_build(&c, 0, n / 3);
		sd_chase_build(&c, n / 3, n - n / 3);
		p = sd_chase_begin(&c);
		for (size_t k = 0; k < n; k++) {
			const size_t line = (size_t)((unsigned char *)p - (unsigned char *)c.base);

			assert_int_equal(line % 64, 0);
			assert_true(line / 64 < n);
			assert_int_equal(seen[line / 64]++, 0);
			p = *(void **)p;
		}
		assert_ptr_equal(p, sd_chase_begin(&c));
		if (n % 16 == 0)
			assert_ptr_equal(sd_chase_walk(p, n), p);
		free(seen);
		free(c.base);
	}
}

static void different_keys_give_different_orders(void **state)
{
	const struct sd_chase a = {NULL, 4096, 64, 1}, b = {NULL, 4096, 64, 2};
	size_t same = 0;

	(void)state;
	for (uint64_t k = 0; k < 4096; k++)
		same += sd_chase_order(&a, k) == sd_chase_order(&b, k);
	assert_true(same < 40); /* two random orders share one place on average */
}

static void a_random_order_cannot_be_foreseen_and_a_strided_one_can(void **state)
{
	const size_t n = 16384;
	struct sd_chase c = {new_lines(n), n, 64, 5};
	unsigned char *base = c.base;

	(void)state;
	sd_chase_build(&c, 0, n);
	assert_true(sd_chase_foreseeable(sd_chase_begin(&c), n, 64) < 0.01);
	/* line after line, then every third line: what a prefetcher is built for */
	for (size_t step = 1; step <= 3; step += 2) {
		for (size_t i = 0; i < n; i++)
			*(void **)(void *)(base + 64 * i) = base + 64 * ((i + step) % n);
		assert_true(sd_chase_foreseeable(base, n, 64) > 0.9);
	}
	free(c.base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_is_a_permutation),
		cmocka_unit_test(the_chase_is_one_full_cycle),
		cmocka_unit_test(different_keys_give_different_orders),
		cmocka_unit_test(a_random_order_cannot_be_foreseen_and_a_strided_one_can),
	};

	return cmocka_run_group_tests_name("microbench_chase", tests, NULL, NULL);
}
