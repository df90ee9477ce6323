#include "kernels/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Kernels that need the least come first: a busy machine then costs the long ones some of their
 * time and not the short ones all of it. */
static void the_registry_has_the_memory_kernels_last(void **state)
{
	double longest = 0;

	(void)state;
	for (size_t i = 0; sd_kernel_registry[i]; i++) {
		const double w = sd_kernel_registry[i]->weight;

		if (w > 0 && w < 4)
			assert_true(longest < 4);
		longest = w > longest ? w : longest;
	}
	assert_true(longest >= 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_registry_has_the_memory_kernels_last),
	};

	return cmocka_run_group_tests_name("microbench_registry", tests, NULL, NULL);
}
