/*
 * Code of no file that keeps no frame pointers, as a JIT compiler writes it: its callers are found
 * by copies of it, and without copies they are not.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbols/symbols.h"
#include "unwind/unwind.h"

#if defined(__x86_64__)
#include <asm/perf_regs.h>

enum { AT = 0x7f0000, SIZE = 0x1000, PID = 7, TEXTS = 0x60 };

/* leaf() at 0 and caller() at 0x20 save rbp and take 16 and 32 bytes; outermost() at 0x40 saves
 * nothing. What lies at 0x58 follows no call. */
static const unsigned char code[TEXTS] = {
	[0x00] = 0x55,
	0x48,
	0x83,
	0xec,
	0x10,
	0x90,
	0x48,
	0x83,
	0xc4,
	0x10,
	0x5d,
	0xc3,
	[0x20] = 0x55,
	0x48,
	0x83,
	0xec,
	0x20,
	0xe8,
	0xd6,
	0xff,
	0xff,
	0xff,
	0x48,
	0x83,
	0xc4,
	0x20,
	0x5d,
	0xc3,
	[0x40] = 0xe8,
	0xdb,
	0xff,
	0xff,
	0xff,
	0xc3,
	[0x50] = 0x90,
	0x90,
	0x90,
	0x90,
	0x90,
	0x90,
	0x90,
	0x90,
	0x90,
	0xc3,
};

static size_t copied(const void *copies, int pid, uint64_t pc, unsigned char *out, size_t max)
{
	const size_t left = pc >= AT && pc < AT + TEXTS ? (size_t)(AT + TEXTS - pc) : 0;
	const size_t n = left < max ? left : max;

	assert_ptr_equal(copies, code);
	assert_int_equal(pid, PID);
	memcpy(out, code + (n ? pc - AT : 0), n);
	return n;
}

/* Unwinds leaf(), whose stack has these return addresses and values that are no pointers. */
static size_t unwind(struct sd_symbols *s, uint64_t caller, uint64_t outermost, uint64_t pc[8])
{
	const uint64_t stack[] = {
		1, 2, 0x51, caller, 3, 4, 5, 6, 0x52, outermost, 0, 0, 0, 0, 0, 0};
	struct sd_event e = {.kind = SD_EVENT_SAMPLE,
		.pid = PID,
		.tid = PID,
		.stack = (const unsigned char *)stack,
		.stack_size = sizeof stack};
	struct sd_unwound how;

	e.regs.mask = UINT64_C(1) << PERF_REG_X86_IP | UINT64_C(1) << PERF_REG_X86_SP |
		      UINT64_C(1) << PERF_REG_X86_BP;
	e.regs.reg[PERF_REG_X86_IP] = AT + 5;
	e.regs.reg[PERF_REG_X86_SP] = 0x700000;
	e.regs.reg[PERF_REG_X86_BP] = 0x50;
	return sd_symbols_unwind(s, &e, pc, 8, &how);
}

static struct sd_symbols *open_with(const char *root)
{
	const struct sd_event map = {.kind = SD_EVENT_MAP,
		.pid = PID,
		.tid = PID,
		.address = AT,
		.size = SIZE,
		.name = "//anon"};
	struct sd_symbols *s;

	assert_int_equal(sd_symbols_open(&s, root), 0);
	assert_int_equal(sd_symbols_event(s, &map), 0);
	return s;
}

static void callers_of_jit_code_are_found_by_copies_of_it(void **state)
{
	struct sd_symbols *const s = open_with("/nonexistent");
	uint64_t pc[8];

	(void)state;
	assert_int_equal(unwind(s, AT + 0x2a, AT + 0x45, pc), 1);
	sd_symbols_copies(s, copied, code);
	assert_int_equal(unwind(s, AT + 0x2a, AT + 0x45, pc), 3);
	assert_int_equal(pc[0], AT + 5);
	assert_int_equal(pc[1], AT + 0x2a);
	assert_int_equal(pc[2], AT + 0x45);
	/* a word that no call returns to is no caller */
	assert_int_equal(unwind(s, AT + 0x58, AT + 0x45, pc), 1);
	sd_symbols_copies(s, NULL, NULL);
	assert_int_equal(unwind(s, AT + 0x2a, AT + 0x45, pc), 1);
	sd_symbols_close(s);
}

/* HotSpot's interpreter is returned to where no call stands before. */
static void an_interpreter_is_a_caller(void **state)
{
	char root[] = "/tmp/scalediag-test-XXXXXX", path[64], tmp[48];
	struct sd_symbols *s;
	uint64_t pc[8];
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(tmp, sizeof tmp, "%s/tmp", root);
	assert_int_equal(mkdir(tmp, 0700), 0);
	snprintf(path, sizeof path, "%s/perf-%d.map", tmp, PID);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%x 20 void A.leaf()\n%x 10 Interpreter\n", AT, AT + 0x50);
	assert_int_equal(fclose(f), 0);
	s = open_with(root);
	sd_symbols_copies(s, copied, code);
	assert_true(unwind(s, AT + 0x58, AT + 0x45, pc) >= 2);
	assert_int_equal(pc[1], AT + 0x58);
	sd_symbols_close(s);
	assert_int_equal(unlink(path) || rmdir(tmp) || rmdir(root), 0);
}
#else
static void callers_of_jit_code_are_found_by_copies_of_it(void **state)
{
	(void)state;
	skip(); /* ways to a return are known of x86-64 alone */
}

static void an_interpreter_is_a_caller(void **state)
{
	(void)state;
	skip();
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_of_jit_code_are_found_by_copies_of_it),
		cmocka_unit_test(an_interpreter_is_a_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
