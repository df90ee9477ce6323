#include "kernels/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* A busy machine costs those behind their time: what is asked for first is measured first. */
static void the_registry_begins_with_what_is_asked_for_first(void **state)
{
	static const char *const first[] = {"bandwidth", "latency", "transfer", "frequency"};
	size_t n = 0;

	(void)state;
	for (size_t i = 0; sd_kernel_registry[i]; i++)
		if (sd_kernel_registry[i]->weight > 0 && n < sizeof first / sizeof *first)
			assert_string_equal(sd_kernel_registry[i]->name, first[n++]);
	assert_int_equal(n, sizeof first / sizeof *first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_registry_begins_with_what_is_asked_for_first),
	};

	return cmocka_run_group_tests_name("microbench_registry", tests, NULL, NULL);
}
