/* Which touches of lines met another thread's: by when they were, and what others did then. */
#include "probes/native/made_touches.h"

static void neighbours_in_a_line_meet_on_different_bytes(void **state)
{
	const struct counts c = side_by_side(LINE, LINE + 8, 1, 1);

	(void)state;
	assert_true(c.met >= 198);
	assert_int_equal(c.same, 0);
	assert_int_equal(c.unsure + c.pair, 200 - c.met - c.alone);
}

static void one_word_is_met_on_the_same_bytes(void **state)
{
	const struct counts c = side_by_side(LINE, LINE, 1, 1);

	(void)state;
	assert_true(c.met >= 198);
	assert_int_equal(c.same, c.met);
}

static void a_writer_and_a_reader_meet(void **state)
{
	const struct counts c = side_by_side(LINE, LINE + 8, 1, 0);

	(void)state;
	assert_true(c.met >= 198);
	assert_int_equal(c.same, 0);
}

/* A write behind a branch that no sample says was taken: the line may be read by all, and no more.
 */
static void writes_that_may_be_skipped_prove_no_turns(void **state)
{
	struct sd_sample_touches t = {0};
	struct counts c;

	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		const struct sd_touch_sample s = {
			.time = i * 5 * MS / 2 + 1000, .thread = 1, .seconds = .0025f};
		const struct sd_touch like = {.sure = 0};

		touch(&t, i * 5 * MS / 2, 0, LINE, 8, 0);
		assert_true(sd_sample_touches_begin(&t, &s) >= 0);
		assert_int_equal(sd_sample_touches_add(&t, 1, LINE, 8, 0, 1, &like), 0);
	}
	c = judged(&t);
	assert_int_equal(c.met, 0);
	assert_true(c.unsure >= 198);
}

static void lines_of_a_pair_meet_as_a_pair_only(void **state)
{
	const struct counts c = side_by_side(LINE, LINE + 64, 1, 1);

	(void)state;
	assert_true(c.pair >= 198);
	assert_int_equal(c.met, 0);
}

/* One thread alone touches it, beside pages of others: it is in front, where it is summed up. */
static void an_atomic_access_that_lies_in_two_lines_is_brought_forward(void **state)
{
	const struct sd_touch_sample s = {.seconds = .0025f};
	const struct sd_touch like = {.sure = 1, .locked = 1, .split = 1};
	struct sd_sample_touches t = {0};

	(void)state;
	touch(&t, 0, 1, LINE + 0x10000, 8, 1);
	assert_true(sd_sample_touches_begin(&t, &s) >= 0);
	assert_int_equal(sd_sample_touches_add(&t, 1, LINE + 60, 8, 1, 1, &like), 0);
	assert_int_equal(t.n, 3);
	assert_int_equal(sd_line_turns_find(&t, WINDOW), 1);
	assert_int_equal(t.touch[0].line, LINE);
	assert_int_equal(t.touch[0].split, 1);
	/* the line that it ends in is not told again */
	assert_int_equal(t.touch[1].split + t.touch[2].split, 0);
	sd_sample_touches_free(&t);
}

static void lines_two_apart_are_alone(void **state)
{
	const struct counts c = side_by_side(LINE, LINE + 128, 1, 1);

	(void)state;
	assert_int_equal(c.alone, 200);
}

/* However near the last access of the one is to the first of the next. */
static void a_buffer_that_is_handed_on_is_private(void **state)
{
	struct sd_sample_touches t = {0};
	struct counts c;

	(void)state;
	for (uint64_t i = 0; i < 300; i++)
		touch(&t, i * 5 * MS / 2, (uint32_t)(i / 100), LINE, 64, 1);
	c = judged(&t);
	assert_int_equal(c.alone, 300);
}

/* As above, but the reader holds it for a second before the writer has it back. */
static void turns_of_long_stretches_are_private(void **state)
{
	struct sd_sample_touches t = {0};
	struct counts c;

	(void)state;
	for (uint64_t i = 0; i < 1200; i++)
		touch(&t, i * 5 * MS / 2, i / 400 % 2 != 0, LINE, 64, i / 400 % 2 == 0);
	c = judged(&t);
	assert_int_equal(c.met, 0);
	assert_int_equal(c.alone, 1200);
}

/* The main thread writes before the others begin, and reads what they wrote when they are done. */
static void what_is_set_up_and_summed_up_is_private(void **state)
{
	struct sd_sample_touches t = {0};
	struct counts c;

	(void)state;
	for (uint64_t i = 0; i < 4; i++)
		touch(&t, i * 5 * MS / 2, 0, LINE + 8 * i, 8, 1);
	for (uint64_t i = 4; i < 200; i++) { /* they read it all the time */
		touch(&t, i * 5 * MS / 2, 1, LINE, 8, 0);
		touch(&t, i * 5 * MS / 2 + 1000, 2, LINE + 8, 8, 0);
	}
	for (uint64_t i = 200; i < 204; i++)
		touch(&t, i * 5 * MS / 2, 0, LINE + 8 * (i - 200), 8, 0);
	c = judged(&t);
	assert_int_equal(c.met, 0);
	assert_int_equal(c.unsure, 0);
}

