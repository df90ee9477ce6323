#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "learn/lesson.h"
#include "learn/lesson_diff.h"
#include "learn/lesson_view.h"
#include "learn/lesson_files.h"
#include "learn/lesson_track.h"

static char said[1024];

static void keep(void *ctx, enum sd_level level, const char *text)
{
	(void)ctx;
	assert_int_equal(level, SD_LEVEL_ERROR);
	strcpy(said, text);
}
static const struct sd_sink sink = {.emit = keep};

#define HEAD                                                                                     \
	"---\ntitle: T\nminutes: 5\nrank: 3\nflags: -O2\nargs: {n}\nquestion: Q?\nchoice: one\n" \
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
		{HEAD "shows: 3-7\n"
		      "answer: a\n"
		      "needs: cores\n"
		      "causes: disk\n"
		      "waste: time\n"
		      "---\n" CHAPTERS,
			"waste 'time': must be"},
		{HEAD "shows: 3-7\n"
		      "answer: a\n"
		      "needs: cores\n"
		      "causes: disk\n"
		      "waste: page-walks\n"
		      "---\n" CHAPTERS,
			"needs 'simulate:'"},
		{HEAD "shows: 3-7\n"
		      "answer: a\n"
		      "needs: cores\n"
		      "causes: disk\n"
		      "faults: many\n"
		      "---\n" CHAPTERS,
			"faults 'many': must be"},
		{HEAD "shows: 3-7\n"
		      "answer: a\n"
		      "needs: cores\n"
		      "causes: disk\n"
		      "size: 40\n"
		      "---\n" CHAPTERS,
			"size '40': must be the number that {size}"},
		{HEAD "shows: 3-7\n"
		      "answer: a\n"
		      "needs: cores\n"
		      "causes: disk\n"
		      "counts: luck 2\n"
		      "---\n" CHAPTERS,
			"counts 'luck 2': must be what"},
		{HEAD "shows: 3-7\nanswer: a\nneeds: cores\ncauses: disk\ncounts: "
		      "moves\n---\n" CHAPTERS,
			"counts 'moves': must be what"},
		{HEAD "shows: 3-7\nanswer: a\nneeds: cores\ncauses: disk\nattach: "
		      "0\n---\n" CHAPTERS,
			"attach '0': must be 1 to 60"},
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
	assert_string_equal(sd_lesson_nearest("flase-sharing"), "false-sharing");
	assert_string_equal(sd_lesson_nearest("mutex"), "one-mutex");
}

