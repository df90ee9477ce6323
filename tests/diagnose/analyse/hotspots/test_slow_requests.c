/* Parts of slow requests beside those of typical ones, as the runs have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/make_record.h"
#include "support/near.h"

#define RUNS 5u

/* Ten of 1000 requests of 1 ms take 9 more: 8 for a lock, up to .4 ms more or less from run to
 * run, and 1 that is not known. */
static struct sd_request_run *add(struct sd_run *run, unsigned number)
{
	const double lock = .008 + .0002 * ((int)number - 2);
	struct sd_request_run *const q = make_zeroed(1, sizeof *q);
	struct sd_request_group *const g = q->group;

	run->regions = make_zeroed(1, sizeof *run->regions);
	run->regions->requests = q;
	strcpy(q->name, "request");
	q->entries = 1000;
	q->p50 = .001;
	q->p99 = .006;
	g[SD_REQUESTS_SLOW] = (struct sd_request_group){.requests = 10, .took = .002 + lock};
	g[SD_REQUESTS_SLOW].part[SD_REQUEST_WORK] = .001;
	g[SD_REQUESTS_SLOW].part[SD_REQUEST_LOCK] = lock;
	g[SD_REQUESTS_SLOW].part[SD_REQUEST_UNKNOWN] = .001;
	g[SD_REQUESTS_TYPICAL] = (struct sd_request_group){.requests = 200, .took = .001};
	g[SD_REQUESTS_TYPICAL].part[SD_REQUEST_WORK] = .001;
	return q;
}

static unsigned add_code(struct sd_stacks *s, const char *function, unsigned line)
{
	struct sd_frame f = {.line = line};
	unsigned frame, node;

	assert_int_equal(sd_stacks_text(s, function, &f.function), 0);
	assert_int_equal(sd_stacks_text(s, "a.c", &f.file), 0);
	assert_int_equal(sd_stacks_frame(s, &f, &frame), 0);
	assert_int_equal(sd_stacks_node(s, 0, frame, &node), 0);
	return node;
}

static void make(struct sd_record *r, unsigned runs)
{
	static const unsigned cores[] = {2};
	struct sd_request_place place = {.part = SD_REQUEST_LOCK, .s = {.008, 0}};

	make_record(r, cores, 1);
	free(r->program.latency);
	r->program.latency = strdup("request");
	place.node = add_code(&r->stacks, "serve", 12);
	place.holder = add_code(&r->stacks, "rebuild", 40);
	assert_int_equal(sd_stacks_text(&r->stacks, "table", &place.lock), 0);
	for (unsigned i = 0; i < runs; i++)
		add(make_run(r, 0, 1, 2, 0), i)->place[0] = place;
}

static int says(const struct sd_texts *notes, const char *text)
{
	for (size_t i = 0; i < notes->n; i++)
		if (strstr(notes->text[i], text))
			return 1;
	return 0;
}