/* Memory that each of many short threads gets in turn: stacks, blocks freed and used again. */
static void memory_used_again_is_private(void **state)
{
	struct sd_sample_touches t = {0};
	struct counts c;

	(void)state;
	for (uint64_t i = 0; i < 200; i++)
		touch(&t, i * 5 * MS / 2, (uint32_t)(i / 2), LINE, 64, 1);
	c = judged(&t);
	assert_int_equal(c.alone, 200);
}

static void turns_further_apart_are_unsure(void **state)
{
	struct sd_sample_touches t = {0};
	struct counts c;

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		touch(&t, i * 15 * MS, i % 2 != 0, LINE, 8, 1);
	c = judged(&t);
	assert_int_equal(c.met, 0);
	assert_true(c.unsure >= 98);
}

/* A table that all write to at random: no line is seen twice, but their pages are. */
static void a_line_seen_once_among_others_writes_is_unsure(void **state)
{
	struct sd_sample_touches t = {0};
	struct counts c;

	(void)state;
	for (uint64_t i = 0; i < 64; i++)
		touch(&t, i * 5 * MS / 4, i % 2 != 0, LINE + (i * 37 % 64) * 64, 8, 1);
	c = judged(&t);
	assert_int_equal(c.met, 0);
	assert_true(c.unsure >= 62);
}

/* Each its own half of an array, by pages. */
static void streams_of_parts_are_private(void **state)
{
	struct sd_sample_touches t = {0};
	struct counts c;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		touch(&t, i * 5 * MS / 2, 0, 0x100000 + i * 512, 8, 1);
		touch(&t, i * 5 * MS / 2 + 1000, 1, 0x900000 + i * 512, 8, 1);
	}
	c = judged(&t);
	assert_int_equal(c.alone, 2000);
}

static void processes_have_lines_of_their_own_unless_they_map_the_same(void **state)
{
	struct sd_sample_touches t = {0};
	const struct sd_touch like = {.sure = 1};
	struct counts c;

	(void)state;
	for (uint64_t i = 0; i < 200; i++) {
		const struct sd_touch_sample s = {.time = i * 5 * MS / 2, .thread = i % 2 != 0};

		assert_true(sd_sample_touches_begin(&t, &s) >= 0);
		assert_int_equal(sd_sample_touches_add(&t, 1 + i % 2, LINE, 8, 1, 1, &like), 0);
		assert_int_equal(sd_sample_touches_add(&t, 9, LINE, 8, 1, 1, &like), 0);
	}
	c = judged(&t);
	assert_true(c.met >= 198);
	assert_true(c.alone >= 200 && c.met + c.alone == 400);
}

/* Two threads that count in bins of a shared table, at random: they seldom use the same bin in the
 * same moment, and yet share all. */
static void bins_that_all_use_are_the_same_bytes(void **state)
{
	struct sd_sample_touches t = {0};
	struct counts c;

	(void)state;
	for (uint64_t i = 0; i < 400; i++) {
		touch(&t, i * 5 * MS / 2, 0, LINE + 8 * (i * 5 % 8), 8, 1);
		touch(&t, i * 5 * MS / 2 + 1000, 1, LINE + 8 * (i * 3 / 2 % 8), 8, 1);
	}
	c = judged(&t);
	assert_true(c.met >= 798);
	assert_int_equal(c.same, c.met);
}

/* One who looks at the counters of all now and then does not make them shared. */
static void a_rare_reader_of_all_counters_changes_nothing(void **state)
{
	struct sd_sample_touches t = {0};
	struct counts c;

	(void)state;
	for (uint64_t i = 0; i < 400; i++) {
		touch(&t, i * 5 * MS / 2, 0, LINE, 8, 1);
		touch(&t, i * 5 * MS / 2 + 1000, 1, LINE + 8, 8, 1);
		if (i % 50 == 0)
			touch(&t, i * 5 * MS / 2 + 2000, 2, LINE, 16, 0);
	}
	c = judged(&t);
	assert_true(c.met >= 798);
	assert_int_equal(c.same, 0);
}

static void a_locks_word_is_told_from_its_neighbours(void **state)
{
	struct sd_sample_touches t = {0};
	struct sd_key_table words = {0};

	(void)state;
	*sd_key_table_add(&words, 1, LINE / 8 + 2 + 1) = 1;
	touch(&t, 0, 0, LINE + 8, 8, 1);
	touch(&t, 1, 0, LINE + 20, 4, 1);
	touch(&t, 2, 0, LINE + 24, 8, 1);
	sd_sample_touches_mark(&t, &words);
	assert_int_equal(t.touch[0].lock, 0);
	assert_int_equal(t.touch[1].lock, 1);
	assert_int_equal(t.touch[2].lock, 0);
	sd_key_table_free(&words);
	sd_sample_touches_free(&t);
}

