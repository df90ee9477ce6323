/* Lanes of a timeline: what each thread did, without overlap, and nothing where nobody looked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "attribute/lane_spans.h"

#define MS UINT64_C(1000000)
#define START (500 * MS)

static struct sd_moment *add(
	struct sd_timeline *t, uint64_t ms, enum sd_moment_kind kind, unsigned n)
{
	struct sd_moment m = {.time = START + ms * MS, .kind = kind};

	assert_int_equal(sd_timeline_thread(t, 1, 1 + (int)n, &m.thread), 0);
	assert_int_equal(sd_timeline_add(t, &m), 0);
	return &t->moment[t->n - 1];
}

static void sample(
	struct sd_timeline *t, uint64_t ms, unsigned n, enum sd_activity a, unsigned node)
{
	struct sd_moment *const m = add(t, ms, SD_MOMENT_SAMPLE, n);

	m->activity = a;
	m->node = node;
	m->weight = 2 * MS;
}

static struct sd_timeline ends(uint64_t ms)
{
	return (struct sd_timeline){.start = START, .end = START + ms * MS};
}

static void lanes(const struct sd_timeline *t, size_t most, struct sd_thread_lanes_run *out)
{
	assert_int_equal(sd_lane_spans_make(t, most, out), 0);
	for (size_t i = 0; i < out->n; i++)
		for (size_t k = 0; k < out->thread[i].n_span; k++) {
			const struct sd_thread_lanes_span *const s = &out->thread[i].span[k];

			assert_true(s->from < s->to && s->to <= out->length);
			if (k)
				assert_true(s[-1].to <= s->from);
		}
}

static void check(const struct sd_thread_lanes_run *r, unsigned lane, size_t span, uint64_t from,
	uint64_t to, enum sd_activity activity)
{
	const struct sd_thread_lanes_span *s;

	assert_true(span < r->thread[lane].n_span);
	s = &r->thread[lane].span[span];
	assert_int_equal(s->from / MS, from);
	assert_int_equal(s->to / MS, to);
	assert_int_equal(s->activity, activity);
}

static void a_thread_runs_waits_is_ready_and_runs_again(void **state)
{
	struct sd_timeline t = ends(20);
	struct sd_thread_lanes_run r;
	struct sd_moment *m;

	(void)state;
	add(&t, 0, SD_MOMENT_BORN, 0);
	add(&t, 1, SD_MOMENT_IN, 0);
	add(&t, 1, SD_MOMENT_IN, 1);
	m = add(&t, 5, SD_MOMENT_OUT, 0);
	m->activity = SD_ACTIVITY_MUTEX;
	m->node = 7;
	m->lock = 1;
	t.place = calloc(1, sizeof *t.place);
	t.n_place = t.room_place = 1;
	t.place[0].name = 3;
	m = add(&t, 12, SD_MOMENT_WAKE, 1);
	m->other = 0;
	add(&t, 14, SD_MOMENT_IN, 0);
	add(&t, 18, SD_MOMENT_EXIT, 0);
	lanes(&t, 1000, &r);
	assert_int_equal(r.n, 2);
	assert_int_equal(r.length, 20 * MS);
	assert_int_equal(r.thread[0].n_span, 5);
	check(&r, 0, 0, 0, 1, SD_ACTIVITY_RUNNABLE);
	check(&r, 0, 1, 1, 5, SD_THREAD_LANES_ON_CPU);
	check(&r, 0, 2, 5, 12, SD_ACTIVITY_MUTEX);
	assert_int_equal(r.thread[0].span[2].node, 7);
	assert_int_equal(r.thread[0].span[2].lock, 3);
	check(&r, 0, 3, 12, 14, SD_ACTIVITY_RUNNABLE);
	check(&r, 0, 4, 14, 18, SD_THREAD_LANES_ON_CPU);
	/* the other one runs to the end of the run */
	assert_int_equal(r.thread[1].n_span, 1);
	check(&r, 1, 0, 1, 20, SD_THREAD_LANES_ON_CPU);
	sd_thread_lanes_run_free(&r);
	sd_timeline_free(&t);
}

