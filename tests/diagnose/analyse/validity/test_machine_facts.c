/*
 * Disturbances of a measurement, read off records whose disturbances are known; and the statements
 * that are read off their stack.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "case/stated.h"
#include "support/analyse_record.h"
#include "support/near.h"
#include "validity/machine_facts.h"

#define RUNS 6

/* A case as far as the facts need it. */
struct book {
	struct sd_record record;
	struct sd_run_selection choice;
	struct sd_model model;
	struct sd_loss loss;
	struct sd_analysis a;
	struct sd_case c;
	struct sd_disturbance_facts facts;
};

static void begin(struct book *b, unsigned n, const struct sample *one, const struct sample *many)
{
	const unsigned cores[] = {1, n};

	*b = (struct book){0};
	record_make(&b->record, cores, 2);
	for (int i = 0; i < RUNS; i++) {
		record_sample(&b->record, 0, one, 1);
		record_sample(&b->record, 1, many, 1);
	}
}

static void set(struct book *b, size_t point, enum sd_metric m, double v)
{
	for (size_t i = 0; i < b->record.n_run; i++)
		if (b->record.run[i].point == point)
			b->record.run[i].metric[m] = SD_OK(v);
}

static void look(struct book *b)
{
	assert_int_equal(sd_run_selection_make(&b->record, SD_LABEL_NONE, &b->choice), 0);
	b->a.point = calloc(b->choice.n_point, sizeof *b->a.point);
	b->a.n_point = b->choice.n_point;
	assert_int_equal(sd_stack_fill(&b->choice, &b->model, 1, &b->a, &b->loss), 0);
	b->c = (struct sd_case){.record = &b->record,
		.choice = &b->choice,
		.ref = &b->choice.point[0],
		.last = &b->choice.point[b->choice.n_point - 1],
		.loss = &b->loss,
		.model = &b->model,
		.a = &b->a,
		.scratch = calloc(b->loss.n_sample, sizeof(double))};
	b->c.neighbours = sd_shared_cores_make(&b->record, b->c.ref, b->c.last);
	assert_int_equal(sd_machine_facts_make(&b->c, &b->facts), 0);
}

static void end(struct book *b)
{
	free(b->c.scratch);
	sd_statements_free(&b->c.said);
	sd_loss_free(&b->loss);
	sd_analysis_free(&b->a);
	sd_run_selection_free(&b->choice);
	sd_record_free(&b->record);
}

static const struct sample one = {.wall = 8, .user = 8};

static void what_others_took_is_known_of_all_runs_or_of_none(void **state)
{
	const struct sample many = {.wall = 5,
		.user = 8,
		.steal = .5,
		.run_delay = 1,
		.idle = {[SD_IDLE_RUNNABLE] = 1, [SD_IDLE_LOCK] = .5}};
	struct book b;

	(void)state;
	begin(&b, 2, &one, &many);
	set(&b, 1, SD_METRIC_FOREIGN, 2);
	set(&b, 1, SD_METRIC_POLL_CPU, .25);
	look(&b);
	/* cores: seconds by the 5 s of a run */
	assert_near(b.facts.others.value, 2.25 / 5, 1e-12);
	assert_near(b.facts.stolen.value, .5 / 5, 1e-9);
	assert_near(b.facts.queue.value, 1.5 / 5, 1e-9);
	assert_near(b.facts.efficiency, 8. / (2 * 5), 1e-12);
	assert_int_equal(b.facts.runs, 5); /* the most disturbed one of six is left out */
	end(&b);

	begin(&b, 2, &one, &many);
	set(&b, 1, SD_METRIC_FOREIGN, 2);
	set(&b, 1, SD_METRIC_POLL_CPU, .25);
	b.record.run[b.record.n_run - 1].metric[SD_METRIC_FOREIGN] = SD_NOT(UNSUPPORTED);
	look(&b);
	assert_false(sd_has(b.facts.others));
	end(&b);
}

static void what_nobody_measured_is_absent(void **state)
{
	const struct sample many = {.wall = 5, .user = 8, .idle = {[SD_IDLE_LOCK] = 2}};
	struct book b;

	(void)state;
	begin(&b, 2, &one, &many);
	for (size_t i = 0; i < b.record.n_run; i++)
		b.record.run[i].metric[SD_METRIC_POLL_PERIOD] =
			b.record.run[i].metric[SD_METRIC_STEAL] = SD_NOT(UNSUPPORTED);
	look(&b);
	assert_false(sd_has(b.facts.others)); /* nobody knows what measuring took */
	assert_false(sd_has(b.facts.stolen));
	assert_false(sd_has(b.facts.width));
	assert_false(sd_has(b.facts.states));
	assert_false(sd_has(b.facts.drift));
	assert_false(sd_has(b.facts.period));
	end(&b);
}

