#include "demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct {
	const char *name, *plain;
} rows[] = {
	{"main", "main"},
	{"", ""},
	{"_Z", "_Z"},
	{"memcpy@@GLIBC_2.14", "memcpy"},
	{"@odd", "@odd"},
	{"_ZN2ns4leafIiEEvT_", "void ns::leaf<int>(int)"},
	{"_ZNSt6vectorIiSaIiEE9push_backERKi",
		"std::vector<int, std::allocator<int> >::push_back(int const&)"},
	{"_Znotaname", "_Znotaname"},
	{"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"},
	{"_ZN49_$LT$alloc..string..String$u20$as$u20$Display$GT$3fmt17h0123456789abcdefE",
		"<alloc::string::String as Display>::fmt"},
	/* no hash: an ordinary name that begins like one */
	{"_ZN1a20h0123456789abcdefzzzE", "a::h0123456789abcdefzzz"},
};

static void names_are_as_the_programmer_wrote_them(void **state)
{
	struct sd_pool pool = {0};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(sd_demangle(&pool, rows[i].name), rows[i].plain);
	/* kept once */
	assert_ptr_equal(sd_demangle(&pool, "main"), sd_demangle(&pool, "main"));
	sd_pool_free(&pool);
}

/* f(aa, b<aa, aa>, ...): each argument is b<> of the one before, twice. */
static void doubled(char *out, size_t levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	strcpy(out, "_Z1f2aa1bIS_S_E");
	for (size_t i = 1; i <= levels; i++)
		sprintf(out + strlen(out), "S0_IS%c_S%c_E", digits[i], digits[i]);
}

static void a_name_that_would_fill_the_memory_stays_as_it_is(void **state)
{
	struct sd_pool pool = {0};
	char name[1024];

	(void)state;
	doubled(name, 1);
	assert_string_equal(sd_demangle(&pool, name), "f(aa, b<aa, aa>, b<b<aa, aa>, b<aa, aa> >)");
	/* 200 gigabytes */
	doubled(name, 34);
	assert_string_equal(sd_demangle(&pool, name), name);
	sd_pool_free(&pool);
}

static void a_name_of_64_kilobytes_is_kept(void **state)
{
	struct sd_pool pool = {0};
	char *const name = malloc(65537);

	(void)state;
	assert_non_null(name);
	memset(name, 'P', 65536);
	name[65536] = '\0';
	memcpy(name, "_Z", 2);
	assert_string_equal(sd_demangle(&pool, name), name);
	free(name);
	sd_pool_free(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_as_the_programmer_wrote_them),
		cmocka_unit_test(a_name_that_would_fill_the_memory_stays_as_it_is),
		cmocka_unit_test(a_name_of_64_kilobytes_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
