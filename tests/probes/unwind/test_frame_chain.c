/*
 * Stacks made up of frames that keep their pointer, leave it alone or use it for something else,
 * copied up to anywhere, with the chain that the kernel would read of them.
 */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/unwind.h"

#define WORDS 4096u
#define BASE UINT64_C(0x7ffe00000000) /* of the memory that the stack is in */
#define CODE UINT64_C(0x400000)
#define CODE_EACH 256u
#define FUNCTIONS 64u
#define FRAMES 40u
#define CHAIN 127u

/* DWARF's numbers */
enum { RBP = 6, RSP = 7, RA = 16 };

/* START: the outermost. */
enum kind { POINTER, PLAIN, OTHER, START, BARE };

struct world {
	struct {
		enum kind kind;
		uint32_t locals; /* words */
	} function[FUNCTIONS];
	struct sd_row row;
	struct sd_unwind_rows rows;
	uint64_t word[WORDS], sp, rbp;
	uint64_t pc[FRAMES], slot[FRAMES]; /* innermost first; where its return address stands */
	unsigned of[FRAMES];
	size_t n;
	uint64_t chain[CHAIN];
	size_t n_chain;
	uint32_t random;
};

static uint32_t rnd(struct world *w)
{
	w->random = w->random * 1664525u + 1013904223u;
	return w->random >> 8;
}

static void set_rule(struct world *w, unsigned reg, enum sd_rule_kind kind, int32_t n)
{
	for (size_t i = 0; i < w->rows.arch->n_kept; i++)
		if (w->rows.arch->kept[i] == reg)
			w->row.rule[i] = (struct sd_rule){.kind = (uint16_t)kind, .n = n};
}

/* The row that a compiler gives for a function behind its prologue. */
static int row(void *ctx, uint64_t pc, int returns, const struct sd_unwind_rows **cfi,
	const struct sd_row **out)
{
	struct world *const w = ctx;
	const uint64_t f = (pc - (uint64_t)returns - CODE) / CODE_EACH;
	const int32_t locals = f < FUNCTIONS ? (int32_t)(8 * w->function[f].locals) : 0;

	if (pc < CODE || f >= FUNCTIONS)
		return -ENOENT;
	if (w->function[f].kind == BARE)
		return 0;
	w->row = (struct sd_row){.cfa = {.kind = SD_RULE_REG, .reg = RSP, .n = locals + 8}};
	set_rule(w, RSP, SD_RULE_IS, 0);
	set_rule(w, RA, w->function[f].kind == START ? SD_RULE_UNKNOWN : SD_RULE_AT, -8);
	if (w->function[f].kind == POINTER)
		w->row.cfa = (struct sd_rule){.kind = SD_RULE_REG, .reg = RBP, .n = 16};
	if (w->function[f].kind == OTHER)
		w->row.cfa.n = locals + 16;
	if (w->function[f].kind == POINTER || w->function[f].kind == OTHER)
		set_rule(w, RBP, SD_RULE_AT, -16);
	*cfi = &w->rows;
	*out = &w->row;
	return 1;
}

static int follows_call(void *ctx, uint64_t pc)
{
	(void)ctx;
	return pc >= CODE && pc < CODE + (uint64_t)FUNCTIONS * CODE_EACH;
}

static void push(struct world *w, uint64_t value)
{
	w->sp -= 8;
	w->word[(w->sp - BASE) / 8] = value;
}

