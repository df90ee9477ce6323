/*
 * Traces where files, memory or rights are few.
 */
#include <limits.h>
#include <unistd.h>

#include "probes/trace/trace_on.h"
#include "trace/trace_file.h"

/* CPUs of this machine that the tree may run on too: one event each. */
static unsigned elsewhere(void)
{
	return (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
}

static void what_is_denied_in_part_is_a_fact(void **state)
{
	struct sd_capture *c;
	struct sd_trace_facts f;

	(void)state;
	fake.no_kernel = 1;
	c = opened(2);
	f = facts_of(c);
	assert_int_equal(f.samples, SD_STATUS_OK);
	assert_int_equal(f.switches, SD_STATUS_OK);
	assert_int_equal(f.switch_stacks, SD_STATUS_DENIED);
	assert_int_equal(f.kernel, SD_STATUS_DENIED);
	assert_int_equal(f.wakes, SD_STATUS_DENIED);
	for (int i = 0; i < FAKE_EVENTS; i++)
		if (fake.event[i].used) {
			assert_true(fake.event[i].attr.exclude_kernel);
			/* the user's side of it is by frame pointers */
			assert_true(fake.event[i].attr.sample_type & PERF_SAMPLE_CALLCHAIN);
		}
	sd_trace_close(c);
}

static void everything_allowed_is_ok(void **state)
{
	struct sd_capture *const c = opened(2);
	const struct sd_trace_facts f = facts_of(c);

	(void)state;
	assert_int_equal(f.kernel, SD_STATUS_OK);
	assert_int_equal(f.switch_stacks, SD_STATUS_OK);
	assert_int_equal(f.wakes, SD_STATUS_OK);
	assert_int_equal(f.cpus_covered, 2 + elsewhere());
	assert_int_equal(f.cpus_wanted, 2 + elsewhere());
	assert_int_equal(fake.open, 2 * 3 + elsewhere());
	sd_trace_close(c);
}

static void no_tracefs_costs_only_the_wakers(void **state)
{
	struct sd_capture *c;

	(void)state;
	fake.no_wakepoint = 1;
	c = opened(1);
	assert_int_equal(facts_of(c).wakes, SD_STATUS_UNSUPPORTED);
	assert_int_equal(facts_of(c).switch_stacks, SD_STATUS_OK);
	sd_trace_close(c);
}

static void a_kernel_without_build_ids_maps_without(void **state)
{
	struct sd_capture *c;

	(void)state;
	fake.no_build_id = 1;
	c = opened(1);
	assert_int_equal(facts_of(c).samples, SD_STATUS_OK);
	sd_trace_close(c);
}

static void denied_in_whole_is_the_error(void **state)
{
	static const int errors[] = {-EACCES, -EPERM, -ENOSYS, -EOPNOTSUPP};
	struct sd_capture *c;

	(void)state;
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
		fake.error = errors[i];
		assert_int_equal(open_on(&c, 2, (struct sd_trace_options){0}), errors[i]);
		assert_null(c);
	}
}

static void an_offline_cpu_is_not_wanted(void **state)
{
	struct sd_capture *c;

	(void)state;
	fake.offline = FIRST + 1;
	c = opened(3);
	assert_int_equal(facts_of(c).cpus_wanted, 2 + elsewhere());
	assert_int_equal(facts_of(c).cpus_covered, 2 + elsewhere());
	sd_trace_close(c);
}

/* Soft and hard limit on files while a test lasts. */
static void limit_files(rlim_t soft, rlim_t hard)
{
	assert_int_equal(
		setrlimit(RLIMIT_NOFILE, &(struct rlimit){.rlim_cur = soft, .rlim_max = hard}), 0);
}

static void the_soft_limit_on_files_is_raised_and_put_back(void **state)
{
	struct rlimit before, now;
	struct sd_capture *c;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	if (before.rlim_max < 2048) {
		print_message("SKIP: the hard limit on files is %llu\n",
			(unsigned long long)before.rlim_max);
		skip();
	}
	limit_files(256, before.rlim_max);
	fake.count_files = 1;
	c = opened(256);
	assert_int_equal(facts_of(c).cpus_covered, facts_of(c).cpus_wanted);
	sd_trace_stop(c);
	assert_int_equal(sd_trace_keep(c), 0);
	getrlimit(RLIMIT_NOFILE, &now);
	assert_int_equal(now.rlim_cur, 256);
	sd_trace_close(c);
	limit_files(before.rlim_cur, before.rlim_max);
}

