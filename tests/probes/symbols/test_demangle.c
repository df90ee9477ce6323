#include "symbols/demangle.h"

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
	{"_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const"},
	{"_ZN3fooC1Ev", "foo::foo()"},
	{"_ZN1a1bIJidEEEvDpRKT_", "void a::b<int, double>(int const&, double const&)"},
	{"_ZNSt8ios_base4InitD1Ev", "std::ios_base::Init::~Init()"},
	{"_Z3foov.cold", "foo() [clone .cold]"},
	{"_Znotaname", "_Znotaname"},
	/* of languages whose names are not like these: Go, D, Fortran */
	{"main.(*Server).handle", "main.(*Server).handle"},
	{"runtime.gopark", "runtime.gopark"},
	{"_D3std5stdio7writelnFZv", "_D3std5stdio7writelnFZv"},
	{"__solver_MOD_step", "__solver_MOD_step"},
	{"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"},
	{"_ZN49_$LT$alloc..string..String$u20$as$u20$Display$GT$3fmt17h0123456789abcdefE",
		"<alloc::string::String as Display>::fmt"},
	{"_ZN4core3ops8function6FnOnce40call_once$u7b$$u7b$vtable.shim$u7d$$u7d$"
	 "17h0123456789abcdefE",
		"core::ops::function::FnOnce::call_once{{vtable.shim}}"},
	{"_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE.llvm.123",
		"std::rt::lang_start::{{closure}}"},
	{"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
	{"_RNvNtCs1234_7mycrate3foo3bar.llvm.1234567890", "mycrate::foo::bar"},
	{"_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<usize>"},
	{"_RNCNvC1a4main0", "a::main::{closure#0}"},
	/* methods: as in the older scheme; of a type's argument, of a trait, of a nameless type */
	{"_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended",
		"std::sys::sync::mutex::futex::Mutex::lock_contended"},
	{"_RNvMs_NtNtC3std4sync4mpscINtB4_8ReceiverNtNtC5alloc6string6StringE4recv",
		"std::sync::mpsc::Receiver<alloc::string::String>::recv"},
	{"_RNvXs_C1aNtB4_1TNtB4_1U1f", "<a::T as a::U>::f"},
	{"_RNvMs_C1aSh1f", "<[u8]>::f"},
	{"_RNvC03foo", "::foo"}, /* a crate without a name */
	{"_Rnotaname", "_Rnotaname"},
	/* a function that binds lifetimes: two; and 10^14, which would be written for years */
	{"_RNvMC1aFG0_hEu1f", "<for<'a, 'b> fn(u8)>::f"},
	{"_RNvMs_NtNtC3std4qync4mpscFFFFGFFFFONtB_e3",
		"_RNvMs_NtNtC3std4qync4mpscFFFFGFFFFONtB_e3"},
	{"_R", "_R"},
	/* no hash: an ordinary name that begins like one */
	{"_ZN1a20h0123456789abcdefzzzE", "a::h0123456789abcdefzzz"},
};

static void names_are_as_the_programmer_wrote_them(void **state)
{
	struct sd_string_pool pool = {0};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(sd_demangle(&pool, rows[i].name), rows[i].plain);
	/* kept once */
	assert_ptr_equal(sd_demangle(&pool, "main"), sd_demangle(&pool, "main"));
	sd_string_pool_free(&pool);
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
	struct sd_string_pool pool = {0};
	char name[1024];

	(void)state;
	doubled(name, 1);
	assert_string_equal(sd_demangle(&pool, name), "f(aa, b<aa, aa>, b<b<aa, aa>, b<aa, aa> >)");
	/* 200 gigabytes */
	doubled(name, 34);
	assert_string_equal(sd_demangle(&pool, name), name);
	sd_string_pool_free(&pool);
}

/* a::f::<(u32, u32), ...>: each pair is of the one before, twice. */
static void paired(char *out, size_t levels)
{
	static const char digit[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t before = 8; /* counted from behind _R */

	strcpy(out, "_RINvC1a1fTmmE");
	for (size_t i = 0; i < levels; i++) {
		const size_t k = before - 1;
		char number[3] = {digit[k % 62]};

		if (k >= 62) {
			number[0] = digit[k / 62];
			number[1] = digit[k % 62];
		}
		before = strlen(out) - 2;
		sprintf(out + strlen(out), "TB%s_B%s_E", number, number);
	}
	strcat(out, "E");
}

static void a_rust_name_of_references_to_references_stays_as_it_is(void **state)
{
	struct sd_string_pool pool = {0};
	char name[1024];

	(void)state;
	paired(name, 2);
	assert_string_equal(sd_demangle(&pool, name),
		"a::f::<(u32, u32), ((u32, u32), (u32, u32)), (((u32, u32), (u32, u32)), "
		"((u32, u32), (u32, u32)))>");
	paired(name, 60);
	assert_string_equal(sd_demangle(&pool, name), name);
	sd_string_pool_free(&pool);
}

static void a_name_of_64_kilobytes_is_kept(void **state)
{
	struct sd_string_pool pool = {0};
	char *const name = malloc(65537);

	(void)state;
	assert_non_null(name);
	memset(name, 'P', 65536);
	name[65536] = '\0';
	memcpy(name, "_Z", 2);
	assert_string_equal(sd_demangle(&pool, name), name);
	free(name);
	sd_string_pool_free(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_as_the_programmer_wrote_them),
		cmocka_unit_test(a_name_that_would_fill_the_memory_stays_as_it_is),
		cmocka_unit_test(a_rust_name_of_references_to_references_stays_as_it_is),
		cmocka_unit_test(a_name_of_64_kilobytes_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
