/*
 * Functions without unwind tables, entered at each of their instructions: where their caller's
 * stack begins, and where what they saved stands.
 */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/code_rows.h"

#define AT UINT64_C(0x401000)

enum { RBX = 3, RBP = 6, RSP = 7, RA = 16 };

struct bytes {
	const unsigned char *code;
	size_t n;
};

static size_t code(void *ctx, uint64_t pc, unsigned char *out, size_t max)
{
	const struct bytes *const b = ctx;
	size_t n = pc >= AT && pc - AT < b->n ? b->n - (size_t)(pc - AT) : 0;

	n = n < max ? n : max;
	memcpy(out, b->code + (n ? pc - AT : 0), n);
	return n;
}

static int row_at(const unsigned char *bytes, size_t n, size_t at, uint64_t end, struct sd_row *row)
{
	struct bytes b = {bytes, n};
	const struct sd_code_rows_from from = {.code = code, .ctx = &b, .end = end};

	return sd_code_rows_row(sd_frame_arch_of(EM_X86_64), &from, AT + at, row);
}

static struct sd_rule rule_of(const struct sd_row *row, unsigned reg)
{
	const struct sd_frame_arch *const a = sd_frame_arch_of(EM_X86_64);

	for (size_t i = 0; i < a->n_kept; i++)
		if (a->kept[i] == reg)
			return row->rule[i];
	fail_msg("register %u is not kept", reg);
	return (struct sd_rule){0};
}

/* saved: where the register stands, from the caller's stack; 0: in the register. */
struct expected {
	size_t at;
	unsigned base;
	int32_t cfa, saved;
};

static void expect(const unsigned char *bytes, size_t n, unsigned reg, const struct expected *e,
	size_t n_expected)
{
	for (size_t i = 0; i < n_expected; i++) {
		struct sd_row row;

		assert_int_equal(row_at(bytes, n, e[i].at, AT + n, &row), 0);
		assert_int_equal(row.cfa.kind, SD_RULE_REG);
		assert_int_equal(row.cfa.reg, e[i].base);
		assert_int_equal(row.cfa.n, e[i].cfa);
		assert_int_equal(rule_of(&row, RA).kind, SD_RULE_AT);
		assert_int_equal(rule_of(&row, RA).n, -8);
		assert_int_equal(rule_of(&row, reg).kind, e[i].saved ? SD_RULE_AT : SD_RULE_SAME);
		assert_int_equal(rule_of(&row, reg).n, e[i].saved);
		assert_int_equal(row.guessed, 1);
	}
}

static void a_frame_is_what_is_taken_off_before_the_return(void **state)
{
	static const unsigned char function[] = {
		0x53,                   /* 0: push rbx */
		0x48, 0x83, 0xec, 0x18, /* 1: sub rsp, 24 */
		0x85, 0xff,             /* 5: test edi, edi */
		0x74, 0x05,             /* 7: je 14 */
		0xe8, 0, 0, 0, 0,       /* 9: call */
		0x48, 0x83, 0xc4, 0x18, /* 14: add rsp, 24 */
		0x5b,                   /* 18: pop rbx */
		0xc3,                   /* 19: ret */
	};
	static const struct expected e[] = {{0, RSP, 8, 0}, {1, RSP, 16, -16}, {5, RSP, 40, -16},
		{7, RSP, 40, -16}, {9, RSP, 40, -16}, {14, RSP, 40, -16}, {18, RSP, 16, -16},
		{19, RSP, 8, 0}};

	(void)state;
	expect(function, sizeof function, RBX, e, sizeof e / sizeof *e);
}

