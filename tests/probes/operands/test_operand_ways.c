#include "support/operand_rows.h"

/* the instructions stand above; a plan is made at the one of offset ip */
static const struct operand_row x86_ways[] = {
	/* mov (%rax),%rdx; add $8,%rax; nop */
	{"what was added afterwards is undone", BYTES("\x48\x8b\x10\x48\x83\xc0\x08\x90"), 7,
		{{0, VALUE(AX) - 8, 8, "r"}}},
	/* mov (%rax),%edx; lea 4(%rax),%rax; sub %rcx,%rax; nop */
	{"so are registers that were added, and lea",
		BYTES("\x8b\x10\x48\x8d\x40\x04\x48\x29\xc8\x90"), 9,
		{{0, VALUE(AX) + VALUE(CX) - 4, 4, "r"}}},
	/* mov (%rax),%edx; xor %rcx,%rax; nop */
	{"and exclusive or", BYTES("\x8b\x10\x48\x31\xc8\x90"), 5,
		{{0, (VALUE(AX) ^ VALUE(CX)), 4, "r"}}},
	/* mov (%rax),%edx; add $8,%eax; nop */
	{"32 bits more are not: the upper half is lost", BYTES("\x8b\x10\x83\xc0\x08\x90"), 5,
		{{0}}},
	/* mov (%rax),%rax; nop */
	{"what was loaded over its address is gone", BYTES("\x48\x8b\x00\x90"), 3, {{0}}},
	/* mov %rax,%rcx; mov (%rcx),%ecx; nop */
	{"a copy tells of its original", BYTES("\x48\x89\xc1\x8b\x09\x90"), 5,
		{{3, VALUE(AX), 4, "r"}}},
	/* mov (%rax),%edx; mov %rax,%rcx; bsf %esi,%eax; nop */
	{"and an original that is overwritten of its copy",
		BYTES("\x8b\x10\x48\x89\xc1\x0f\xbc\xc6\x90"), 8, {{0, VALUE(CX), 4, "r"}}},
	/* mov (%rax),%edx; mov $1,%al; nop */
	{"a part of a register that is written", BYTES("\x8b\x10\xb0\x01\x90"), 4, {{0}}},
	/* mov -8(%rbp),%rax; mov (%rax),%eax; nop */
	{"a pointer that was loaded from the stack and overwritten",
		BYTES("\x48\x8b\x45\xf8\x8b\x00\x90"), 6,
		{{0, STACK + 56, 8, "r"}, {4, SLOT(56), 4, "r"}}},
	/* mov -8(%rbp),%rax; mov 8(%rax),%eax */
	{"a pointer that will be loaded from the stack", BYTES("\x48\x8b\x45\xf8\x8b\x40\x08"), 0,
		{{0, STACK + 56, 8, "r"}, {4, SLOT(56) + 8, 4, "r"}}},
	/* mov %rdi,-8(%rbp); mov -8(%rbp),%rax; mov (%rax),%edx */
	{"one that is put there before", BYTES("\x48\x89\x7d\xf8\x48\x8b\x45\xf8\x8b\x10"), 0,
		{{0, STACK + 56, 8, "w"}, {4, STACK + 56, 8, "r"}, {8, VALUE(DI), 4, "r"}}},
	/* mov (%rdi),%eax; mov %rdi,-8(%rbp); bsf %esi,%edi; nop */
	{"one that was put there, of which no register tells any more",
		BYTES("\x8b\x07\x48\x89\x7d\xf8\x0f\xbc\xfe\x90"), 9,
		{{0, SLOT(56), 4, "r"}, {2, STACK + 56, 8, "w"}}},
	/* mov -4(%rbp),%eax; cltq; lea (,%rax,8),%rdx; mov -16(%rbp),%rax; add %rdx,%rax; mov
	   (%rax),%rax */
	{"an index of 32 bits on the stack",
		BYTES("\x8b\x45\xfc\x48\x98\x48\x8d\x14\xc5\x00\x00\x00\x00\x48\x8b\x45\xf0\x48\x01\xd0\x48\x8b\x00"),
		0, {{0, STACK + 60, 4, "r"}, {13, STACK + 48, 8, "r"}, {20, SLOT(48), 8, "r"}}},
	/* mov (%rax),%rcx; mov %edx,(%rcx); mov -8(%rbp),%rbx; mov (%rbx),%edx */
	{"a slot that a store to an unknown address may have changed",
		BYTES("\x48\x8b\x08\x89\x11\x48\x8b\x5d\xf8\x8b\x13"), 0,
		{{0, VALUE(AX), 8, "r"}, {5, STACK + 56, 8, "r"}, {9, SLOT(56), 4, "r?"}}},
	/* mov 0x100(%rsp),%rax; mov (%rax),%edx */
	{"behind the copied stack nothing is known",
		BYTES("\x48\x8b\x84\x24\x00\x01\x00\x00\x8b\x10"), 0, {{0, STACK + 0x100, 8, "r"}}},
	/* mov %ecx,%edx; shl $3,%rdx; and $0xfff,%esi; or %rsi,%rdx; mov (%rdi,%rdx),%rax */
	{"what arithmetic makes",
		BYTES("\x89\xca\x48\xc1\xe2\x03\x81\xe6\xff\x0f\x00\x00\x48\x09\xf2\x48\x8b\x04\x17"),
		0, {{15, VALUE(DI) + 8 * VALUE(CX), 8, "r"}}},
	/* mov $-8,%ecx; movslq %ecx,%rcx; mov (%rax,%rcx),%edx; neg %rcx; mov (%rax,%rcx),%edx;
	   imul $3,%rcx,%rcx; mov (%rax,%rcx),%edx; sar $3,%rcx; mov (%rax,%rcx),%edx */
	{"signed parts",
		BYTES("\xb9\xf8\xff\xff\xff\x48\x63\xc9\x8b\x14\x08\x48\xf7\xd9\x8b\x14\x08\x48\x6b\xc9\x03\x8b\x14\x08\x48\xc1\xf9\x03\x8b\x14\x08"),
		0,
		{{8, VALUE(AX) - 8, 4, "r"}, {14, VALUE(AX) + 8, 4, "r"},
			{21, VALUE(AX) + 24, 4, "r"}, {28, VALUE(AX) + 3, 4, "r"}}},
	/* push %rax; pop %rcx; mov (%rcx),%edx */
	{"from push to pop", BYTES("\x50\x59\x8b\x11"), 0,
		{{0, STACK - 8, 8, "w"}, {1, STACK - 8, 8, "r"}, {2, VALUE(AX), 4, "r"}}},
	/* leave; ret */
	{"a frame's end", BYTES("\xc9\xc3"), 0, {{0, STACK + 64, 8, "r"}, {1, STACK + 72, 8, "r"}}},
	/* div %ecx; mov (%rax),%esi; mov (%rdx),%esi; mov (%rbx),%esi */
	{"division leaves two registers unknown", BYTES("\xf7\xf1\x8b\x30\x8b\x32\x8b\x33"), 0,
		{{6, VALUE(BX), 4, "r"}}},
	/* call 1f; 1: mov (%rbx),%edx */
	{"behind a call it may not come back", BYTES("\xe8\x00\x00\x00\x00\x8b\x13"), 0,
		{{0, STACK - 8, 8, "w"}}},
	/* mov (%rbx),%edx; call 1f; 1: nop */
	{"before a call nothing is told by what is behind it",
		BYTES("\x8b\x13\xe8\x00\x00\x00\x00\x90"), 7, {{0}}},
	/* je 1f; mov (%rax),%edx; 1: mov (%rbx),%ecx */
	{"behind a branch it may not go", BYTES("\x74\x02\x8b\x10\x8b\x0b"), 0, {{0}}},
	/* je 1f; mov (%rax),%edx; 1: mov (%rbx),%ecx */
	{"where ways meet it may have come by either", BYTES("\x74\x02\x8b\x10\x8b\x0b"), 4,
		{{4, VALUE(BX), 4, "r"}}},
	/* mov (%rsi),%esi; je 1f; mov (%rax),%edx; mov (%rbx),%ecx; 1: ret */
	{"a branch that was not taken leaves one way",
		BYTES("\x8b\x36\x74\x04\x8b\x10\x8b\x0b\xc3"), 6,
		{{4, VALUE(AX), 4, "r"}, {6, VALUE(BX), 4, "r"}, {8, STACK, 8, "r"}}},
	/* jmp 1f; mov (%rax),%edx; 1: mov (%rbx),%ecx */
	{"a jump is followed", BYTES("\xeb\x02\x8b\x10\x8b\x0b"), 0, {{4, VALUE(BX), 4, "r"}}},
	/* mov (%rbx),%ecx; ud2; mov (%rax),%edx */
	{"a trap ends it", BYTES("\x8b\x0b\x0f\x0b\x8b\x10"), 4, {{4, VALUE(AX), 4, "r"}}},
	/* xor %ecx,%ecx; rep movsb */
	{"no element of a string", BYTES("\x31\xc9\xf3\xa4"), 0, {{0}}},
	/* lock incl 0x3e(%rax) */
	{"an atomic access of two lines", BYTES("\xf0\xff\x40\x3e"), 0,
		{{0, VALUE(AX) + 0x3e, 4, "rwlc"}}},
	/* lock incl 0x3c(%rax) */
	{"of one", BYTES("\xf0\xff\x40\x3c"), 0, {{0, VALUE(AX) + 0x3c, 4, "rwl"}}},
	/* mov %rdx,0x3c(%rax) */
	{"two lines, not atomic", BYTES("\x48\x89\x50\x3c"), 0, {{0, VALUE(AX) + 0x3c, 8, "wc"}}},
	/* 1: mov (%rdi),%eax; test %eax,%eax; je 2f; add $8,%rsi; mov (%rdx),%ecx; 2: mov
	   (%rsi),%eax; mov (%rbx),%eax; add $4,%rdi; dec %r8d; jne 1b */
	{"in a loop what may be skipped is possible",
		BYTES("\x8b\x07\x85\xc0\x74\x06\x48\x83\xc6\x08\x8b\x0a\x8b\x06\x8b\x03\x48\x83\xc7\x04\x41\xff\xc8\x75\xe7"),
		4, {{0, VALUE(DI), 4, "r"}, {10, VALUE(DX), 4, "r?"}, {14, VALUE(BX), 4, "r?"}}},
};

