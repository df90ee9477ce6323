/* How long others ran on a CPU, by its switches. */
#include "trace/foreign_time.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#define SELF 9

static void event(struct sd_foreign_time *s, size_t cpu, enum sd_event_kind kind, int tid,
	uint64_t time, int own)
{
	const struct sd_event e = {.kind = kind, .pid = tid, .tid = tid, .time = time};

	sd_foreign_time_event(s, cpu, &e, own, SELF);
}

static void only_strangers_count(void **state)
{
	struct sd_foreign_time s = {0};

	(void)state;
	assert_int_equal(sd_foreign_time_add(&s), 0);
	assert_int_equal(sd_foreign_time_add(&s), 0);
	event(&s, 0, SD_EVENT_SWITCH_OUT, 7, 5, 0); /* since when is not known */
	event(&s, 0, SD_EVENT_SWITCH_IN, 100, 10, 1);
	event(&s, 0, SD_EVENT_SWITCH_OUT, 100, 20, 1);
	event(&s, 0, SD_EVENT_SWITCH_IN, 0, 20, 0); /* idle */
	event(&s, 0, SD_EVENT_SWITCH_OUT, 0, 30, 0);
	event(&s, 0, SD_EVENT_SWITCH_IN, SELF, 30, 0);
	event(&s, 0, SD_EVENT_SWITCH_OUT, SELF, 40, 0);
	assert_int_equal(s.ns, 0);
	event(&s, 0, SD_EVENT_SWITCH_IN, 7, 40, 0);
	event(&s, 1, SD_EVENT_SWITCH_IN, 8, 41, 0);
	event(&s, 0, SD_EVENT_SAMPLE, 7, 42, 0);
	event(&s, 0, SD_EVENT_SWITCH_OUT, 7, 45, 0);
	event(&s, 1, SD_EVENT_SWITCH_OUT, 8, 48, 0);
	assert_int_equal(s.ns, 12);
	sd_foreign_time_free(&s);
}

static void a_lost_switch_adds_nothing(void **state)
{
	struct sd_foreign_time s = {0};

	(void)state;
	assert_int_equal(sd_foreign_time_add(&s), 0);
	event(&s, 0, SD_EVENT_SWITCH_IN, 7, 10, 0);
	event(&s, 0, SD_EVENT_SWITCH_IN, 100, 30, 1);
	event(&s, 0, SD_EVENT_SWITCH_OUT, 7, 40, 0);
	assert_int_equal(s.ns, 0);
	sd_foreign_time_free(&s);
}

/* Gaps from 20 to 50 and from 70 to 100. */
static void of_gaps_only_the_windows_between_them_count(void **state)
{
	struct sd_foreign_time s = {0};

	(void)state;
	for (size_t cpu = 0; cpu < 3; cpu++)
		assert_int_equal(sd_foreign_time_add(&s), 0);
	event(&s, 0, SD_EVENT_SWITCH_IN, 7, 10, 0);
	event(&s, 1, SD_EVENT_SWITCH_IN, 100, 15, 1);
	assert_int_equal(sd_foreign_time_shut(&s, 20), 0);
	event(&s, 1, SD_EVENT_SWITCH_OUT, 100, 19, 1); /* rings are read later */
	event(&s, 1, SD_EVENT_SWITCH_IN, 8, 19, 0);
	sd_foreign_time_open(&s, 50);
	assert_int_equal(sd_foreign_time_shut(&s, 70), 0);
	sd_foreign_time_open(&s, 100);
	event(&s, 0, SD_EVENT_SWITCH_OUT, 7, 55, 0); /* 10 to 20, 50 to 55 */
	assert_int_equal(s.ns, 15);
	event(&s, 1, SD_EVENT_SWITCH_OUT, 100, 60, 1); /* 8 was there from 19 to 20 */
	assert_int_equal(s.ns, 16);
	event(&s, 1, SD_EVENT_SWITCH_IN, 8, 60, 0);
	event(&s, 1, SD_EVENT_SWITCH_OUT, 8, 62, 0);
	assert_int_equal(s.ns, 18);
	/* neither its coming nor its going: nothing of the window between them */
	event(&s, 2, SD_EVENT_SWITCH_OUT, 8, 110, 0);
	assert_int_equal(s.ns, 28);
	sd_foreign_time_free(&s);
}

static void who_woke_a_stranger_is_kept(void **state)
{
	const struct sd_event by_tree = {
		.kind = SD_EVENT_WAKE, .pid = 100, .tid = 100, .other = 8, .time = 10};
	const struct sd_event by_interrupt = {.kind = SD_EVENT_WAKE, .other = 7, .time = 10};
	struct sd_foreign_time s = {0};

	(void)state;
	assert_int_equal(sd_foreign_time_add(&s), 0);
	sd_foreign_time_event(&s, 0, &by_interrupt, 0, SELF);
	assert_int_equal(s.kernel.seen.n, 0);
	sd_foreign_time_event(&s, 0, &by_tree, 1, SELF);
	assert_int_equal(s.kernel.seen.n, 1);
	event(&s, 0, SD_EVENT_SWITCH_IN, 8, 20, 0);
	event(&s, 0, SD_EVENT_SWITCH_OUT, 8, 50, 0);
	assert_int_equal(s.kernel.seen.n, 2);
	assert_int_equal(s.ns, 30);
	sd_foreign_time_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_strangers_count),
		cmocka_unit_test(of_gaps_only_the_windows_between_them_count),
		cmocka_unit_test(a_lost_switch_adds_nothing),
		cmocka_unit_test(who_woke_a_stranger_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