static void the_part_that_makes_the_tail_is_named_with_its_place(void **state)
{
	const struct sd_slow_point *p;
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make(&r, RUNS);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.regions.requests.n_point, 1);
	p = &a.regions.requests.point[0];
	assert_int_equal(p->runs, RUNS);
	assert_near(p->more.value, .009, 1e-9);
	assert_int_equal(p->part[0].part, SD_REQUEST_LOCK);
	assert_near(p->part[0].more.value, .008, 1e-9);
	/* Student's t of 4 degrees, 2.776, times .2 ms sqrt(2.5) / sqrt(5) */
	assert_near(p->part[0].more.high - p->part[0].more.value, 2.776 * .0002 * .70711, 1e-6);
	assert_near(p->part[0].share, 8 / 9., 1e-9);
	assert_near(p->known, 8 / 9., 1e-9);
	assert_string_equal(
		p->part[0].place, "table, at serve() a.c:12, held meanwhile at rebuild() a.c:40");
	assert_true(says(&p->notes, "89 % of that: waiting for a lock, table"));
	assert_true(says(&p->notes, "11 % of that is not known"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* A part that slow requests have in some runs alone is not told for certain. */
static void noise_is_told_as_noise_and_one_run_as_one(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make(&r, RUNS);
	for (size_t i = 1; i < r.n_run; i++) {
		struct sd_request_group *const g = r.run[i].regions->requests->group;

		g[SD_REQUESTS_SLOW].took = .001;
		memcpy(g[SD_REQUESTS_SLOW].part, g[SD_REQUESTS_TYPICAL].part, sizeof g[0].part);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_true(says(&a.regions.requests.point[0].notes, "no part of it is surely longer"));
	assert_false(says(&a.regions.requests.point[0].notes, "waiting for a lock"));
	sd_analysis_free(&a);
	sd_record_free(&r);
	make(&r, 1);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_false(sd_status_bounded(a.regions.requests.point[0].more));
	assert_true(says(&a.regions.requests.point[0].notes, "one run"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* Slow requests wait for a CPU: the thread of the program that had it is named, and of others the
 * process with most CPU time. */
static void who_has_the_cpus_is_named(void **state)
{
	static const struct sd_neighbour other[] = {
		{.pid = 7, .name = "small", .cpu = {.1, SD_STATUS_OK}},
		{.pid = 8, .name = "backup", .cpu = {.4, SD_STATUS_OK}},
	};
	const struct sd_texts *notes;
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make(&r, RUNS);
	for (size_t i = 0; i < r.n_run; i++) {
		struct sd_request_run *const q = r.run[i].regions->requests;
		struct sd_request_group *const g = &q->group[SD_REQUESTS_SLOW];

		g->part[SD_REQUEST_RUN_QUEUE] = g->part[SD_REQUEST_LOCK];
		g->part[SD_REQUEST_LOCK] = 0;
		q->place[0].part = SD_REQUEST_RUN_QUEUE;
		r.run[i].metric[SD_METRIC_WALL] = SD_OK(1);
		r.run[i].metric[SD_METRIC_FOREIGN] = SD_OK(.5);
		r.run[i].neighbour = make_zeroed(2, sizeof other[0]);
		memcpy(r.run[i].neighbour, other, sizeof other);
		r.run[i].n_neighbour = 2;
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.regions.requests.n_point, 1);
	notes = &a.regions.requests.point[0].notes;
	assert_true(says(notes, "ready, without a CPU, while another thread ran at rebuild()"));
	assert_true(says(notes, "(most: backup, 0.40 cores) had 25 % of the CPUs' time"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void what_is_missing_has_its_reason(void **state)
{
	static const struct {
		enum sd_request_state state;
		const char *says;
	} row[] = {
		{SD_REQUESTS_FEW, "fewer than 100 requests a run"},
		{SD_REQUESTS_UNSWITCHED, "context switches were not recorded"},
	};
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		make(&r, RUNS);
		for (size_t i = 0; i < r.n_run; i++)
			r.run[i].regions->requests->state = row[k].state;
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.regions.requests.point[0].n_part, 0);
		assert_true(says(&a.regions.requests.point[0].notes, row[k].says));
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
	make(&r, RUNS);
	for (size_t i = 0; i < r.n_run; i++) {
		sd_region_run_free(r.run[i].regions);
		r.run[i].regions = NULL;
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.regions.requests.n_point, 0);
	assert_true(says(&a.regions.requests.notes, "older scalediag.h"));
	sd_analysis_free(&a);
	sd_record_free(&r);
	/* another thread ended each request */
	make(&r, RUNS);
	for (size_t i = 0; i < r.n_run; i++) {
		r.run[i].regions->requests->entries = 0;
		sd_region_run_row(r.run[i].regions, SD_REGION_MARKED, "request", 0)->unmatched = 80;
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_true(says(&a.regions.requests.notes, "80 begins and ends a run were of different"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_part_that_makes_the_tail_is_named_with_its_place),
		cmocka_unit_test(noise_is_told_as_noise_and_one_run_as_one),
		cmocka_unit_test(who_has_the_cpus_is_named),
		cmocka_unit_test(what_is_missing_has_its_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
