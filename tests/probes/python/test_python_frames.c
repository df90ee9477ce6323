/*
 * Functions that CPython's threads run, read from a process that has its structures: this one, at
 * offsets of our own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "python/python_frames.h"
#include "python/python_lines.h"

#define SECOND UINT64_C(1000000000)

struct text {
	uint64_t count, type, length, hash, state;
	char characters[64], other[64];
};
struct bytes {
	uint64_t count, type, size;
	unsigned char byte[32];
};
struct code {
	uint64_t count, type, file, name, lines, first;
	unsigned char instruction[64];
};
struct frame {
	uint64_t code, previous, instruction;
};
struct thread {
	uint64_t next, id, frame;
};
struct interpreter {
	uint64_t next, threads;
};

static const struct sd_python_layout layout = {.version = 3u << 8 | 13,
	.at = {
		[SD_PYTHON_RUNTIME_INTERPRETERS] = 8,
		[SD_PYTHON_INTERPRETER_NEXT] = offsetof(struct interpreter, next),
		[SD_PYTHON_INTERPRETER_THREADS] = offsetof(struct interpreter, threads),
		[SD_PYTHON_THREAD_NEXT] = offsetof(struct thread, next),
		[SD_PYTHON_THREAD_ID] = offsetof(struct thread, id),
		[SD_PYTHON_THREAD_FRAME] = offsetof(struct thread, frame),
		[SD_PYTHON_FRAME_CODE] = offsetof(struct frame, code),
		[SD_PYTHON_FRAME_PREVIOUS] = offsetof(struct frame, previous),
		[SD_PYTHON_FRAME_INSTRUCTION] = offsetof(struct frame, instruction),
		[SD_PYTHON_OBJECT_TYPE] = offsetof(struct text, type),
		[SD_PYTHON_CODE_FILE] = offsetof(struct code, file),
		[SD_PYTHON_CODE_NAME] = offsetof(struct code, name),
		[SD_PYTHON_CODE_LINES] = offsetof(struct code, lines),
		[SD_PYTHON_CODE_FIRST_LINE] = offsetof(struct code, first),
		[SD_PYTHON_CODE_START] = offsetof(struct code, instruction),
		[SD_PYTHON_TEXT_LENGTH] = offsetof(struct text, length),
		[SD_PYTHON_TEXT_STATE] = offsetof(struct text, state),
		[SD_PYTHON_TEXT_STATE_KIND] = 2,
		[SD_PYTHON_TEXT_ASCII] = offsetof(struct text, characters),
		[SD_PYTHON_TEXT_OTHER] = offsetof(struct text, other),
		[SD_PYTHON_BYTES_SIZE] = offsetof(struct bytes, size),
		[SD_PYTHON_BYTES_START] = offsetof(struct bytes, byte),
	}};

#define COMPACT 32u
#define ASCII 64u

/* A process of one thread that runs inner(), called from outer(). */
static struct {
	uint64_t runtime[2], types[6];
	struct interpreter interpreter;
	struct thread thread, second;
	struct frame inner, shim, outer;
	struct code code[2];
	struct text text[3];
	struct bytes lines;
	struct sd_python_program program;
	struct sd_python_frames frames;
} made;

static uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static void say(struct text *t, const char *text)
{
	*t = (struct text){.type = made.program.text,
		.length = strlen(text),
		.state = COMPACT | ASCII | 1 << 2};
	memcpy(t->characters, text, strlen(text));
}

