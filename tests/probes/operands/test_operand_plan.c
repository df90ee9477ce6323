#include "support/operand_rows.h"

static const struct operand_row x86[] = {
	{"mov (%rax),%edx", BYTES("\x8b\x10"), 0, {{0, VALUE(AX), 4, "r"}}},
	{"mov %rdx,-8(%rcx)", BYTES("\x48\x89\x51\xf8"), 0, {{0, VALUE(CX) - 8, 8, "w"}}},
	{"movb $1,0x100(%rdi,%r8,4)", BYTES("\x42\xc6\x84\x87\x00\x01\x00\x00\x01"), 0,
		{{0, VALUE(DI) + 4 * VALUE(R8) + 0x100, 1, "w"}}},
	{"add %eax,0x10(%rip)", BYTES("\x01\x05\x10\x00\x00\x00"), 0,
		{{0, CODE + 6 + 0x10, 4, "rw"}}},
	{"mov 0x1234,%eax", BYTES("\x8b\x04\x25\x34\x12\x00\x00"), 0, {{0, 0x1234, 4, "r"}}},
	{"lock incq (%r12)", BYTES("\xf0\x49\xff\x04\x24"), 0, {{0, VALUE(R12), 8, "rwl"}}},
	{"xchg %eax,(%rdi): locked without a prefix", BYTES("\x87\x07"), 0,
		{{0, VALUE(DI), 4, "rwl"}}},
	{"lock cmpxchg %rdx,(%rdi)", BYTES("\xf0\x48\x0f\xb1\x17"), 0, {{0, VALUE(DI), 8, "rwl"}}},
	{"lock xadd %eax,(%rdi)", BYTES("\xf0\x0f\xc1\x07"), 0, {{0, VALUE(DI), 4, "rwl"}}},
	{"cmpxchg %rdx,(%rdi): not locked", BYTES("\x48\x0f\xb1\x17"), 0,
		{{0, VALUE(DI), 8, "rw"}}},
	{"lock cmpxchg16b (%rdi)", BYTES("\xf0\x48\x0f\xc7\x0f"), 0, {{0, VALUE(DI), 16, "rwl"}}},
	{"cmp %eax,(%rdi)", BYTES("\x39\x07"), 0, {{0, VALUE(DI), 4, "r"}}},
	{"testb $1,(%rdi)", BYTES("\xf6\x07\x01"), 0, {{0, VALUE(DI), 1, "r"}}},
	{"movnti %eax,(%rdi)", BYTES("\x0f\xc3\x07"), 0, {{0, VALUE(DI), 4, "ws"}}},
	{"vmovntdq %ymm0,(%rdi)", BYTES("\xc5\xfd\xe7\x07"), 0, {{0, VALUE(DI), 32, "ws"}}},
	{"movups (%rsi),%xmm0", BYTES("\x0f\x10\x06"), 0, {{0, VALUE(SI), 16, "r"}}},
	{"movaps %xmm0,(%rsi)", BYTES("\x0f\x29\x06"), 0, {{0, VALUE(SI), 16, "w"}}},
	{"addsd (%rsi),%xmm0", BYTES("\xf2\x0f\x58\x06"), 0, {{0, VALUE(SI), 8, "r"}}},
	{"vaddps (%rsi),%ymm0,%ymm1", BYTES("\xc5\xfc\x58\x0e"), 0, {{0, VALUE(SI), 32, "r"}}},
	{"vmovdqu64 (%rsi),%zmm0", BYTES("\x62\xf1\xfe\x48\x6f\x06"), 0, {{0, VALUE(SI), 64, "r"}}},
	{"vmovdqu64 %zmm0,0x40(%rsi): a displacement in units of 64",
		BYTES("\x62\xf1\xfe\x48\x7f\x46\x01"), 0, {{0, VALUE(SI) + 64, 64, "w"}}},
	{"vmovdqu64 %zmm0,(%rsi){%k1}: what its mask says", BYTES("\x62\xf1\xfe\x49\x7f\x06"), 0,
		{{0, VALUE(SI), 64, "w?"}}},
	{"vpaddd (%rsi){1to16},%zmm1,%zmm0", BYTES("\x62\xf1\x75\x58\xfe\x06"), 0,
		{{0, VALUE(SI), 4, "r"}}},
	{"fldt (%rdi)", BYTES("\xdb\x2f"), 0, {{0, VALUE(DI), 10, "r"}}},
	{"fstpl (%rdi)", BYTES("\xdd\x1f"), 0, {{0, VALUE(DI), 8, "w"}}},
	{"push %rbx", BYTES("\x53"), 0, {{0, STACK - 8, 8, "w"}}},
	{"pop (%rax)", BYTES("\x8f\x00"), 0, {{0, STACK, 8, "r"}, {0, VALUE(AX), 8, "w"}}},
	{"push (%rax)", BYTES("\xff\x30"), 0, {{0, VALUE(AX), 8, "r"}, {0, STACK - 8, 8, "w"}}},
	{"call *(%rax)", BYTES("\xff\x10"), 0, {{0, VALUE(AX), 8, "r"}, {0, STACK - 8, 8, "w"}}},
	{"ret", BYTES("\xc3"), 0, {{0, STACK, 8, "r"}}},
	{"rep movsb", BYTES("\xf3\xa4"), 0, {{0, VALUE(SI), 1, "r"}, {0, VALUE(DI), 1, "w"}}},
	{"movsq", BYTES("\x48\xa5"), 0, {{0, VALUE(SI), 8, "r"}, {0, VALUE(DI), 8, "w"}}},
	{"rep stosq", BYTES("\xf3\x48\xab"), 0, {{0, VALUE(DI), 8, "w"}}},
	{"repne scasb", BYTES("\xf2\xae"), 0, {{0, VALUE(DI), 1, "r"}}},
	{"repe cmpsb", BYTES("\xf3\xa6"), 0, {{0, VALUE(SI), 1, "r"}, {0, VALUE(DI), 1, "r"}}},
	{"lodsd", BYTES("\xad"), 0, {{0, VALUE(SI), 4, "r"}}},
	{"nopw (%rax): none", BYTES("\x66\x0f\x1f\x00"), 0, {{0}}},
	{"lea (%rax),%rdx: none", BYTES("\x48\x8d\x10"), 0, {{0}}},
	{"prefetcht0 (%rax): none", BYTES("\x0f\x18\x08"), 0, {{0}}},
	{"mov %fs:0x28,%rax: a thread's own", BYTES("\x64\x48\x8b\x04\x25\x28\x00\x00\x00"), 0,
		{{0}}},
	{"vpgatherdd: as many as its index", BYTES("\xc4\xe2\x75\x90\x04\x17"), 0, {{0}}},
	{"mov (%eax),%edx: 32 bits of address", BYTES("\x67\x8b\x10"), 0, {{0}}},
};

