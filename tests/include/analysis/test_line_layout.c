/*
 * A contested line by members: who uses which, and which change of the layout parts the threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/line_layout.h"

#define TEXTS 8

/* A line that two threads use, and what lies in it. */
struct scene {
	struct sd_sim_sharer sharer[3];
	struct sd_sim_code code[2];
	struct sd_line_member member[3];
	struct sd_line_object object[2];
	struct sd_sim_contested line;
	struct sd_line_view view;
	struct sd_stacks stacks;
	char *text[TEXTS];
};

static char names[TEXTS][16] = {"", "count", "struct count", "found", "limit", "done", "long"};

/* Threads 0 and 1 have these bytes, which they read and write. */
static void set(struct scene *s, uint64_t first, uint64_t second)
{
	*s = (struct scene){0};
	for (size_t i = 0; i < TEXTS; i++)
		s->text[i] = names[i];
	s->stacks.text = s->text;
	s->stacks.n_text = TEXTS;
	s->sharer[0] = (struct sd_sim_sharer){
		.thread = 0, .read = first, .written = first, .loads = 100, .stores = 100};
	s->sharer[1] = (struct sd_sim_sharer){
		.thread = 1, .read = second, .written = second, .loads = 100, .stores = 100};
	s->member[0] = (struct sd_line_member){3, 0, 8, 5};
	s->member[1] = (struct sd_line_member){4, 8, 8, 6};
	s->member[2] = (struct sd_line_member){5, 16, 8, 7};
	s->object[0] = (struct sd_line_object){.variable = 1,
		.type = 2,
		.bytes = 16,
		.elements = 4,
		.composed = 1,
		.member = s->member,
		.n_member = 2};
	s->line = (struct sd_sim_contested){.sharing = SD_SIM_FALSE,
		.sharer = s->sharer,
		.n_sharer = 2,
		.code = s->code,
		.object = s->object,
		.n_object = 1};
	s->view =
		(struct sd_line_view){.line = &s->line, .touched = first | second, .accesses = 400};
}

static void each_element_of_an_array_gets_a_line_where_each_is_a_threads(void **state)
{
	static struct sd_line_layout l;
	struct scene s;
	char text[256];

	(void)state;
	set(&s, 0xffff, UINT64_C(0xffff) << 16);
	s.code[0] = (struct sd_sim_code){.node = 7, .hitm = 3, .writes = 1, .bytes = 0xff00ff};
	s.code[1] = (struct sd_sim_code){.node = 8, .hitm = 1, .bytes = 0xff00ff00};
	s.line.n_code = 2;
	sd_line_layout_make(&s.view, 64, &l);
	assert_int_equal(l.n_row, 4);
	assert_int_equal(l.change, SD_LAYOUT_ELEMENTS);
	assert_ptr_equal(l.of, &s.object[0]);
	sd_line_layout_name(&s.stacks, &l.row[2], text, sizeof text);
	assert_string_equal(text, "count[1].found");
	assert_int_equal(l.row[2].thread, 1);
	assert_int_equal(l.row[2].writer, 7);
	assert_int_equal(l.row[3].reader, 8);
	assert_true(l.row[2].share.value == 3. / 8);
	sd_line_layout_after(&s.stacks, &l, text, sizeof text);
	assert_non_null(strstr(text, "begins a line of its own: 64 bytes instead of 16"));
	/* a block of the allocator begins no line: 48 bytes before one are the worst */
	s.object[0].storage = SD_OBJECT_HEAP;
	sd_line_layout_after(&s.stacks, &l, text, sizeof text);
	assert_string_equal(text,
		"no line has two elements, wherever the block begins: 64 bytes instead of 16, all "
		"of them 0.25 KiB instead of 0.0625");
	s.object[0].bytes = 17;
	assert_int_equal(sd_line_layout_element(&l), 128);
	s.object[0].storage = SD_OBJECT_STATIC;
	assert_int_equal(sd_line_layout_element(&l), 64);
	s.object[0].bytes = 16;
	/* the object may begin before the line */
	s.object[0].begins = -16;
	sd_line_layout_make(&s.view, 64, &l);
	sd_line_layout_name(&s.stacks, &l.row[0], text, sizeof text);
	assert_string_equal(text, "count[1].found");
}

