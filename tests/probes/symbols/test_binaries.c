/* Programs as they are built, installed and replaced: one source, compiled here in many ways. */
#include "symbols/symbols.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/stopped.h"

enum { FRAMES = 64, PLACES = 8, LINE_INLINED = 100, LINE_LEAF = 200, LINE_CALL = 300 };

static const char source[] =
	"#include <unistd.h>\n"
	"#ifdef __cplusplus\n"
	"extern \"C++\" namespace ns { template <class T> void leaf(T); }\n"
	"#define LEAF ns::leaf<int>\n"
	"#else\n"
	"void bin_leaf(int);\n"
	"#define LEAF bin_leaf\n"
	"#endif\n"
	"volatile int sink; int bin_variable[16] = {1};\n"
	"void (*volatile through)(int);\n"
	"#line 100 \"chain.c\"\n"
	"static inline __attribute__((always_inline)) void bin_inlined(void)"
	" { char c; if (write(1, &bin_variable, sizeof(int *)) > 0) sink = (int)read(0, &c, 1); }\n"
	"#ifdef __cplusplus\n"
	"namespace ns { template <class T> __attribute__((noinline))\n"
	"#line 200\n"
	"void leaf(T n) { bin_inlined(); sink = n; } }\n"
	"#else\n"
	"__attribute__((noinline))\n"
	"#line 200\n"
	"void bin_leaf(int n) { bin_inlined(); sink = n; }\n"
	"#endif\n"
	"static __attribute__((noinline)) void bin_middle(int n)\n"
	"#line 300\n"
	"{ through = LEAF; through(n); sink = n; }\n"
	"int main(void) { int *p = bin_variable; if (write(1, &p, sizeof p) < 0) return 1;\n"
	" bin_middle(3); return 0; }\n";

struct built {
	char folder[64];
	char program[128];
	int pid, in, out;
	uint64_t variable; /* where its bin_variable is */
};

/* `how` is a shell command in the folder: it makes `program` from chain.c or chain.cc. */
static int build(struct built *b, const char *how)
{
	static const char *const names[] = {"chain.c", "chain.cc"};
	char path[160], command[1024];

	*b = (struct built){.pid = -1, .in = -1, .out = -1};
	strcpy(b->folder, "/tmp/sd-binaries-XXXXXX");
	assert_non_null(mkdtemp(b->folder));
	snprintf(b->program, sizeof b->program, "%s/program", b->folder);
	for (size_t i = 0; i < 2; i++) {
		FILE *f;

		snprintf(path, sizeof path, "%s/%s", b->folder, names[i]);
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(source, f);
		assert_int_equal(fclose(f), 0);
	}
	snprintf(command, sizeof command, "cd %s && { %s; } 2>log", b->folder, how);
	return system(command) == 0 ? 0 : -1;
}

static void run(struct built *b)
{
	int in[2], out[2];
	char word[sizeof(int *)];

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	b->pid = fork();
	assert_true(b->pid >= 0);
	if (b->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		close(out[0]);
		execl(b->program, b->program, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	b->in = in[1];
	b->out = out[0];
	assert_int_equal(read(b->out, &b->variable, sizeof b->variable), sizeof b->variable);
	/* the second one: it is in its leaf, and about to wait */
	assert_int_equal(read(b->out, word, sizeof word), sizeof word);
	usleep(20000);
}

static void end(struct built *b)
{
	if (b->pid > 0) {
		kill(b->pid, SIGKILL);
		while (waitpid(b->pid, NULL, __WALL) > 0)
			;
		close(b->in);
		close(b->out);
	}
	b->pid = -1;
}

static void stop(struct built *b)
{
	char command[128];

	end(b);
	snprintf(command, sizeof command, "rm -rf %s", b->folder);
	assert_int_equal(system(command), 0);
}

/* The executable mappings, as events tell of them. */
/* Its code; `all`: its data too, as of an emulated program. */
static void tell_maps(struct sd_symbols *s, int pid, int all)
{
	char path[64], line[1024];
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		struct sd_event e = {.kind = SD_EVENT_MAP, .pid = pid, .tid = pid};
		unsigned long start, end, offset, inode;
		char x;
		int name = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%lx-%lx %*c%*c%c%*c %lx %x:%x %lu %n", &start, &end, &x, &offset,
			    &e.major, &e.minor, &inode, &name) < 7 ||
			(x != 'x' && !all))
			continue;
		e.address = start;
		e.size = end - start;
		e.offset = offset;
		e.inode = inode;
		e.name = line + name;
		assert_int_equal(sd_symbols_event(s, &e), 0);
	}
	fclose(f);
}

static void tell(struct sd_symbols *s, int pid)
{
	tell_maps(s, pid, 0);
}

struct seen {
	struct sd_placement_of place[FRAMES * PLACES];
	size_t n;
	int whole;
};

static int look(struct sd_symbols *s, int pid, struct seen *out)
{
	static struct stopped at;
	uint64_t pc[FRAMES];
	size_t n;

	if (stopped_look(&at, pid) != 0)
		return -1;
	n = sd_symbols_unwind(s, pid, &at.regs, at.stack, at.size, at.sp, pc, FRAMES, &out->whole);
	out->n = 0;
	for (size_t i = 0; i < n; i++)
		out->n += sd_symbols_at(s, pid, pc[i], i > 0, out->place + out->n, PLACES);
	return 0;
}

