/* The plugin's smaller parts: options, decoding, the directory, loops. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "guest/guest_calls.h"
#include "model/cache.h"
#include "model/directory.h"
#include "guest/loops.h"
#include "plugin/basic_blocks.h"
#include "threads/guest_thread.h"
#include "model/plugin_options.h"

static void options_are_taken(void **state)
{
	static const char *const rows[] = {"out=/tmp/x", "name=EPYC Genoa", "cores=96",
		"l1=49152:12", "l2=2097152:16:1", "llc=33554432:16:8:1", "dtlb=96:6",
		"stlb=2048:16", "page=2097152", "adjacent=1", "latency=14:60:300:120:8:40",
		"window=50000", "from=5", "for_ms=200", "function=kernel"};
	struct sim_options o;
	char why[160];

	(void)state;
	sim_options_default(&o);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (sim_options_take(&o, rows[i], why, sizeof why))
			fail_msg("%s: %s", rows[i], why);
	assert_true(o.machine.cores == 96 && o.machine.l1.ways == 12 && o.machine.l2.inclusive);
	assert_true(o.machine.llc.sharers == 8 && o.machine.llc.inclusive);
	assert_true(o.latency.walk == 40 && o.from == 5 && o.count_ms == 200);
	o.machine.dtlb_ways = 6;
	assert_int_equal(sim_options_check(&o, why, sizeof why), 0);
	assert_int_equal(sim_options_take(&o, "share=10", why, sizeof why), 0);
	assert_int_equal(sim_options_check(&o, why, sizeof why), -EINVAL); /* share of a part */
	assert_non_null(strstr(why, "share"));
}

static void absurd_options_are_refused_and_named(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {{"", "is not NAME=VALUE"}, {"cores", "is not NAME=VALUE"},
		{"cores=", "cores: "}, {"cores=0", "cores: "}, {"cores=1025", "cores: "},
		{"cores=-1", "cores: "}, {"cores=1x", "cores: "}, {"cores=1:2", "cores: "},
		{"l1=32768", "l1: "}, {"l1=32768:0", "l1: "}, {"l1=99999999999999:8", "l1: "},
		{"l1=18446744073709551616:8", "l1: "}, {"l1=32768:8:2", "l1: "},
		{"llc=32768:8:2000", "llc: "}, {"line=128", "line: "}, {"line=8", "line: "},
		{"page=1", "page: "}, {"adjacent=2", "adjacent: "}, {"latency=1:2", "latency: "},
		{"window=1", "window: "}, {"share=0", "share: "}, {"share=51", "share: "},
		{"name=a\nb", "name: "}, {"out=", "out: "},
		{"colour=red", "there is no option \"colour\""}};
	struct sim_options o;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char why[160] = "";

		sim_options_default(&o);
		assert_int_equal(sim_options_take(&o, rows[i].text, why, sizeof why), -EINVAL);
		if (!strstr(why, rows[i].why))
			fail_msg("\"%s\" says \"%s\"", rows[i].text, why);
	}
}

static void geometry_that_has_no_sets_is_refused(void **state)
{
	static const char *const rows[] = {"l1=32768:7", "l1=24576:8", "l1=0:8", "l2=1000:8",
		"llc=100000:3", "dtlb=64:5", "stlb=96:4", "page=8192", "line=48"};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sim_options o;
		char why[160] = "";

		sim_options_default(&o);
		assert_int_equal(sim_options_take(&o, "out=/tmp/x", why, sizeof why), 0);
		assert_int_equal(sim_options_check(&o, why, sizeof why), 0);
		assert_int_equal(sim_options_take(&o, rows[i], why, sizeof why), 0);
		if (sim_options_check(&o, why, sizeof why) != -EINVAL || !why[0])
			fail_msg("%s was taken", rows[i]);
	}
}

static void system_calls_that_block_leave_the_window(void **state)
{
	(void)state;
	/* futex: wait blocks, wake does not; both order */
	assert_int_equal(sim_call_flags(SD_INSN_DECODE_X86_64, 202, 0, 128),
		SIM_CALL_ORDERS | SIM_CALL_FUTEX | 1 << 17);
	assert_true(sim_call_flags(SD_INSN_DECODE_X86_64, 202, 0, 129) & SIM_CALL_BRIEF);
	assert_true(sim_call_flags(SD_INSN_DECODE_X86_64, 202, 0, 129) & SIM_CALL_WAKE);
	assert_false(sim_call_flags(SD_INSN_DECODE_X86_64, 202, 0, 128) & SIM_CALL_WAKE);
	assert_false(sim_call_flags(SD_INSN_DECODE_X86_64, 202, 0, 137) & SIM_CALL_BRIEF);
	assert_true(sim_call_flags(SD_INSN_DECODE_AARCH64, 220, 0x3d0f00, 0) & SIM_CALL_THREAD);
	assert_false(sim_call_flags(SD_INSN_DECODE_X86_64, 56, 0x1200011, 0) & SIM_CALL_THREAD);
	assert_int_equal(sim_call_flags(SD_INSN_DECODE_X86_64, 0, 0, 0), 0);
	assert_int_equal(sim_call_flags(SD_INSN_DECODE_OTHER, 202, 0, 0), 0);
}

