#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/near_path.h"

static void a_path_within_the_folder_begins_there(void **state)
{
	static const struct {
		const char *file, *folder, *near;
	} row[] = {
		{"/home/me/app/src/work.c", "/home/me/app", "src/work.c"},
		{"/home/me/app//src/work.c", "/home/me/app/", "src/work.c"},
		{"/home/me/app2/work.c", "/home/me/app", "/home/me/app2/work.c"},
		{"/usr/include/math.h", "/home/me/app", "/usr/include/math.h"},
		{"/home/me/app", "/home/me/app", "/home/me/app"},
		{"/home/me/app/", "/home/me/app", "/home/me/app/"},
		{"/etc/passwd", "/", "/etc/passwd"},
		{"./work.c", "/home/me", "work.c"},
		{"work.c", NULL, "work.c"},
		{"/work.c", "", "/work.c"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		assert_string_equal(sd_near_path(row[i].file, row[i].folder), row[i].near);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_within_the_folder_begins_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
