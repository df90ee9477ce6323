/*
 * Nothing is quadratic: how often the parts of the program take a step, where one dimension of what
 * they are given doubles and doubles again. The rooms are compiled for this test with a call in
 * every basic block; what the C library copies, clears and compares counts by the byte. Steps, not
 * times: the same on every machine, however busy. Linear growth doubles with the second doubling
 * what it adds in the first, n log n a little more, quadratic growth takes it four times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/parallel_for.h"
#include "bench/large_plan.h"
#include "html/html.h"
#include "import/import.h"
#include "plan/schedule.h"
#include "probe/accountant.h"
#include "record/record_file.h"
#include "report/formats.h"
#include "support/large_imports.h"

/* Factor between the steps that the second doubling may add and those that the first one did. */
#define LINEAR 2.5 /* and n log n */

/* ---- counting -------------------------------------------------------------------------------- */

#define BYTES 32 /* a step */

static uint64_t steps;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	steps++;
}

void *__real_memset(void *to, int byte, size_t n);
void *__wrap_memset(void *to, int byte, size_t n);
void *__wrap_memset(void *to, int byte, size_t n)
{
	steps += n / BYTES;
	return __real_memset(to, byte, n);
}

void *__real_memcpy(void *to, const void *from, size_t n);
void *__wrap_memcpy(void *to, const void *from, size_t n);
void *__wrap_memcpy(void *to, const void *from, size_t n)
{
	steps += n / BYTES;
	return __real_memcpy(to, from, n);
}

void *__real_memmove(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n)
{
	steps += n / BYTES;
	return __real_memmove(to, from, n);
}

int __real_memcmp(const void *a, const void *b, size_t n);
int __wrap_memcmp(const void *a, const void *b, size_t n);
int __wrap_memcmp(const void *a, const void *b, size_t n)
{
	steps += n / BYTES;
	return __real_memcmp(a, b, n);
}

size_t __real_strlen(const char *s);
size_t __wrap_strlen(const char *s);
size_t __wrap_strlen(const char *s)
{
	const size_t n = __real_strlen(s);

	steps += n / BYTES;
	return n;
}

int __real_strcmp(const char *a, const char *b);
int __wrap_strcmp(const char *a, const char *b);
int __wrap_strcmp(const char *a, const char *b)
{
	steps++;
	return __real_strcmp(a, b);
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
	steps += n * size / BYTES;
	return __real_calloc(n, size);
}

/* what it has to copy where it cannot grow in place */
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
	steps += size / BYTES;
	return __real_realloc(old, size);
}

void *__real_reallocarray(void *old, size_t n, size_t size);
void *__wrap_reallocarray(void *old, size_t n, size_t size);
void *__wrap_reallocarray(void *old, size_t n, size_t size)
{
	steps += n * size / BYTES;
	return __real_reallocarray(old, n, size);
}

/* ---- the parts, each with its steps ---------------------------------------------------------- */

enum part {
	PLAN,
	SCHEDULE,
	ATTRIBUTE,
	GUESS,
	TABLE,
	HYPERFINE,
	WRITE,
	READ,
	ANALYSE,
	TEXT,
	JSON,
	HTML,
	PARTS
};
static const char *const part_name[PARTS] = {"plan", "schedule", "attribute",
	"attribute, wakers unknown", "import a table", "import hyperfine's", "write", "read",
	"analyse", "text", "json", "html"};

static uint64_t lap(void)
{
	const uint64_t n = steps;

	steps = 0;
	return n;
}

static void attribute(const struct large *l, int is_told)
{
	struct sd_record r = {0};
	struct sd_timeline t;
	struct sd_run run = {0};
	const struct sd_accountant_run of = {
		.stacks = &r.stacks, .cores = l->cores, .lane_steps = 6000, .exact = 1};
	unsigned *const node = large_stacks(&r, l->functions);

	make_large_timeline(&t, l, node, 4, is_told);
	steps = 0;
	assert_int_equal(sd_accountant_rules.timeline(&t, &of, &run), 0);
	sd_timeline_free(&t);
	sd_run_free(&run);
	sd_record_free(&r);
	free(node);
}

/* Which runs are missing where all counts have some. */
static void schedule(struct sd_record *r)
{
	unsigned char *const need = make_zeroed(r->plan.n_point, sizeof *need);
	const unsigned least = r->plan.min_repeats, most = r->plan.max_repeats;
	double worst;

	r->plan.min_repeats = 0;
	r->plan.max_repeats = 1000;
	steps = 0;
	(void)sd_schedule_need(r, &(struct sd_pass_list){.n = 0}, need, &worst);
	r->plan.min_repeats = least;
	r->plan.max_repeats = most;
	free(need);
}

static void import(char *text, size_t size, int is_table)
{
	const struct sd_import_text t = {.name = "text", .text = text, .size = size};
	struct sd_import im = {0};

	steps = 0;
	assert_int_equal(
		is_table ? sd_import_csv(&im, &t, NULL) : sd_import_hyperfine(&im, &t, 0), 0);
	assert_int_equal(sd_import_finish(&im, "text", NULL), 0);
	sd_import_free(&im);
	free(text);
}