static const struct sd_placement_of *find(const struct seen *seen, const char *function)
{
	for (size_t i = 0; i < seen->n; i++)
		if (seen->place[i].function && strcmp(seen->place[i].function, function) == 0)
			return &seen->place[i];
	return NULL;
}

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

static void cannot(void)
{
	print_message("SKIP: no compiler, or no tracing, here\n");
	skip();
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
	{"C++", "c++ -O2 -g -o program chain.cc", "void ns::leaf<int>(int)", 1, 1},
};

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

/* What is said of the leaf when `then` was done to the running program, seen before or not. */
static int names_after(const char *then, int visit)
{
	struct sd_symbols *s;
	struct seen seen;
	struct built b;
	char command[512];
	int named = -1;

	if (build(&b, "cc -O2 -g -o program chain.c && cc -O1 -g -o other chain.c") != 0) {
		stop(&b);
		return -1;
	}
	run(&b);
	assert_int_equal(sd_symbols_open(&s, ""), 0);
	tell(s, b.pid);
	if (visit)
		sd_symbols_visit(s, b.pid);
	snprintf(command, sizeof command, "cd %s && %s", b.folder, then);
	assert_int_equal(system(command), 0);
	if (look(s, b.pid, &seen) == 0)
		named = find(&seen, "bin_leaf") != NULL;
	stop(&b);
	sd_symbols_close(s);
	return named;
}

static void a_file_that_was_replaced_is_not_used(void **state)
{
	const int named = names_after("mv other program", 0);

	(void)state;
	if (named < 0)
		cannot();
	assert_int_equal(named, 0);
}

static void a_file_that_was_seen_before_it_was_replaced_is(void **state)
{
	const int named = names_after("mv other program", 1);

	(void)state;
	if (named < 0)
		cannot();
	assert_int_equal(named, 1);
	assert_int_equal(names_after("rm program", 1), 1);
}

/* A run of what stands at b->program now, seen by the symbols of the runs before. */
static int look_again(struct sd_symbols *s, struct built *b, struct seen *seen)
{
	int rc;

	sd_symbols_again(s);
	run(b);
	tell(s, b->pid);
	rc = look(s, b->pid, seen);
	end(b);
	return rc;
}

static void another_run_reads_again_what_was_built_anew(void **state)
{
	static const char twice[] = "cc -O2 -g -o program chain.c && "
				    "cc -O2 -g -Dbin_leaf=bin_other -o other chain.c";
	struct sd_symbols *s;
	struct seen seen[3];
	struct built b;
	char command[256];
	int rc = -1;

	(void)state;
	if (build(&b, twice) == 0) {
		assert_int_equal(sd_symbols_open(&s, ""), 0);
		rc = look_again(s, &b, &seen[0]);
		rc = rc ? rc : look_again(s, &b, &seen[1]);
		/* into the same inode, as a copying installer does */
		snprintf(command, sizeof command, "cd %s && cat other >program", b.folder);
		assert_int_equal(system(command), 0);
		rc = rc ? rc : look_again(s, &b, &seen[2]);
		if (rc == 0) {
			assert_non_null(find(&seen[0], "bin_leaf"));
			/* texts are kept once, and what was said of the first run is still there */
			assert_ptr_equal(
				find(&seen[1], "bin_leaf")->file, find(&seen[0], "bin_leaf")->file);
			assert_non_null(find(&seen[2], "bin_other"));
			assert_null(find(&seen[2], "bin_leaf"));
		}
		sd_symbols_close(s);
	}
	stop(&b);
	if (rc != 0)
		cannot();
}

/* A source named below the folder that the compiler ran in, which is no longer ours. */
static void a_relative_source_is_below_the_folder_of_its_compiler(void **state)
{
	struct seen seen = {.n = 0};
	struct sd_symbols *s;
	struct built b;
	char wanted[128];
	int rc = -1;

	(void)state;
	if (build(&b, "mkdir below && sed /^#line/d chain.c >below/chain.c && "
		      "cc -O2 -g -o program below/chain.c") == 0) {
		assert_int_equal(sd_symbols_open(&s, ""), 0);
		rc = look_again(s, &b, &seen);
		if (rc == 0) {
			snprintf(wanted, sizeof wanted, "%s/below/chain.c", b.folder);
			assert_non_null(find(&seen, "bin_leaf"));
			assert_string_equal(find(&seen, "bin_leaf")->file, wanted);
			assert_string_equal(find(&seen, "bin_inlined")->file, wanted);
		}
		sd_symbols_close(s);
	}
	stop(&b);
	if (rc != 0)
		cannot();
}

static void a_pipe_in_the_place_of_a_file_is_not_waited_for(void **state)
{
	const int named = names_after("rm program; mkfifo program", 0);

	(void)state;
	if (named < 0)
		cannot();
	assert_int_equal(named, 0);
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

/* What is said of the program's innermost code and of its variable. */
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
		cmocka_unit_test(a_file_that_was_replaced_is_not_used),
		cmocka_unit_test(a_file_that_was_seen_before_it_was_replaced_is),
		cmocka_unit_test(another_run_reads_again_what_was_built_anew),
		cmocka_unit_test(a_relative_source_is_below_the_folder_of_its_compiler),
		cmocka_unit_test(a_pipe_in_the_place_of_a_file_is_not_waited_for),
		cmocka_unit_test(a_variable_is_named_with_its_start),
		cmocka_unit_test(code_and_data_without_a_name_are_where_they_are_with_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
