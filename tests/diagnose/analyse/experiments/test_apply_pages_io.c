/*
 * Prefetchers, read-ahead and a warm page cache decide, and bring their advice.
 */
#include "diagnose/analyse/experiments/experiment_pairs.h"
#include "experiments/next_experiment.h"
#include "base/configs.h"
#include "advice/advice_texts.h"

/* With the advice that scalediag has; to be freed before the next. */
static struct sd_advice_texts advice;

static void advised(struct sd_record *r, struct sd_analysis *a)
{
	struct sd_config c;

	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	sd_advice_texts_free(&advice);
	assert_int_equal(sd_advice_texts_add(&advice, c.name, c.text, c.size, NULL), 0);
	sd_config_free(&c);
	assert_int_equal(sd_analyse(r, NULL, &advice, a), 0);
}

static void what_prefetchers_fetch_for_nobody_is_evidence_and_advice(void **state)
{
	static const char words[] = "fetched that nobody reads";
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	pairs(&r, SD_EXPERIMENT_PREFETCHERS, 1, 5, .8);
	pairs(&r, SD_EXPERIMENT_PREFETCHERS, 0, 5, 1.2);
	advised(&r, &a);
	/* which of the three it is, it does not say */
	EXPECT(&a, MEMORY_BANDWIDTH, "possible");
	EXPECT(&a, FALSE_SHARING, "possible");
	assert_true(says(&finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH)->evidence, words));
	assert_true(says(&finding_of(&a, SD_CAUSE_LLC_CAPACITY)->evidence, words));
	assert_true(says(&finding_of(&a, SD_CAUSE_FALSE_SHARING)->evidence, words));
	assert_false(says(&finding_of(&a, SD_CAUSE_SPINNING)->evidence, words));
	done(&r, &a);
	/* where others say that it is bandwidth, it says what to do */
	with_experiments(&r, &slow);
	copies(&r, 5, 1.6);
	thief(&r, SD_EXPERIMENT_BANDWIDTH_THIEF, 5, 1.5, 9e9);
	pairs(&r, SD_EXPERIMENT_PREFETCHERS, 1, 5, .8);
	pairs(&r, SD_EXPERIMENT_PREFETCHERS, 0, 5, 1.2);
	advised(&r, &a);
	EXPECT(&a, MEMORY_BANDWIDTH, "likely");
	assert_true(says(&finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH)->advice,
		"the prefetchers fetch lines that nobody reads"));
	done(&r, &a);
	/* they are of use */
	with_experiments(&r, &slow);
	pairs(&r, SD_EXPERIMENT_PREFETCHERS, 1, 5, 1.4);
	pairs(&r, SD_EXPERIMENT_PREFETCHERS, 0, 5, 1.8);
	advised(&r, &a);
	assert_false(says(&finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH)->evidence, words));
	assert_false(says(&finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH)->advice, "prefetchers fetch"));
	assert_true(says(&a.tested[SD_EXPERIMENT_PREFETCHERS].seen, "what they fetch is read"));
	done(&r, &a);
}

/* At two cores a third of the time is spent waiting for the disk. */
static const struct sample reads = {.wall = 3, .user = 4, .idle = {[SD_IDLE_DISK] = 2}};

static void cached(struct sd_record *r, double ratio, double plain, double changed)
{
	struct sample warm = reads;

	warm.wall *= ratio;
	warm.idle[SD_IDLE_DISK] = 2 * warm.wall - warm.user;
	for (unsigned i = 0; i < 5; i++) {
		struct sd_run *run = add(r, SD_EXPERIMENT_WARM_CACHE, 1, SD_ARM_PLAIN, i, &reads);

		run->tried->side[SD_SIDE_CACHED] = SD_OK(plain);
		run = add(r, SD_EXPERIMENT_WARM_CACHE, 1, SD_ARM_CHANGED, i, &warm);
		run->tried->side[SD_SIDE_CACHED] = SD_OK(changed);
	}
}

