/*
 * Changes of sources: the diff of each kind, and what is refused instead.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fix/fix_kinds.h"
#include "fix/fix_plan.h"

#define BUILT 2000000000.0 /* the program, s since the epoch; sources are older */

enum { NONE, FILE_NAME, COUNT, STRUCT_COUNT, FOUND, LIMIT, LONG, CODE, TEXTS };

/* A folder with one source, and a line that two threads use. */
struct scene {
	char folder[64], path[96];
	char text[TEXTS][96], *texts[TEXTS];
	struct sd_record record;
	struct sd_sim_sharer sharer[2];
	struct sd_sim_code code;
	struct sd_line_member member[2];
	struct sd_line_object object;
	struct sd_sim_contested line;
	struct sd_line_view view;
	struct sd_line_layout layout;
	struct sd_fix_sources sources;
	struct sd_fix_case fix;
	char *diff;
};

static void write_source(struct scene *s, const char *text, double mtime)
{
	const struct timespec times[2] = {{.tv_sec = (time_t)mtime}, {.tv_sec = (time_t)mtime}};
	FILE *const f = fopen(s->path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(utimensat(AT_FDCWD, s->path, times, 0), 0);
}

/* An array `count` of structures of two members, one element a thread, declared at line 1. */
static int setup(void **state)
{
	static struct scene s;
	static const char *const words[TEXTS] = {
		"", "", "count", "struct count", "found", "limit", "long", "add"};

	s = (struct scene){.folder = "/tmp/scalediag-fix.XXXXXX"};
	assert_non_null(mkdtemp(s.folder));
	snprintf(s.path, sizeof s.path, "%s/a.c", s.folder);
	for (size_t i = 0; i < TEXTS; i++) {
		snprintf(s.text[i], sizeof s.text[i], "%s", i == FILE_NAME ? s.path : words[i]);
		s.texts[i] = s.text[i];
	}
	s.record.stacks.text = s.texts;
	s.record.stacks.n_text = TEXTS;
	s.record.program.file.mtime = SD_OK(BUILT);
	for (unsigned i = 0; i < 2; i++)
		s.sharer[i] = (struct sd_sim_sharer){.thread = i,
			.read = UINT64_C(0xffff) << 16 * i,
			.written = UINT64_C(0xffff) << 16 * i,
			.loads = 100};
	s.member[0] = (struct sd_line_member){FOUND, 0, 8, 2};
	s.member[1] = (struct sd_line_member){LIMIT, 8, 8, 3};
	s.object = (struct sd_line_object){.variable = COUNT,
		.type = STRUCT_COUNT,
		.file = FILE_NAME,
		.at_file = FILE_NAME,
		.line = 1,
		.at_line = 1,
		.bytes = 16,
		.elements = 4,
		.composed = 1,
		.language = SD_OBJECT_C,
		.member = s.member,
		.n_member = 2};
	s.line = (struct sd_sim_contested){.sharing = SD_SIM_FALSE,
		.sharer = s.sharer,
		.n_sharer = 2,
		.object = &s.object,
		.n_object = 1};
	s.view = (struct sd_line_view){
		.line = &s.line, .touched = UINT64_C(0xffffffff), .accesses = 200};
	*state = &s;
	return 0;
}

static void forget(struct scene *s)
{
	free(s->diff);
	s->diff = NULL;
	sd_fix_sources_free(&s->sources);
}

static int teardown(void **state)
{
	struct scene *const s = *state;

	forget(s);
	unlink(s->path);
	return rmdir(s->folder);
}

/* The lines that go and come, of the diff for this source; "" and `why` where there is none. */
static const char *plan(struct scene *s, const char *text, int rc)
{
	size_t size = 0;
	char *out;
	FILE *f;

	forget(s);
	if (text)
		write_source(s, text, BUILT - 10);
	assert_int_equal(sd_fix_sources_open(&s->sources, &s->record, s->folder), 0);
	sd_line_layout_make(&s->view, 64, &s->layout);
	s->fix = (struct sd_fix_case){.record = &s->record,
		.view = &s->view,
		.layout = &s->layout,
		.sources = &s->sources};
	assert_int_equal(sd_fix_kinds_line(&s->fix), rc);
	assert_true(rc ? *s->fix.why && !*s->fix.what : *s->fix.what && !*s->fix.why);
	if (rc || !s->sources.n)
		return "";
	f = open_memstream(&s->diff, &size);
	assert_non_null(f);
	assert_int_equal(sd_source_edits_diff(f, &s->sources.source[0]->edits, "a.c",
				 s->sources.source[0]->text, s->sources.source[0]->size),
		0);
	assert_int_equal(fclose(f), 0);
	/* without its head and what stays */
	out = s->diff;
	for (char *line = strtok(s->diff, "\n"); line; line = strtok(NULL, "\n"))
		if ((*line == '-' || *line == '+') &&
			strncmp(line + 1, *line == '-' ? "--" : "++", 2) != 0) {
			const size_t n = strlen(line);

			memmove(out, line, n);
			out[n] = '\n';
			out += n + 1;
		}
	*out = '\0';
	return s->diff;
}

static void structures_are_aligned_by_the_words_of_their_language(void **state)
{
	struct scene *const s = *state;

	assert_string_equal(plan(s, "struct count {\n\tlong found;\n\tlong limit;\n};\n", 0),
		"-struct count {\n+struct __attribute__((aligned(64))) count {\n");
	s->object.language = SD_OBJECT_CXX;
	snprintf(s->text[STRUCT_COUNT], sizeof s->text[0], "class count<int>");
	assert_string_equal(plan(s, "template <class T> class count : public base {\n};\n", 0),
		"-template <class T> class count : public base {\n"
		"+template <class T> class alignas(64) count : public base {\n");
	assert_non_null(strstr(s->fix.check, "size"));
}

static void what_an_allocator_gave_is_padded(void **state)
{
	struct scene *const s = *state;

	s->object.storage = SD_OBJECT_HEAP;
	s->object.elements = 0;
	assert_string_equal(plan(s, "struct count {\n\tlong found, limit;\n};\n", 0),
		"+\tchar apart[48]; /* keeps the next one out of its line */\n");
	assert_string_equal(plan(s, "struct count { long found, limit; };\n", 0),
		"-struct count { long found, limit; };\n"
		"+struct count { long found, limit; char apart[48]; };\n");
}

/* The array of numbers `count`, one a thread. */
static void of_numbers(struct scene *s)
{
	s->object.composed = 0;
	s->object.n_member = 0;
	s->object.bytes = 8;
	s->sharer[0].read = s->sharer[0].written = 0xff;
	s->sharer[1].read = s->sharer[1].written = 0xff00;
}

static void numbers_of_an_array_get_a_structure_each(void **state)
{
	struct scene *const s = *state;

	of_numbers(s);
	assert_string_equal(
		plan(s, "static volatile long count[4];\nvoid add(int i) { count[i]++; x.count = 1; }\n",
			0),
		"-static volatile long count[4];\n-void add(int i) { count[i]++; x.count = 1; }\n"
		"+static struct { _Alignas(64) volatile long value; } count[4];\n"
		"+void add(int i) { count[i].value++; x.count = 1; }\n");
	plan(s, "static long count[4]; /* count */\nvoid add(int i) { use(&count[i]); }\n", 0);
	assert_non_null(strstr(s->fix.check, "address"));
	/* a thread's elements lie side by side: a pointer to one leads to the next */
	s->sharer[1].read = s->sharer[1].written = 0xffff00;
	plan(s, "static long count[4];\nvoid add(int i) { use(&count[i]); }\n", -ENOENT);
}

static void members_are_parted_where_another_thread_begins(void **state)
{
	struct scene *const s = *state;

	s->object.elements = 1;
	s->sharer[0].read = s->sharer[0].written = 0xff;
	s->sharer[1].read = s->sharer[1].written = 0xff00;
	assert_string_equal(plan(s, "struct count {\n\tlong found;\n\tlong limit;\n} count;\n", 0),
		"-\tlong limit;\n+\t_Alignas(64) long limit;\n");
	/* where an allocator puts it nothing is aligned */
	s->object.storage = SD_OBJECT_HEAP;
	assert_string_equal(plan(s, "struct count {\n\tlong found;\n\tlong limit;\n};\n", 0),
		"+\tchar apart1[64];\n");
	s->object.storage = SD_OBJECT_STATIC;
	s->member[1].line = 2;
	plan(s, "struct count {\n\tlong found, limit;\n} count;\n", -ENOENT);
	assert_non_null(strstr(s->fix.why, "more than"));
}

/* No bit field can be aligned: it follows a member that is. */
static void bit_fields_are_parted_by_a_member(void **state)
{
	struct scene *const s = *state;

	s->object.elements = 1;
	s->member[0].bytes = s->member[1].bytes = 4;
	s->member[1].at = 4;
	s->object.bytes = 8;
	s->sharer[0].read = s->sharer[0].written = 0xf;
	s->sharer[1].read = s->sharer[1].written = 0xf0;
	assert_string_equal(plan(s,
				    "struct count {\n\tint found : 30;\n\tunsigned limit : 31;\n"
				    "} count;\n",
				    0),
		"+\t_Alignas(64) char apart1;\n");
	assert_non_null(strstr(s->fix.check, "initialisers"));
	/* another name where that one is taken */
	s->member[0].line = s->member[1].line = 1;
	assert_string_equal(
		plan(s, "struct count { int found : 30; int limit : 31; } count; int apart1;\n", 0),
		"-struct count { int found : 30; int limit : 31; } count; int apart1;\n"
		"+struct count { int found : 30; _Alignas(64) char apart2; int limit : 31; } count; "
		"int apart1;\n");
	s->object.storage = SD_OBJECT_HEAP;
	s->object.language = SD_OBJECT_CXX;
	s->member[1].line = 3;
	assert_string_equal(
		plan(s, "struct count {\n\tint found : 30;\n    unsigned limit : 31;\n};\n", 0),
		"+    char apart1[64];\n");
}

static void sums_that_openmp_guards_become_reductions(void **state)
{
	static const char loop[] = "long count;\nvoid add(int n)\n{\n#pragma omp parallel for\n"
				   "\tfor (int i = 0; i < n; i++) {\n#pragma omp atomic\n"
				   "\t\tcount += i;\n%s\t}\n}\n";
	struct scene *const s = *state;
	struct sd_frame frame = {.file = FILE_NAME, .line = 7};
	struct sd_node node[2] = {{0, 0}, {0, 0}};
	char text[512];

	s->line.sharing = SD_SIM_TRUE;
	s->record.stacks.frame = &frame;
	s->record.stacks.n_frame = 1;
	s->record.stacks.node = node;
	s->record.stacks.n_node = 2;
	s->code = (struct sd_sim_code){.node = 1, .writes = 1, .locked = 1};
	s->line.code = &s->code;
	s->line.n_code = 1;
	snprintf(text, sizeof text, loop, "");
	assert_string_equal(plan(s, text, 0),
		"-#pragma omp parallel for\n+#pragma omp parallel for reduction(+ : count)\n"
		"-#pragma omp atomic\n");
	/* the sum so far is asked for */
	snprintf(text, sizeof text, loop, "\t\tif (count > 9) stop();\n");
	plan(s, text, -ENOENT);
	assert_non_null(strstr(s->fix.why, ":8"));
	/* a compiler takes no second clause for it */
	plan(s,
		"long count;\nvoid add(int n)\n{\n"
		"#pragma omp parallel for default(none) shared(count, n)\n"
		"\tfor (int i = 0; i < n; i++) {\n#pragma omp atomic\n"
		"\t\tcount += i;\n\t}\n}\n",
		-ENOENT);
	assert_non_null(strstr(s->fix.why, "says already"));
}

static void no_diff_is_given_that_is_not_exact(void **state)
{
	static const struct {
		const char *text, *why;
		int numbers;
	} row[] = {
		{"MAKE(count)\n", "macro", 0},
		{"/* DO NOT EDIT */ struct count {\n};\n", "another program", 0},
		{"struct count {\n} __attribute__((packed));\n", "packed", 0},
		{"struct count {\n}; struct count {\n};\n", "macro", 0},
		{"struct other {\n};\n", "macro", 0},
		{"long count[4];\n", "other files", 1},
		{"static long count[4], more;\n", "more than", 1},
		{"static long count[4] = {1};\n", "more than", 1},
		{"static long count[4];\nlong *all(void) { return count; }\n", "as a whole", 1},
		{"static long count[4];\n#define NEXT count[i]\n", "macro", 1},
		{"static long count[4", "plain words", 1},
	};
	struct scene *const s = *state;

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		if (row[i].numbers)
			of_numbers(s);
		plan(s, row[i].text, -ENOENT);
		if (!strstr(s->fix.why, row[i].why))
			fail_msg("%s: %s", row[i].text, s->fix.why);
		assert_int_equal(s->sources.source[0]->edits.n, 0);
	}
}