static char *difference(const struct sd_lesson_files *files)
{
	const struct sd_report_style plain = {0};
	struct sd_page p;
	size_t size = 0;
	char *text = NULL;
	FILE *const f = open_memstream(&text, &size);

	assert_non_null(f);
	sd_page_begin(&p, f, &plain);
	sd_lesson_view_difference(&p, files);
	assert_int_equal(sd_page_end(&p), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

/* Each has the line x twice; what counts is where. */
static void a_line_that_came_or_moved_is_a_difference(void **state)
{
	static const struct {
		const char *broken, *fixed, *says;
	} row[] = {
		{"a\nx\nb\n", "x\na\nx\nb\n", "+   1  x\n"},
		{"x\na\nx\nb\n", "a\nx\nb\n", "-   1  x\n"},
		{"a\n\tb\nc\n", "a\n\td\nc\n", "-   2      b\n+   2      d\n"},
		{"a\n", "a\nb", "+   2  b\n"},
		{"a\n", "a\n", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_lesson_files files = {
			.folder = "", .broken = row[i].broken, .fixed = row[i].fixed};
		char *const text = difference(&files);
		char *const end = text + strlen(text) - 1;

		assert_int_equal(*end, '\n'); /* an empty line follows */
		*end = '\0';
		assert_string_equal(strchr(text, '\n') + 1, row[i].says);
		free(text);
	}
}

/* The fix of a lesson is a line that the broken version has as well, in another place. */
static void what_a_lesson_fixes_is_shown(void **state)
{
	char *const text = difference(sd_lesson_find("first-touch"));

	(void)state;
	assert_non_null(strstr(text, "+  13  #pragma omp parallel for\n"));
	free(text);
}

/* A student sees those of the loops and declarations that the fix changes which are broken. */
static void what_is_shown_of_a_lesson_has_a_line_that_is_to_be_fixed(void **state)
{
	(void)state;
	for (const struct sd_lesson_files *f = sd_lesson_files; f->folder; f++) {
		struct sd_lesson_diff d;
		struct sd_lesson l;
		unsigned n = 0, inserted = 0;

		assert_int_equal(sd_lesson_parse(f->text, (size_t)(f->text_end - f->text),
					 f->folder, &l, &sink),
			0);
		sd_lesson_diff(f->broken, f->fixed, &d);
		for (unsigned i = l.show_from - 1; i < l.show_to; i++) {
			n += d.broken[i];
			inserted += d.fixed[i];
		}
		if (n + inserted == 0)
			fail_msg("%s: lines %s are the same in fixed.c", f->folder, l.shows);
		sd_lesson_free(&l);
	}
}

/* The lines that make the difference, without what only tells of it. */
static void comments_and_includes_make_no_difference(void **state)
{
	static const char broken[] = "/* one */\n#include <a.h>\nint x = 1;\nint y;\n";
	static const char fixed[] = "/* other */\n#include <b.h>\nint x = 2;\nint y;\n";
	struct sd_lesson_changed line[2 * SD_LESSON_DIFF_SHOWN];
	int more = 1;

	(void)state;
	assert_int_equal(sd_lesson_diff_code(broken, fixed, line, &more), 2);
	assert_int_equal(more, 0);
	assert_true(!line[0].fixed && line[1].fixed && line[0].number == 3);
	assert_int_equal(line[1].length, strlen("int x = 2;"));
	assert_memory_equal(line[1].at, "int x = 2;", line[1].length);
	assert_int_equal(sd_lesson_diff_code("a\nb\nc\nd\ne\nf\n", "A\n", line, &more),
		SD_LESSON_DIFF_SHOWN + 1);
	assert_int_equal(more, 1);
}

static void every_lesson_has_lines_of_code_that_make_the_difference(void **state)
{
	(void)state;
	for (const struct sd_lesson_files *f = sd_lesson_files; f->folder; f++) {
		struct sd_lesson_changed line[2 * SD_LESSON_DIFF_SHOWN];
		int more;

		if (sd_lesson_diff_code(f->broken, f->fixed, line, &more) == 0)
			fail_msg("%s: none", f->folder);
	}
}

/* A shorter workshop is a part of a longer one up to what fits in no more, and ends in time. */
static void a_track_has_the_most_telling_lessons_that_fit(void **state)
{
	struct sd_lesson_track all;

	(void)state;
	assert_int_equal(sd_lesson_track_all(&all, &sink), 0);
	for (size_t i = 0; i < all.n; i++)
		for (size_t j = 0; j < i; j++)
			if (all.item[i].lesson.place == all.item[j].lesson.place)
				fail_msg("%s and %s have the same rank", all.item[i].files->folder,
					all.item[j].files->folder);
	for (unsigned minutes = 5; minutes <= all.minutes + 5; minutes += 5) {
		struct sd_lesson_track t;
		unsigned sum = 0;

		assert_int_equal(sd_lesson_track_all(&t, &sink), 0);
		sd_lesson_track_cut(&t, minutes);
		for (size_t i = 0; i < t.n; i++) {
			sum += t.item[i].lesson.duration;
			assert_true(i == 0 || t.item[i].lesson.place > t.item[i - 1].lesson.place);
		}
		assert_int_equal(sum, t.minutes);
		assert_true(sum <= minutes);
		/* what is left out would not fit */
		for (size_t i = 0; i < all.n; i++) {
			unsigned before = 0;
			int held = 0;

			for (size_t j = 0; j < t.n; j++) {
				held |= t.item[j].files == all.item[i].files;
				if (t.item[j].lesson.place < all.item[i].lesson.place)
					before += t.item[j].lesson.duration;
			}
			assert_true(held || before + all.item[i].lesson.duration > minutes);
		}
		assert_true(minutes < all.minutes || t.n == all.n);
		sd_lesson_track_free(&t);
	}
	sd_lesson_track_free(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lesson_is_its_head_and_its_chapters),
		cmocka_unit_test(what_is_wrong_is_said_with_its_line),
		cmocka_unit_test(a_line_that_came_or_moved_is_a_difference),
		cmocka_unit_test(what_a_lesson_fixes_is_shown),
		cmocka_unit_test(comments_and_includes_make_no_difference),
		cmocka_unit_test(every_lesson_has_lines_of_code_that_make_the_difference),
		cmocka_unit_test(a_track_has_the_most_telling_lessons_that_fit),
		cmocka_unit_test(what_is_shown_of_a_lesson_has_a_line_that_is_to_be_fixed),
		cmocka_unit_test(every_lesson_can_be_read_and_its_programs_fit_on_a_page),
		cmocka_unit_test(
			a_lesson_is_found_by_name_folder_and_number_and_a_typing_error_gets_the_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
