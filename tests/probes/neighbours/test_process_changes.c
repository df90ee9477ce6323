/* Differences of made looks at processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "neighbours/process_changes.h"
#include "neighbours/touched_pages.h"
#include "support/near.h"

#define TICK .01

static struct sd_looked_process process(
	int pid, int ppid, const char *name, uint64_t own, uint64_t children)
{
	struct sd_looked_process p = {
		.pid = pid, .ppid = ppid, .start = 7, .own = own, .children = children};

	strcpy(p.comm, name);
	return p;
}

static struct sd_process_look look(struct sd_looked_process *p, size_t n, double at)
{
	return (struct sd_process_look){.process = p, .n = n, .at = at};
}

static void who_used_a_cpu_is_told_and_we_are_not(void **state)
{
	struct sd_looked_process before[] = {process(1, 0, "init", 500, 100),
		process(20, 1, "scalediag", 10, 0), process(30, 1, "hog", 1000, 0)};
	struct sd_looked_process now[] = {process(1, 0, "init", 500, 100),
		process(20, 1, "scalediag", 60, 0), process(21, 20, "ours", 150, 0),
		process(30, 1, "hog", 1100, 0)};
	const struct sd_process_look a = look(before, 3, 0), b = look(now, 4, 2);
	struct sd_neighbour out[SD_NEIGHBOURS];

	(void)state;
	assert_int_equal(sd_process_changes(&a, &b, 20, TICK, out), 1);
	assert_int_equal(out[0].pid, 30);
	assert_near(out[0].cpu.value, .5, 1e-9);
	assert_int_equal(out[0].facts, 0);
	assert_int_equal(out[0].disk.status, SD_STATUS_DENIED);
}

static void short_processes_are_their_parents_without_what_they_used_before(void **state)
{
	/* a shell whose children take a core: one of them, with 80 ticks, was there at the first
	 * look */
	struct sd_looked_process before[] = {
		process(30, 1, "sh", 5, 0), process(31, 30, "cc1", 80, 0)};
	struct sd_looked_process now[] = {process(30, 1, "sh", 6, 280)};
	const struct sd_process_look a = look(before, 2, 0), b = look(now, 1, 2);
	struct sd_neighbour out[SD_NEIGHBOURS];

	(void)state;
	assert_int_equal(sd_process_changes(&a, &b, 20, TICK, out), 1);
	assert_near(out[0].cpu.value, 1.005, 1e-9);
	assert_true(out[0].facts & SD_NEIGHBOUR_CHILDREN);
}

/* A script's build of 20 s ends: its compiler's time was there at the first look, two levels down.
 */
static void what_ended_below_a_child_was_used_before_too(void **state)
{
	struct sd_looked_process before[] = {process(1, 0, "init", 0, 0),
		process(30, 1, "sh", 5, 100), process(31, 30, "make", 1, 700),
		process(32, 31, "cc1", 1100, 0), process(40, 1, "sh", 5, 0),
		process(41, 40, "cc1", 900, 0)};
	struct sd_looked_process now[] = {
		process(1, 0, "init", 0, 905), process(30, 1, "sh", 6, 100 + 1 + 700 + 1100 + 9)};
	const struct sd_process_look a = look(before, 6, 0), b = look(now, 2, 1);
	struct sd_neighbour out[SD_NEIGHBOURS];

	(void)state;
	/* sh 40 ended before cc1 41, which init reaped: what it used before is not init's now */
	assert_int_equal(sd_process_changes(&a, &b, 20, TICK, out), 1);
	assert_int_equal(out[0].pid, 30);
	assert_near(out[0].cpu.value, .1, 1e-9);
}

static void a_process_of_the_same_number_is_another(void **state)
{
	struct sd_looked_process before[] = {process(30, 1, "old", 900, 0)};
	struct sd_looked_process now[] = {process(30, 1, "new", 50, 0)};
	struct sd_process_look a = look(before, 1, 0), b = look(now, 1, 1);
	struct sd_neighbour out[SD_NEIGHBOURS];

	(void)state;
	now[0].start = 8;
	assert_int_equal(sd_process_changes(&a, &b, 20, TICK, out), 1);
	assert_string_equal(out[0].name, "new");
	assert_near(out[0].cpu.value, .5, 1e-9);
}

static void the_disk_counts_without_cpu_time_and_four_are_kept(void **state)
{
	struct sd_looked_process before[6], now[6];
	struct sd_process_look a = look(before, 6, 0), b = look(now, 6, 1);
	struct sd_neighbour out[SD_NEIGHBOURS];

	(void)state;
	for (int i = 0; i < 6; i++) {
		before[i] = process(30 + i, 1, "p", 1, 0);
		now[i] = process(30 + i, 1, "p", 11 + (uint64_t)i, 0);
		before[i].has_disk = now[i].has_disk = 1;
	}
	now[0].own = 1; /* it writes, and hardly runs */
	now[0].disk = 900000000;
	now[1].real_time = 1;
	assert_int_equal(sd_process_changes(&a, &b, 20, TICK, out), SD_NEIGHBOURS);
	assert_int_equal(out[0].pid, 30);
	assert_near(out[0].disk.value, 9e8, 1);
	assert_int_equal(out[1].pid, 35);
	assert_int_equal(out[3].pid, 33);
	assert_int_equal(sd_process_changes(&b, &b, 20, TICK, out), 0);
}

/* Addresses at random within so many bytes. */
static struct sd_value pages_of(uint64_t bytes, size_t n)
{
	uint64_t address[400], x = 88172645463325252u;

	for (size_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		address[i] = x % bytes;
	}
	return sd_touched_pages(address, n);
}

static void the_bound_on_memory_is_below_what_there_is(void **state)
{
	const uint64_t sizes[] = {8192, 1 << 20, 64 << 20};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct sd_value v = pages_of(sizes[i], 400);

		assert_int_equal(v.status, SD_STATUS_OK);
		assert_true(v.value <= (double)sizes[i]);
	}
	/* no two in one page: 400 x 399 / 2 pairs by 3.00, the exact bound of none; the cube is 1 %
	 * off */
	assert_near(
		pages_of(UINT64_C(1) << 40, 400).value, 4096 * 79800 / 3., .02 * 4096 * 79800 / 3.);
	assert_int_equal(pages_of(1 << 20, SD_TOUCHED_LEAST - 1).status, SD_STATUS_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_used_a_cpu_is_told_and_we_are_not),
		cmocka_unit_test(short_processes_are_their_parents_without_what_they_used_before),
		cmocka_unit_test(what_ended_below_a_child_was_used_before_too),
		cmocka_unit_test(a_process_of_the_same_number_is_another),
		cmocka_unit_test(the_disk_counts_without_cpu_time_and_four_are_kept),
		cmocka_unit_test(the_bound_on_memory_is_below_what_there_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