static int setup(void **state)
{
	/* line 10: two units; then line 12, one; no line, one; and line 9, eight */
	static const unsigned char lines[] = {128 | 13 << 3 | 1, 0, 128 | 12 << 3 | 0, 5, 5,
		128 | 15 << 3, 128 | 14 << 3 | 7, 7, 1, 1, 1};

	(void)state;
	memset(&made, 0, sizeof made);
	made.program = (struct sd_python_program){.layout = &layout,
		.runtime = address(made.runtime),
		.code = address(&made.types[0]),
		.text = address(&made.types[2]),
		.bytes = address(&made.types[4])};
	made.runtime[1] = address(&made.interpreter);
	made.interpreter.threads = address(&made.thread);
	made.thread = (struct thread){.id = 77, .frame = address(&made.inner)};
	made.inner = (struct frame){.code = address(&made.code[0]),
		.previous = address(&made.shim),
		.instruction = address(made.code[0].instruction + 4)};
	made.shim.previous = address(&made.outer); /* the interpreter's own has no code */
	made.outer = (struct frame){.code = address(&made.code[1]),
		.instruction = address(made.code[1].instruction) - 2};
	say(&made.text[0], "inner");
	say(&made.text[1], "Model.outer");
	say(&made.text[2], "/srv/app.py");
	made.lines = (struct bytes){.type = made.program.bytes, .size = sizeof lines};
	memcpy(made.lines.byte, lines, sizeof lines);
	for (size_t i = 0; i < 2; i++)
		made.code[i] = (struct code){.type = made.program.code,
			.file = address(&made.text[2]),
			.name = address(&made.text[i]),
			.lines = address(&made.lines),
			.first = 10 * (i + 1)};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	sd_python_frames_free(&made.frames);
	return 0;
}

static void look(uint64_t now)
{
	sd_python_frames_look_at(&made.frames, getpid(), &made.program, now);
}

static const char *name_at(const struct sd_python_place *place)
{
	return made.frames.code[place->code].name;
}

static void a_thread_has_its_functions_and_their_lines(void **state)
{
	const struct sd_python_place *place;

	(void)state;
	look(SECOND);
	assert_int_equal(sd_python_frames_find(&made.frames, 77, SECOND, &place), 2);
	assert_string_equal(name_at(&place[0]), "py::inner:/srv/app.py");
	assert_string_equal(name_at(&place[1]), "py::Model.outer:/srv/app.py");
	assert_string_equal(made.frames.code[place[0].code].file, "/srv/app.py");
	assert_int_equal(place[0].line, 12);
	assert_int_equal(place[1].line, 20); /* it has not begun */
	assert_int_equal(sd_python_frames_find(&made.frames, 78, SECOND, &place), 0);
}

