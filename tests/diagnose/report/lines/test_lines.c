/* The report of contested lines: who owns which byte, in text and JSON; hostile names are
 * harmless. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <jansson.h>

#include "lines/lines_report.h"
#include "support/make_simulated.h"

#define assert_near_real(a, b) assert_true((a) > (b)-1e-9 && (a) < (b) + 1e-9)

struct world {
	struct sd_record r;
	struct sd_contested_lines l, native;
	char *text;
};

static int setup(void **state)
{
	static const unsigned cores[] = {2};
	struct world *w = make_zeroed(1, sizeof *w);
	struct sd_simulated *s;

	make_record(&w->r, cores, 1);
	s = make_simulated(&w->r, 0);
	make_false_line(&w->r, s, 1234567);
	w->l = (struct sd_contested_lines){.run = &w->r.run[0],
		.simulated = s,
		.cores = 2,
		.bytes = s->machine.line,
		.n_seen = s->n_contested_seen,
		.hitm = 1234567,
		.share = 1 << 24,
		.n_line = 1,
		.n_matter = 1};
	w->l.line = make_zeroed(1, sizeof *w->l.line);
	w->l.line[0] = (struct sd_line_view){.line = &s->contested[0],
		.readers = 2,
		.writers = 2,
		.hitm = 1234567,
		.accesses = 4e6,
		.touched = 0xffff,
		.matters = 1};
	assert_int_equal(sd_texts_add(&w->l.line[0].advice, "pad it"), 0);
	w->l.set = make_zeroed(2, sizeof *w->l.set);
	w->l.n_set = 2;
	w->l.set[1].thread = 1;
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	sd_contested_lines_free(&w->native);
	sd_contested_lines_free(&w->l);
	sd_record_free(&w->r);
	free(w->text);
	free(w);
	return 0;
}

static const char *print(struct world *w, int json, unsigned width)
{
	const struct sd_report_style style = {.width = width};
	size_t n;
	FILE *f;

	free(w->text);
	w->text = NULL;
	f = open_memstream(&w->text, &n);
	assert_non_null(f);
	assert_int_equal(json ? sd_lines_json(f, &w->r, &w->l, w->native.native ? &w->native : NULL)
			      : sd_lines_text(f, &w->r, &w->l, &style),
		0);
	assert_int_equal(fclose(f), 0);
	return w->text;
}

static void a_line_shows_whose_each_byte_is(void **state)
{
	struct world *w = *state;
	const char *const text = print(w, 0, 100);

	assert_non_null(
		strstr(text, "counters+0x40 · false sharing · 100.0 % of all moves (1,234,567)"));
	assert_non_null(strstr(text, "thread    0   xxxxxxxx ........ ......"));
	assert_non_null(strstr(text, "thread    1   ........ xxxxxxxx ......"));
	assert_non_null(strstr(text, "100 % of its moves: increment() count.c:12, writes"));
	assert_non_null(strstr(text, "pad it"));
	assert_null(strstr(text, "partial"));
}

/* A second line beside the first, with so many moves. */
static const char *picture_with(struct world *w, double hitm)
{
	const struct sd_report_style style = {.width = 100};
	struct sd_line_view two[2] = {w->l.line[0], w->l.line[0]}, *const one = w->l.line;
	size_t n;
	FILE *f;

	two[1].hitm = hitm;
	w->l.line = two;
	w->l.n_line = w->l.n_matter = 2;
	free(w->text);
	w->text = NULL;
	f = open_memstream(&w->text, &n);
	assert_non_null(f);
	assert_int_equal(sd_lines_picture(f, &w->r, &w->l, &style), 0);
	assert_int_equal(fclose(f), 0);
	w->l.line = one;
	w->l.n_line = w->l.n_matter = 1;
	return w->text;
}

static void a_lesson_pictures_lines_with_a_hundredth_of_the_moves(void **state)
{
	struct world *w = *state;

	assert_non_null(strstr(picture_with(w, 12346), "\n2  counters"));
	assert_null(strstr(w->text, "1 more"));
	assert_null(strstr(picture_with(w, 12345), "\n2  counters"));
	assert_non_null(strstr(w->text, "\n1 more with 12,345 moves or less each\n"));
	assert_null(strstr(w->text, "Counts\n"));
}

static void every_thread_has_its_counts(void **state)
{
	struct world *w = *state;
	struct sd_simulated *const s = w->r.run[0].simulated;
	const char *text;

	s->thread[0].bytes_used = 8 * 5e5;
	s->thread[1].bytes_used = 24 * 5e5;
	s->thread[1].lines_unused = 1e5;
	s->thread[1].rfo = 4321;
	text = print(w, 0, 250);
	assert_non_null(strstr(text, "       1     500 M     150 M      50 M     500 k     250 k"));
	assert_non_null(strstr(text, "     all       1 G"));
	assert_non_null(strstr(text, " 4321 "));
	assert_non_null(strstr(text, "1,000,000 lines brought into an L1, 16.0 of 64 bytes"));
	assert_non_null(strstr(text, "(25 %); 10 % of the lines"));
	for (size_t i = 0; i < 2; i++)
		s->thread[i].instructions = 0;
	assert_null(strstr(print(w, 0, 100), "instr."));
}