/* The words beside a diff say of a block's elements no size but that of the diff. */
static void a_padded_block_is_not_said_to_begin_lines(void **state)
{
	static struct sd_analysis none;
	static struct sd_fix_plan fixes;
	struct scene *const s = *state;
	struct sd_contested_lines lines = {
		.line = &s->view, .n_line = 1, .n_matter = 1, .bytes = 64};

	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		none.finding[i].verdict = SD_VERDICT_RULED_OUT;
	for (int heap = 0; heap < 2; heap++) {
		s->object.storage = heap ? SD_OBJECT_HEAP : SD_OBJECT_STATIC;
		forget(s);
		write_source(s, "struct count {\n\tlong found, limit;\n};\n", BUILT - 10);
		assert_int_equal(sd_fix_sources_open(&s->sources, &s->record, s->folder), 0);
		assert_int_equal(sd_fix_plan_make(&fixes, &s->record, &lines, &none, &s->sources,
					 &(struct sd_fix_locks){0}),
			0);
		assert_int_equal(fixes.n, 1);
		assert_int_equal(fixes.diffs, 1);
		assert_true(heap == (strstr(fixes.entry[0].what, "grows to 64 bytes") != NULL));
		assert_non_null(strstr(fixes.entry[0].after, "64 bytes instead of 16"));
		assert_true(heap == !strstr(fixes.entry[0].after, "begins a line"));
		assert_string_equal(fixes.entry[0].object, "count");
	}
}