static const struct operand_row aarch64_ways[] = {
	/* ldr x0, [x1]; add x1, x1, #8; nop */
	{"what was added afterwards is undone",
		BYTES("\x20\x00\x40\xf9\x21\x20\x00\x91\x1f\x20\x03\xd5"), 8,
		{{0, VALUE(1) - 8, 8, "r"}}},
	/* ldr x0, [x1], #16; nop */
	{"post-index too", BYTES("\x20\x04\x41\xf8\x1f\x20\x03\xd5"), 4,
		{{0, VALUE(1) - 16, 8, "r"}}},
	/* str x0, [x1, #16]!; nop */
	{"and pre-index", BYTES("\x20\x0c\x01\xf8\x1f\x20\x03\xd5"), 4, {{0, VALUE(1), 8, "w"}}},
	/* adrp x0, #0x5000; add x0, x0, #0x18; ldr x2, [x0] */
	{"a page and an offset", BYTES("\x20\x00\x00\xb0\x00\x60\x00\x91\x02\x00\x40\xf9"), 0,
		{{8, CODE + 0x5018, 8, "r"}}},
	/* mov x0, #0x1234; movk x0, #0x56, lsl #16; ldr x1, [x0] */
	{"a constant in parts", BYTES("\x80\x46\x82\xd2\xc0\x0a\xa0\xf2\x01\x00\x40\xf9"), 0,
		{{8, 0x561234, 8, "r"}}},
	/* and x2, x2, #0xf0000000; lsr x3, x2, #4; ubfx x4, x2, #28, #4; sbfiz x5, x4, #3, #8; ldr
	   x6, [x1, x3]; ldr x6, [x1, x4]; ldr x6, [x1, x5] */
	{"bits of an index",
		BYTES("\x42\x0c\x64\x92\x43\xfc\x44\xd3\x44\x7c\x5c\xd3\x85\x1c\x7d\x93\x26\x68\x63\xf8\x26\x68\x64\xf8\x26\x68\x65\xf8"),
		0,
		{{16, VALUE(1) + VALUE(2) / 16, 8, "r"}, {20, VALUE(1) + 3, 8, "r"},
			{24, VALUE(1) + 24, 8, "r"}}},
	/* add x3, x1, x2, lsl #2; ldr w0, [x3]; sub x4, x1, w2, sxtw #1; ldr w0, [x4]; madd x5, x2,
	   x2, x1; msub x5, x2, x2, x5; ldr w0, [x5] */
	{"shifted and extended",
		BYTES("\x23\x08\x02\x8b\x60\x00\x40\xb9\x24\xc4\x22\xcb\x80\x00\x40\xb9\x45\x04\x02\x9b\x45\x94\x02\x9b\xa0\x00\x40\xb9"),
		0,
		{{4, VALUE(1) + 4 * VALUE(2), 4, "r"}, {12, VALUE(1) - 2 * VALUE(2), 4, "r"},
			{24, VALUE(1), 4, "r"}}},
	/* stp x1, x2, [sp, #-16]!; ldp x3, x4, [sp], #16; ldr x5, [x4]; ldr x5, [x3] */
	{"a pair to the stack and back",
		BYTES("\xe1\x0b\xbf\xa9\xe3\x13\xc1\xa8\x85\x00\x40\xf9\x65\x00\x40\xf9"), 0,
		{{0, STACK - 16, 16, "w"}, {4, STACK - 16, 16, "r"}, {8, VALUE(2), 8, "r"},
			{12, VALUE(1), 8, "r"}}},
	/* ldr x0, [sp, #8]; ldr x0, [x0]; nop */
	{"a pointer from the stack, overwritten",
		BYTES("\xe0\x07\x40\xf9\x00\x00\x40\xf9\x1f\x20\x03\xd5"), 8,
		{{0, STACK + 8, 8, "r"}, {4, SLOT(8), 8, "r"}}},
	/* mov x2, x1; ldr x1, [x1]; nop */
	{"a copy", BYTES("\xe2\x03\x01\xaa\x21\x00\x40\xf9\x1f\x20\x03\xd5"), 8,
		{{4, VALUE(2), 8, "r"}}},
	/* ldr d1, [x2]; fadd d1, d1, d1; ldr x0, [x1] */
	{"a vector's bits are no register's",
		BYTES("\x41\x00\x40\xfd\x21\x28\x61\x1e\x20\x00\x40\xf9"), 0,
		{{0, VALUE(2), 8, "r"}, {8, VALUE(1), 8, "r"}}},
	/* fmov x1, d0; ldr x0, [x1]; umov w2, v0.s[1]; ldr x0, [x2]; fcvtzs x3, d0; ldr x0, [x3];
	   cset x4, eq; ldr x0, [x4]; mrs x5, tpidr_el0; ldr x0, [x5] */
	{"but here they are",
		BYTES("\x01\x00\x66\x9e\x20\x00\x40\xf9\x02\x3c\x0c\x0e\x40\x00\x40\xf9\x03\x00\x78\x9e\x60\x00\x40\xf9\xe4\x17\x9f\x9a\x80\x00\x40\xf9\x45\xd0\x3b\xd5\xa0\x00\x40\xf9"),
		0, {{0}}},
	/* 1: ldaxr w0, [x1]; add w0, w0, #1; stlxr w2, w0, [x1]; cbnz w2, 1b */
	{"an exclusive loop",
		BYTES("\x20\xfc\x5f\x88\x00\x04\x00\x11\x20\xfc\x02\x88\xa2\xff\xff\x35"), 4,
		{{0, VALUE(1), 4, "rl"}, {8, VALUE(1), 4, "wl"}}},
	/* bl #8; nop; ldr x0, [x1] */
	{"behind a call", BYTES("\x02\x00\x00\x94\x1f\x20\x03\xd5\x20\x00\x40\xf9"), 0, {{0}}},
};