static void samples_say_what_it_did_since_the_one_before(void **state)
{
	struct sd_timeline t = ends(20);
	struct sd_thread_lanes_run r;

	(void)state;
	add(&t, 0, SD_MOMENT_IN, 0);
	sample(&t, 2, 0, SD_ACTIVITY_USEFUL, 1);
	sample(&t, 4, 0, SD_ACTIVITY_USEFUL, 2);
	sample(&t, 6, 0, SD_ACTIVITY_SPIN_BARRIER, 3);
	add(&t, 15, SD_MOMENT_PUSHED, 0);
	lanes(&t, 1000, &r);
	assert_int_equal(r.thread[0].n_sample, 3);
	check(&r, 0, 0, 0, 4, SD_ACTIVITY_USEFUL);
	check(&r, 0, 1, 4, 8, SD_ACTIVITY_SPIN_BARRIER); /* a weight behind it and no further */
	check(&r, 0, 2, 8, 15, SD_THREAD_LANES_ON_CPU);
	check(&r, 0, 3, 15, 20, SD_ACTIVITY_RUNNABLE);
	assert_int_equal(r.thread[0].n_span, 4);
	sd_thread_lanes_run_free(&r);
	sd_timeline_free(&t);
}

static void nothing_is_drawn_where_switches_were_not_recorded(void **state)
{
	struct sd_timeline t = ends(30);
	struct sd_thread_lanes_run r;

	(void)state;
	add(&t, 0, SD_MOMENT_IN, 0);
	assert_int_equal(sd_timeline_shut(&t, START + 10 * MS), 0);
	sample(&t, 15, 0, SD_ACTIVITY_USEFUL, 1);
	sd_timeline_open(&t, START + 20 * MS);
	add(&t, 25, SD_MOMENT_OUT, 0)->activity = SD_ACTIVITY_SLEEP;
	sd_timeline_bound(&t);
	lanes(&t, 1000, &r);
	assert_int_equal(r.n_gap, 1);
	assert_int_equal(r.thread[0].n_span, 2);
	check(&r, 0, 0, 0, 10, SD_THREAD_LANES_ON_CPU);
	check(&r, 0, 1, 25, 30, SD_ACTIVITY_SLEEP);
	assert_int_equal(r.thread[0].n_sample, 1); /* but it ran there */
	sd_thread_lanes_run_free(&r);
	sd_timeline_free(&t);
}

static void samples_alone_make_no_spans(void **state)
{
	struct sd_timeline t = ends(30);
	struct sd_thread_lanes_run r;

	(void)state;
	for (uint64_t ms = 2; ms < 30; ms += 2)
		sample(&t, ms, 0, SD_ACTIVITY_USEFUL, 1);
	lanes(&t, 1000, &r);
	assert_int_equal(r.thread[0].n_span, 0);
	assert_int_equal(r.thread[0].n_sample, 14);
	assert_int_equal(r.thread[0].sample[3].from, 6 * MS);
	sd_thread_lanes_run_free(&r);
	sd_timeline_free(&t);
}

static void of_too_many_spans_neighbours_are_drawn_as_one(void **state)
{
	enum { TURNS = 4000, MOST = 500 };
	struct sd_timeline t = ends(TURNS + 1000);
	struct sd_thread_lanes_run all, few;
	uint64_t before = 0, after = 0;
	unsigned merged = 0;

	(void)state;
	for (unsigned i = 0; i < TURNS; i++) {
		struct sd_moment *m = add(&t, i, SD_MOMENT_IN, 0);

		m->time += i % 7;
		m = add(&t, i, SD_MOMENT_OUT, 0);
		m->time += MS / 4;
		m->activity = SD_ACTIVITY_MUTEX;
	}
	lanes(&t, SIZE_MAX, &all);
	lanes(&t, MOST, &few);
	assert_int_equal(all.finest, 0);
	assert_int_equal(all.thread[0].n_span, 2 * TURNS);
	assert_true(few.finest > 0);
	assert_true(few.thread[0].n_span <= MOST && few.thread[0].n_span > 1);
	for (size_t i = 0; i < all.thread[0].n_span; i++)
		before += all.thread[0].span[i].to - all.thread[0].span[i].from;
	for (size_t i = 0; i < few.thread[0].n_span; i++) {
		after += few.thread[0].span[i].to - few.thread[0].span[i].from;
		merged += few.thread[0].span[i].merged;
	}
	assert_int_equal(before, after);
	assert_int_equal(merged, 2 * TURNS);
	/* the last wait is a second long: it stays what it is */
	check(&few, 0, few.thread[0].n_span - 1, TURNS - 1, TURNS + 1000, SD_ACTIVITY_MUTEX);
	assert_int_equal(few.thread[0].span[few.thread[0].n_span - 1].merged, 1);
	sd_thread_lanes_run_free(&all);
	sd_thread_lanes_run_free(&few);
	sd_timeline_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_runs_waits_is_ready_and_runs_again),
		cmocka_unit_test(samples_say_what_it_did_since_the_one_before),
		cmocka_unit_test(nothing_is_drawn_where_switches_were_not_recorded),
		cmocka_unit_test(samples_alone_make_no_spans),
		cmocka_unit_test(of_too_many_spans_neighbours_are_drawn_as_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
