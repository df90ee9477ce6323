/*
 * Which events sample loads and stores on which machine, and why none do.
 */
#include "probes/memory_machine.h"
#include "memory/line_table.h"

static void refused(int error, const char *words)
{
	struct sd_memsource *s;
	char why[160];

	assert_int_equal(sd_access_source_open(&s, root, NULL, why, sizeof why), error);
	assert_null(s);
	if (!strstr(why, words))
		fail_msg("'%s' is not in '%s'", words, why);
}

static void intel_samples_loads_and_stores_precisely(void **state)
{
	struct sd_memsource *s;

	(void)state;
	intel(85); /* Skylake-X */
	s = opened();
	assert_string_equal(sd_access_source_name(s), "mem-loads, mem-stores");
	assert_int_equal(s->n, 2);
	for (size_t i = 0; i < s->n; i++) {
		assert_int_equal(s->event[i].attr.precise_ip, 2);
		assert_int_equal(s->event[i].attr.sample_type, SD_MEM_SAMPLE);
		assert_true(s->event[i].attr.exclude_kernel);
	}
	assert_int_equal(s->event[0].attr.config, FAKE_LOADS);
	assert_int_equal(s->event[0].attr.config1, 30); /* cycles of latency */
	sd_access_source_free(s);
}

static void loads_of_sapphire_rapids_follow_their_leader(void **state)
{
	struct sd_memsource *s;

	(void)state;
	intel(143);
	fake.need_leader = 1;
	s = opened();
	assert_int_equal(s->n, 3);
	assert_int_equal(s->event[0].attr.config, FAKE_LOADS_AUX);
	assert_int_equal(s->event[0].attr.sample_type, 0);
	assert_int_equal(s->event[0].attr.sample_period, 0);
	assert_true(s->event[1].follows && !s->event[2].follows);
	sd_access_source_free(s);
}

static void without_precise_events_it_is_refused_with_a_word(void **state)
{
	(void)state;
	intel(85);
	fake.no_precise = 1;
	refused(-ENOTSUP, "the kernel refuses mem-loads");
	fake.error = -EACCES;
	fake.no_precise = 0;
	refused(-EACCES, "mem-loads is forbidden to this user");
	fake.error = 0;
	intel(15);
	refused(-ENODEV, "Core 2 carry no address");
}

static void ibs_asks_for_more_rights_where_the_kernel_is_older(void **state)
{
	struct sd_memsource *s;

	(void)state;
	amd(25, 17); /* Zen 4 */
	refused(-ENODEV, "no PMU ibs_op");
	own_pmu("ibs_op");
	s = opened();
	assert_int_equal(s->event[0].attr.type, OWN);
	assert_int_equal(s->event[0].attr.config2, 1);
	assert_true(s->event[0].attr.exclude_kernel && !s->wide);
	sd_access_source_free(s);
	fake.no_filter = 1;
	s = opened();
	assert_false(s->event[0].attr.exclude_kernel || s->wide);
	sd_access_source_free(s);
	fake.no_task = 1;
	s = opened();
	assert_true(s->wide);
	sd_access_source_free(s);
	fake.no_kernel = 1; /* perf_event_paranoid 2 */
	refused(-EACCES, "cannot leave itself out");
}

static void spe_has_a_period_and_packets(void **state)
{
	struct sd_memsource *s;

	(void)state;
	arm();
	refused(-ENODEV, "no PMU arm_spe");
	own_pmu("arm_spe_0");
	s = opened();
	assert_true(s->spe);
	assert_true(s->event[0].attr.sample_period >= 4096 && !s->event[0].attr.freq);
	assert_int_equal(s->event[0].attr.config & 1, 1); /* timestamps */
	assert_int_equal(s->peers, 1 << 9 | 1 << 10 | 1 << 12);
	assert_int_equal(s->far_peers, 1 << 13);
	sd_access_source_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		TEST(intel_samples_loads_and_stores_precisely),
		TEST(loads_of_sapphire_rapids_follow_their_leader),
		TEST(without_precise_events_it_is_refused_with_a_word),
		TEST(ibs_asks_for_more_rights_where_the_kernel_is_older),
		TEST(spe_has_a_period_and_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
