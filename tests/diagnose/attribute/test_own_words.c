/*
 * Locks whose waiters each wait at a word of their own: one place for group commits, none for
 * pipelines and for the workers of a master.
 */
#include "blame_timeline.h"

#include "attribute/own_words.h"

enum { WRITERS = 3 };

/* Every thread's word. */
static uint64_t word(unsigned n)
{
	return 0x7000 + 0x1000 * (uint64_t)n;
}

/* Nodes: 1 put(), called by 2 client(); 3 pthread_cond_wait() at line 3, from put(); 4 the same at
 * line 4; 5 get(), which waits as well. */
static void make_stacks(struct sd_stacks *s)
{
	static const struct {
		const char *function;
		unsigned line, up;
	} row[] = {{"client", 1, 0}, {"put", 2, 1}, {"pthread_cond_wait", 3, 2},
		{"pthread_cond_wait", 4, 2}, {"get", 5, 1}};

	*s = (struct sd_stacks){0};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_frame f = {.line = row[i].line};
		unsigned frame, node;

		assert_int_equal(sd_stacks_text(s, row[i].function, &f.function), 0);
		assert_int_equal(sd_stacks_frame(s, &f, &frame), 0);
		assert_int_equal(sd_stacks_node(s, row[i].up, frame, &node), 0);
	}
}

/*
 * Three writers: one writes for 8 ms, wakes the next one, and has a batch ready 1 ms later, while
 * the next one writes; so that two wait at most times, at their own words.
 */
static struct sd_timeline group_commit(int rounds)
{
	struct sd_timeline t = begin();

	for (unsigned i = 0; i < WRITERS; i++)
		in(&t, 0, i);
	for (unsigned i = 1; i < WRITERS; i++)
		waits(&t, 1, i, SD_ACTIVITY_CONDITION, word(i), 3);
	for (int k = 0; k < rounds; k++) {
		/* the order changes, as it does where threads take turns by chance */
		const unsigned leader = (unsigned)(k % 4 == 3 ? 1 : k % 4),
			       next = (unsigned)(k % 4 == 1   ? 2
						 : k % 4 == 2 ? 1
							      : !leader);
		const double at = 10 * k + 8;

		wakes(&t, at, leader, next);
		in(&t, at + .1, next);
		waits(&t, at + 1, leader, SD_ACTIVITY_CONDITION, word(leader), k % 2 ? 3 : 4);
	}
	t.end = (uint64_t)(10 * rounds + 8) * MS;
	return t;
}

/* Places where threads wait. */
static unsigned places(const struct sd_timeline *t)
{
	unsigned n = 0, seen[16] = {0};

	for (size_t i = 0; i < t->n; i++)
		if (t->moment[i].kind == SD_MOMENT_OUT && t->moment[i].lock)
			seen[t->moment[i].lock] = 1;
	for (size_t i = 0; i < 16; i++)
		n += seen[i];
	return n;
}

static void a_group_commit_is_a_lock_though_each_writer_has_a_word(void **state)
{
	struct sd_timeline t = group_commit(40);
	struct sd_stacks stacks;
	struct sd_blame blame;
	struct sd_sampled rows = {0};
	double before[SD_IDLE_COUNT], idle[SD_IDLE_COUNT];

	(void)state;
	make_stacks(&stacks);
	assert_int_equal(places(&t), 3);
	assert_int_equal(sd_blame_make(&blame, &t, &stacks, 2), 0);
	sd_blame_idle(&blame, before);
	sd_blame_free(&blame);
	assert_true(before[SD_IDLE_LOCK] <= 0);

	assert_int_equal(sd_own_words_merge(&t, &stacks), 0);
	assert_int_equal(places(&t), 1);
	assert_int_equal(sd_blame_make(&blame, &t, &stacks, 2), 0);
	sd_blame_idle(&blame, idle);
	/* 2 cores, 8 of each 10 ms with one writer alone */
	assert_true(idle[SD_IDLE_LOCK] > .25 && idle[SD_IDLE_LOCK] < .4);
	assert_true(idle[SD_IDLE_SERIAL] + idle[SD_IDLE_IMBALANCE] < .05);
	assert_int_equal(sd_blame_rows(&blame, &stacks, &rows), 0);
	assert_int_equal(rows.n_lock, 1);
	assert_string_equal(
		sd_stacks_text_at(&stacks, rows.lock[0].name), "a word of each of 3 threads");
	sd_sampled_free(&rows);
	sd_blame_free(&blame);
	sd_timeline_free(&t);
	sd_stacks_free(&stacks);
}

/* Stages of a pipeline run the same code, and each wakes the next one. */
static void stages_of_a_pipeline_do_not_share_a_place(void **state)
{
	struct sd_timeline t = begin();
	struct sd_stacks stacks;

	(void)state;
	make_stacks(&stacks);
	for (unsigned i = 0; i < WRITERS; i++)
		in(&t, 0, i);
	for (int k = 0; k < 40; k++)
		for (unsigned i = 1; i < WRITERS; i++) {
			waits(&t, 10 * k + i, i, SD_ACTIVITY_CONDITION, word(i), 3);
			wakes(&t, 10 * k + i + 4, i - 1, i);
			in(&t, 10 * k + i + 4.1, i);
		}
	assert_int_equal(sd_own_words_merge(&t, &stacks), 0);
	assert_int_equal(places(&t), 2);
	sd_timeline_free(&t);
	sd_stacks_free(&stacks);
}

/* A master wakes its workers, which wake it where it waits in other code. */
static void workers_of_a_master_do_not_share_a_place_with_it(void **state)
{
	struct sd_timeline t = begin();
	struct sd_stacks stacks;

	(void)state;
	make_stacks(&stacks);
	for (unsigned i = 0; i < WRITERS; i++)
		in(&t, 0, i);
	for (int k = 0; k < 40; k++) {
		for (unsigned i = 1; i < WRITERS; i++)
			waits(&t, 10 * k + i, i, SD_ACTIVITY_CONDITION, word(i), 3);
		for (unsigned i = 1; i < WRITERS; i++) {
			wakes(&t, 10 * k + 4 + i, 0, i);
			in(&t, 10 * k + 4.1 + i, i);
		}
		waits(&t, 10 * k + 7, 0, SD_ACTIVITY_CONDITION, word(0), 5);
		wakes(&t, 10 * k + 8, 2, 0);
		in(&t, 10 * k + 8.1, 0);
	}
	assert_int_equal(sd_own_words_merge(&t, &stacks), 0);
	assert_int_equal(places(&t), 3);
	sd_timeline_free(&t);
	sd_stacks_free(&stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_group_commit_is_a_lock_though_each_writer_has_a_word),
		cmocka_unit_test(stages_of_a_pipeline_do_not_share_a_place),
		cmocka_unit_test(workers_of_a_master_do_not_share_a_place_with_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