static void no_change_is_named_where_an_element_is_of_two_threads(void **state)
{
	static struct sd_line_layout l;
	struct scene s;

	(void)state;
	set(&s, 0xff00ff, 0xff00ff00);
	sd_line_layout_make(&s.view, 64, &l);
	assert_int_equal(l.change, SD_LAYOUT_MEMBERS);
	set(&s, 0xffff, 0xffff);
	sd_line_layout_make(&s.view, 64, &l);
	assert_int_equal(l.change, SD_LAYOUT_NONE);
	/* a thread that only initialised it does not count */
	set(&s, 0xffff, UINT64_C(0xffff) << 16);
	s.sharer[2] = (struct sd_sim_sharer){
		.thread = 2, .written = UINT64_MAX, .read = UINT64_MAX, .stores = 1};
	s.line.n_sharer = 3;
	sd_line_layout_make(&s.view, 64, &l);
	assert_int_equal(l.change, SD_LAYOUT_ELEMENTS);
}

static void members_of_one_structure_are_parted_where_threads_change(void **state)
{
	static struct sd_line_layout l;
	struct scene s;
	char text[256];

	(void)state;
	set(&s, 0xffff, UINT64_C(0xff) << 16);
	s.object[0].elements = 1;
	s.object[0].bytes = 24;
	s.object[0].n_member = 3;
	sd_line_layout_make(&s.view, 64, &l);
	assert_int_equal(l.change, SD_LAYOUT_MEMBERS);
	assert_int_equal(l.n_row, 3);
	assert_false(sd_line_layout_parts(&l, 0));
	assert_false(sd_line_layout_parts(&l, 1));
	assert_true(sd_line_layout_parts(&l, 2));
	sd_line_layout_after(&s.stacks, &l, text, sizeof text);
	assert_string_equal(text, "line 0: count.found, count.limit; line 1: count.done");
	s.object[0].storage = SD_OBJECT_HEAP;
	sd_line_layout_after(&s.stacks, &l, text, sizeof text);
	assert_string_equal(text, "in lines of their own: count.found, count.limit; count.done");
	s.object[0].storage = SD_OBJECT_STATIC;
}

static void variables_side_by_side_are_parted(void **state)
{
	static struct sd_line_layout l;
	struct scene s;

	(void)state;
	set(&s, 0xff, 0xff00);
	s.object[0] = (struct sd_line_object){.variable = 1, .type = 6, .bytes = 8, .elements = 1};
	s.object[1] = (struct sd_line_object){
		.variable = 5, .type = 6, .bytes = 8, .elements = 1, .begins = 8};
	s.line.n_object = 2;
	sd_line_layout_make(&s.view, 64, &l);
	assert_int_equal(l.change, SD_LAYOUT_VARIABLES);
	assert_int_equal(l.n_row, 2);
	/* they truly share */
	s.line.sharing = SD_SIM_TRUE;
	sd_line_layout_make(&s.view, 64, &l);
	assert_int_equal(l.change, SD_LAYOUT_NONE);
}

/* A record may claim any numbers. */
static void numbers_out_of_all_bounds_do_no_harm(void **state)
{
	static struct sd_line_layout l;
	struct scene s;
	char text[256];

	(void)state;
	set(&s, UINT64_MAX, UINT64_MAX);
	s.object[0].begins = -(int64_t)SD_OBJECT_BYTES;
	s.object[0].bytes = 1;
	s.object[0].elements = SD_OBJECT_BYTES;
	s.member[0].bytes = s.member[1].at = SD_OBJECT_BYTES;
	sd_line_layout_make(&s.view, 64, &l);
	s.object[0].bytes = SD_OBJECT_BYTES;
	sd_line_layout_make(&s.view, 64, &l);
	s.object[0].n_member = 0;
	s.object[0].bytes = 1;
	s.object[0].begins = 0;
	sd_line_layout_make(&s.view, 64, &l);
	assert_int_equal(l.n_row, 64);
	sd_line_layout_after(&s.stacks, &l, text, sizeof text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_element_of_an_array_gets_a_line_where_each_is_a_threads),
		cmocka_unit_test(no_change_is_named_where_an_element_is_of_two_threads),
		cmocka_unit_test(members_of_one_structure_are_parted_where_threads_change),
		cmocka_unit_test(variables_side_by_side_are_parted),
		cmocka_unit_test(numbers_out_of_all_bounds_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