static void all_parts(const struct large *l, uint64_t count[PARTS])
{
	const struct sd_sink silent = {0};
	char path[] = "/tmp/scalediag-operations-XXXXXX";
	const struct sd_report_style style = {.record_path = path, .width = 80};
	FILE *const nothing = fopen("/dev/null", "w");
	struct sd_record made, r = {0};
	struct sd_analysis a = {0};
	const int file = mkstemp(path);
	size_t size;
	char *text;

	assert_non_null(nothing);
	assert_true(file >= 0);
	close(file);
	unlink(path);
	make_large(&made, l);
	steps = 0;
	assert_int_equal(large_plan(l, 1), 0);
	count[PLAN] = lap();
	schedule(&made);
	count[SCHEDULE] = lap();
	attribute(l, 1);
	count[ATTRIBUTE] = lap();
	attribute(l, 0);
	count[GUESS] = lap();
	text = large_table(l, &size);
	import(text, size, 1);
	count[TABLE] = lap();
	text = large_hyperfine(l, &size);
	import(text, size, 0);
	count[HYPERFINE] = lap();
	assert_int_equal(sd_record_write(path, &made, &silent), 0);
	count[WRITE] = lap();
	sd_record_free(&made);
	steps = 0;
	assert_int_equal(sd_record_read(path, &r, &silent), 0);
	count[READ] = lap();
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	count[ANALYSE] = lap();
	assert_int_equal(sd_report_format_find("text")->print(nothing, &r, &a, &style), 0);
	count[TEXT] = lap();
	assert_int_equal(sd_report_format_find("json")->print(nothing, &r, &a, &style), 0);
	count[JSON] = lap();
	assert_int_equal(sd_html_report(nothing, &r, &a, &style), 0);
	count[HTML] = lap();
	sd_analysis_free(&a);
	sd_record_free(&r);
	fclose(nothing);
	unlink(path);
}

/* ---- growth ---------------------------------------------------------------------------------- */

/* Checks the parts that grow at all: one that grows by less than a quarter where its input grows
 * four times has hardly this dimension. */
static void check_growth(const char *dimension, const struct large size[3], double most)
{
	uint64_t count[3][PARTS];
	unsigned bad = 0;

	for (int i = 0; i < 3; i++)
		all_parts(&size[i], count[i]);
	for (enum part p = 0; p < PARTS; p++) {
		const double first = (double)count[1][p] - (double)count[0][p];
		const double second = (double)count[2][p] - (double)count[1][p];
		const int grows = (double)count[2][p] > 1.25 * (double)count[0][p];

		if (getenv("SD_OPERATIONS"))
			print_message("%-15s %-25s %12llu %12llu %12llu  %.2f\n", dimension,
				part_name[p], (unsigned long long)count[0][p],
				(unsigned long long)count[1][p], (unsigned long long)count[2][p],
				second / first);
		if (grows && !(second <= most * first)) {
			print_error("%s by %s: %llu, %llu, %llu steps\n", part_name[p], dimension,
				(unsigned long long)count[0][p], (unsigned long long)count[1][p],
				(unsigned long long)count[2][p]);
			bad++;
		}
	}
	assert_int_equal(bad, 0);
}

static const struct large base = {
	.counts = 4, .cores = 64, .runs = 10, .functions = 200, .threads = 32, .alive = 32};

static void counts_are_linear(void **state)
{
	struct large s[3] = {base, base, base};

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		s[i].counts = 8u << i;
	check_growth("counts", s, LINEAR);
}

static void runs_are_linear(void **state)
{
	struct large s[3] = {base, base, base};

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		s[i].runs = 10u << i;
	check_growth("runs", s, LINEAR);
}

static void functions_and_stacks_are_linear(void **state)
{
	struct large s[3] = {base, base, base};

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		s[i].functions = 500u << i;
	check_growth("functions", s, LINEAR);
}

/* One generation after another, as where a program forks all the time. */
static void threads_are_linear(void **state)
{
	struct large s[3] = {base, base, base};

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		s[i].threads = 500u << i;
	check_growth("threads", s, LINEAR);
}

/* All there at once: nobody looks at those that only wait. */
static void threads_at_once_are_linear(void **state)
{
	struct large s[3] = {base, base, base};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		s[i].threads = 500u << i;
		s[i].alive = 0;
	}
	check_growth("threads at once", s, LINEAR);
}

static void cores_are_linear(void **state)
{
	struct large s[3] = {base, base, base};

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		s[i].cores = 128u << i;
	check_growth("cores", s, LINEAR);
}

/* A loop in a loop is found. */
static void quadratic_growth_is_more(void **state)
{
	uint64_t count[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct sd_texts t = {0};
		char text[16];

		steps = 0;
		for (unsigned k = 0; k < 50u << i; k++) {
			snprintf(text, sizeof text, "%u", k);
			assert_int_equal(sd_texts_add_once(&t, text), 0);
		}
		count[i] = lap();
		sd_texts_free(&t);
	}
	assert_true((double)(count[2] - count[1]) > LINEAR * (double)(count[1] - count[0]));
}

/* Steps are a property of the work: the same again. */
static int same_again(void **state)
{
	(void)state;
	sd_parallel_for_limit(1);
	json_object_seed(1);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_linear),
		cmocka_unit_test(runs_are_linear),
		cmocka_unit_test(functions_and_stacks_are_linear),
		cmocka_unit_test(threads_are_linear),
		cmocka_unit_test(threads_at_once_are_linear),
		cmocka_unit_test(cores_are_linear),
		cmocka_unit_test(quadratic_growth_is_more),
	};

	return cmocka_run_group_tests(tests, same_again, NULL);
}
