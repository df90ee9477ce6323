/* Sources for each cause: an experiment that can be made confirms what it predicts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "views/doctor_view.h"

static void nothing_can_be_made(struct sd_readiness *ready)
{
	*ready = (struct sd_readiness){0};
	for (int e = 0; e < SD_EXPERIMENT_COUNT; e++)
		snprintf(ready->lacks[e], SD_READINESS_WHY, "no %s", sd_experiment_info[e].name);
}

static json_t *shown(const struct sd_doctor *d, const struct sd_readiness *ready)
{
	char *text = NULL;
	size_t n;
	FILE *const f = open_memstream(&text, &n);
	json_t *root;

	assert_non_null(f);
	assert_int_equal(sd_doctor_json(f, d, ready), 0);
	assert_int_equal(fclose(f), 0);
	root = json_loads(text, 0, NULL);
	assert_non_null(root);
	free(text);
	return root;
}

static const char *of(const json_t *root, int cause, const char *key)
{
	const json_t *const c = json_array_get(json_object_get(root, "causes"), (size_t)cause);
	const char *const s = json_string_value(json_object_get(c, key));

	assert_non_null(s);
	return s;
}

static int predicted_to_confirm(enum sd_experiment e, int cause)
{
	for (const struct sd_prediction *p = sd_experiment_predictions(e); p->of == e; p++)
		if (p->cause == (enum sd_cause)cause && (p->sides & SD_BOUND_LOWER))
			return 1;
	return 0;
}

static void an_experiment_confirms_what_it_predicts_and_no_more(void **state)
{
	const struct sd_doctor none = {0};
	struct sd_readiness ready;
	json_t *root;

	(void)state;
	nothing_can_be_made(&ready);
	root = shown(&none, &ready);
	for (int c = 0; c < SD_CAUSE_COUNT; c++)
		assert_string_not_equal(of(root, c, "reach"), "confirmed");
	/* what would change it */
	assert_non_null(strstr(of(root, SD_CAUSE_NUMA, "change"), "no interleave"));
	json_decref(root);
	for (int e = 0; e < SD_EXPERIMENT_COUNT; e++) {
		nothing_can_be_made(&ready);
		ready.lacks[e][0] = '\0';
		root = shown(&none, &ready);
		for (int c = 0; c < SD_CAUSE_COUNT; c++)
			assert_int_equal(strcmp(of(root, c, "reach"), "confirmed") == 0,
				predicted_to_confirm(e, c));
		json_decref(root);
	}
}

/* Evidence alone makes a cause likely; without, it cannot be found, and what is missing is said. */
static void evidence_makes_likely(void **state)
{
	struct sd_doctor d = {0};
	struct sd_readiness ready;
	json_t *root;

	(void)state;
	nothing_can_be_made(&ready);
	for (int i = 0; i < SD_FACT_COUNT; i++)
		d.fact[i].status = SD_STATUS_ABSENT;
	snprintf(d.fact[SD_FACT_SCHEDSTAT].enable, sizeof d.fact->enable, "a new kernel");
	root = shown(&d, &ready);
	assert_string_equal(of(root, SD_CAUSE_SERIAL_CODE, "reach"), "no");
	assert_string_equal(of(root, SD_CAUSE_SERIAL_CODE, "change"), "a new kernel");
	assert_string_equal(of(root, SD_CAUSE_MPI, "reach"), "no");
	json_decref(root);
	d.fact[SD_FACT_SCHEDSTAT].status = d.fact[SD_FACT_MPI].status = SD_STATUS_OK;
	root = shown(&d, &ready);
	assert_string_equal(of(root, SD_CAUSE_SERIAL_CODE, "reach"), "likely");
	assert_string_equal(of(root, SD_CAUSE_MPI, "reach"), "likely");
	/* and what would take it further, or that nothing does */
	assert_string_equal(of(root, SD_CAUSE_SERIAL_CODE, "change"), "it has no experiment");
	for (int c = 0; c < SD_CAUSE_COUNT; c++)
		if (strcmp(of(root, c, "reach"), "likely") == 0)
			assert_string_not_equal(of(root, c, "change"), "");
	json_decref(root);
}

/* The samples of plain runs have the lines, without counters, emulator or experiment. */
static void samples_with_registers_make_sharing_likely(void **state)
{
	static const int causes[] = {SD_CAUSE_FALSE_SHARING, SD_CAUSE_TRUE_SHARING,
		SD_CAUSE_BUS_LOCKS, SD_CAUSE_LOCK_CONTENTION};
	struct sd_doctor d = {0};
	struct sd_readiness ready;

	(void)state;
	nothing_can_be_made(&ready);
	for (int i = 0; i < SD_FACT_COUNT; i++)
		d.fact[i].status = SD_STATUS_ABSENT;
	for (int has = 0; has <= 1; has++) {
		json_t *root;

		d.fact[SD_FACT_NATIVE].status = has ? SD_STATUS_OK : SD_STATUS_DENIED;
		snprintf(d.fact[SD_FACT_NATIVE].enable, sizeof d.fact->enable, "registers");
		root = shown(&d, &ready);
		for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
			assert_string_equal(of(root, causes[i], "reach"), has ? "likely" : "no");
		json_decref(root);
	}
}