static void sources_that_the_program_is_not_of_are_refused(void **state)
{
	struct scene *const s = *state;

	write_source(s, "struct count {\n};\n", BUILT + 10);
	plan(s, NULL, -ENOENT);
	assert_non_null(strstr(s->fix.why, "after"));
	s->record.program.file.mtime = SD_NOT(ABSENT);
	plan(s, "struct count {\n};\n", -ENOENT);
	assert_non_null(strstr(s->fix.why, "which build"));
	s->record.program.file.mtime = SD_OK(BUILT);
	snprintf(s->text[FILE_NAME], sizeof s->text[0], "/etc/passwd");
	plan(s, NULL, -ENOENT);
	assert_non_null(strstr(s->fix.why, "not among the sources"));
	snprintf(s->text[FILE_NAME], sizeof s->text[0], "/elsewhere/built/a.c");
	/* where they were built matters no more than who else has them */
	plan(s, "struct count {\n};\n", 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(structures_are_aligned_by_the_words_of_their_language),
		T(what_an_allocator_gave_is_padded),
		T(numbers_of_an_array_get_a_structure_each),
		T(members_are_parted_where_another_thread_begins),
		T(bit_fields_are_parted_by_a_member),
		T(sums_that_openmp_guards_become_reductions),
		T(no_diff_is_given_that_is_not_exact),
		T(a_padded_block_is_not_said_to_begin_lines),
		T(sources_that_the_program_is_not_of_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