static void values_are_followed_both_ways(void **state)
{
	(void)state;
	operand_rows_check(SD_INSN_DECODE_X86_64, x86_ways, sizeof x86_ways / sizeof *x86_ways);
	operand_rows_check(
		SD_INSN_DECODE_AARCH64, aarch64_ways, sizeof aarch64_ways / sizeof *aarch64_ways);
}

/* The address that one instruction names, by itself or by registers. */
static void addresses_are_numbers_or_registers(void **state)
{
	static const struct {
		const char *code;
		size_t n;
		uint64_t fixed; /* 0: it is not */
		int registers, indexed;
	} row[] = {
		/* lock incq 16(%rip) */
		{"\xf0\x48\xff\x05\x10\x00\x00\x00", 8, 0x401000 + 8 + 16, 0, 0},
		{"\x48\xff\x40\x08", 4, 0, 1, 0},     /* incq 8(%rax) */
		{"\x48\xff\x44\x38\x08", 5, 0, 1, 1}, /* incq 8(%rax,%rdi) */
		{"\x48\xff\x40\xf8", 4, 0, 0, 0},     /* incq -8(%rax) */
		{"\x48\x01\xd8", 3, 0, 0, 0},         /* add %rbx,%rax */
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		static struct sd_operand_plan plan;
		const struct sd_operand_step *fixed, *by;

		sd_operand_plan_make(&plan, SD_INSN_DECODE_X86_64, 0x401000,
			(const unsigned char *)row[i].code, row[i].n, 0x401000, 0x401000);
		fixed = sd_operand_plan_fixed(&plan, 0);
		by = sd_operand_plan_address(&plan, 0);
		assert_int_equal(fixed ? (uint64_t)fixed->imm : 0, row[i].fixed);
		assert_int_equal(by != NULL, row[i].registers);
		assert_int_equal(by && sd_operand_plan_indexed(by), row[i].indexed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_followed_both_ways),
		cmocka_unit_test(addresses_are_numbers_or_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