static void a_partial_run_says_so_first(void **state)
{
	struct world *w = *state;

	w->r.run[0].simulated->partial = 1;
	snprintf(w->r.run[0].simulated->why, sizeof w->r.run[0].simulated->why, "it was killed");
	assert_non_null(strstr(print(w, 0, 100), "partial: it was killed"));
	assert_non_null(strstr(print(w, 1, 0), "\"partial_why\": \"it was killed\""));
}

static void estimates_say_what_was_modelled(void **state)
{
	struct world *w = *state;

	assert_null(strstr(print(w, 0, 100), "modelled: "));
	assert_non_null(strstr(print(w, 1, 0), "\"modelled\": null"));
	snprintf(w->r.run[0].simulated->sampled, sizeof w->r.run[0].simulated->sampled,
		"22 %% of the instructions");
	assert_non_null(strstr(print(w, 0, 100), "modelled: 22 % of the instructions"));
	assert_non_null(strstr(print(w, 1, 0), "\"modelled\": \"22 % of the instructions\""));
}

static void the_call_stack_of_an_allocation_is_shown(void **state)
{
	struct world *w = *state;
	struct sd_sim_contested *const c = &w->r.run[0].simulated->contested[0];
	const json_t *line, *stack;
	json_t *root;

	/* the innermost is the last node: main() calls make() */
	c->site = make_place(&w->r.stacks, "main", "count.c", 30);
	assert_int_equal(
		sd_stacks_node(&w->r.stacks, c->site,
			w->r.stacks.node[make_place(&w->r.stacks, "make", "count.c", 7)].frame,
			&c->site),
		0);
	c->other = make_place(&w->r.stacks, "help", "help.c", 3);
	assert_non_null(
		strstr(print(w, 0, 100), "allocated in make() count.c:7 <- main() count.c:30\n"));
	assert_non_null(strstr(w->text, "another block of it allocated in help() help.c:3\n"));
	assert_null(strstr(w->text, "Allocation sites"));
	root = json_loads(print(w, 1, 0), 0, NULL);
	line = json_array_get(json_object_get(root, "lines"), 0);
	stack = json_object_get(line, "allocation_stack");
	assert_int_equal(json_array_size(stack), 2);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(stack, 1), "function")), "main");
	assert_int_equal(json_array_size(json_object_get(line, "other_allocation_stack")), 1);
	json_decref(root);
}

static void allocations_that_are_not_known_have_a_reason(void **state)
{
	struct world *w = *state;

	strcpy(w->r.run[0].simulated->blind, "the program is static");
	assert_non_null(strstr(print(w, 0, 100), "Allocation sites: none, the program is static."));
	assert_non_null(
		strstr(print(w, 1, 0), "\"allocations_unknown_why\": \"the program is static\""));
	assert_non_null(strstr(w->text, "\"allocation_stack\": null"));
}

static void json_has_every_byte_of_every_thread(void **state)
{
	struct world *w = *state;
	json_t *root = json_loads(print(w, 1, 0), 0, NULL);
	const json_t *line = json_array_get(json_object_get(root, "lines"), 0);
	const json_t *thread = json_array_get(json_object_get(line, "threads"), 1);

	assert_non_null(root);
	assert_string_equal(json_string_value(json_object_get(thread, "written")),
		"0000000011111111000000000000000000000000000000000000000000000000");
	assert_string_equal(json_string_value(json_object_get(line, "sharing")), "false");
	assert_true(json_number_value(json_object_get(line, "hitm_when_separated")) == 0);
	assert_int_equal(json_array_size(json_object_get(root, "threads")), 2);
	json_decref(root);
}

/* The view of samples: the line of the simulated one with who answered. */
static void a_sampled_line_says_who_answered_and_that_it_is_samples(void **state)
{
	struct world *w = *state;
	const struct sd_memory_sampled *const m = make_memory(&w->r, 0);
	const char *text;

	w->l.run = &w->r.run[w->r.n_run - 1];
	w->l.simulated = NULL;
	w->l.sampled = m;
	w->l.line[0].line = &m->contested[0].line;
	w->l.line[0].sampled = &m->contested[0];
	w->l.hitm = w->l.line[0].hitm = 300;
	text = print(w, 0, 200);
	assert_non_null(strstr(text, "sampled by ibs_op at 2 cores: 1,000 loads, 400 stores"));
	assert_non_null(strstr(text, "100.0 % of all moves (300 samples)"));
	assert_non_null(strstr(text, "200 modified in this node, 60 in another one, 40 whose state "
				     "is not told; 180 cycles"));
	assert_non_null(strstr(text, "Samples of this machine, not counts"));
	assert_null(strstr(text, "modelled"));
	text = print(w, 1, 0);
	assert_non_null(strstr(text, "\"remote_hitm\": 60"));
	assert_non_null(strstr(text, "\"source\": \"ibs_op\""));
}