static void lines_are_those_of_the_instruction(void **state)
{
	static const struct {
		uint64_t offset;
		unsigned line;
	} row[] = {{0, 10}, {2, 10}, {3, 10}, {4, 12}, {6, 0}, {8, 9}, {23, 9}, {24, 0},
		{1u << 30, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		assert_int_equal(
			sd_python_lines_at(made.lines.byte, made.lines.size, 10, row[i].offset),
			row[i].line);
	assert_int_equal(sd_python_lines_at((const unsigned char *)"\x01\x80", 2, 10, 0), 0);
}

static void the_look_nearest_in_time_counts(void **state)
{
	const struct sd_python_place *place;

	(void)state;
	look(SECOND);
	look(SECOND + 50000000);
	made.thread.frame = address(&made.outer);
	look(SECOND + 100000000);
	assert_int_equal(sd_python_frames_find(&made.frames, 77, SECOND + 40000000, &place), 2);
	assert_int_equal(sd_python_frames_find(&made.frames, 77, SECOND + 70000000, &place), 2);
	assert_int_equal(sd_python_frames_find(&made.frames, 77, SECOND + 80000000, &place), 1);
	assert_int_equal(sd_python_frames_find(&made.frames, 77, SECOND - 100000000, &place), 2);
	assert_int_equal(sd_python_frames_find(&made.frames, 77, 2 * SECOND, &place), 0);
	assert_int_equal(made.frames.n_seen, 2);
}

static void a_new_function_at_an_old_ones_address_has_its_own_name(void **state)
{
	const struct sd_python_place *place;

	(void)state;
	look(SECOND);
	made.code[0].name = address(&made.text[1]);
	look(2 * SECOND);
	assert_int_equal(sd_python_frames_find(&made.frames, 77, 2 * SECOND, &place), 2);
	assert_string_equal(name_at(&place[0]), "py::Model.outer:/srv/app.py");
	assert_int_equal(sd_python_frames_find(&made.frames, 77, SECOND, &place), 2);
	assert_string_equal(name_at(&place[0]), "py::inner:/srv/app.py");
}

static void names_in_other_alphabets_are_utf8(void **state)
{
	static const uint16_t zahl[] = {'Z', 0xe4, 0x4e2d, 0xd800};
	const struct sd_python_place *place;

	(void)state;
	made.text[0] =
		(struct text){.type = made.program.text, .length = 4, .state = COMPACT | 2 << 2};
	memcpy(made.text[0].other, zahl, sizeof zahl);
	look(SECOND);
	assert_int_equal(sd_python_frames_find(&made.frames, 77, SECOND, &place), 2);
	assert_string_equal(name_at(&place[0]), "py::Z\xc3\xa4\xe4\xb8\xad?:/srv/app.py");
}

static void what_is_no_code_has_no_name(void **state)
{
	const struct sd_python_place *place;

	(void)state;
	made.code[0].type = made.program.text;
	look(SECOND);
	assert_int_equal(sd_python_frames_find(&made.frames, 77, SECOND, &place), 1);
	assert_string_equal(name_at(&place[0]), "py::Model.outer:/srv/app.py");
}

static void a_broken_list_ends(void **state)
{
	const struct sd_python_place *place;

	(void)state;
	made.outer.previous = address(&made.inner); /* a circle of frames */
	made.thread.next = address(&made.thread);   /* and of threads */
	made.interpreter.next = address(&made.interpreter);
	look(SECOND);
	assert_int_equal(sd_python_frames_find(&made.frames, 77, SECOND, &place), SD_PYTHON_DEPTH);
}

static void nothing_is_seen_through_a_wild_pointer(void **state)
{
	static const uint64_t wild[] = {8, UINT64_MAX, UINT64_MAX - 4095, 1};

	(void)state;
	for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
		setup(NULL);
		made.thread.frame = wild[i];
		look(SECOND);
		assert_int_equal(made.frames.n_seen, 0);
		teardown(NULL);
		setup(NULL);
		made.text[0].length = wild[i];
		made.text[1].length = 0;
		made.lines.size = wild[i];
		look(SECOND);
		sd_python_frames_free(&made.frames);
		made.thread.next = wild[i];
		made.runtime[1] = wild[i];
		look(SECOND);
		assert_int_equal(made.frames.n_seen, 0);
		teardown(NULL);
	}
}

static void every_version_of_the_table_is_read(void **state)
{
	struct sd_python_layouts l = {0};

	(void)state;
	assert_int_equal(sd_python_layouts_load(&l, NULL, NULL), 0);
	assert_true(l.n >= 3);
	assert_non_null(sd_python_layouts_find(&l, 3u << 8 | 11));
	assert_null(sd_python_layouts_find(&l, 3u << 8 | 10));
}

static void a_broken_table_is_refused(void **state)
{
	static const char *const text[] = {"", "versions = ();", "versions = ( 3 );",
		"versions = ( { version = \"3.11\"; } );", "versions = ( { version = \"4.1\"; } );",
		"versions = ( { thread = 3; } );", "other = 3;", "@include \"/etc/passwd\"",
		"versions = ( {"};
	struct sd_python_layouts l = {0};

	(void)state;
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		assert_int_equal(
			sd_python_layouts_parse(&l, "x", text[i], strlen(text[i]), NULL), -22);
	assert_int_equal(l.n, 0);
}

static void a_program_without_python_has_none(void **state)
{
	struct sd_python_layouts l = {0};
	struct sd_python_program p;

	(void)state;
	assert_int_equal(sd_python_layouts_load(&l, NULL, NULL), 0);
	assert_int_equal(sd_python_program_find("", getpid(), &l, &p), -2);
	assert_true(sd_python_program_find("/nowhere", getpid(), &l, &p) < 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_thread_has_its_functions_and_their_lines),
		T(lines_are_those_of_the_instruction),
		T(the_look_nearest_in_time_counts),
		T(a_new_function_at_an_old_ones_address_has_its_own_name),
		T(names_in_other_alphabets_are_utf8),
		T(what_is_no_code_has_no_name),
		T(a_broken_list_ends),
		T(nothing_is_seen_through_a_wild_pointer),
		T(every_version_of_the_table_is_read),
		T(a_broken_table_is_refused),
		T(a_program_without_python_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
