/*
 * The TLB strider.
 */
#include "harness/arena.h"
#include "support/kernel_fixture.h"
#include "kernels/kernels.h"
#include "kernels/tlb_walk.h"

static void one_line_a_page_at_offsets_that_rotate(void **state)
{
	enum { N = 130, PAGE = 4096, LINES = PAGE / 64 };
	struct sd_arena a;
	unsigned char seen[N] = {0};
	unsigned per_set[LINES] = {0};
	void *p, *first;

	(void)state;
	assert_int_equal(sd_arena_map(&a, (size_t)N * PAGE, SD_PAGES_BASE), 0);
	if (sd_pages_bytes(SD_PAGES_BASE) != PAGE) {
		fprintf(stderr, "SKIP: %s: the base page is not 4 KiB\n", __func__);
		sd_arena_free(&a);
		skip();
	}
	p = first = sd_tlb_build(a.base, N, PAGE, 7);
	for (unsigned i = 0; i < N; i++) {
		size_t at = (size_t)((unsigned char *)p - a.base);

		assert_true(at / PAGE < N);
		assert_int_equal(seen[at / PAGE], 0);
		seen[at / PAGE] = 1;
		assert_int_equal(at % 64, 0);
		per_set[at % PAGE / 64]++;
		p = *(void **)p;
	}
	assert_ptr_equal(p, first);
	for (unsigned i = 0; i < LINES; i++)
		assert_in_range(per_set[i], N / LINES, N / LINES + 1);
	sd_arena_free(&a);
}

/* The sets of a cache of 2048: contiguous memory, as a huge page is, must not fill a few
 * of them. */
static void lines_spread_over_the_sets_of_a_large_cache(void **state)
{
	enum { SPAN = 16 << 20, SETS = 2048 };
	static const size_t stride[] = {64, 4096, 65536};
	struct sd_arena a;

	(void)state;
	assert_int_equal(sd_arena_map(&a, SPAN, SD_PAGES_BASE), 0);
	for (size_t k = 0; k < sizeof(stride) / sizeof(*stride); k++) {
		const unsigned n = SPAN / stride[k] < 4096 ? SPAN / stride[k] : 4096;
		unsigned per_set[SETS] = {0}, most = 0;
		void *p = sd_tlb_build(a.base, n, stride[k], k);

		for (unsigned i = 0; i < n; i++) {
			const size_t at = (size_t)((unsigned char *)p - a.base);
			const unsigned lines = ++per_set[at / 64 % SETS];

			assert_true(at < SPAN);
			most = lines > most ? lines : most;
			p = *(void **)p;
		}
		assert_in_range(most, 1, 2 * ((n + SETS - 1) / SETS));
	}
	sd_arena_free(&a);
}

/* Two pages fit into every TLB and thousands into no first level. */
static int pages_cost(const struct fixture *f)
{
	const struct sd_bench_row *few = NULL, *many = NULL, *dense = NULL;

	for (size_t i = 0; i < f->rows.n; i++) {
		const struct sd_bench_row *r = &f->rows.row[i];

		if (strcmp(r->variant, "pages=4KiB access=line-a-page") == 0) {
			few = few ? few : r;
			many = r;
		}
		if (strcmp(r->variant, "pages=4KiB access=packed") == 0)
			dense = r;
	}
	return few && many && dense && many->parameter >= 4096 && many->median > few->low &&
	       many->median > dense->low;
}

static void more_pages_never_cost_less_and_packed_lines_less_than_spread_ones(void **state)
{
	(void)state;
	FIXTURE_NEEDS_TIMES(__func__);
	if (sd_pages_bytes(SD_PAGES_BASE) != 4096) {
		fprintf(stderr, "SKIP: %s: the base page is not 4 KiB\n", __func__);
		skip();
	}
	fixture_must_hold(&sd_kernel_tlb_cost, 1, 3, pages_cost, __func__);
}

static int found_level;