/* as clang -march=armv9-a+memtag assembles them */
static const struct operand_row aarch64[] = {
	{"ldr x0, [x1]", BYTES("\x20\x00\x40\xf9"), 0, {{0, VALUE(1), 8, "r"}}},
	{"ldr w0, [x1, #8]", BYTES("\x20\x08\x40\xb9"), 0, {{0, VALUE(1) + 8, 4, "r"}}},
	{"ldrb w0, [x1, #3]", BYTES("\x20\x0c\x40\x39"), 0, {{0, VALUE(1) + 3, 1, "r"}}},
	{"ldrsw x0, [x1, #-4]", BYTES("\x20\xc0\x9f\xb8"), 0, {{0, VALUE(1) - 4, 4, "r"}}},
	{"str x0, [x1, x2, lsl #3]", BYTES("\x20\x78\x22\xf8"), 0,
		{{0, VALUE(1) + 8 * VALUE(2), 8, "w"}}},
	{"str w0, [x1, w2, uxtw #2]", BYTES("\x20\x58\x22\xb8"), 0,
		{{0, VALUE(1) + 4 * VALUE(2), 4, "w"}}},
	{"ldr x0, [x1, w2, sxtw]", BYTES("\x20\xc8\x62\xf8"), 0,
		{{0, VALUE(1) + VALUE(2), 8, "r"}}},
	{"ldr x0, [x1], #16", BYTES("\x20\x04\x41\xf8"), 0, {{0, VALUE(1), 8, "r"}}},
	{"ldr x0, [x1, #16]!", BYTES("\x20\x0c\x41\xf8"), 0, {{0, VALUE(1) + 16, 8, "r"}}},
	{"str q0, [x1, #32]", BYTES("\x20\x08\x80\x3d"), 0, {{0, VALUE(1) + 32, 16, "w"}}},
	{"ldr d0, [sp, #8]", BYTES("\xe0\x07\x40\xfd"), 0, {{0, STACK + 8, 8, "r"}}},
	{"ldp x0, x1, [x2, #16]", BYTES("\x40\x04\x41\xa9"), 0, {{0, VALUE(2) + 16, 16, "r"}}},
	{"stp x29, x30, [sp, #-32]!", BYTES("\xfd\x7b\xbe\xa9"), 0, {{0, STACK - 32, 16, "w"}}},
	{"ldp x29, x30, [sp], #32", BYTES("\xfd\x7b\xc2\xa8"), 0, {{0, STACK, 16, "r"}}},
	{"ldpsw x0, x1, [x2]", BYTES("\x40\x04\x40\x69"), 0, {{0, VALUE(2), 8, "r"}}},
	{"stp q0, q1, [x3, #32]", BYTES("\x60\x04\x01\xad"), 0, {{0, VALUE(3) + 32, 32, "w"}}},
	{"stnp x0, x1, [x2]", BYTES("\x40\x04\x00\xa8"), 0, {{0, VALUE(2), 16, "w"}}},
	{"ldxr x0, [x1]", BYTES("\x20\x7c\x5f\xc8"), 0, {{0, VALUE(1), 8, "rl"}}},
	{"stxr w0, x1, [x2]", BYTES("\x41\x7c\x00\xc8"), 0, {{0, VALUE(2), 8, "wl"}}},
	{"ldaxp x0, x1, [x2]", BYTES("\x40\x84\x7f\xc8"), 0, {{0, VALUE(2), 16, "rl"}}},
	{"stlxp w0, w1, w2, [x3]", BYTES("\x61\x88\x20\x88"), 0, {{0, VALUE(3), 8, "wl"}}},
	{"ldar w0, [x1]", BYTES("\x20\xfc\xdf\x88"), 0, {{0, VALUE(1), 4, "r"}}},
	{"stlr w0, [x1]", BYTES("\x20\xfc\x9f\x88"), 0, {{0, VALUE(1), 4, "w"}}},
	{"cas x0, x1, [x2]", BYTES("\x41\x7c\xa0\xc8"), 0, {{0, VALUE(2), 8, "rwl"}}},
	{"casal w0, w1, [x2]", BYTES("\x41\xfc\xe0\x88"), 0, {{0, VALUE(2), 4, "rwl"}}},
	{"caspal x0, x1, x2, x3, [x4]", BYTES("\x82\xfc\x60\x48"), 0, {{0, VALUE(4), 16, "rwl"}}},
	{"ldadd x0, x1, [x2]", BYTES("\x41\x00\x20\xf8"), 0, {{0, VALUE(2), 8, "rwl"}}},
	{"stadd w0, [x2]", BYTES("\x5f\x00\x20\xb8"), 0, {{0, VALUE(2), 4, "rwl"}}},
	{"swpal x0, x1, [x2]", BYTES("\x41\x80\xe0\xf8"), 0, {{0, VALUE(2), 8, "rwl"}}},
	{"ldaprb w0, [x1]", BYTES("\x20\xc0\xbf\x38"), 0, {{0, VALUE(1), 1, "r"}}},
	{"ldapur x0, [x1, #8]", BYTES("\x20\x80\x40\xd9"), 0, {{0, VALUE(1) + 8, 8, "r"}}},
	{"ldr x0, .+16", BYTES("\x80\x00\x00\x58"), 0, {{0, CODE + 16, 8, "r"}}},
	{"ldr q0, .+16", BYTES("\x80\x00\x00\x9c"), 0, {{0, CODE + 16, 16, "r"}}},
	{"ldrsw x0, .+8", BYTES("\x40\x00\x00\x98"), 0, {{0, CODE + 8, 4, "r"}}},
	{"prfm pldl1keep, [x1]: none", BYTES("\x20\x00\x80\xf9"), 0, {{0}}},
	{"ld1 {v0.16b, v1.16b}, [x1], #32", BYTES("\x20\xa0\xdf\x4c"), 0, {{0, VALUE(1), 32, "r"}}},
	{"ld1 {v0.s}[1], [x1]", BYTES("\x20\x90\x40\x0d"), 0, {{0, VALUE(1), 4, "r"}}},
	{"st4 {v0.4s, v1.4s, v2.4s, v3.4s}, [x1]", BYTES("\x20\x08\x00\x4c"), 0,
		{{0, VALUE(1), 64, "w"}}},
	{"ld1r {v0.2d}, [x1], x2", BYTES("\x20\xcc\xc2\x4d"), 0, {{0, VALUE(1), 8, "r"}}},
	{"ldraa x0, [x1]: a signed pointer", BYTES("\x20\x04\x20\xf8"), 0, {{0}}},
	{"dc zva, x0", BYTES("\x20\x74\x0b\xd5"), 0, {{0, VALUE(0), 0, "w"}}},
	{"stg x0, [x1]: tags", BYTES("\x20\x08\x20\xd9"), 0, {{0}}},
	{"ldtr x0, [x1, #8]", BYTES("\x20\x88\x40\xf8"), 0, {{0, VALUE(1) + 8, 8, "r"}}},
	{"ld1d {z0.d}, p0/z, [x1]: what its predicate says", BYTES("\x20\xa0\xe0\xa5"), 0, {{0}}},
};

