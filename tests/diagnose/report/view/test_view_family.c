/*
 * Every component has a kind: one that had none would leave its report without JSON.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/view_family.h"

static void every_component_has_a_kind(void **state)
{
	(void)state;
	for (int k = 0; k < SD_COMPONENT_COUNT; k++)
		if (!sd_view_family((enum sd_component)k))
			fail_msg("%s has none", sd_component_info[k].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_component_has_a_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
