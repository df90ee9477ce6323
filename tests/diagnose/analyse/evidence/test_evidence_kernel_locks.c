/* Which of the kernel's locks a cause names: those that threads spin for are kernel time, those
 * that they sleep for are waits for locks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"

static unsigned text_of(struct sd_record *r, const char *text)
{
	unsigned index;

	assert_int_equal(sd_stacks_text(&r->stacks, text, &index), 0);
	return index;
}

/* A run waits for so long in munmap, while a page fault holds the lock, and for a tenth of it in
 * mmap. */
static void wait_in(struct sd_record *r, struct sd_run *run, double wait_s, double slept_s)
{
	struct sd_kernel_locks *const l = calloc(1, sizeof *l);
	struct sd_kernel_lock *const row = calloc(2, sizeof *row);
	const unsigned name = text_of(r, "mmap_lock (memory)");

	assert_true(l && row);
	row[0] = (struct sd_kernel_lock){.name = name,
		.call = text_of(r, "munmap"),
		.held = text_of(r, "page fault"),
		.wait_s = wait_s,
		.slept_s = slept_s};
	row[1] = (struct sd_kernel_lock){.name = name,
		.call = text_of(r, "mmap"),
		.wait_s = wait_s / 10,
		.slept_s = slept_s / 10};
	*l = (struct sd_kernel_locks){
		.status = SD_STATUS_OK, .row = row, .n_row = 2, .n_row_seen = 2};
	run->kernel_locks = l;
}

/* A cause's words on it at 2 cores, of 8 s each; "" nothing. */
static void told(enum sd_cause cause, double wait_s, double slept_s, char out[256])
{
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 10, .user = 10},
				   two = {.wall = 8,
					   .user = 10,
					   .system = 3,
					   .idle = {[SD_IDLE_LOCK] = 3}};
	struct sd_record r;
	struct sd_analysis a;
	const struct sd_finding *f;

	record_make(&r, cores, 2);
	for (int k = 0; k < 6; k++) {
		wait_in(&r, record_sample(&r, 0, &one, 1 + .001 * k), 0, 0);
		wait_in(&r, record_sample(&r, 1, &two, 1 + .001 * k), wait_s, slept_s);
	}
	*out = '\0';
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	f = finding_of(&a, cause);
	for (size_t i = 0; i < f->evidence.n; i++)
		if (strncmp(f->evidence.text[i], "kernel lock ", 12) == 0)
			snprintf(out, 256, "%s", f->evidence.text[i]);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void a_lock_is_named_by_the_cause_whose_time_it_is(void **state)
{
	/* 4.4 s of 8, less a thousandth or so: the mean of six runs */
	static const char text[] = "kernel lock mmap_lock (memory): 0.55 threads wait for it on "
				   "average at 2 cores, 0.00 at 1; in munmap, mmap; held meanwhile "
				   "in page fault";
	char out[256];

	(void)state;
	told(SD_CAUSE_KERNEL_MEMORY, 4, 0, out);
	assert_string_equal(out, text);
	told(SD_CAUSE_LOCK_CONTENTION, 4, 0, out);
	assert_string_equal(out, "");
	told(SD_CAUSE_LOCK_CONTENTION, 4, 4, out);
	assert_string_equal(out, text);
	told(SD_CAUSE_KERNEL_MEMORY, 4, 4, out);
	assert_string_equal(out, "");
}

static void one_that_few_wait_for_is_not_named(void **state)
{
	char out[256];

	(void)state;
	told(SD_CAUSE_KERNEL_MEMORY, .3, 0, out); /* .04 threads: less than a fortieth of 2 */
	assert_string_equal(out, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_is_named_by_the_cause_whose_time_it_is),
		cmocka_unit_test(one_that_few_wait_for_is_not_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