static void the_directory_holds_what_was_put_in(void **state)
{
	enum { LINES = 3000, STEPS = 200000 };
	static unsigned char there[LINES];
	struct sim_directory d;
	unsigned seed = 1;

	(void)state;
	assert_int_equal(sim_directory_open(&d), 0);
	for (int i = 0; i < STEPS; i++) {
		uint64_t line;
		struct sim_holder *h;

		seed = seed * 1664525 + 1013904223;
		line = seed >> 8 & 0xffff;
		line = line % LINES * 4096; /* many that share their low bits */
		h = sim_directory_find(&d, line);
		assert_int_equal(h != NULL, there[line / 4096]);
		if (h && seed >> 30)
			sim_directory_drop(&d, h);
		else
			assert_non_null(sim_directory_get(&d, line));
		there[line / 4096] = !(h && seed >> 30);
	}
	sim_directory_close(&d);
}

static void a_directory_of_more_slots_holds_the_same(void **state)
{
	enum { LINES = 3000, SLOT = 200 };
	struct sim_directory d;

	(void)state;
	assert_int_equal(sim_directory_open(&d), 0);
	for (unsigned i = 0; i < LINES; i++) {
		struct sim_holder *const h = sim_directory_get(&d, i);

		assert_non_null(h);
		sim_holder_add(h, 1 + i % 2, i % 64);
		h->owner = (uint16_t)(i % 64);
	}
	assert_int_equal(sim_directory_widen(&d, 63), 0); /* there is room for that */
	assert_int_equal(sim_directory_widen(&d, SLOT), 0);
	for (unsigned i = 0; i < LINES; i += 3)
		sim_holder_add(sim_directory_get(&d, i), 2, SLOT);
	for (unsigned i = 0; i < LINES; i++) {
		const struct sim_holder *const h = sim_directory_find(&d, i);

		assert_non_null(h);
		assert_int_equal(h->owner, i % 64);
		assert_int_equal(sim_holder_has(h, 2, SLOT), i % 3 == 0);
		for (unsigned slot = 0; slot < 64; slot++) {
			assert_int_equal(sim_holder_has(h, 1, slot), i % 2 == 0 && slot == i % 64);
			assert_int_equal(sim_holder_has(h, 2, slot), i % 2 == 1 && slot == i % 64);
		}
	}
	sim_directory_close(&d);
}

static void trip_counts_are_exact(void **state)
{
	/* 0x10: before the loop, and its first iteration; 0x20..0x30: the head, when jumped back
	 * to; an inner loop at 0x30..0x40 and the latch at 0x40..0x50 */
	struct sim_block b[] = {
		{.start = 0x10, .end = 0x30, .n_ins = 8, .each = {.bytes = 8}},
		{.start = 0x20, .end = 0x30, .n_ins = 4, .each = {.bytes = 8}},
		{.start = 0x30, .end = 0x40, .n_ins = 4, .each = {.bytes = 16}},
		{.start = 0x40, .end = 0x50, .n_ins = 4},
	};
	const struct sim_block *const blocks[] = {&b[0], &b[1], &b[2], &b[3]};
	const struct sim_block_count counts[] = {
		{.runs = 3},                                            /* entered three times */
		{.runs = 27, .back = 27, .latch = 0x50, .moved = 2},    /* ten iterations each */
		{.runs = 300, .back = 270, .latch = 0x40, .moved = 10}, /* ten each of those */
		{.runs = 30},
	};
	struct sim_loop l[4];

	(void)state;
	assert_int_equal(sim_loops_find(blocks, counts, 4, 0, l, 4), 2);
	assert_true(l[0].head == 0x20 && l[0].end == 0x50);
	assert_true(l[0].entries == 3 && l[0].iterations == 30);
	assert_true(l[0].instructions == 27 * 4 + 300 * 4 + 30 * 4 && l[0].lines == 12);
	assert_true(l[1].head == 0x30 && l[1].end == 0x40);
	assert_true(l[1].entries == 30 && l[1].iterations == 300);
	assert_true(l[1].bytes == 4800);
	assert_int_equal(sim_loops_find(blocks, counts, 4, 0, l, 1), 1);
	assert_true(l[0].head == 0x20);
}

