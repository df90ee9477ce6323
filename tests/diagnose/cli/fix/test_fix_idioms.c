/*
 * The text of Rust and Go is not changed: the pattern is said, in the program's own names.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "fix/fix_idioms.h"
#include "fix/fix_sums.h"

enum { COUNTS = 1, TYPE, FILE_NAME, FOUND, LIMIT, TEXTS };

struct scene {
	char word[TEXTS][24], *text[TEXTS];
	struct sd_record record;
	struct sd_line_member member[2];
	struct sd_line_object object;
	struct sd_line_layout layout;
	struct sd_fix_case fix;
};

/* Two members of a structure that stands alone, of which another thread has the second. */
static void set_up(struct scene *s, enum sd_object_language language, enum sd_layout_change change)
{
	*s = (struct scene){
		.word = {"", "COUNTS", "struct Count", "/src/count.rs", "found", "limit.value"},
		.member = {{.name = FOUND, .bytes = 8}, {.name = LIMIT, .at = 8, .bytes = 8}},
		.object = {.variable = COUNTS,
			.type = TYPE,
			.file = FILE_NAME,
			.line = 3,
			.bytes = 16,
			.elements = 4,
			.composed = 1,
			.language = language},
		.layout = {.change = change, .apart = 64, .n_row = 2}};
	for (unsigned i = 0; i < TEXTS; i++)
		s->text[i] = s->word[i];
	s->record.stacks.text = s->text;
	s->record.stacks.n_text = TEXTS;
	s->layout.of = &s->object;
	for (unsigned i = 0; i < 2; i++)
		s->layout.row[i] = (struct sd_layout_row){.object = &s->object,
			.member = &s->member[i],
			.mask = UINT64_C(0xff) << 8 * i,
			.thread = i};
	s->fix = (struct sd_fix_case){.record = &s->record, .layout = &s->layout};
}

static const char *reason(
	struct scene *s, enum sd_object_language language, enum sd_layout_change change)
{
	set_up(s, language, change);
	assert_int_equal(sd_fix_idioms_line(&s->fix), -ENOENT);
	assert_int_equal(s->fix.n_step, 0);
	return s->fix.why;
}

static void rust_is_told_repr_align(void **state)
{
	static struct scene s;

	(void)state;
	assert_string_equal(reason(&s, SD_OBJECT_RUST, SD_LAYOUT_ELEMENTS),
		"in Rust #[repr(align(64))] before struct Count (count.rs:3) gives each a line of "
		"its own");
	assert_string_equal(reason(&s, SD_OBJECT_RUST, SD_LAYOUT_MEMBERS),
		"in Rust #[repr(align(64))] struct Apart<T>(T); around limit gives each a line of "
		"its own");
	set_up(&s, SD_OBJECT_RUST, SD_LAYOUT_ELEMENTS);
	s.object.composed = 0;
	assert_int_equal(sd_fix_idioms_line(&s.fix), -ENOENT);
	assert_non_null(strstr(s.fix.why, "struct Apart<T>(T); around each element of COUNTS "));
}

static void go_is_told_an_array_of_bytes(void **state)
{
	static struct scene s;

	(void)state;
	assert_string_equal(reason(&s, SD_OBJECT_GO, SD_LAYOUT_ELEMENTS),
		"in Go _ [64]byte as the last field of struct Count (count.rs:3) gives each a line "
		"of its own");
	assert_string_equal(reason(&s, SD_OBJECT_GO, SD_LAYOUT_MEMBERS),
		"in Go _ [64]byte before limit parts them");
	assert_non_null(strstr(reason(&s, SD_OBJECT_GO, SD_LAYOUT_VARIABLES), "all in one struct"));
	/* goroutines take their elements to other threads */
	set_up(&s, SD_OBJECT_GO, SD_LAYOUT_NONE);
	s.fix.view = &(const struct sd_line_view){
		.line = &(const struct sd_sim_contested){.sharing = SD_SIM_FALSE}};
	s.object.elements = 0;
	assert_int_equal(sd_fix_idioms_line(&s.fix), -ENOENT);
	assert_non_null(strstr(s.fix.why, "as the last field of struct Count"));
}

static void other_languages_are_left_alone(void **state)
{
	static struct scene s;

	(void)state;
	assert_non_null(strstr(
		reason(&s, SD_OBJECT_OTHER, SD_LAYOUT_ELEMENTS), "no text but that of C and C++"));
	set_up(&s, SD_OBJECT_C, SD_LAYOUT_ELEMENTS);
	assert_int_equal(sd_fix_idioms_line(&s.fix), 0);
	set_up(&s, SD_OBJECT_CXX, SD_LAYOUT_MEMBERS);
	assert_int_equal(sd_fix_idioms_line(&s.fix), 0);
	assert_string_equal(s.fix.why, "");
}

static void why_no_layout_helps_is_told(void **state)
{
	static const struct {
		enum sd_sim_sharing sharing;
		size_t rows;
		const char *why;
	} row[] = {{SD_SIM_FALSE, 2, "one thread's alone"}, {SD_SIM_FALSE, 0, "no type says"},
		{SD_SIM_TRUE, 2, "the same bytes"}};
	static struct scene s;

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_sim_contested line = {.sharing = row[i].sharing};
		const struct sd_line_view view = {.line = &line};

		set_up(&s, SD_OBJECT_C, SD_LAYOUT_NONE);
		s.layout.n_row = row[i].rows;
		s.fix.view = &view;
		assert_int_equal(sd_fix_sums_line(&s.fix), -ENOENT);
		assert_non_null(strstr(s.fix.why, row[i].why));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rust_is_told_repr_align),
		cmocka_unit_test(go_is_told_an_array_of_bytes),
		cmocka_unit_test(why_no_layout_helps_is_told),
		cmocka_unit_test(other_languages_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
