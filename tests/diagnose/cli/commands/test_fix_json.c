/*
 * Results of trying changes, in words and as an object: what was not looked at is not 0.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/fix_json.h"

struct scene {
	struct sd_fix_plan plan;
	struct sd_fix_sources sources;
	struct sd_fix_trial trial;
};

/* A contested line, a lock, and a cause without a diff. */
static void make(struct scene *s)
{
	struct sd_fix_entry *const e = s->plan.entry;

	*s = (struct scene){.plan.n = 3, .plan.diffs = 2};
	s->trial = (struct sd_fix_trial){.sources = &s->sources, .plan = &s->plan};
	e[0].cause = SD_CAUSE_FALSE_SHARING;
	e[1].cause = SD_CAUSE_LOCK_CONTENTION;
	e[2].cause = SD_CAUSE_SERIAL_CODE;
	strcpy(e[0].object, "count");
	strcpy(e[0].what, "aligns");
	strcpy(e[1].what, "shortens");
	strcpy(e[2].why, "no change is known");
}

static json_t *print(const struct scene *s)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);
	json_t *out;

	assert_non_null(f);
	assert_int_equal(sd_fix_json(f, &s->trial), 0);
	assert_int_equal(fclose(f), 0);
	out = json_loads(text, 0, NULL);
	assert_non_null(out);
	free(text);
	return out;
}

static void what_was_not_tried_is_null(void **state)
{
	struct scene s;
	json_t *j;

	(void)state;
	make(&s);
	j = print(&s);
	assert_int_equal(json_array_size(json_object_get(j, "changes")), 3);
	assert_true(json_is_null(json_object_get(j, "try")));
	assert_true(json_is_null(json_object_get(j, "diff")));
	json_decref(j);
}

static void what_is_left_is_told_where_it_was_looked_at(void **state)
{
	struct scene s;
	char said[512];
	json_t *j, *try, *left;

	(void)state;
	make(&s);
	s.trial.verdict = SD_FIX_GAIN;
	s.trial.pairs = (struct sd_timed_pairs){
		.gain = {1.9, 1.8, 2, SD_STATUS_OK}, .pairs = 9, .same = 1, .steady = 1};
	for (int looked = 0; looked < 2; looked++) {
		s.trial.left[0] = (struct sd_fix_left){.looked = looked};
		j = print(&s);
		try = json_object_get(j, "try");
		assert_string_equal(json_string_value(json_object_get(try, "verdict")), "gain");
		assert_int_equal(json_integer_value(json_object_get(try, "pairs")), 9);
		left = json_array_get(json_object_get(try, "left"), 0);
		assert_true(looked ? json_is_true(json_object_get(left, "gone"))
				   : json_is_null(json_object_get(left, "gone")));
		assert_true(json_is_integer(json_object_get(left, "lines")) == looked);
		/* of the cause without a diff nothing was to go */
		assert_int_equal(json_array_size(json_object_get(try, "left")), 2);
		json_decref(j);
		sd_fix_after_say(&s.plan.entry[0], &s.trial.left[0], said, sizeof said);
		assert_int_equal(strncmp(said, "gone", 4) == 0, looked);
	}
	s.trial.left[0].lines = 2;
	sd_fix_after_say(&s.plan.entry[0], &s.trial.left[0], said, sizeof said);
	assert_non_null(strstr(said, "still there: 2 contested lines of count"));
	s.trial.left[1] = (struct sd_fix_left){.looked = 1,
		.before = {.8, .7, .9, SD_STATUS_OK},
		.after = {.1, 0, .2, SD_STATUS_OK}};
	sd_fix_after_say(&s.plan.entry[1], &s.trial.left[1], said, sizeof said);
	assert_non_null(strstr(said, "0.10 cores (0.00 to 0.20)"));
	assert_non_null(strstr(said, "instead of 0.80 (0.70 to 0.90)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_not_tried_is_null),
		cmocka_unit_test(what_is_left_is_told_where_it_was_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