static void a_frame_pointer_says_where_the_frame_is(void **state)
{
	static const unsigned char function[] = {
		0x55,                   /* 0: push rbp */
		0x48, 0x89, 0xe5,       /* 1: mov rbp, rsp */
		0x48, 0x83, 0xec, 0x10, /* 4: sub rsp, 16 */
		0x48, 0x29, 0xc4,       /* 8: sub rsp, rax */
		0x90,                   /* 11: nop */
		0xc9,                   /* 12: leave */
		0xc3,                   /* 13: ret */
	};
	static const struct expected e[] = {
		{11, RBP, 16, -16}, {12, RBP, 16, -16}, {13, RSP, 8, 0}};
	struct sd_row row;

	(void)state;
	expect(function, sizeof function, RBP, e, sizeof e / sizeof *e);
	/* by how much rax moves the stack's end is not known */
	assert_int_equal(row_at(function, sizeof function, 8, 0, &row), -ENOENT);
}

static void a_pointer_that_is_set_on_the_way_is_followed(void **state)
{
	static const unsigned char function[] = {
		0x55,                   /* 0: push rbp */
		0x48, 0x89, 0xe5,       /* 1: mov rbp, rsp */
		0x53,                   /* 4: push rbx */
		0x48, 0x8d, 0x65, 0xf8, /* 5: lea rsp, [rbp - 8] */
		0x5b,                   /* 9: pop rbx */
		0x5d,                   /* 10: pop rbp */
		0xc3,                   /* 11: ret */
	};
	static const struct expected e[] = {{0, RSP, 8, 0}, {1, RSP, 16, -16}, {4, RBP, 16, -16},
		{5, RBP, 16, -16}, {9, RSP, 24, -16}, {10, RSP, 16, -16}, {11, RSP, 8, 0}};

	(void)state;
	expect(function, sizeof function, RBP, e, sizeof e / sizeof *e);
}

/* Nothing but a return is a way out: not a call that never returns, a loop, other bytes. */
static void without_a_return_there_is_no_row(void **state)
{
	static const unsigned char never[] = {0x48, 0x83, 0xec, 0x08, 0xe8, 0, 0, 0, 0, 0xc3},
				   loop[] = {0x90, 0xeb, 0xfd}, trap[] = {0x0f, 0x0b, 0xc3},
				   elsewhere[] = {0xff, 0xe0, 0xc3}, other[] = {0x06, 0xc3},
				   exchanged[] = {0x48, 0x94, 0xc3}, words[] = {0xc2, 0x08, 0x00};
	struct sd_row row;

	(void)state;
	/* its function ends with the call: behind it is another one */
	assert_int_equal(row_at(never, sizeof never, 0, AT + 9, &row), -ENOENT);
	assert_int_equal(row_at(never, sizeof never, 0, 0, &row), 0);
	assert_int_equal(row_at(loop, sizeof loop, 0, 0, &row), -ENOENT);
	assert_int_equal(row_at(trap, sizeof trap, 0, 0, &row), -ENOENT);
	assert_int_equal(row_at(elsewhere, sizeof elsewhere, 0, 0, &row), -ENOENT);
	assert_int_equal(row_at(other, sizeof other, 0, 0, &row), -ENOENT);
	assert_int_equal(row_at(exchanged, sizeof exchanged, 0, 0, &row), -ENOENT);
	assert_int_equal(row_at(words, sizeof words, 0, 0, &row), -ENOENT);
	assert_int_equal(row_at(words, 0, 0, 0, &row), -ENOENT);
}

static void a_branch_is_tried_when_the_way_ends(void **state)
{
	static const unsigned char function[] = {
		0x50,             /* 0: push rax */
		0x74, 0x05,       /* 1: je 8 */
		0xe8, 0, 0, 0, 0, /* 3: call, which does not return */
		0x58,             /* 8: pop rax */
		0xc3,             /* 9: ret */
	};
	static const unsigned char cold[] = {
		0x50,             /* 0: push rax */
		0x75, 0x02,       /* 1: jne 5 */
		0x58,             /* 3: pop rax */
		0xc3,             /* 4: ret */
		0xe8, 0, 0, 0, 0, /* 5: call, the function's end */
	};
	static const struct expected e[] = {{0, RSP, 8, 0}, {1, RSP, 16, 0}, {8, RSP, 16, 0}};
	static const struct expected of_cold[] = {{0, RSP, 8, 0}, {3, RSP, 16, 0}};
	struct sd_row row;

	(void)state;
	expect(function, sizeof function, RBX, e, sizeof e / sizeof *e);
	expect(cold, sizeof cold, RBX, of_cold, sizeof of_cold / sizeof *of_cold);
	assert_int_equal(row_at(cold, sizeof cold, 5, AT + sizeof cold, &row), -ENOENT);
}