/* Two threads that take one lock, or each a lock of its own: the words of one line are locks that
 * somebody waits for in the first case alone. */
static void locks_of_one_line_that_nobody_shares_are_neighbours(void **state)
{
	(void)state;
	for (unsigned apart = 0; apart < 2; apart++) {
		struct sd_sample_touches t = {0};
		struct sd_key_table words = {0};
		unsigned locks = 0;
		long n;

		for (uint64_t i = 0; i < 200; i++) {
			const struct sd_touch_sample s = {.time = i * 5 * MS / 4,
				.thread = (uint32_t)i % 2,
				.seconds = .0025f,
				.takes = 1};
			const struct sd_touch like = {.sure = 1, .locked = 1};

			assert_true(sd_sample_touches_begin(&t, &s) >= 0);
			assert_int_equal(sd_sample_touches_add(
						 &t, 1, LINE + i % 2 * apart * 8, 1, 1, 1, &like),
				0);
		}
		n = sd_line_turns_find(&t, WINDOW);
		assert_true(n > 0);
		assert_int_equal(sd_sample_touches_taken(&t, (size_t)n, &words), 0);
		sd_sample_touches_mark(&t, &words);
		for (size_t i = 0; i < t.n; i++)
			locks += t.touch[i].lock;
		assert_int_equal(locks > 0, !apart);
		sd_key_table_free(&words);
		sd_sample_touches_free(&t);
	}
}

static void an_access_across_a_border_touches_both_lines(void **state)
{
	struct sd_sample_touches t = {0};

	(void)state;
	touch(&t, 0, 0, LINE + 60, 8, 0);
	assert_int_equal(t.n, 2);
	assert_int_equal(t.touch[0].read, UINT64_C(0xf) << 60);
	assert_int_equal(t.touch[1].line, LINE + 64);
	assert_int_equal(t.touch[1].read, 0xf);
	assert_int_equal(t.touch[1].written, 0);
	sd_sample_touches_free(&t);
}

/* Half of too many touches stand for all. */
static void memory_stays_bounded(void **state)
{
	struct sd_sample_touches t = {0};
	double seconds = 0;

	(void)state;
	for (uint64_t i = 0; i < 3 * (uint64_t)SD_TOUCH_SAMPLES_MOST; i++) {
		const struct sd_touch_sample s = {.time = i, .seconds = 1};
		const struct sd_touch like = {.sure = 1};

		if (sd_sample_touches_begin(&t, &s))
			assert_int_equal(sd_sample_touches_add(&t, 1, i * 64, 8, 1, 0, &like), 0);
	}
	assert_true(t.n_sample <= SD_TOUCH_SAMPLES_MOST && t.n == t.n_sample);
	for (size_t i = 0; i < t.n_sample; i++) {
		seconds += t.sample[i].seconds;
		assert_int_equal(t.touch[i].sample, i);
		assert_int_equal(t.touch[i].line, t.sample[i].time * 64);
	}
	assert_true(seconds > 3 * (double)SD_TOUCH_SAMPLES_MOST - 8 &&
		    seconds < 3 * (double)SD_TOUCH_SAMPLES_MOST + 8);
	sd_sample_touches_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_in_a_line_meet_on_different_bytes),
		cmocka_unit_test(one_word_is_met_on_the_same_bytes),
		cmocka_unit_test(a_writer_and_a_reader_meet),
		cmocka_unit_test(writes_that_may_be_skipped_prove_no_turns),
		cmocka_unit_test(lines_of_a_pair_meet_as_a_pair_only),
		cmocka_unit_test(an_atomic_access_that_lies_in_two_lines_is_brought_forward),
		cmocka_unit_test(lines_two_apart_are_alone),
		cmocka_unit_test(a_buffer_that_is_handed_on_is_private),
		cmocka_unit_test(turns_of_long_stretches_are_private),
		cmocka_unit_test(what_is_set_up_and_summed_up_is_private),
		cmocka_unit_test(memory_used_again_is_private),
		cmocka_unit_test(turns_further_apart_are_unsure),
		cmocka_unit_test(a_line_seen_once_among_others_writes_is_unsure),
		cmocka_unit_test(streams_of_parts_are_private),
		cmocka_unit_test(processes_have_lines_of_their_own_unless_they_map_the_same),
		cmocka_unit_test(bins_that_all_use_are_the_same_bytes),
		cmocka_unit_test(a_rare_reader_of_all_counters_changes_nothing),
		cmocka_unit_test(a_locks_word_is_told_from_its_neighbours),
		cmocka_unit_test(locks_of_one_line_that_nobody_shares_are_neighbours),
		cmocka_unit_test(an_access_across_a_border_touches_both_lines),
		cmocka_unit_test(memory_stays_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