static void every_form_of_address_of_x86_is_known(void **state)
{
	(void)state;
	operand_rows_check(SD_INSN_DECODE_X86_64, x86, sizeof x86 / sizeof *x86);
}

static void every_form_of_address_of_aarch64_is_known(void **state)
{
	(void)state;
	operand_rows_check(SD_INSN_DECODE_AARCH64, aarch64, sizeof aarch64 / sizeof *aarch64);
}

static void builds_for_these_machines_have_a_decoder(void **state)
{
	(void)state;
#if defined(__x86_64__)
	assert_int_equal(sd_insn_decode_here(), SD_INSN_DECODE_X86_64);
#elif defined(__aarch64__)
	assert_int_equal(sd_insn_decode_here(), SD_INSN_DECODE_AARCH64);
#else
	assert_int_equal(sd_insn_decode_here(), SD_INSN_DECODE_OTHER);
#endif
}

/* As JIT compilers write it: at the beginning of a page, and nobody says where a function starts.
 * The branch back says where an instruction does. */
static void a_loop_at_the_beginning_of_what_there_is_is_whole(void **state)
{
	/* 1: addq $1, (%rdi); subq $1, %rsi; jnz 1b; ret */
	static const unsigned char code[] = {
		0x48, 0x83, 0x07, 0x01, 0x48, 0x83, 0xee, 0x01, 0x75, 0xf6, 0xc3};
	static struct sd_operand_plan p;

	(void)state;
	for (uint64_t ip = 0; ip <= 8; ip += 4) {
		sd_operand_plan_make(
			&p, SD_INSN_DECODE_X86_64, 0x1000, code, sizeof code, 0, 0x1000 + ip);
		assert_int_equal(p.loop, 0x1000);
		assert_int_equal(p.n, 1);
		assert_true(p.operand[0].writes && p.operand[0].size == 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_of_address_of_x86_is_known),
		cmocka_unit_test(every_form_of_address_of_aarch64_is_known),
		cmocka_unit_test(a_loop_at_the_beginning_of_what_there_is_is_whole),
		cmocka_unit_test(builds_for_these_machines_have_a_decoder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