static void what_a_run_would_miss_is_to_be_fixed(void **state)
{
	const struct sd_doctor none = {0};
	struct sd_readiness ready = {0};
	char *text = NULL;
	size_t n;
	FILE *const f = open_memstream(&text, &n);

	(void)state;
	assert_non_null(f);
	for (int i = 0; i < SD_READY_COUNT; i++)
		ready.ready[i].status = SD_STATUS_OK;
	ready.ready[SD_READY_ALLOCATOR] =
		(struct sd_ready){SD_STATUS_ABSENT, "none", "apt install something"};
	ready.ready[SD_READY_TURBO] = (struct sd_ready){SD_STATUS_UNSUPPORTED, "not told", ""};
	assert_int_equal(sd_doctor_text(f, &none, &ready, &(struct sd_report_style){0}), 0);
	assert_int_equal(fclose(f), 0);
	assert_non_null(strstr(text, "fix  none: apt install something\n"));
	assert_non_null(strstr(text, "-    not told\n"));
	assert_ptr_equal(strstr(strstr(text, "fix  ") + 1, "fix  "), NULL);
	free(text);
}

/* The first screen: one command first, the rest below it, no row twice, and as long as a screen. */
static void the_first_screen_says_what_to_mend_first(void **state)
{
	struct sd_doctor d = {0};
	struct sd_readiness ready;
	char *text = NULL;
	size_t n, lines = 0;
	FILE *const f = open_memstream(&text, &n);

	(void)state;
	assert_non_null(f);
	nothing_can_be_made(&ready);
	for (int i = 0; i < SD_FACT_COUNT; i++) {
		d.fact[i].status = SD_STATUS_DENIED;
		snprintf(d.fact[i].enable, sizeof d.fact->enable, "enable fact %d", i);
	}
	for (int i = 0; i < SD_READY_COUNT; i++) {
		ready.ready[i].status = SD_STATUS_ABSENT;
		snprintf(ready.ready[i].fix, sizeof ready.ready->fix, "fix %d", i);
	}
	assert_int_equal(sd_doctor_brief(f, &d, &ready, &(struct sd_report_style){0}), 0);
	assert_int_equal(fclose(f), 0);
	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	assert_in_range(lines, 1, 24);
	snprintf(d.fact[0].enable, sizeof d.fact->enable, "Mend first: enable fact %d\n",
		SD_FACT_TASK_CLOCK);
	assert_non_null(strstr(text, d.fact[0].enable));
	assert_non_null(strstr(text, "\nThen\n"));
	assert_non_null(strstr(text, "Not found here: "));
	assert_null(strstr(text, "Confirmed by"));
	free(text);
}

static void a_machine_that_lacks_nothing_is_told_so(void **state)
{
	struct sd_doctor d = {0};
	struct sd_readiness ready = {0};
	char *text = NULL;
	size_t n;
	FILE *const f = open_memstream(&text, &n);

	(void)state;
	assert_non_null(f);
	for (int i = 0; i < SD_FACT_COUNT; i++)
		d.fact[i].status = SD_STATUS_OK;
	for (int i = 0; i < SD_READY_COUNT; i++)
		ready.ready[i].status = SD_STATUS_OK;
	assert_int_equal(sd_doctor_brief(f, &d, &ready, &(struct sd_report_style){0}), 0);
	assert_int_equal(fclose(f), 0);
	assert_non_null(strstr(text, "Nothing is missing here."));
	assert_null(strstr(text, "Mend first"));
	free(text);
}

/* Whatever a machine says of itself is text on the page, and what mends most comes first. */
static void the_page_has_every_fact_and_cause_as_text(void **state)
{
	struct sd_doctor d = {0};
	struct sd_readiness ready;
	char *text = NULL;
	size_t n;
	FILE *const f = open_memstream(&text, &n);

	(void)state;
	assert_non_null(f);
	nothing_can_be_made(&ready);
	d.fact[SD_FACT_PMU].status = SD_STATUS_DENIED;
	snprintf(d.fact[SD_FACT_PMU].found, sizeof d.fact->found, "<script>");
	snprintf(d.fact[SD_FACT_PMU].enable, sizeof d.fact->enable, "ask the host");
	ready.ready[SD_READY_SIMULATOR].status = SD_STATUS_ABSENT;
	snprintf(ready.ready[SD_READY_SIMULATOR].fix, sizeof ready.ready->fix, "install qemu");
	assert_int_equal(sd_doctor_html(f, &d, &ready), 0);
	assert_int_equal(fclose(f), 0);
	assert_null(strstr(text, "<script>"));
	assert_non_null(strstr(text, "&lt;script&gt;"));
	assert_true(strstr(text, "install qemu") < strstr(text, "ask the host"));
	for (int i = 0; i < SD_FACT_COUNT; i++)
		assert_non_null(strstr(text, sd_fact_label[i]));
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		assert_non_null(strstr(text, sd_cause_info[i].label));
	assert_non_null(strstr(text, "</html>\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_experiment_confirms_what_it_predicts_and_no_more),
		cmocka_unit_test(evidence_makes_likely),
		cmocka_unit_test(samples_with_registers_make_sharing_likely),
		cmocka_unit_test(what_a_run_would_miss_is_to_be_fixed),
		cmocka_unit_test(the_first_screen_says_what_to_mend_first),
		cmocka_unit_test(a_machine_that_lacks_nothing_is_told_so),
		cmocka_unit_test(the_page_has_every_fact_and_cause_as_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
