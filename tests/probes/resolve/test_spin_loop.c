#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>

#include "resolve/spin_loop.h"

struct row {
	enum sd_insn_decode_machine machine;
	const char *what;
	unsigned char code[40];
	size_t n, ip;
	enum sd_spin_loop is;
};

#define X SD_INSN_DECODE_X86_64
#define A SD_INSN_DECODE_AARCH64
#define NONE SD_SPIN_LOOP_NONE
#define WAITS SD_SPIN_LOOP_WAITS
#define TAKES SD_SPIN_LOOP_TAKES
#define CODE(...) {__VA_ARGS__}, sizeof((unsigned char[]){__VA_ARGS__})

static const struct row rows[] = {
	{X, "mov flag(%rip),%eax; test; je back",
		CODE(0x8b, 5, 0xba, 0x2d, 0, 0, 0x85, 0xc0, 0x74, 0xf6), 0, WAITS},
	{X, "the same, sampled at its second instruction",
		CODE(0x8b, 5, 0xba, 0x2d, 0, 0, 0x85, 0xc0, 0x74, 0xf6), 6, WAITS},
/* as gcc -O2 makes them of: while (exchange(&l, 1)) while (load(&l)) pause(); */
#define TTAS                                                                                  \
	CODE(0x89, 0xd0, 0x87, 7, 0x85, 0xc0, 0x74, 0x0e, 0x0f, 0x1f, 0x40, 0, 0x8b, 7, 0x85, \
		0xc0, 0x74, 0xee, 0xf3, 0x90, 0xeb, 0xf6, 0xc3)
	{X, "test and test-and-set, at its pause", TTAS, 18, TAKES},
	{X, "at its look", TTAS, 12, TAKES},
	{X, "at its exchange", TTAS, 2, TAKES},
	{X, "at its end", TTAS, 22, NONE},
/* for (;;) { if (!load(l) && compare_exchange(l, 0, 1)) return; pause(); } */
#define LOOK_CAS                                                                              \
	CODE(0x8b, 7, 0x85, 0xc0, 0x75, 7, 0xf0, 0x0f, 0xb1, 0x17, 0x75, 1, 0xc3, 0xf3, 0x90, \
		0xeb, 0xef)
	{X, "a look, and a compare-and-exchange: at its pause", LOOK_CAS, 13, TAKES},
	{X, "a look, and a compare-and-exchange: at its look", LOOK_CAS, 0, TAKES},
	{X,
		"the head of a list: mov (%rdi),%rax; mov (%rax),%rdx; lock cmpxchg %rdx,(%rdi); "
		"jne back",
		CODE(0x48, 0x8b, 7, 0x48, 0x8b, 0x10, 0xf0, 0x48, 0x0f, 0xb1, 0x17, 0x75, 0xf3), 0,
		NONE},
	{X, "one's ticket: pause; mov (%rdi),%eax; cmp %edx,%eax; jne back",
		CODE(0xf3, 0x90, 0x8b, 7, 0x39, 0xd0, 0x75, 0xf8, 0xc3), 0, WAITS},
	{X,
		"a turn, and a store in the order of all: mov (%rdi),%eax; cmp; jne back; xchg; "
		"mov; jmp",
		CODE(0x8b, 7, 0x39, 0xd0, 0x75, 0xfa, 0x89, 0xd1, 0x87, 0x0f, 0x8b, 7, 0xeb, 0xf2),
		0, WAITS},
	{X, "a walk along a list between exchanges: mov (%rax),%rax; test; jne back; xchg; jmp",
		CODE(0x48, 0x8b, 0, 0x48, 0x85, 0xc0, 0x75, 0xf8, 0x87, 0x0f, 0xeb, 0xf4), 0, NONE},
	{X, "pause; mov (%rdi),%eax; cmp $1,%eax; jne back",
		CODE(0xf3, 0x90, 0x8b, 7, 0x83, 0xf8, 1, 0x75, 0xf7), 0, WAITS},
	{X, "xor %eax,%eax; lock cmpxchg %edx,(%rdi); jne back",
		CODE(0x31, 0xc0, 0xf0, 0x0f, 0xb1, 0x17, 0x75, 0xf8), 0, TAKES},
	{X, "mov $1,%eax; xchg %eax,(%rdi); test; jne back",
		CODE(0xb8, 1, 0, 0, 0, 0x87, 7, 0x85, 0xc0, 0x75, 0xf5), 0, TAKES},
	{X, "mov flags(%rip),%rax; mov (%rax,%rdx,1),%eax; cmp $0x5dbf,%eax; jle back",
		CODE(0x48, 0x8b, 5, 2, 0x2d, 0, 0, 0x8b, 4, 0x10, 0x3d, 0xbf, 0x5d, 0, 0, 0x7e,
			0xef),
		0, WAITS},
	{X,
		"mov -20(%rbp),%eax; cltq; lea 0(,%rax,4),%rdx; lea f(%rip),%rax; mov "
		"(%rdx,%rax,1),%eax; "
		"and $1,%eax; je back",
		CODE(0x8b, 0x45, 0xec, 0x48, 0x98, 0x48, 0x8d, 0x14, 0x85, 0, 0, 0, 0, 0x48, 0x8d,
			5, 0xa5, 0x2e, 0, 0, 0x8b, 4, 2, 0x83, 0xe0, 1, 0x74, 0xe4),
		0, WAITS},
	{X, "mov done(%rip),%edx; mov n(%rip),%eax; imul %ebx,%eax; cmp %eax,%edx; jl back",
		CODE(0x8b, 0x15, 0x42, 0x4d, 0, 0, 0x8b, 5, 0xdc, 0x2c, 0, 0, 0x0f, 0xaf, 0xc3,
			0x39, 0xc2, 0x7c, 0xed),
		0, WAITS},
	{X, "out of it by a branch back: mov ready(%rip),%eax; cmp %ebx,%eax; jge far before; jmp back",
		CODE(0x8b, 5, 9, 0x4d, 0, 0, 0x39, 0xd8, 0x7d, 0xa3, 0xeb, 0xf4), 0, WAITS},
	{X,
		"out of it at two places before: mov ready(%rip),%eax; cmp %ebx,%eax; jge far before; mov "
		"mode(%rip),%eax; test; je before; jmp back",
		CODE(0x8b, 5, 9, 0x4d, 0, 0, 0x39, 0xd8, 0x7d, 0xa3, 0x8b, 5, 0xdb, 0x2c, 0, 0,
			0x85, 0xc0, 0x74, 0xe7, 0xeb, 0xea),
		0, WAITS},
	{X, "a power: mov f(%rip),%edx; imul %ebx,%eax; test %edx,%edx; jne back",
		CODE(0x8b, 0x15, 0x42, 0x4d, 0, 0, 0x0f, 0xaf, 0xc3, 0x85, 0xd2, 0x75, 0xf3), 0,
		NONE},
	{X, "a walk whose step is loaded: mov s(%rip),%rdx; mov (%rax,%rdx,8),%rax; test; jne back",
		CODE(0x48, 0x8b, 0x15, 0, 1, 0, 0, 0x48, 0x8b, 4, 0xd0, 0x48, 0x85, 0xc0, 0x75,
			0xf0),
		0, NONE},
	{X, "a walk by lea: lea 8(%rdi),%rdi; cmp $0,-8(%rdi); jne back",
		CODE(0x48, 0x8d, 0x7f, 8, 0x83, 0x7f, 0xf8, 0, 0x75, 0xf6), 0, NONE},
	{X, "a computation: mov f(%rip),%ecx; lea (%rax,%rax,4),%eax; test %ecx,%ecx; jne back",
		CODE(0x8b, 0x0d, 0, 1, 0, 0, 0x8d, 4, 0x80, 0x85, 0xc9, 0x75, 0xf3), 0, NONE},
	{X, "a pointer that is loaded at times: cmp $0,(%rsi); je over; mov (%rax),%rdi; over: mov (%rdi),%rax; test; jne back",
		CODE(0x83, 0x3e, 0, 0x74, 3, 0x48, 0x8b, 0x38, 0x48, 0x8b, 7, 0x48, 0x85, 0xc0,
			0x75, 0xf0),
		0, NONE},
	{X, "a walk along a list: mov (%rax),%rax; test; jne back",
		CODE(0x48, 0x8b, 0, 0x48, 0x85, 0xc0, 0x75, 0xf8), 0, NONE},
	{X, "a search: cmp %esi,(%rdi); add $4,%rdi; jne back",
		CODE(0x39, 0x37, 0x48, 0x83, 0xc7, 4, 0x75, 0xf8), 0, NONE},
	{X, "a store: mov %eax,(%rdi); test; jne back", CODE(0x89, 7, 0x85, 0xc0, 0x75, 0xfa), 0,
		NONE},
	{X, "an atomic count: lea, lock cmpxchg",
		CODE(0x8d, 0x50, 1, 0xf0, 0x0f, 0xb1, 0x17, 0x75, 0xf7), 0, NONE},
	{X,
		"an atomic count that loads anew: mov (%rdi),%eax; lea 1(%rax),%edx; lock cmpxchg; "
		"jne back",
		CODE(0x8b, 7, 0x8d, 0x50, 1, 0xf0, 0x0f, 0xb1, 0x17, 0x75, 0xf5), 0, NONE},
	{X, "a call: call; pause; jmp back", CODE(0xe8, 0, 0, 0, 0, 0xf3, 0x90, 0xeb, 0xf7), 0,
		NONE},
	{X, "floating point: addsd; pause; jmp back",
		CODE(0xf2, 0x0f, 0x58, 0xc1, 0xf3, 0x90, 0xeb, 0xf8), 0, NONE},
	{X, "no branch back: pause; ret", CODE(0xf3, 0x90, 0xc3), 0, NONE},
	{X, "cut off: pause; je", CODE(0xf3, 0x90, 0x74), 0, NONE},
	{X, "nothing", {0}, 0, 0, NONE},
	{A, "yield; ldr w0,[x1]; cbz w0,back",
		CODE(0x3f, 0x20, 3, 0xd5, 0x20, 0, 0x40, 0xb9, 0xc0, 0xff, 0xff, 0x34), 0, WAITS},
	{A, "ldar w0,[x1]; cbz w0,back", CODE(0x20, 0xfc, 0xdf, 0x88, 0xe0, 0xff, 0xff, 0x34), 0,
		WAITS},
	{A, "ldr x0,[x20]; ldr w0,[x0,#8]; cbz w0,back",
		CODE(0x80, 2, 0x40, 0xf9, 0, 8, 0x40, 0xb9, 0xc0, 0xff, 0xff, 0x34), 0, WAITS},
	{A, "a walk along a list: ldr x0,[x0]; cbnz x0,back",
		CODE(0, 0, 0x40, 0xf9, 0xe0, 0xff, 0xff, 0xb5), 0, NONE},
	{A, "a store: str w0,[x1]; b back", CODE(0x20, 0, 0, 0xb9, 0xff, 0xff, 0xff, 0x17), 0,
		NONE},
	{A, "ldaxr w0,[x1]; cbnz w0,back; stxr w2,w3,[x1]; cbnz w2,back",
		CODE(0x20, 0xfc, 0x5f, 0x88, 0xe0, 0xff, 0xff, 0x35, 0x23, 0x7c, 2, 0x88, 0xa2,
			0xff, 0xff, 0x35),
		0, TAKES},
	{SD_INSN_DECODE_OTHER, "another machine", CODE(0xf3, 0x90, 0xeb, 0xfc), 0, NONE},
};

static void a_loop_that_only_another_thread_can_end_spins_and_nothing_else(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *const r = &rows[i];
		const enum sd_spin_loop is = sd_spin_loop(r->machine, r->code, r->n, r->ip);

		if (is != r->is)
			fail_msg("%s: %d", r->what, is);
	}
}

static void any_bytes_are_read_within_their_length(void **state)
{
	unsigned char code[64];
	uint32_t random = 1;

	(void)state;
	for (int i = 0; i < 300000; i++) {
		const size_t n = i % sizeof code;

		for (size_t k = 0; k < n; k++) {
			random = random * 1664525u + 1013904223u;
			code[k] = (unsigned char)(random >> 24);
		}
		sd_spin_loop(X, code, n, i % 7);
		sd_spin_loop(A, code, n, i % 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_that_only_another_thread_can_end_spins_and_nothing_else),
		cmocka_unit_test(any_bytes_are_read_within_their_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
