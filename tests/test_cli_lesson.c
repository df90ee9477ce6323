#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include "lesson.h"
#include "lessons.h"

static char said[1024];

static void keep(void *ctx, enum sd_level level, const char *text)
{
	(void)ctx;
	assert_int_equal(level, SD_LEVEL_ERROR);
	strcpy(said, text);
}
static const struct sd_sink sink = {.emit = keep};

#define HEAD                                                                            \
	"---\ntitle: T\nminutes: 5\nflags: -O2\nargs: {n}\nquestion: Q?\nchoice: one\n" \
	"choice: two\n"
#define CHAPTERS \
	"## Look for\n- it\n\n## Why\n\nso\n\nand so\n\n## Exercises\nx\n## Instructor\ny\n"

static int parse(const char *text, struct sd_lesson *l)
{
	said[0] = '\0';
	return sd_lesson_parse(text, strlen(text), "LESSON.md", l, &sink);
}

static void a_lesson_is_its_head_and_its_chapters(void **state)
{
	struct sd_lesson l;

	(void)state;
	assert_int_equal(
		parse(HEAD "shows: 3-7\nanswer: b\nneeds: cores\ncauses: disk mpi\n---\n" CHAPTERS,
			&l),
		0);
	assert_string_equal(l.title, "T");
	assert_string_equal(l.args, "{n}");
	assert_int_equal(l.show_from, 3);
	assert_int_equal(l.show_to, 7);
	assert_int_equal(l.choice.n, 2);
	assert_int_equal(l.need, SD_LESSON_NEEDS_CORES);
	assert_null(l.simulate);
	assert_string_equal(l.look, "- it");
	assert_string_equal(l.why, "so\n\nand so");
	assert_string_equal(l.instructor, "y");
	sd_lesson_free(&l);
}

static void what_is_wrong_is_said_with_its_line(void **state)
{
	static const struct {
		const char *text, *says;
	} row[] = {
		{"", "LESSON.md:1: a lesson begins with"},
		{"---\ntitle: T\n", "LESSON.md:2: the head has no end"},
		{"---\ntitle T\n", "LESSON.md:2: expected 'key: value'"},
		{"---\ntitle:\n", "LESSON.md:2: 'title' has no value"},
		{"---\ntitle: T\ntitle: U\n", "LESSON.md:3: a second 'title'"},
		{"---\ntilte: T\n", "LESSON.md:2: unknown key 'tilte'"},
		{"---\n---\nwords\n", "LESSON.md:3: expected '## Look for'"},
		{"---\n---\n## What\n", "LESSON.md:3: expected '## Look for'"},
		{"---\n---\n## Why\n\n## Exercises\nx\n", "'## Why' is empty"},
		{"---\n---\n## Why\nx\n## Why\nx\n", "LESSON.md:5: a second '## Why'"},
		{"---\n---\n", "no 'title:' in the head"},
		{HEAD "shows: 3-7\nanswer: a\nneeds: cores\ncauses: disk\n---\n",
			"no chapter '## Look for'"},
		{HEAD "shows: 3\nanswer: a\nneeds: cores\ncauses: disk\n---\n" CHAPTERS,
			"shows '3': must be lines"},
		{HEAD "shows: 7-3\nanswer: a\nneeds: cores\ncauses: disk\n---\n" CHAPTERS,
			"shows '7-3': must be lines"},
		{HEAD "shows: 3-7\nanswer: c\nneeds: cores\ncauses: disk\n---\n" CHAPTERS,
			"answer 'c': must be the letter"},
		{HEAD "shows: 3-7\nanswer: a\nneeds: luck\ncauses: disk\n---\n" CHAPTERS,
			"needs 'luck': must be"},
		{HEAD "shows: 3-7\nanswer: a\nneeds: cores\ncauses: disk sloth\n---\n" CHAPTERS,
			"causes: 'sloth' is none"},
		{HEAD "shows: 3-7\nanswer: a\nneeds: cores\ncauses: disk\nsimulate: "
		      "1\n---\n" CHAPTERS,
			"counts '': must be what"},
		{HEAD "shows: 3-7\nanswer: a\nneeds: cores\ncauses: disk\ncounts: luck "
		      "2\n---\n" CHAPTERS,
			"counts 'luck 2': must be what"},
		{HEAD "shows: 3-7\nanswer: a\nneeds: cores\ncauses: disk\ncounts: "
		      "moves\n---\n" CHAPTERS,
			"counts 'moves': must be what"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_lesson l;

		assert_int_equal(parse(row[i].text, &l), -EINVAL);
		if (!strstr(said, row[i].says))
			fail_msg("row %zu: '%s' does not say '%s'", i, said, row[i].says);
		sd_lesson_free(&l);
	}
}

static unsigned lines_of(const char *text)
{
	unsigned n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void every_lesson_can_be_read_and_its_programs_fit_on_a_page(void **state)
{
	size_t n = 0;

	(void)state;
	for (const struct sd_lesson_files *f = sd_lesson_files; f->folder; f++, n++) {
		struct sd_lesson l;

		said[0] = '\0';
		if (sd_lesson_parse(f->text, (size_t)(f->text_end - f->text), f->folder, &l, &sink))
			fail_msg("%s", said);
		assert_true(lines_of(f->broken) < 80);
		assert_true(lines_of(f->fixed) < 80);
		assert_true(l.show_to <= lines_of(f->broken));
		assert_string_not_equal(f->broken, f->fixed);
		sd_lesson_free(&l);
	}
	assert_true(n >= 16);
}

static void a_lesson_is_found_by_name_folder_and_number_and_a_typing_error_gets_the_nearest(
	void **state)
{
	(void)state;
	assert_ptr_equal(sd_lesson_find("false-sharing"), &sd_lesson_files[0]);
	assert_ptr_equal(sd_lesson_find("01-false-sharing"), &sd_lesson_files[0]);
	assert_ptr_equal(sd_lesson_find("1"), &sd_lesson_files[0]);
	assert_null(sd_lesson_find("flase-sharing"));
	assert_null(sd_lesson_find(""));
	assert_null(sd_lesson_find("999"));
	assert_string_equal(sd_lesson_name(sd_lesson_nearest("flase-sharing")), "false-sharing");
	assert_string_equal(sd_lesson_name(sd_lesson_nearest("mutex")), "one-mutex");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lesson_is_its_head_and_its_chapters),
		cmocka_unit_test(what_is_wrong_is_said_with_its_line),
		cmocka_unit_test(every_lesson_can_be_read_and_its_programs_fit_on_a_page),
		cmocka_unit_test(
			a_lesson_is_found_by_name_folder_and_number_and_a_typing_error_gets_the_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