/* A level where there is one: its size a plausible one, its miss no gain. */
static int first_level_is_plausible(const struct fixture *f)
{
	const struct sd_bench_row *reach = NULL, *miss = NULL;

	for (size_t i = 0; i < f->rows.n; i++) {
		const struct sd_bench_row *r = &f->rows.row[i];

		if (strstr(r->variant, "level=1 quantity=reach") && !reach)
			reach = r;
		if (strstr(r->variant, "level=1 quantity=miss") && !miss)
			miss = r;
	}
	found_level = reach && reach->status == SD_STATUS_OK && miss;
	/* 8 entries were few thirty years ago; 4096 are a whole second level. */
	return !found_level || (reach->median >= 8 && reach->median <= 4096 && miss->median > 0);
}

static void the_first_level_is_found_and_its_miss_costs_time(void **state)
{
	(void)state;
	fixture_must_hold(&sd_kernel_tlb_cost, 1, 3, first_level_is_plausible, __func__);
	if (!found_level) {
		fprintf(stderr, "SKIP: %s: no level was found\n", __func__);
		skip();
	}
}

static void too_little_memory_is_said(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, 1);
	f.env.memory_limit = 65536;
	assert_int_equal(sd_kernel_tlb_cost.run(&f.env, &f.rows), 0);
	assert_int_equal(f.rows.n, 2);
	for (size_t i = 0; i < f.rows.n; i++) {
		assert_int_not_equal(f.rows.row[i].status, SD_STATUS_OK);
		assert_true(strlen(f.rows.row[i].why) > 0);
	}
	assert_int_equal(sd_kernel_page_sizes.run(&f.env, &f.rows), 0);
	assert_int_equal(f.rows.n, 3);
	assert_int_equal(f.rows.row[2].status, SD_STATUS_ABSENT);
	fixture_free(&f);
}

static void a_diagnosis_is_given_base_pages_alone(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, 1);
	f.env.memory_limit = 65536; /* a row of each kind of page, at once */
	f.env.brief = 1;
	assert_int_equal(sd_kernel_tlb_cost.run(&f.env, &f.rows), 0);
	assert_int_equal(f.rows.n, 1);
	assert_non_null(strstr(f.rows.row[0].variant, sd_pages_name(SD_PAGES_BASE)));
	fixture_free(&f);
}

/* A shorter walk at least; where there are no huge pages, a reason. */
static int huge_is_no_worse(const struct fixture *f)
{
	if (f->rows.row[0].status != SD_STATUS_OK && f->rows.row[0].status != SD_STATUS_NOISY)
		return strlen(f->rows.row[0].why) > 0;
	fixture_rows_are_sane(f, "pages");
	return f->rows.row[1].low < f->rows.row[0].high;
}

static void huge_pages_are_no_worse_than_small_ones(void **state)
{
	(void)state;
	FIXTURE_NEEDS_TIMES(__func__);
	fixture_must_hold(&sd_kernel_page_sizes, 1, 1, huge_is_no_worse, __func__);
}

static void a_cpu_that_is_not_there_gives_no_number(void **state)
{
	(void)state;
	fixture_bears_a_missing_cpu(&sd_kernel_tlb_cost);
	fixture_bears_a_missing_cpu(&sd_kernel_page_sizes);
}

static void after_its_deadline_it_measures_nothing(void **state)
{
	(void)state;
	fixture_minds_the_deadline(&sd_kernel_tlb_cost);
	fixture_minds_the_deadline(&sd_kernel_page_sizes);
}

static void a_stop_before_the_start_leaves_no_row(void **state)
{
	(void)state;
	fixture_stops(&sd_kernel_tlb_cost);
	fixture_stops(&sd_kernel_page_sizes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line_a_page_at_offsets_that_rotate),
		cmocka_unit_test(lines_spread_over_the_sets_of_a_large_cache),
		cmocka_unit_test(more_pages_never_cost_less_and_packed_lines_less_than_spread_ones),
		cmocka_unit_test(the_first_level_is_found_and_its_miss_costs_time),
		cmocka_unit_test(too_little_memory_is_said),
		cmocka_unit_test(a_diagnosis_is_given_base_pages_alone),
		cmocka_unit_test(huge_pages_are_no_worse_than_small_ones),
		cmocka_unit_test(a_cpu_that_is_not_there_gives_no_number),
		cmocka_unit_test(after_its_deadline_it_measures_nothing),
		cmocka_unit_test(a_stop_before_the_start_leaves_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
