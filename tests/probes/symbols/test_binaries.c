/* Programs as they are built, installed and replaced: one source, compiled here in many ways. */
#include <errno.h>

#include "probes/symbols/built_program.h"

static void say(const struct seen *seen, const char *what)
{
	print_message("%s: %zu places, whole %d\n", what, seen->n, seen->whole);
	for (size_t i = 0; i < seen->n; i++)
		print_message("  %s %s:%u %s+%#lx%s\n",
			seen->place[i].function ? seen->place[i].function : "?",
			seen->place[i].file ? seen->place[i].file : "?", seen->place[i].line,
			seen->place[i].module ? seen->place[i].module : "?",
			(unsigned long)seen->place[i].offset,
			seen->place[i].inlined ? " inlined" : "");
}

struct row {
	const char *what, *how, *leaf;
	int names, lines;
};

static const struct row rows[] = {
	{"position independent", "cc -O2 -g -fPIE -pie -o program chain.c", "bin_leaf", 1, 1},
	{"at a fixed place", "cc -O2 -g -no-pie -o program chain.c", "bin_leaf", 1, 1},
	{"static", "cc -O2 -g -static -o program chain.c", "bin_leaf", 1, 1},
	{"static, position independent", "cc -O2 -g -static-pie -o program chain.c", "bin_leaf", 1,
		1},
	{"without frame pointers", "cc -O2 -g -fomit-frame-pointer -o program chain.c", "bin_leaf",
		1, 1},
	{"with frame pointers and without unwind tables",
		"cc -O1 -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables "
		"-o program chain.c",
		"bin_leaf", 1, 0},
	{"with .debug_frame alone",
		"cc -O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables -o program chain.c",
		"bin_leaf", 1, 1},
	{"optimised at link time", "cc -O3 -flto -g -o program chain.c", "bin_leaf", 1, 1},
	{"DWARF 4", "cc -O2 -g -gdwarf-4 -o program chain.c", "bin_leaf", 1, 1},
	{"compressed DWARF", "cc -O2 -g -gz -o program chain.c", "bin_leaf", 1, 1},
	{"without DWARF", "cc -O2 -o program chain.c", "bin_leaf", 1, 0},
	{"stripped", "cc -O2 -g -s -o program chain.c", "bin_leaf", 0, 0},
	{"with a debug file by link",
		"cc -O2 -g -o program chain.c && objcopy --only-keep-debug program program.debug && strip program && objcopy --add-gnu-debuglink=program.debug program",
		"bin_leaf", 1, 1},
	{"with a debug file by link, without build-id",
		"cc -O2 -g -Wl,--build-id=none -o program chain.c && "
		"objcopy --only-keep-debug program program.debug && strip program && "
		"objcopy --add-gnu-debuglink=program.debug program",
		"bin_leaf", 1, 1},
	{"with a debug file that is another's",
		"cc -O1 -g -o program chain.c && objcopy --only-keep-debug program program.debug && cc -O2 -g -o program chain.c && strip program && objcopy --add-gnu-debuglink=program.debug program",
		"bin_leaf", 0, 0},
	/* called as compilers call the code of a parallel region: its first line is the region's */
	{"OpenMP",
		"cc -O2 -g -o program chain.c && "
		"objcopy --redefine-sym bin_leaf=bin_leaf._omp_fn.0 program",
		"bin_leaf._omp_fn.0 [chain.c:200]", 1, 1},
	{"C++", "c++ -O2 -g -o program chain.cc", "void ns::leaf<int>(int)", 1, 1},
};

/* A lambda is named with the function that it stands in. */
static void check_lambda(const struct seen *seen)
{
	for (size_t i = 0; i < seen->n; i++) {
		const char *const name = seen->place[i].function;

		if (name && strstr(name, "operator()")) {
			assert_memory_equal(name, "bin_middle", strlen("bin_middle"));
			assert_non_null(strstr(name, "::<lambda"));
			assert_true(seen->place[i].inlined);
			return;
		}
	}
	fail_msg("no lambda");
}

static void check_row(const struct row *row, const struct seen *seen)
{
	const struct sd_placement_of *const leaf = find(seen, row->leaf);
	const struct sd_placement_of *const inlined = find(seen, "bin_inlined");
	const char *const inlined_cxx = "bin_inlined()";
	const struct sd_placement_of *const in = inlined ? inlined : find(seen, inlined_cxx);

	if (!seen->whole || !leaf != !row->names || !in != !row->lines) {
		say(seen, row->what);
		fail_msg("%s: whole %d, leaf %d, inlined %d", row->what, seen->whole, leaf != NULL,
			in != NULL);
	}
	assert_true(!row->names || leaf->start);
	if (!row->lines)
		return;
	assert_int_equal(in->line, LINE_INLINED);
	assert_true(in->inlined);
	assert_ptr_equal(in + 1, leaf);
	assert_int_equal(leaf->line, LINE_LEAF);
	assert_false(leaf->inlined);
	assert_non_null(strstr(leaf->file, "/chain.c"));
	if (strstr(row->how, "chain.cc"))
		check_lambda(seen);
}