/* A frame, called from `back`; its own address. */
static uint64_t call(struct world *w, unsigned f, uint64_t back)
{
	const enum kind kind = w->function[f].kind;

	memmove(w->pc + 1, w->pc, w->n * sizeof *w->pc);
	memmove(w->slot + 1, w->slot, w->n * sizeof *w->slot);
	memmove(w->of + 1, w->of, w->n * sizeof *w->of);
	push(w, back);
	w->slot[0] = w->sp;
	if (kind == POINTER || kind == OTHER || kind == BARE)
		push(w, w->rbp);
	if (kind == POINTER || kind == BARE)
		w->rbp = w->sp;
	if (kind == OTHER) /* a number, or something on the stack */
		w->rbp = rnd(w) % 2 ? rnd(w) : w->sp + 8 * (rnd(w) % 64);
	for (uint32_t i = 0; i < w->function[f].locals; i++)
		push(w, rnd(w));
	w->of[0] = f;
	w->pc[0] = CODE + (uint64_t)f * CODE_EACH + 1 + rnd(w) % (CODE_EACH - 2);
	w->n++;
	return w->pc[0];
}

/* perf_callchain_user() */
static void read_chain(struct world *w)
{
	uint64_t fp = w->rbp;

	w->n_chain = 0;
	w->chain[w->n_chain++] = w->pc[0];
	while (w->n_chain < CHAIN && fp >= BASE && fp % 8 == 0 && fp + 16 <= BASE + 8 * WORDS) {
		w->chain[w->n_chain++] = w->word[(fp - BASE) / 8 + 1];
		fp = w->word[(fp - BASE) / 8];
	}
}

/* `kinds`: those that frames have, but for the outermost. */
static void make(struct world *w, uint32_t seed, const enum kind *kinds, size_t n_kinds)
{
	uint64_t pc = 0;

	memset(w, 0, sizeof *w);
	w->random = seed;
	w->rows.arch = sd_frame_arch_of(EM_X86_64);
	for (unsigned f = 0; f < FUNCTIONS; f++) {
		w->function[f].kind = f ? kinds[rnd(w) % n_kinds] : START;
		w->function[f].locals = rnd(w) % 24;
	}
	w->sp = BASE + 8 * (WORDS - 8);
	for (size_t i = 0; i < FRAMES; i++) /* some of them recursive */
		pc = call(w, i ? 1 + rnd(w) % (i % 3 ? FUNCTIONS - 1 : 3) : 0, pc);
	read_chain(w);
}

static size_t unwind(struct world *w, size_t bytes, size_t n_chain, uint64_t pc[FRAMES + 1],
	struct sd_unwound *how)
{
	const struct sd_codemap map = {
		.arch = w->rows.arch, .row = row, .follows_call = follows_call, .ctx = w};
	struct sd_regs regs = {0};
	const struct sd_unwind_from from = {.regs = &regs,
		.stack = {.byte = (const unsigned char *)&w->word[(w->sp - BASE) / 8],
			.at = w->sp,
			.size = bytes},
		.pointed = w->chain,
		.n_pointed = n_chain};

	regs.reg[map.arch->perf[RBP]] = w->rbp;
	regs.reg[map.arch->perf[RSP]] = w->sp;
	regs.reg[map.arch->pc] = w->pc[0];
	regs.mask = UINT64_C(1) << map.arch->perf[RBP] | UINT64_C(1) << map.arch->perf[RSP] |
		    UINT64_C(1) << map.arch->pc;
	return sd_unwind(&map, &from, pc, FRAMES + 1, how);
}

static size_t depth(const struct world *w)
{
	return (size_t)(BASE + 8 * WORDS - w->sp);
}

/* Frames that are known by a copy of so many bytes, and then by frame pointers. */
static size_t known(const struct world *w, size_t bytes)
{
	size_t k = 0;
	int right = 1;

	for (; k + 1 < w->n && w->slot[k] + 8 <= w->sp + bytes; k++)
		right &= w->function[w->of[k]].kind != OTHER;
	while (right && k + 1 < w->n &&
		(w->function[w->of[k]].kind == POINTER || w->function[w->of[k]].kind == BARE))
		k++;
	return k + 1;
}

