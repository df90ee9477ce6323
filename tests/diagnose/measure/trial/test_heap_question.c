/*
 * Which runs ask who allocated: the next ones after a contested line in the heap, and not for ever.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/measurement.h"
#include "support/make_samples.h"
#include "trial/heap_question.h"
#include "trial/trial.h"

#define RUNS 4

struct scene {
	struct sd_record r;
	struct sd_run run[RUNS];
	struct sd_native_lines native[RUNS];
	struct sd_native_line line[RUNS];
	struct sd_native_loop loop[RUNS];
	struct sd_plan_point point[2];
};

/* Runs at two cores, each with a contested line of that name. */
static struct scene *begin(const char *name)
{
	static struct scene s;
	unsigned text = 0, node;

	s = (struct scene){.point = {{.cores = 1}, {.cores = 2}}};
	s.r.plan.point = s.point;
	s.r.plan.n_point = 2;
	s.r.run = s.run;
	assert_int_equal(sd_stacks_text(&s.r.stacks, name, &text), 0);
	node = make_call(&s.r, 0, "malloc", NULL, 0, "/lib/libc.so.6");
	for (size_t i = 0; i < RUNS; i++) {
		s.line[i] = (struct sd_native_line){.contested = .5, .line.name = text};
		s.loop[i] = (struct sd_native_loop){.node = node, .seconds = .01};
		s.native[i] = (struct sd_native_lines){.status = SD_STATUS_OK,
			.seconds = 1,
			.line = &s.line[i],
			.n_line = 1,
			.loop = &s.loop[i],
			.n_loop = 1};
		s.run[i] =
			(struct sd_run){.kind = SD_RUN_BLOCK, .point = 1, .native = &s.native[i]};
	}
	return &s;
}

static int is_due(const struct scene *s, size_t point, enum sd_run_kind kind)
{
	const struct sd_run run = {.point = point, .kind = kind};

	return sd_heap_question_is_due(&s->r, &run);
}

static void a_contested_line_of_the_heap_is_asked_for_once_or_twice(void **state)
{
	struct scene *const s = begin("[heap]+0x40");

	(void)state;
	assert_false(is_due(s, 1, SD_RUN_BLOCK)); /* nobody has seen one */
	s->r.n_run = 1;
	assert_true(is_due(s, 1, SD_RUN_BLOCK));
	assert_false(is_due(s, 0, SD_RUN_BLOCK)); /* at another count */
	assert_false(is_due(s, 1, SD_RUN_EXPERIMENT));
	s->r.n_run = 2;
	s->native[1].heap_asked = 1;
	assert_true(is_due(s, 1, SD_RUN_BLOCK)); /* it told nothing */
	s->line[1].line.site = 1;
	assert_false(is_due(s, 1, SD_RUN_BLOCK)); /* it is known */
	s->line[1].line.site = 0;
	s->r.n_run = 3;
	s->native[2].heap_asked = 1;
	assert_false(is_due(s, 1, SD_RUN_BLOCK)); /* enough */
	sd_stacks_free(&s->r.stacks);
}

static void lines_that_need_no_site_are_not_asked_for(void **state)
{
	static const char *const none[] = {"counters+0x40", "stack of thread 7", "/dev/shm/x+0x40"};
	struct scene *s;

	(void)state;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		s = begin(none[i]);
		s->r.n_run = 1;
		assert_false(is_due(s, 1, SD_RUN_BLOCK));
		sd_stacks_free(&s->r.stacks);
	}
	s = begin("anonymous memory of 64 MiB+0x40");
	s->r.n_run = 1;
	assert_true(is_due(s, 1, SD_RUN_BLOCK));
	s->line[0].contested = .001; /* it does not matter */
	assert_false(is_due(s, 1, SD_RUN_BLOCK));
	s->line[0].contested = .5;
	s->loop[0].seconds = .2; /* each call of malloc() would take longer */
	assert_false(is_due(s, 1, SD_RUN_BLOCK));
	/* a template's arguments are no allocator */
	s->loop[0].node = make_call(&s->r, 0,
		"std::vector<int, std::allocator<int> >::operator[](unsigned long)", NULL, 0, "a");
	assert_true(is_due(s, 1, SD_RUN_BLOCK));
	sd_stacks_free(&s->r.stacks);
}

/* Nobody can log the blocks of a static program: that is said of the run, and not that nobody
 * asked. */
static void a_program_that_cannot_be_asked_says_why(void **state)
{
	struct scene *const s = begin("[heap]+0x40");
	const struct sd_measure m = {.heap_refused = "the program is static"};
	const struct sd_trial t = {.measure = &m, .record = &s->r};

	(void)state;
	sd_trial_note_heap(&t, &s->run[0]);
	assert_string_equal(s->native[0].heap_why, ""); /* nothing to ask for yet */
	s->r.n_run = 1;
	sd_trial_note_heap(&t, &s->run[1]);
	assert_string_equal(s->native[1].heap_why, "the program is static");
	assert_false(s->native[1].heap_asked);
	sd_stacks_free(&s->r.stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_contested_line_of_the_heap_is_asked_for_once_or_twice),
		cmocka_unit_test(lines_that_need_no_site_are_not_asked_for),
		cmocka_unit_test(a_program_that_cannot_be_asked_says_why)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