/* A block that is jumped into is two; one that was cut short, as at a page's end, goes on. */
static void a_basic_block_runs_as_often_as_all_that_run_through_it(void **state)
{
	struct sim_ins ins[] = {{.pc = 0x10}, {.pc = 0x14}, {.pc = 0x18}, {.pc = 0x1c}};
	struct sim_block b[] = {
		{.start = 0x10, .end = 0x20, .n_ins = 4, .ins = ins},
		{.start = 0x18, .end = 0x20, .n_ins = 2, .ins = ins + 2},
		{.start = 0x18, .end = 0x1c, .n_ins = 1, .ins = ins + 2},
		{.start = 0x80, .end = 0x90, .n_ins = 4, .ins = ins}, /* never run */
	};
	const struct sim_block *const blocks[] = {&b[0], &b[1], &b[2], &b[3]};
	const struct sim_block_count counts[] = {{.runs = 10}, {.runs = 90}, {.runs = 7}, {0}};
	struct sim_basic out[8];

	(void)state;
	assert_int_equal(sim_basic_find(blocks, counts, 4, out, 8), 3);
	assert_true(out[0].start == 0x18 && out[0].end == 0x1c);
	assert_true(out[0].runs == 107 && out[0].instructions == 1);
	assert_true(out[1].start == 0x1c && out[1].end == 0x20);
	assert_true(out[1].runs == 100 && out[1].instructions == 1);
	assert_true(out[2].start == 0x10 && out[2].end == 0x18);
	assert_true(out[2].runs == 10 && out[2].instructions == 2);
	assert_int_equal(sim_basic_find(blocks, counts, 4, out, 1), 1);
	assert_true(out[0].runs == 107);
	assert_int_equal(sim_basic_find(blocks, counts, 0, out, 8), 0);
}

/* As compilers write `for`: a jump to the condition at its end, from where the body is jumped to. A
 * jump out of the body does not come to the condition. */
static void a_loop_that_is_entered_at_its_condition_is_entered(void **state)
{
	struct sim_block b[] = {
		{.start = 0x10, .end = 0x18, .jumps = 0x38},
		{.start = 0x20, .end = 0x30, .n_ins = 4}, /* body, and a jump out of it */
		{.start = 0x30, .end = 0x40, .n_ins = 4}, /* its rest, and the condition */
		{.start = 0x38, .end = 0x40, .n_ins = 2},
	};
	const struct sim_block *const blocks[] = {&b[0], &b[1], &b[2], &b[3]};
	const struct sim_block_count counts[] = {
		{.runs = 5}, {.runs = 100, .back = 100, .latch = 0x40}, {.runs = 98}, {.runs = 5}};
	struct sim_loop l[4];

	(void)state;
	assert_int_equal(sim_loops_find(blocks, counts, 4, 0, l, 4), 1);
	assert_true(l[0].entries == 5 && l[0].iterations == 100);
	b[0].jumps =
		0; /* as a jump that depends, or from elsewhere: the two that left are missed */
	assert_int_equal(sim_loops_find(blocks, counts, 4, 0, l, 4), 1);
	assert_true(l[0].entries == 3 && l[0].iterations == 100);
}

/* Code behind a jump back to what comes after it, once a call: it is no loop. */
static void what_is_jumped_back_to_and_never_entered_is_no_loop(void **state)
{
	struct sim_block b[] = {{.start = 0x20, .end = 0x28}, {.start = 0x40, .end = 0x48}};
	const struct sim_block *const blocks[] = {&b[0], &b[1]};
	const struct sim_block_count counts[] = {
		{.runs = 80, .back = 80, .latch = 0x48}, {.runs = 80}};
	struct sim_loop l[4];

	(void)state;
	assert_int_equal(sim_loops_find(blocks, counts, 2, 0, l, 4), 0);
	/* in a part it may be one that had begun before */
	assert_int_equal(sim_loops_find(blocks, counts, 2, 1, l, 4), 1);
	assert_true(l[0].entries == 0 && l[0].iterations == 80);
}

/* Sizes that are no power of two, as those of the last level of servers: found without a division.
 */
static void a_line_is_in_the_set_that_a_division_says(void **state)
{
	static const uint64_t sets[] = {1, 2, 3, 5, 12288, 36864, 491520, 524288, 524287};
	static const uint64_t beside[] = {0, 1, 2, 491519, UINT32_MAX, 1ull << 42, UINT64_MAX >> 6};

	(void)state;
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
		struct sim_cache c;

		assert_int_equal(sim_cache_open(&c, sets[i] * 64, 1, 64), 0);
		for (size_t k = 0; k < sizeof beside / sizeof *beside; k++)
			for (uint64_t d = 0; d < 3; d++) {
				/* around a multiple of the sets, where a quotient is wrong first */
				const uint64_t line =
					beside[k] / sets[i] * sets[i] + d - (beside[k] > sets[i]);

				assert_int_equal(sim_cache_set_number(&c, line), line % sets[i]);
			}
		sim_cache_close(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_taken),
		cmocka_unit_test(absurd_options_are_refused_and_named),
		cmocka_unit_test(geometry_that_has_no_sets_is_refused),
		cmocka_unit_test(system_calls_that_block_leave_the_window),
		cmocka_unit_test(a_line_is_in_the_set_that_a_division_says),
		cmocka_unit_test(the_directory_holds_what_was_put_in),
		cmocka_unit_test(a_directory_of_more_slots_holds_the_same),
		cmocka_unit_test(trip_counts_are_exact),
		cmocka_unit_test(a_basic_block_runs_as_often_as_all_that_run_through_it),
		cmocka_unit_test(a_loop_that_is_entered_at_its_condition_is_entered),
		cmocka_unit_test(what_is_jumped_back_to_and_never_entered_is_no_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