static void check(struct world *w, size_t bytes)
{
	uint64_t pc[FRAMES + 1], without[FRAMES + 1];
	struct sd_unwound how, alone;
	const size_t n = unwind(w, bytes, w->n_chain, pc, &how);
	const size_t n_without = unwind(w, bytes, 0, without, &alone);

	assert_int_equal(n, known(w, bytes));
	assert_memory_equal(pc, w->pc, n * sizeof *pc);
	assert_int_equal(how.whole, n == w->n ? 1 : -ERANGE);
	assert_int_equal(how.inside, n_without);
	assert_memory_equal(without, w->pc, n_without * sizeof *without);
}

static void frames_that_keep_pointers_need_no_copy(void **state)
{
	static const enum kind kinds[] = {POINTER};
	struct world w;

	(void)state;
	for (uint32_t seed = 1; seed < 20; seed++) {
		make(&w, seed, kinds, 1);
		for (size_t bytes = 8; bytes <= depth(&w); bytes += 8) {
			check(&w, bytes);
			assert_int_equal(known(&w, bytes), w.n);
		}
	}
}

/* The frames shown are right; and they are all that can be known. */
static void of_mixed_frames_as_much_is_shown_as_is_known(void **state)
{
	static const enum kind kinds[] = {POINTER, POINTER, POINTER, POINTER, PLAIN, BARE, OTHER};
	struct world w;
	size_t more = 0, cut = 0;

	(void)state;
	for (size_t n = 2; n <= sizeof kinds / sizeof *kinds; n++)
		for (uint32_t seed = 1; seed < 20; seed++) {
			make(&w, seed, kinds, n);
			for (size_t bytes = 8; bytes <= depth(&w); bytes += 8) {
				check(&w, bytes);
				cut += known(&w, bytes) < w.n;
				more += known(&w, bytes) == w.n;
			}
		}
	assert_true(more > 0 && cut > 0);
}

static void a_chain_that_disagrees_is_not_followed(void **state)
{
	static const enum kind kinds[] = {POINTER};
	uint64_t pc[FRAMES + 1];
	struct sd_unwound how;
	struct world w;
	size_t inside;

	(void)state;
	make(&w, 7, kinds, 1);
	/* within the copy, of the innermost three frames */
	w.chain[2] ^= 2;
	assert_int_equal(unwind(&w, (size_t)(w.slot[2] + 8 - w.sp), w.n_chain, pc, &how), 4);
	assert_int_equal(how.whole, -ERANGE);
	/* its first is not where the thread was */
	make(&w, 7, kinds, 1);
	inside = unwind(&w, 8, 0, pc, &how);
	assert_int_equal(unwind(&w, 8, w.n_chain, pc, &how), w.n);
	w.chain[0]++;
	assert_int_equal(unwind(&w, 8, w.n_chain, pc, &how), inside);
	assert_int_equal(how.whole, -ERANGE);
}

static void a_chain_that_ends_leaves_the_stack_cut(void **state)
{
	static const enum kind kinds[] = {POINTER};
	uint64_t pc[FRAMES + 1];
	struct sd_unwound how;
	struct world w;

	(void)state;
	make(&w, 9, kinds, 1);
	for (size_t n = 2; n < w.n; n++) {
		/* the copy ends at once, where the innermost has no more than its locals */
		const size_t bytes = 8;
		const size_t inside = unwind(&w, bytes, 0, pc, &how);
		const size_t most = n > inside ? n : inside;

		assert_int_equal(unwind(&w, bytes, n, pc, &how), most);
		assert_int_equal(how.whole, -ERANGE);
		assert_memory_equal(pc, w.pc, most * sizeof *pc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_that_keep_pointers_need_no_copy),
		cmocka_unit_test(of_mixed_frames_as_much_is_shown_as_is_known),
		cmocka_unit_test(a_chain_that_disagrees_is_not_followed),
		cmocka_unit_test(a_chain_that_ends_leaves_the_stack_cut),
	};

	return cmocka_run_group_tests_name("probes/unwind/frame_chain", tests, NULL, NULL);
}