static void a_drift_is_without_what_its_scatter_makes(void **state)
{
	const struct sample many = {.wall = 5, .user = 8, .idle = {[SD_IDLE_LOCK] = 2}};
	struct book b;

	(void)state;
	begin(&b, 2, &one, &many);
	for (int i = 0; i < 3; i++)
		record_sample(&b.record, 0, &one, 1.25)->kind = SD_RUN_DRIFT;
	look(&b);
	assert_near(b.facts.drift.value, .25, 1e-12);
	assert_near(b.facts.drift_noise, 0, 1e-12);
	end(&b);
}

static void waits_that_switches_told_have_no_blind_ends(void **state)
{
	const struct sample many = {.wall = 5, .user = 8, .idle = {[SD_IDLE_LOCK] = 2}};
	struct book b;

	(void)state;
	begin(&b, 2, &one, &many);
	look(&b);
	assert_near(b.facts.period.value, .005, 1e-12);
	assert_near(b.facts.wall.value, 5, 1e-12);
	b.a.sampling.idle = 1;
	assert_int_equal(sd_machine_facts_make(&b.c, &b.facts), 0);
	assert_false(sd_has(b.facts.period));
	end(&b);
}

/* 2 of 10 core-seconds wait for locks and .5 for the disk. */
static void components_are_stated_together_with_what_disturbs_them(void **state)
{
	const struct sample many = {
		.wall = 5, .user = 7.5, .idle = {[SD_IDLE_LOCK] = 2, [SD_IDLE_DISK] = .5}};
	struct sd_statement s;
	struct book b;

	(void)state;
	begin(&b, 2, &one, &many);
	look(&b);
	s = sd_stated_components(
		&b.c, SD_CAUSE_LOCK_CONTENTION, "both", SD_BIT(LOCK) | SD_BIT(DISK));
	assert_near(s.at_least.value, .5, 1e-9);
	assert_near(s.at_most.high, .5, 1e-9);
	/* every run waits as long, at whatever speed */
	assert_int_equal(s.disturbed_by,
		(sd_disturbance_of[SD_COMPONENT_LOCK] | sd_disturbance_of[SD_COMPONENT_DISK]) &
			~SD_DISTURBANCE_BIT(TWO_SPEEDS));
	/* a component that is not in this stack states nothing, not 0 */
	s = sd_stated_components(&b.c, SD_CAUSE_MPI, "mpi", SD_BIT(MPI));
	assert_int_equal(s.at_least.status, SD_STATUS_ABSENT);
	assert_int_equal(s.at_most.status, SD_STATUS_ABSENT);
	assert_int_equal(s.disturbed_by, 0);
	s = sd_stated_fact(SD_CAUSE_NUMA, "one-node");
	assert_int_equal(s.at_least.status, SD_STATUS_ABSENT);
	assert_near(s.at_most.high, 0, 0);
	end(&b);
}

static void statements_are_kept_however_many(void **state)
{
	struct book b = {0};

	(void)state;
	for (int i = 0; i < 100; i++) {
		const struct sd_statement s = {
			.cause = (enum sd_cause)(i % SD_CAUSE_COUNT), .number = {i}};

		sd_stated_keep(&b.c, &s);
	}
	assert_int_equal(b.c.rc, 0);
	assert_int_equal(b.c.said.n, 100);
	for (int i = 0; i < 100; i++)
		assert_near(b.c.said.row[i].number[0], i, 0);
	sd_statements_free(&b.c.said);
	sd_statements_free(&b.c.said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_others_took_is_known_of_all_runs_or_of_none),
		cmocka_unit_test(what_nobody_measured_is_absent),
		cmocka_unit_test(a_drift_is_without_what_its_scatter_makes),
		cmocka_unit_test(waits_that_switches_told_have_no_blind_ends),
		cmocka_unit_test(components_are_stated_together_with_what_disturbs_them),
		cmocka_unit_test(statements_are_kept_however_many),
	};

	return cmocka_run_group_tests_name("analyse/validity/machine_facts", tests, NULL, NULL);
}