static void files_that_are_read_ahead_tell_reading_from_writing(void **state)
{
	const struct sd_finding *f;
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &reads);
	cached(&r, .7, 0, 1);
	advised(&r, &a);
	EXPECT(&a, DISK, "confirmed");
	f = finding_of(&a, SD_CAUSE_DISK);
	assert_true(says(&f->advice, "waits to read"));
	assert_true(says(&a.tested[SD_EXPERIMENT_WARM_CACHE].seen, "100 % were in the page cache"));
	done(&r, &a);
	with_experiments(&r, &reads);
	cached(&r, 1, .1, 1);
	advised(&r, &a);
	f = finding_of(&a, SD_CAUSE_DISK);
	assert_true(f->verdict < SD_VERDICT_RULED_OUT); /* it does wait for the disk */
	assert_true(says(&f->evidence, "is not reading them"));
	assert_false(says(&f->advice, "waits to read"));
	done(&r, &a);
}

/* As of files that another machine serves: no block device is read, which speaks against
 * the disk. */
static void what_an_experiment_confirms_has_its_advice_whatever_spoke_against_it(void **state)
{
	size_t told[2];

	(void)state;
	for (int quiet = 0; quiet < 2; quiet++) {
		struct sd_record r;
		struct sd_analysis a;

		with_experiments(&r, &reads);
		cached(&r, .7, 0, 1);
		for (size_t i = 0; quiet && i < r.n_run; i++) {
			r.run[i].metric[SD_METRIC_BLOCK_READ] = SD_OK(0);
			r.run[i].metric[SD_METRIC_BLOCK_WRITTEN] = SD_OK(0);
			r.run[i].metric[SD_METRIC_MAJOR_FAULTS] = SD_OK(0);
		}
		advised(&r, &a);
		EXPECT(&a, DISK, "confirmed");
		assert_int_equal(
			says(&finding_of(&a, SD_CAUSE_DISK)->evidence, "no bytes to or from"),
			quiet);
		told[quiet] = finding_of(&a, SD_CAUSE_DISK)->advice.n;
		done(&r, &a);
	}
	assert_int_equal(told[1], told[0]);
}

static void what_was_cached_anyway_is_not_waited_for(void **state)
{
	const struct sd_finding *f;
	struct sd_record r;
	struct sd_analysis a;
	struct sd_run *run;

	(void)state;
	with_experiments(&r, &reads);
	run = add(&r, SD_EXPERIMENT_WARM_CACHE, 1, SD_ARM_PLAIN, 0, &reads);
	run->tried->side[SD_SIDE_CACHED] = SD_OK(1);
	r.plan.experiment[SD_EXPERIMENT_WARM_CACHE].skipped = strdup("cached");
	advised(&r, &a);
	f = finding_of(&a, SD_CAUSE_DISK);
	assert_true(says(&f->evidence, "was in the page cache before it started"));
	assert_true(says(&f->advice, "so it waits to write"));
	done(&r, &a);
	/* not measured is not "all" and not "nothing" */
	with_experiments(&r, &reads);
	run = add(&r, SD_EXPERIMENT_WARM_CACHE, 1, SD_ARM_PLAIN, 0, &reads);
	run->tried->side[SD_SIDE_CACHED] = SD_NOT(DENIED);
	advised(&r, &a);
	f = finding_of(&a, SD_CAUSE_DISK);
	assert_false(says(&f->evidence, "page cache"));
	done(&r, &a);
}

/* A program that is as fast without huge pages lacks no translations; one that is slower may. */
static void without_huge_pages_as_fast_is_no_dtlb(void **state)
{
	static const struct {
		double ratio;
		const char *verdict;
	} row[] = {{1, "ruled-out"}, {1.3, "possible"}};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_record r;
		struct sd_analysis a;

		with_experiments(&r, &slow);
		pairs(&r, SD_EXPERIMENT_BASE_PAGES, 1, 5, row[k].ratio);
		pairs(&r, SD_EXPERIMENT_BASE_PAGES, 0, 5, 1);
		verdict_is(&r, &a);
		EXPECT(&a, DTLB, row[k].verdict);
		assert_true(says(&a.tested[SD_EXPERIMENT_BASE_PAGES].seen, "times as long"));
		done(&r, &a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_prefetchers_fetch_for_nobody_is_evidence_and_advice),
		cmocka_unit_test(files_that_are_read_ahead_tell_reading_from_writing),
		cmocka_unit_test(
			what_an_experiment_confirms_has_its_advice_whatever_spoke_against_it),
		cmocka_unit_test(what_was_cached_anyway_is_not_waited_for),
		cmocka_unit_test(without_huge_pages_as_fast_is_no_dtlb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