static void names_from_outside_cannot_move_the_cursor(void **state)
{
	struct world *w = *state;
	const char *text;

	assert_int_equal(sd_stacks_text(&w->r.stacks, "x\033[2J\r\xff",
				 &w->r.run[0].simulated->contested[0].name),
		0);
	w->r.run[0].simulated->contested[0].code[0].node =
		make_place(&w->r.stacks, "f\033[31m", "a\nb.c", 3);
	text = print(w, 0, 60);
	assert_null(strchr(text, '\033'));
	assert_null(strchr(text, '\r'));
	assert_null(strchr(print(w, 1, 0), '\033'));
}

/* The same line by the program's own samples: its bytes, its time, and what its loop touches. */
static void own_samples_stand_beside_simulated_lines(void **state)
{
	struct world *w = *state;
	struct sd_native_lines *const n = make_native(&w->r, &w->r.run[0]);
	const struct sd_contested_lines simulated = w->l;
	json_t *root, *native;
	const char *text;

	w->native = (struct sd_contested_lines){.run = &w->r.run[0],
		.native = n,
		.cores = 2,
		.bytes = 64,
		.n_seen = 1,
		.hitm = 720,
		.n_line = 1,
		.n_matter = 1};
	w->native.line = make_zeroed(1, sizeof *w->native.line);
	w->native.line[0] = (struct sd_line_view){
		.line = &n->line[0].line, .native = &n->line[0], .hitm = 720, .matters = 1};
	root = json_loads(print(w, 1, 100), 0, NULL);
	assert_non_null(root);
	assert_non_null(json_object_get(root, "machine"));
	native = json_object_get(root, "native");
	assert_int_equal(json_array_size(json_object_get(root, "together")), 2);
	assert_near_real(json_number_value(json_object_get(native, "samples")), 800);
	assert_near_real(
		json_number_value(json_object_get(
			json_array_get(json_object_get(native, "lines"), 0), "contested_s")),
		1.8);
	assert_near_real(json_number_value(json_object_get(
				 json_array_get(json_object_get(native, "loops"), 0), "false_s")),
		1.8);
	json_decref(root);
	w->l = w->native;
	text = print(w, 0, 200);
	w->l = simulated;
	assert_non_null(
		strstr(text, "the program's own samples at 2 cores: 800 of user code, 98 %"));
	assert_non_null(strstr(text, "false sharing · contested for 1.8 s"));
	assert_non_null(strstr(text, "xxxxxxxx"));
	assert_non_null(strstr(text, "private  loop"));
}

static void nothing_contested_is_said(void **state)
{
	struct world *w = *state;

	w->l.n_matter = 0;
	assert_non_null(strstr(print(w, 0, 100), "No contested line"));
	sd_texts_free(&w->l.line[0].advice);
	w->l.n_line = 0;
	assert_non_null(strstr(print(w, 0, 100), "No line moved"));
}

static void hot_basic_blocks_have_their_counts(void **state)
{
	struct world *const w = *state;
	struct sd_simulated *const s = w->r.run[0].simulated;

	s->block = make_zeroed(2, sizeof *s->block);
	s->n_block = 2;
	s->block[0] = (struct sd_sim_block){.node = make_place(&w->r.stacks, "add", "add.c", 7),
		.runs = 1e8,
		.instructions = 5};
	s->block[1] = (struct sd_sim_block){.runs = 10, .instructions = 5}; /* too little */
	assert_non_null(strstr(print(w, 0, 0),
		"Hot basic blocks\n"
		"  add() add.c:7: run 100,000,000 times, 5 instructions each, 50 % of all\n"
		"\n"));
	assert_non_null(strstr(print(w, 1, 0), "\"runs\": 100000000.0"));
}

static void waste_is_told_where_it_is_found(void **state)
{
	struct world *const w = *state;

	assert_null(strstr(print(w, 0, 0), "Waste at any number of cores"));
	assert_non_null(strstr(print(w, 1, 0), "\"page-walks\""));
	w->l.waste[SD_WASTE_WALKS] =
		(struct sd_waste){.share = .5, .found = 1, .text = "7 walks, one an access"};
	assert_non_null(strstr(print(w, 0, 0),
		"Waste at any number of cores\n  walks through the page tables: 7 walks, one an "
		"access; up to 50 % of the modelled time\n"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			own_samples_stand_beside_simulated_lines, setup, teardown),
		TEST(a_line_shows_whose_each_byte_is),
		TEST(a_lesson_pictures_lines_with_a_hundredth_of_the_moves),
		TEST(every_thread_has_its_counts),
		TEST(hot_basic_blocks_have_their_counts),
		TEST(waste_is_told_where_it_is_found),
		TEST(a_partial_run_says_so_first),
		TEST(estimates_say_what_was_modelled),
		TEST(the_call_stack_of_an_allocation_is_shown),
		TEST(allocations_that_are_not_known_have_a_reason),
		TEST(a_sampled_line_says_who_answered_and_that_it_is_samples),
		TEST(json_has_every_byte_of_every_thread),
		TEST(names_from_outside_cannot_move_the_cursor),
		TEST(nothing_contested_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
