/* Grades of a lesson's versions, from what was measured of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "check/lesson_grade.h"

/* A lesson about the disk, measured at one count. */
struct scene {
	struct sd_lesson lesson;
	struct sd_record record; /* of all versions: nothing was counted */
	struct sd_compared_point point[2];
	struct sd_comparison theirs, fixed;
	struct sd_lesson_grade grade;
};

static struct sd_interval between(double low, double value, double high)
{
	return (struct sd_interval){value, low, high, SD_STATUS_OK};
}

/* broken.c waits 0.3 to 0.5 core-seconds for the disk, fixed.c some ms; theirs `t`. */
static void set_up(struct scene *s, char *causes, struct sd_interval t, enum sd_change time)
{
	const struct sd_interval broken = between(.3, .4, .5), own = between(.002, .004, .01);

	*s = (struct scene){.lesson = {.causes = causes}};
	s->theirs = (struct sd_comparison){.point = &s->point[0], .n_point = 1};
	s->fixed = (struct sd_comparison){.point = &s->point[1], .n_point = 1};
	for (int i = 0; i < 2; i++) {
		s->point[i].n_part = 1;
		s->point[i].time = i ? SD_CHANGE_LESS : time;
		s->point[i].part[0] = (struct sd_compared_part){
			.component = SD_COMPONENT_DISK, .before = broken, .after = i ? own : t};
	}
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		s->theirs.cause[i] = s->fixed.cause[i] =
			(struct sd_compared_cause){.cause = (enum sd_cause)i};
}

static enum sd_grade grade(struct scene *s)
{
	const struct sd_lesson_measured m = {&s->record, &s->record};

	sd_lesson_grade_make(&s->lesson, (const struct sd_lesson_measured[]){m, m}, &m, &s->theirs,
		&s->fixed, &s->grade);
	return s->grade.grade;
}

static void waits_that_are_nearer_to_the_fix_are_gone(void **state)
{
	static const struct {
		struct sd_interval waits;
		enum sd_change time;
		enum sd_grade grade;
		const char *why;
	} row[] = {
		{{.01, .002, .03, SD_STATUS_OK}, SD_CHANGE_LESS, SD_GRADE_RIGHT, "faster"},
		{{.01, .002, .03, SD_STATUS_OK}, SD_CHANGE_NOISE, SD_GRADE_UNDECIDED,
			"that it is faster cannot be told"},
		{{.35, .3, .5, SD_STATUS_OK}, SD_CHANGE_NOISE, SD_GRADE_WRONG, "still there"},
		/* faster, as it does two things at once, and waits as before */
		{{.35, .02, .5, SD_STATUS_OK}, SD_CHANGE_LESS, SD_GRADE_WRONG, "still there"},
		/* too few, or too noisy runs */
		{{.1, .002, .4, SD_STATUS_OK}, SD_CHANGE_LESS, SD_GRADE_UNDECIDED, "do not tell"},
		{{.3, .002, .5, SD_STATUS_OK}, SD_CHANGE_LESS, SD_GRADE_UNDECIDED, "do not tell"},
		{.waits.status = SD_STATUS_ABSENT,
			SD_CHANGE_LESS,
			SD_GRADE_UNDECIDED,
			"do not tell"},
	};
	char disk[] = "disk";

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct scene s;

		set_up(&s, disk, row[i].waits, row[i].time);
		assert_int_equal(grade(&s), row[i].grade);
		if (!strstr(s.grade.why, row[i].why))
			fail_msg("%zu: %s", i, s.grade.why);
	}
}

static void waits_of_another_cause_do_not_count(void **state)
{
	char lock[] = "lock-contention";
	struct scene s;

	(void)state;
	set_up(&s, lock, between(.002, .01, .03), SD_CHANGE_LESS);
	assert_int_equal(grade(&s), SD_GRADE_UNDECIDED);
	s.theirs.cause[SD_CAUSE_LOCK_CONTENTION].fate = SD_FATE_WENT;
	assert_int_equal(grade(&s), SD_GRADE_RIGHT);
	s.theirs.cause[SD_CAUSE_SPINNING].fate = SD_FATE_CAME;
	s.theirs.cause[SD_CAUSE_SPINNING].after = SD_VERDICT_LIKELY;
	assert_int_equal(grade(&s), SD_GRADE_UNDECIDED);
	assert_non_null(strstr(s.grade.why, "spinning"));
}

static void a_slower_one_is_wrong_where_nobody_else_ran(void **state)
{
	char disk[] = "disk";
	struct scene s;

	(void)state;
	set_up(&s, disk, between(.002, .01, .03), SD_CHANGE_MORE);
	assert_int_equal(grade(&s), SD_GRADE_UNDECIDED);
	assert_non_null(strstr(s.grade.why, "busy machine"));
	s.theirs.cause[SD_CAUSE_NOISE].before = s.theirs.cause[SD_CAUSE_NOISE].after =
		SD_VERDICT_RULED_OUT;
	assert_int_equal(grade(&s), SD_GRADE_WRONG);
	assert_string_equal(s.grade.why, "it is slower");
}

static void versions_that_cannot_be_told_apart_tell_nothing(void **state)
{
	char disk[] = "disk";
	struct scene s;

	(void)state;
	set_up(&s, disk, between(.002, .01, .03), SD_CHANGE_LESS);
	s.point[1].part[0].after.high = .31;
	assert_int_equal(grade(&s), SD_GRADE_UNDECIDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_that_are_nearer_to_the_fix_are_gone),
		cmocka_unit_test(waits_of_another_cause_do_not_count),
		cmocka_unit_test(a_slower_one_is_wrong_where_nobody_else_ran),
		cmocka_unit_test(versions_that_cannot_be_told_apart_tell_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
