#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>

#include "resolve/insn_decode.h"

#define X SD_INSN_DECODE_X86_64
#define A SD_INSN_DECODE_AARCH64
#define CODE(...) {__VA_ARGS__}, sizeof((unsigned char[]){__VA_ARGS__})

static const struct row {
	enum sd_insn_decode_machine machine;
	const char *what;
	unsigned char code[24];
	size_t n, ip;
	int is;
} rows[] = {
	{X, "lock addq $1,(%rdi), at it", CODE(0xf0, 0x48, 0x83, 7, 1, 0xc3), 0, 1},
	{X, "behind it", CODE(0xf0, 0x48, 0x83, 7, 1, 0xc3), 5, 1},
	{X, "one further", CODE(0xf0, 0x48, 0x83, 7, 1, 0x90, 0xc3), 6, 0},
	{X, "lock xadd %eax,0x40(%rdi)", CODE(0xf0, 0x0f, 0xc1, 0x47, 0x40, 0x01, 0xc3), 5, 1},
	{X, "lock cmpxchg %edx,(%rdi)", CODE(0xf0, 0x0f, 0xb1, 0x17, 0x75, 0xf7), 4, 1},
	{X, "lock cmpxchg16b (%rsi)", CODE(0xf0, 0x48, 0x0f, 0xc7, 0x0e, 0x90), 5, 1},
	{X, "lock addl $0x12345,counter(%rip)",
		CODE(0xf0, 0x81, 5, 0, 1, 0, 0, 0x45, 0x23, 1, 0, 0xc3), 11, 1},
	{X, "lock addw $0x123,(%rdi)", CODE(0xf0, 0x66, 0x81, 7, 0x23, 1, 0xc3), 6, 1},
	{X, "lock decl (%rax,%rcx,4)", CODE(0xf0, 0xff, 0x0c, 0x88, 0xc3), 4, 1},
	{X, "lock and %rax,%fs:0x10", CODE(0xf0, 0x64, 0x48, 0x21, 4, 0x25, 0x10, 0, 0, 0), 10, 1},
	{X, "addq $1,(%rdi)", CODE(0x48, 0x83, 7, 1, 0xc3), 4, 0},
	{X, "lock before what it may not be: mov", CODE(0xf0, 0x48, 0x89, 7, 0xc3), 4, 0},
	{X, "of a register", CODE(0xf0, 0x48, 0x83, 0xc7, 1, 0xc3), 5, 0},
	{X, "0xf0 as another's constant: add $0xf0,%al; nop; nop", CODE(4, 0xf0, 0x90, 0x90), 4, 0},
	{X, "cut off", CODE(0xf0, 0x48, 0x83), 0, 0},
	{X, "a prefix alone", CODE(0xf0), 0, 0},
	{X, "nothing", {0}, 0, 0, 0},
	{A, "ldadd x0,x1,[x2], at it", CODE(0x41, 0, 0x20, 0xf8), 0, 1},
	{A, "behind it", CODE(0x41, 0, 0x20, 0xf8, 0xc0, 3, 0x5f, 0xd6), 4, 1},
	{A, "casal w0,w1,[x2]", CODE(0x41, 0xfc, 0xe0, 0x88), 0, 1},
	{A, "ldaxr w0,[x1]", CODE(0x20, 0xfc, 0x5f, 0x88), 0, 1},
	{A, "stxr w2,w3,[x1]", CODE(0x23, 0x7c, 2, 0x88), 0, 1},
	{A, "ldar w0,[x1]", CODE(0x20, 0xfc, 0xdf, 0x88), 0, 0},
	{A, "ldr w0,[x1]", CODE(0x20, 0, 0x40, 0xb9), 0, 0},
	{A, "ldr x0,[x1,x2]", CODE(0x20, 0x68, 0x62, 0xf8), 0, 0},
	{A, "cut off", CODE(0x41, 0, 0x20), 0, 0},
	{SD_INSN_DECODE_OTHER, "another machine", CODE(0xf0, 0x48, 0x83, 7, 1), 0, 0},
};

static void an_atomic_instruction_is_seen_at_it_and_behind_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *const r = &rows[i];

		if (sd_insn_decode_is_atomic(r->machine, r->code, r->n, r->ip) != r->is)
			fail_msg("%s: not %d", r->what, r->is);
	}
}

/* What lies behind the last byte changes no answer. */
static void any_bytes_are_read_within_their_length(void **state)
{
	unsigned char code[2][36];
	uint32_t x = 1;

	(void)state;
	for (unsigned i = 0; i < 100000; i++) {
		const size_t n = i % 21;

		for (size_t k = 0; k < sizeof code[0]; k++) {
			x = x * 1664525 + 1013904223;
			code[0][k] = x >> 28 ? (unsigned char)(x >> 16) : 0xf0;
			code[1][k] = k < n ? code[0][k] : (unsigned char)~code[0][k];
		}
		for (size_t ip = 0; ip <= n + 1; ip++) {
			assert_int_equal(sd_insn_decode_is_atomic(X, code[0], n, ip),
				sd_insn_decode_is_atomic(X, code[1], n, ip));
			assert_int_equal(sd_insn_decode_is_atomic(A, code[0], n, ip),
				sd_insn_decode_is_atomic(A, code[1], n, ip));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_atomic_instruction_is_seen_at_it_and_behind_it),
		cmocka_unit_test(any_bytes_are_read_within_their_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