/* HotSpot's two forms of it, before a loop that never leads to a return. */
static void without_a_way_to_a_return_the_beginning_tells(void **state)
{
	static const unsigned char pushed[] = {
		0x89, 0x84, 0x24, 0, 0xc0, 0xfe, 0xff, /* 0: mov [rsp-0x14000], eax */
		0x55,                                  /* 7: push rbp */
		0x48, 0x83, 0xec, 0x20,                /* 8: sub rsp, 32 */
		0x90, 0xeb, 0xfe,                      /* 12: nop; 13: jmp 13 */
	};
	static const unsigned char moved[] = {
		0x48, 0x83, 0xec, 0x28,       /* 0: sub rsp, 40 */
		0x48, 0x89, 0x6c, 0x24, 0x20, /* 4: mov [rsp+32], rbp */
		0x90, 0x90, 0x90, 0xeb, 0xfe, /* 9: nop; 12: jmp 12 */
	};
	static const struct {
		const unsigned char *code;
		size_t n, at;
		int32_t cfa; /* 0: there is no row */
	} row[] = {{pushed, sizeof pushed, 12, 48}, {pushed, sizeof pushed, 13, 48},
		{pushed, sizeof pushed, 8, 0}, {moved, sizeof moved, 12, 48},
		{moved, sizeof moved, 0, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct bytes b = {row[i].code, row[i].n};
		struct sd_code_rows_from from = {.code = code, .ctx = &b, .end = AT + b.n};
		struct sd_row out;

		assert_int_equal(
			sd_code_rows_row(sd_frame_arch_of(EM_X86_64), &from, AT + row[i].at, &out),
			-ENOENT);
		from.start = AT;
		assert_int_equal(
			sd_code_rows_row(sd_frame_arch_of(EM_X86_64), &from, AT + row[i].at, &out),
			row[i].cfa ? 0 : -ENOENT);
		if (!row[i].cfa)
			continue;
		assert_int_equal(out.cfa.reg, RSP);
		assert_int_equal(out.cfa.n, row[i].cfa);
		assert_int_equal(rule_of(&out, RA).n, -8);
		assert_int_equal(rule_of(&out, RBP).n, -16);
		assert_int_equal(out.guessed, 1);
	}
}

static void of_another_machine_nothing_is_known(void **state)
{
	static const unsigned char ret[] = {0xc0, 0x03, 0x5f, 0xd6};
	struct bytes b = {ret, sizeof ret};
	const struct sd_code_rows_from from = {.code = code, .ctx = &b};
	struct sd_row row;

	(void)state;
	assert_int_equal(sd_code_rows_row(sd_frame_arch_of(EM_AARCH64), &from, AT, &row), -ENOENT);
	assert_int_equal(sd_code_rows_row(NULL, &from, AT, &row), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_is_what_is_taken_off_before_the_return),
		cmocka_unit_test(a_frame_pointer_says_where_the_frame_is),
		cmocka_unit_test(a_pointer_that_is_set_on_the_way_is_followed),
		cmocka_unit_test(without_a_return_there_is_no_row),
		cmocka_unit_test(a_branch_is_tried_when_the_way_ends),
		cmocka_unit_test(without_a_way_to_a_return_the_beginning_tells),
		cmocka_unit_test(of_another_machine_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
