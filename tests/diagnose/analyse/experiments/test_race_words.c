/* A race in words: both accesses with their callers, and whether their line is contested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/race_words.h"

static unsigned node_of(
	struct sd_stacks *s, unsigned parent, const char *function, const char *file, unsigned line)
{
	struct sd_frame f = {.line = line};
	unsigned frame = 0, node = 0;

	assert_int_equal(sd_stacks_text(s, function, &f.function), 0);
	assert_int_equal(sd_stacks_text(s, file, &f.file), 0);
	assert_int_equal(sd_stacks_frame(s, &f, &frame), 0);
	assert_int_equal(sd_stacks_node(s, parent, frame, &node), 0);
	return node;
}

struct checked {
	struct sd_record record;
	struct sd_plan_experiment experiment;
	struct sd_run run[2];
	struct sd_experiment_run tried;
	struct sd_race race;
	struct sd_simulated simulated;
	struct sd_sim_contested line;
	struct sd_sim_code code;
};

/* add() of a.c:4, called by main(), meets drop() of a.c:9; the simulation has a line of drop(). */
static void make(struct checked *x, unsigned contested)
{
	struct sd_stacks *const s = &x->record.stacks;
	unsigned top;

	*x = (struct checked){.experiment.experiment = SD_EXPERIMENT_RACE_CHECK};
	top = node_of(s, 0, "main", "a.c", 20);
	x->race = (struct sd_race){.bytes = 8, .write = {1, 0}};
	x->race.node[0] = node_of(s, top, "add", "a.c", 4);
	x->race.node[1] = node_of(s, 0, "drop", "a.c", 9);
	assert_int_equal(sd_stacks_text(s, "counter+0x4", &x->race.name), 0);
	x->tried = (struct sd_experiment_run){
		.arm = SD_ARM_CHANGED, .race = &x->race, .n_race = 1, .n_race_seen = 1};
	x->code.node = node_of(s, 0, "drop", "/elsewhere/a.c", contested);
	x->line = (struct sd_sim_contested){.code = &x->code, .n_code = 1};
	x->simulated = (struct sd_simulated){.contested = &x->line, .n_contested = 1};
	x->run[0].tried = &x->tried;
	x->run[1].simulated = &x->simulated;
	x->record.run = x->run;
	x->record.n_run = 2;
	x->record.plan.experiment = &x->experiment;
	x->record.plan.n_experiment = 1;
}

static void a_race_names_both_accesses(void **state)
{
	struct checked x;
	struct sd_tested t = {.cores = 2};

	(void)state;
	make(&x, 9);
	assert_ptr_equal(sd_race_words_run(&x.record, 0), &x.tried);
	assert_int_equal(sd_race_words_seen(&x.record, 0, &t), 0);
	assert_int_equal(t.seen.n, 2);
	assert_string_equal(t.seen.text[1],
		"counter+0x4 (8 bytes): add() a.c:4 <- main() a.c:20 writes, and drop() a.c:9 read "
		"before, in no order; its line is contested");
	sd_texts_free(&t.seen);
	sd_stacks_free(&x.record.stacks);
}

static void a_race_elsewhere_is_of_no_contested_line(void **state)
{
	struct checked x;
	char text[1024];

	(void)state;
	make(&x, 10);
	sd_race_words(&x.record, &x.race, text, sizeof text);
	assert_null(strstr(text, "contested"));
	sd_stacks_free(&x.record.stacks);
}

static void no_race_is_said_with_its_limits(void **state)
{
	struct checked x;
	struct sd_tested t = {.cores = 2};

	(void)state;
	make(&x, 9);
	x.tried.n_race = x.tried.n_race_seen = 0;
	assert_int_equal(sd_race_words_seen(&x.record, 0, &t), 0);
	assert_int_equal(t.seen.n, 1);
	assert_non_null(strstr(t.seen.text[0], "none on the paths"));
	/* another experiment's run is no check */
	x.experiment.experiment = SD_EXPERIMENT_PADDING;
	assert_null(sd_race_words_run(&x.record, 0));
	sd_texts_free(&t.seen);
	sd_stacks_free(&x.record.stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_race_names_both_accesses),
		cmocka_unit_test(a_race_elsewhere_is_of_no_contested_line),
		cmocka_unit_test(no_race_is_said_with_its_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
