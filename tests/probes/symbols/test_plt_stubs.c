/*
 * Calls of this very program into other files: whose names their call sites tell.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <unistd.h>

#include "symbols/plt_stubs.h"

static int local(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

/* One call out of the file and one within; not at their ends, where they would be jumps. */
static __attribute__((noinline)) int calls_getppid(void)
{
	volatile int parent = (int)getppid();

	return parent + 1;
}

static __attribute__((noinline)) int calls_local(void)
{
	volatile int v = ((int (*volatile)(int))local)(3);

	return v + 1;
}

static void open_self(struct sd_elf_file *f, uint64_t *base)
{
	const int fd = sd_elf_file_descriptor("/proc/self/exe");
	Dl_info info;

	assert_true(fd >= 0);
	assert_int_equal(sd_elf_file_open(f, fd), 0);
	assert_true(dladdr((void *)(uintptr_t)&calls_getppid, &info) != 0);
	*base = (uint64_t)(uintptr_t)info.dli_fbase;
	/* an executable that is not moved has its addresses as they are */
	if (f->n_load && f->load[0].vaddr)
		*base = 0;
}

/* The names called from the first bytes of a function on, a line each. */
static void names_in(
	const struct sd_elf_file *f, uint64_t start, size_t bytes, char *out, size_t size)
{
	char name[64];

	*out = '\0';
	for (uint64_t at = start; at < start + bytes; at++)
		if (sd_plt_stubs_called(f, at, name, sizeof name)) {
			assert_true(strlen(out) + strlen(name) + 2 < size);
			strcat(strcat(out, name), "\n");
		}
}

static void a_call_through_a_stub_has_the_name_of_what_it_calls(void **state)
{
	struct sd_elf_file f;
	uint64_t base;
	char names[4096];

	(void)state;
	assert_true(calls_getppid() > 0);
	assert_int_equal(calls_local(), 4);
	open_self(&f, &base);
	if (f.machine != EM_X86_64 && f.machine != EM_AARCH64) {
		sd_elf_file_close(&f);
		skip();
	}
	/* sanitizers make the function long; no other one of this file calls getppid */
	names_in(&f, (uint64_t)(uintptr_t)&calls_getppid - base, 256, names, sizeof names);
	assert_non_null(strstr(names, "getppid\n"));
	sd_elf_file_close(&f);
}

/* Whatever the bytes are that it starts from, a name is one that this program takes from others. */
static void only_names_of_other_files_are_given(void **state)
{
	struct sd_elf_file f;
	uint64_t base;
	size_t found = 0;
	char name[256];

	(void)state;
	open_self(&f, &base);
	for (size_t i = 0; i < f.n_load; i++)
		for (uint64_t at = f.load[i].vaddr;
			f.load[i].executable && at < f.load[i].vaddr + f.load[i].filesz; at++)
			if (sd_plt_stubs_called(&f, at, name, sizeof name)) {
				assert_non_null(dlsym(RTLD_DEFAULT, name));
				found++;
			}
	if (f.machine == EM_X86_64 || f.machine == EM_AARCH64)
		assert_true(found > 10);
	/* beyond the file there is nothing */
	assert_int_equal(sd_plt_stubs_called(&f, 0, name, sizeof name), 0);
	assert_int_equal(sd_plt_stubs_called(&f, UINT64_MAX, name, sizeof name), 0);
	sd_elf_file_close(&f);
	assert_int_equal(sd_plt_stubs_called(&f, 64, name, sizeof name), 0);
}

/* Every address in the table is of a stub of a function that this program knows, or of none. */
static void a_stub_has_the_name_of_what_it_jumps_to(void **state)
{
	struct sd_elf_file f;
	uint64_t base, start, last = 0;
	size_t stubs = 0, own = 0;
	char name[256];

	(void)state;
	open_self(&f, &base);
	for (size_t i = 0; i < f.n_load; i++)
		for (uint64_t at = f.load[i].vaddr;
			f.load[i].executable && at < f.load[i].vaddr + f.load[i].filesz; at++) {
			if (!sd_plt_stubs_at(&f, at, &start, name, sizeof name))
				continue;
			/* a mark before the jump is of the same stub, and mold's number, too */
			assert_true(start <= at + 10 && start + 16 > at);
			/* arm64's start files have a stub of a function that need not be there */
			assert_true(
				dlsym(RTLD_DEFAULT, name) || strcmp(name, "__gmon_start__") == 0);
			stubs += start > last;
			own += start > last && strcmp(name, "getppid") == 0;
			if (start > last)
				last = start;
		}
	if (f.machine == EM_X86_64 || f.machine == EM_AARCH64) {
		assert_true(stubs > 10);
		assert_int_equal(own, 1);
	}
	/* a function is none */
	assert_int_equal(sd_plt_stubs_at(&f, (uint64_t)(uintptr_t)&calls_getppid - base, &start,
				 name, sizeof name),
		0);
	assert_int_equal(sd_plt_stubs_at(&f, UINT64_MAX, &start, name, sizeof name), 0);
	sd_elf_file_close(&f);
	assert_int_equal(sd_plt_stubs_at(&f, 64, &start, name, sizeof name), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_through_a_stub_has_the_name_of_what_it_calls),
		cmocka_unit_test(only_names_of_other_files_are_given),
		cmocka_unit_test(a_stub_has_the_name_of_what_it_jumps_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
