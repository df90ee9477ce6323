/*
 * The TLB strider.
 */
#include "arena.h"
#include "kernel_fixture.h"
#include "kernels.h"
#include "tlb_walk.h"

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

static void more_pages_never_cost_less_and_packed_lines_less_than_spread_ones(void **state)
{
	static const char *const spread = "pages=4KiB access=line-a-page";
	static const char *const packed = "pages=4KiB access=packed";
	const struct sd_bench_row *few = NULL, *many = NULL, *dense = NULL;
	struct fixture f;

	(void)state;
	FIXTURE_NEEDS_TIMES(__func__);
	if (sd_pages_bytes(SD_PAGES_BASE) != 4096) {
		fprintf(stderr, "SKIP: %s: the base page is not 4 KiB\n", __func__);
		skip();
	}
	fixture_init(&f, 1);
	f.env.budget_s = 3;
	assert_int_equal(sd_kernel_tlb.run(&f.env, &f.rows), 0);
	for (size_t i = 0; i < f.rows.n; i++) {
		const struct sd_bench_row *r = &f.rows.row[i];

		if (strcmp(r->variant, spread) == 0) {
			few = few ? few : r;
			many = r;
		}
		if (strcmp(r->variant, packed) == 0)
			dense = r;
	}
	if (!few || !many || !dense)
		fail_msg("no curve");
	/* Two pages fit into every TLB and thousands into no first level. */
	assert_true(many->parameter >= 4096);
	assert_true(many->median > few->low);
	assert_true(many->median > dense->low);
	fixture_free(&f);
}

/* A median between what noise can make of it: the level is there, its size a plausible one. */
static void the_first_level_is_found_and_its_miss_costs_time(void **state)
{
	const struct sd_bench_row *reach = NULL, *miss = NULL;
	struct fixture f;

	(void)state;
	fixture_init(&f, 1);
	f.env.budget_s = 3;
	assert_int_equal(sd_kernel_tlb.run(&f.env, &f.rows), 0);
	for (size_t i = 0; i < f.rows.n; i++) {
		const struct sd_bench_row *r = &f.rows.row[i];

		if (strstr(r->variant, "level=1 quantity=reach") && !reach)
			reach = r;
		if (strstr(r->variant, "level=1 quantity=miss") && !miss)
			miss = r;
	}
	if (!reach || reach->status != SD_STATUS_OK || !miss) {
		fprintf(stderr, "SKIP: %s: %s\n", __func__, reach ? reach->why : "no level");
		fixture_free(&f);
		skip();
		return;
	}
	/* 8 entries were few thirty years ago; 4096 are a whole second level. */
	assert_in_range((int)reach->median, 8, 4096);
	assert_true(miss->median > 0);
	fixture_free(&f);
}

static void too_little_memory_is_said(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, 1);
	f.env.memory_limit = 65536;
	assert_int_equal(sd_kernel_tlb.run(&f.env, &f.rows), 0);
	assert_int_equal(f.rows.n, 2);
	for (size_t i = 0; i < f.rows.n; i++) {
		assert_int_not_equal(f.rows.row[i].status, SD_STATUS_OK);
		assert_true(strlen(f.rows.row[i].why) > 0);
	}
	assert_int_equal(sd_kernel_pages.run(&f.env, &f.rows), 0);
	assert_int_equal(f.rows.n, 3);
	assert_int_equal(f.rows.row[2].status, SD_STATUS_ABSENT);
	fixture_free(&f);
}

static void huge_pages_are_no_worse_than_small_ones(void **state)
{
	struct fixture f;

	(void)state;
	FIXTURE_NEEDS_TIMES(__func__);
	fixture_init(&f, 1);
	assert_int_equal(sd_kernel_pages.run(&f.env, &f.rows), 0);
	assert_true(f.rows.n > 0);
	if (f.rows.row[0].status != SD_STATUS_OK && f.rows.row[0].status != SD_STATUS_NOISY) {
		fprintf(stderr, "SKIP: %s: %s\n", __func__, f.rows.row[0].why);
		fixture_free(&f);
		skip();
		return;
	}
	fixture_rows_are_sane(&f, "pages");
	/* A shorter walk at least. */
	assert_true(f.rows.row[1].low < f.rows.row[0].high);
	fixture_free(&f);
}

static void a_cpu_that_is_not_there_gives_no_number(void **state)
{
	(void)state;
	fixture_bears_a_missing_cpu(&sd_kernel_tlb);
	fixture_bears_a_missing_cpu(&sd_kernel_pages);
}

static void a_stop_before_the_start_leaves_no_row(void **state)
{
	(void)state;
	fixture_stops(&sd_kernel_tlb);
	fixture_stops(&sd_kernel_pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line_a_page_at_offsets_that_rotate),
		cmocka_unit_test(more_pages_never_cost_less_and_packed_lines_less_than_spread_ones),
		cmocka_unit_test(the_first_level_is_found_and_its_miss_costs_time),
		cmocka_unit_test(too_little_memory_is_said),
		cmocka_unit_test(huge_pages_are_no_worse_than_small_ones),
		cmocka_unit_test(a_cpu_that_is_not_there_gives_no_number),
		cmocka_unit_test(a_stop_before_the_start_leaves_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
