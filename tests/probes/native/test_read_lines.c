/* Lines that several threads read and no sample writes: whether anybody may. */
#include "native/read_lines.h"
#include "probes/native/made_touches.h"

/* A plain store is at next to no sample: that none writes the line does not say that nobody does.
 */
static void a_line_that_all_read_is_open(void **state)
{
	const struct counts c = side_by_side(LINE, LINE, 0, 0);

	(void)state;
	assert_true(c.read >= 198);
	assert_int_equal(c.alone, 200 - c.read);
}

/* Each line of a table that all read has next to none of the samples, and so of their time. */
static void lines_that_are_seldom_read_cost_nobody_much(void **state)
{
	struct sd_sample_touches t = {0};
	struct counts c;

	(void)state;
	for (uint64_t i = 0; i < 2000; i++)
		for (uint32_t thread = 0; thread < 2; thread++)
			touch(&t, i * 5 * MS / 2 + thread, thread, LINE + i % 200 * 64, 8, 0);
	c = judged(&t);
	assert_int_equal(c.alone, 4000);
}

/* Written before, when it was one thread's: that is not now. */
static void a_line_that_was_written_once_is_open_while_all_read_it(void **state)
{
	struct sd_sample_touches t = {0};
	struct counts c;

	(void)state;
	for (uint64_t i = 0; i < 4; i++)
		touch(&t, i * 5 * MS / 2, 0, LINE, 8, 1);
	for (uint64_t i = 100; i < 200; i++) {
		touch(&t, i * 5 * MS / 2, 0, LINE, 8, 0);
		touch(&t, i * 5 * MS / 2 + 1000, 1, LINE, 8, 0);
	}
	c = judged(&t);
	assert_true(c.read >= 198);
	assert_int_equal(c.met + c.unsure, 0);
}

/* As the newest mapping says; where none is known anybody may. */
static void a_line_that_nobody_may_write_is_private(void **state)
{
	struct sd_timeline_thread thread[2] = {{.pid = 3, .tid = 3}, {.pid = 3, .tid = 4}};
	const struct sd_timeline timeline = {.thread = thread, .n_thread = 2};
	static const unsigned fixed[] = {0, 2, 0}; /* of the mapping; of the first there is none */

	(void)state;
	for (unsigned k = 0; k < 3; k++) {
		const struct sd_event e = {.kind = SD_EVENT_DATA,
			.pid = 3,
			.address = LINE,
			.size = 4096,
			.name = "/f",
			.count = fixed[k]};
		struct sd_sample_touches t = {0};
		struct sd_data_maps m = {.n = 0};
		unsigned read = 0;
		long n;

		for (uint64_t i = 0; i < 100; i++)
			for (uint32_t who = 0; who < 2; who++)
				touch(&t, i * 5 * MS / 2 + who, who, LINE, 8, 0);
		n = sd_line_turns_find(&t, WINDOW);
		assert_int_equal(n, 200);
		if (k)
			assert_int_equal(sd_data_maps_add(&m, &e), 0);
		sd_read_lines_clear(&t, (size_t)n, &timeline, &m);
		for (size_t i = 0; i < t.n; i++)
			read += t.touch[i].met == SD_TOUCH_READ;
		assert_int_equal(read == 0, fixed[k] == 2);
		sd_sample_touches_free(&t);
		sd_data_maps_free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_that_all_read_is_open),
		cmocka_unit_test(lines_that_are_seldom_read_cost_nobody_much),
		cmocka_unit_test(a_line_that_was_written_once_is_open_while_all_read_it),
		cmocka_unit_test(a_line_that_nobody_may_write_is_private),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
