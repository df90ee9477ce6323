/* Functions in this test's own file, by their symbols. */
#include "attach/function_place.h"

#include <fcntl.h>
#include <unistd.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

int sd_test_function_place(int n);

int sd_test_function_place(int n)
{
	return n * 7 + 3;
}

static int find(const char *path, const char *symbol, uint64_t *offset)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const int rc = sd_function_place_find(fd, symbol, offset);

	close(fd);
	return rc;
}

/* The bytes at the offset are those of the function in memory. */
static void the_offset_is_where_the_file_has_its_code(void **state)
{
	unsigned char there[8];
	uint64_t offset = 0;
	FILE *f;
	int (*const function)(int) = sd_test_function_place;
	const void *here;

	(void)state;
	memcpy(&here, &function, sizeof here);
	assert_int_equal(find("/proc/self/exe", "sd_test_function_place", &offset), 0);
	f = fopen("/proc/self/exe", "re");
	assert_non_null(f);
	assert_int_equal(fseek(f, (long)offset, SEEK_SET), 0);
	assert_int_equal(fread(there, sizeof there, 1, f), 1);
	fclose(f);
	assert_memory_equal(there, here, sizeof there);
}

static void what_is_no_function_of_it_is_not_found(void **state)
{
	uint64_t offset = 0;

	(void)state;
	assert_int_equal(find("/proc/self/exe", "no_such_function", &offset), -ENOENT);
	/* imported only */
	assert_int_equal(find("/proc/self/exe", "memcpy", &offset), -ENOENT);
	assert_int_equal(find("/proc/self/status", "main", &offset), -ENOEXEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_offset_is_where_the_file_has_its_code),
		cmocka_unit_test(what_is_no_function_of_it_is_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