static void too_few_files_cover_fewer_cpus_and_say_so(void **state)
{
	struct rlimit before;
	struct sd_capture *c;
	struct sd_trace_facts f;

	(void)state;
	/* the hard limit cannot be raised again: as the fake's others have all but 64 */
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit_files(before.rlim_max, before.rlim_max);
	fake.count_files = 1;
	fake.open = (unsigned)before.rlim_max - 24 - 64;
	c = opened(256);
	f = facts_of(c);
	assert_int_equal(f.cpus_wanted, 256 + elsewhere());
	assert_int_equal(f.cpus_covered, 64 / 3 + 64 % 3); /* the last with one event, elsewhere */
	sd_trace_close(c);
	fake.open -= (unsigned)before.rlim_max - 24 - 64;
	limit_files(before.rlim_cur, before.rlim_max);
}

static void little_locked_memory_gives_smaller_rings_then_fewer(void **state)
{
	struct sd_capture *c;
	struct sd_trace_facts f;

	(void)state;
	fake.lockable = 129u << 20;
	c = opened(256);
	f = facts_of(c);
	assert_int_equal(f.cpus_covered, f.cpus_wanted);
	assert_true(fake.locked >= 64u << 20);
	sd_trace_close(c);
	fake.lockable = 1u << 20;
	c = opened(256);
	f = facts_of(c);
	assert_int_equal(f.cpus_wanted, 256 + elsewhere());
	assert_int_equal(f.cpus_covered, 16);
	sd_trace_close(c);
	fake.lockable = 1000;
	assert_int_equal(open_on(&c, 2, (struct sd_trace_options){0}), -ENOMEM);
}

static void an_expected_length_lowers_the_rate_to_the_bound(void **state)
{
	struct sd_capture *c;
	const struct sd_trace_options o = {.expect_s = 100, .bytes = 16u << 20};

	(void)state;
	assert_int_equal(open_on(&c, 4, o), 0);
	/* of 1 KB at least each */
	assert_true(facts_of(c).hz * 4 * 100 * 1024 < 16u << 20);
	assert_true(facts_of(c).hz > 1);
	sd_trace_close(c);
}

static void deep_stacks_are_copied_of_samples_where_there_is_room(void **state)
{
	struct sd_trace_options o = {.stack = 32768};
	struct sd_capture *c;
	unsigned n = 0;

	(void)state;
	assert_int_equal(sd_trace_longer(0), 32768);
	assert_int_equal(sd_trace_longer(4096), 8192);
	assert_int_equal(sd_trace_longer(32768), 61440);
	assert_int_equal(sd_trace_longer(61440), 61440);
	assert_int_equal(open_on(&c, 1, o), 0);
	for (int i = 0; i < FAKE_EVENTS; i++)
		if (fake.event[i].used && fake.event[i].attr.sample_stack_user) {
			const uint32_t bytes = fake.event[i].attr.sample_stack_user;

			assert_true(bytes == 32768 || bytes == 4096); /* of switches */
			n += bytes == 32768;
		}
	assert_true(n > 0);
	sd_trace_close(c);
	o.expect_s = 100;
	assert_int_equal(open_on(&c, 1, o), 0);
	for (int i = 0; i < FAKE_EVENTS; i++)
		assert_true(!fake.event[i].used || fake.event[i].attr.sample_stack_user <= 8192);
	sd_trace_close(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_denied_in_part_is_a_fact),
		TEST(everything_allowed_is_ok),
		TEST(no_tracefs_costs_only_the_wakers),
		TEST(a_kernel_without_build_ids_maps_without),
		TEST(denied_in_whole_is_the_error),
		TEST(an_offline_cpu_is_not_wanted),
		TEST(the_soft_limit_on_files_is_raised_and_put_back),
		TEST(too_few_files_cover_fewer_cpus_and_say_so),
		TEST(little_locked_memory_gives_smaller_rings_then_fewer),
		TEST(an_expected_length_lowers_the_rate_to_the_bound),
		TEST(deep_stacks_are_copied_of_samples_where_there_is_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