static void a_program_is_unwound_and_named_however_it_was_built(void **state)
{
	size_t n_seen = 0;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_symbols *s;
		struct seen seen;
		struct built b;
		int rc = -1;

		if (build(&b, rows[i].how) != 0) {
			print_message("not built here: %s\n", rows[i].what);
			stop(&b);
			continue;
		}
		run(&b);
		assert_int_equal(sd_symbols_open(&s, ""), 0);
		tell(s, b.pid);
		rc = look(s, b.pid, &seen);
		stop(&b);
		if (rc == 0) {
			check_row(&rows[i], &seen);
			n_seen++;
		}
		sd_symbols_close(s);
	}
	if (!n_seen)
		cannot();
}

static void look_at_the_variable(const struct built *b, int all)
{
	struct sd_symbols *s;
	const char *name = NULL;
	uint64_t start = 0;

	assert_int_equal(sd_symbols_open(&s, ""), 0);
	tell_maps(s, b->pid, all);
	assert_int_equal(sd_symbols_data(s, b->pid, b->variable + 40, &name, &start), 0);
	assert_string_equal(name, "bin_variable");
	assert_int_equal(start, b->variable);
	/* the word after it is another's or nobody's */
	if (sd_symbols_data(s, b->pid, b->variable + 64, &name, &start) == 0)
		assert_string_not_equal(name, "bin_variable");
	/* what lies whole pages behind it is the heap, or nothing */
	for (uint64_t page = 1; page < 4; page++)
		if (sd_symbols_data(s, b->pid, b->variable + page * 4096, &name, &start) == 0)
			assert_string_not_equal(name, "bin_variable");
	assert_int_equal(sd_symbols_data(s, b->pid, 16, &name, &start), -ENOENT);
	sd_symbols_close(s);
}

static void a_variable_is_named_with_its_start(void **state)
{
	struct built b;

	(void)state;
	if (build(&b, "cc -O2 -o program chain.c") != 0) {
		stop(&b);
		cannot();
	}
	run(&b);
	look_at_the_variable(&b, 0);
	look_at_the_variable(&b, 1);
	stop(&b);
}

/* Places the program's innermost code and its variable. */
static int look_at(
	const char *how, struct sd_placement_of *leaf, const char **file, uint64_t *offset)
{
	static const struct sd_placement_of none;
	struct sd_symbols *s;
	struct seen seen;
	struct built b;
	int rc = -1;

	*leaf = none;
	if (build(&b, how) == 0) {
		run(&b);
		assert_int_equal(sd_symbols_open(&s, ""), 0);
		tell(s, b.pid);
		rc = look(s, b.pid, &seen);
		for (size_t i = 0; rc == 0 && i < seen.n && !leaf->module; i++)
			if (strstr(seen.place[i].module, "/program"))
				*leaf = seen.place[i];
		*file = NULL;
		assert_int_equal(sd_symbols_file(s, b.pid, b.variable + 40, file, offset), 0);
		assert_non_null(strstr(*file, "/program"));
		assert_int_equal(sd_symbols_file(s, b.pid, 16, file, offset), -ENOENT);
		leaf->module = NULL;
		sd_symbols_close(s);
	}
	stop(&b);
	return rc;
}

static void code_and_data_without_a_name_are_where_they_are_with_one(void **state)
{
	struct sd_placement_of named, bare;
	uint64_t data = 0, bare_data = 1;
	const char *file;

	(void)state;
	if (look_at("cc -O2 -o program chain.c", &named, &file, &data) ||
		look_at("cc -O2 -o program chain.c && strip program", &bare, &file, &bare_data))
		cannot();
	assert_non_null(named.function);
	assert_true(named.start && named.start < named.offset);
	assert_null(bare.function);
	assert_int_equal(bare.offset, named.offset);
	assert_int_equal(bare.start, named.start);
	assert_int_equal(bare_data, data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_is_unwound_and_named_however_it_was_built),
		cmocka_unit_test(a_variable_is_named_with_its_start),
		cmocka_unit_test(code_and_data_without_a_name_are_where_they_are_with_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
