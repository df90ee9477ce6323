/*
 * Changes of code: sections that a lock guards, loops, counts and limits of the allocator. Each row
 * is a source, and the lines that go and come, or why none do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fix/fix_arenas.h"
#include "fix/fix_counts.h"
#include "fix/fix_loops.h"
#include "fix/fix_sections.h"
#include "tree/source_digests.h"

#define BUILT 2000000000.0 /* the program, s since the epoch; sources are older */

enum { NONE, FILE_NAME, TEXTS };

typedef int change_fn(struct sd_fix_case *c, const char *file, unsigned line);

struct row {
	const char *text;
	unsigned line, compiled; /* of the loss; one that has code for sure, 0: none */
	const char *diff;        /* the lines that change; NULL: `why` */
	const char *why;
};

static int arenas(struct sd_fix_case *c, const char *file, unsigned line)
{
	(void)line;
	return sd_fix_sources_at(c->sources, file) ? sd_fix_arenas(c) : -ENOMEM;
}

static int counts(struct sd_fix_case *c, const char *file, unsigned line)
{
	return sd_fix_case_commit(c, sd_fix_counts_at(c, file, line, 256));
}

/* The lines of a diff that begin with a sign, but for its head. The caller frees them. */
static char *changed_lines(const struct sd_fix_source *in)
{
	char *diff = NULL, *out;
	size_t size = 0, n = 0;
	FILE *const f = open_memstream(&diff, &size);

	assert_non_null(f);
	assert_int_equal(sd_source_edits_diff(f, &in->edits, "a.c", in->text, in->size), 0);
	assert_int_equal(fclose(f), 0);
	out = calloc(size + 1, 1);
	assert_non_null(out);
	for (char *line = strtok(diff, "\n"); line; line = strtok(NULL, "\n"))
		if ((*line == '-' || *line == '+') &&
			strncmp(line + 1, *line == '-' ? "--" : "++", 2) != 0)
			n += (size_t)sprintf(out + n, "%s\n", line);
	free(diff);
	return out;
}

static void check(const struct row *row, change_fn *change)
{
	static struct sd_fix_case c;
	char folder[] = "/tmp/scalediag-fix.XXXXXX", path[64], *got;
	char *texts[TEXTS] = {(char[]){""}, path};
	struct sd_frame frame = {.file = FILE_NAME, .line = row->compiled};
	struct sd_record record = {.program = {.file = {.mtime = SD_OK(BUILT)}},
		.stacks = {.text = texts, .n_text = TEXTS, .frame = &frame, .n_frame = 1}};
	struct sd_fix_locks locks;
	struct sd_fix_sources sources;
	FILE *f;
	int rc;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/a.c", folder);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(row->text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(sd_fix_locks_read(&locks, getenv("SCALEDIAG_CONFIGS"), NULL), 0);
	assert_int_equal(sd_fix_sources_open(&sources, &record, folder), 0);
	c = (struct sd_fix_case){.record = &record, .sources = &sources, .locks = &locks};
	rc = change(&c, path, row->line);
	if (rc != (row->diff ? 0 : -ENOENT))
		fail_msg("%s: %d %s", row->text, rc, c.why);
	if (row->diff) {
		got = changed_lines(sources.source[0]);
		assert_string_equal(got, row->diff);
		assert_true(*c.what && *c.check);
		free(got);
	} else {
		if (!strstr(c.why, row->why))
			fail_msg("%s: %s", row->text, c.why);
		assert_int_equal(sources.source[0]->edits.n, 0);
	}
	sd_fix_sources_free(&sources);
	unlink(path);
	rmdir(folder);
}

#define CHECK(rows, change)                                        \
	for (size_t i = 0; i < sizeof(rows) / sizeof *(rows); i++) \
	check(&(rows)[i], change)

/* A function that needs no lock, and one that does. */
#define WORK                                                                   \
	"#define STEPS 9\n"                                                    \
	"static int work(double x)\n{\n\tint y = 0;\n\n"                       \
	"\tfor (int i = 0; i < x * STEPS; i++)\n\t\ty += i;\n\treturn y;\n}\n" \
	"static int shared, *where;\n"                                         \
	"static int other(void)\n{\n\treturn shared;\n}\n"
#define SECTION(body) \
	WORK "void f(int n)\n{\n\tpthread_mutex_lock(&m);\n" body "\tpthread_mutex_unlock(&m);\n}\n"

static void a_section_gets_shorter_by_what_is_the_threads_own(void **state)
{
	static const struct row rows[] = {
		{SECTION("\twork(.5);\n\tshared++;\n"), 18, 0,
			"-\tpthread_mutex_lock(&m);\n+\tpthread_mutex_lock(&m);\n", NULL},
		{SECTION("\tshared++;\n\tif (n)\n\t\twork(n);\n"), 18, 0,
			"+\tpthread_mutex_unlock(&m);\n-\tpthread_mutex_unlock(&m);\n", NULL},
		{SECTION("\tshared += work(n);\n"), 18, 0,
			"+\tconst int own_shared = work(n);\n-\tshared += work(n);\n+\tshared += "
			"own_shared;\n",
			NULL},
		{SECTION("\tshared++;\n"), 18, 0, NULL, "touches shared"},
		{SECTION("\tother();\n"), 18, 0, NULL, "touches shared"},
		{SECTION("\twork(*where);\n"), 18, 0, NULL, "touches where"},
		{SECTION("\tunseen(n);\n"), 18, 0, NULL, "touches unseen"},
		{SECTION("\tif (n)\n\t\treturn;\n"), 18, 0, NULL, "comes after"},
		/* a pointer to it may be anywhere */
		{WORK "void f(int n)\n{\n\tkeep(&n);\n\tmtx_lock(&m);\n\twork(n);\n"
		      "\tmtx_unlock(&m);\n}\n",
			18, 0, NULL, "touches n"},
		{WORK "void f(int n)\n{\n#pragma omp critical\n\tshared += work(n);\n}\n", 18, 0,
			"+\tconst int own_shared = work(n);\n-\tshared += work(n);\n"
			"+\tshared += own_shared;\n",
			NULL},
		{WORK "void f(int n)\n{\n\tmtx_lock(&m);\n\twork(n);\n\tmtx_unlock(&other);\n}\n",
			18, 0, NULL, "no lock"},
	};

	(void)state;
	CHECK(rows, sd_fix_sections_at);
}

/* A section of an object, as far as its block, in a lambda or in a method. */
#define GUARDED(head, guard, body) WORK head "{\n\t" guard ";\n" body "}\n"
#define GUARD "std::lock_guard<std::mutex> g(m)"

static void an_object_has_a_lock_up_to_the_end_of_its_block(void **state)
{
	static const struct row rows[] = {
		{GUARDED("void f(int n)\n", GUARD, "\twork(n);\n\tshared++;\n"), 18, 0,
			"-\t" GUARD ";\n+\t" GUARD ";\n", NULL},
		{GUARDED("void f(int n)\n", GUARD, "\tshared++;\n\twork(n);\n"), 18, 0,
			"-\t" GUARD ";\n+\tstd::unique_lock<std::mutex> g(m);\n+\tg.unlock();\n",
			NULL},
		{GUARDED("void f(int n)\n", "const " GUARD,
			 "\twork(n);\n\tshared++;\n\twork(n);\n"),
			18, 0,
			"-\tconst " GUARD ";\n+\tstd::unique_lock<std::mutex> g(m);\n"
			"+\tg.unlock();\n",
			NULL},
		{GUARDED("void f(int n)\n", "std::scoped_lock g{a->m}", "\tshared += work(n);\n"),
			18, 0,
			"+\tconst int own_shared = work(n);\n-\tshared += work(n);\n"
			"+\tshared += own_shared;\n",
			NULL},
		{GUARDED("int c::f(int n) const noexcept\n", "std::unique_lock<std::mutex> g(m)",
			 "\tshared++;\n\tg.unlock();\n\twork(n);\n"),
			18, 0, NULL, "touches shared"},
		{WORK "void f(int n)\n{\n\tthis->m.lock();\n\twork(n);\n\tshared++;\n"
		      "\tthis->m.unlock();\n}\n",
			18, 0, "-\tthis->m.lock();\n+\tthis->m.lock();\n", NULL},
		/* it may not have the lock, or more than one; a temporary has none */
		{GUARDED("void f(int n)\n", "std::unique_lock<std::mutex> g(m, std::defer_lock)",
			 "\twork(n);\n"),
			18, 0, NULL, "no lock"},
		{GUARDED("void f(int n)\n", "std::scoped_lock g(m, o)", "\twork(n);\n"), 18, 0,
			NULL, "no lock"},
		{GUARDED("void f(int n)\n", "std::lock_guard<std::mutex>(m)", "\twork(n);\n"), 18,
			0, NULL, "no lock"},
		{GUARDED("void f(int n)\n", GUARD, "\tshared++; work(n);\n"), 18, 0, NULL,
			"several statements on a line"},
	};

	(void)state;
	CHECK(rows, sd_fix_sections_at);
}

static void what_is_declared_before_threads_begin_is_shared(void **state)
{
	static const struct row rows[] = {
		{WORK "void f(int n)\n{\n\tint sum = 0;\n\trun([&](int i) {\n\t\t" GUARD ";\n"
		      "\t\tsum += work(i);\n\t\twork(sum);\n\t});\n}\n",
			19, 0,
			"+\t\tconst int own_sum = work(i);\n-\t\tsum += work(i);\n"
			"+\t\tsum += own_sum;\n",
			NULL},
		{WORK "void f(int n)\n{\n\tint sum = 0;\n\trun([&] {\n\t\t" GUARD ";\n"
		      "\t\twork(sum);\n\t});\n}\n",
			19, 0, NULL, "touches sum"},
		{WORK "void f(int n)\n{\n\tint sum = 0;\n#pragma omp parallel\n\t{\n"
		      "\t\tint i = 1;\n#pragma omp critical\n\t\t{\n\t\t\twork(i);\n"
		      "\t\t\twork(sum);\n\t\t}\n\t}\n}\n",
			22, 0, "-#pragma omp critical\n-\t\t{\n+#pragma omp critical\n+\t\t{\n",
			NULL},
		{WORK "void f(int n)\n{\n\tint sum = 0;\n#pragma omp parallel\n\t{\n"
		      "#pragma omp critical\n\t\twork(sum);\n\t}\n}\n",
			20, 0, NULL, "touches sum"},
	};

	(void)state;
	CHECK(rows, sd_fix_sections_at);
}

static void branches_that_were_not_compiled_do_not_matter(void **state)
{
	static const struct row rows[] = {
		{WORK "void f(int n)\n{\n\tmtx_lock(&m);\n\tshared++;\n#ifdef OLD\n"
		      "\tmtx_unlock(&m);\n\twork(n);\n#else\n\twork(n);\n\tmtx_unlock(&m);\n"
		      "#endif\n}\n",
			23, 23, "+\tmtx_unlock(&m);\n-\tmtx_unlock(&m);\n", NULL},
		/* which one was is not known */
		{WORK "void f(int n)\n{\n\tmtx_lock(&m);\n\tshared++;\n#ifdef OLD\n"
		      "\tmtx_unlock(&m);\n\twork(n);\n#else\n\twork(n);\n\tmtx_unlock(&m);\n"
		      "#endif\n}\n",
			23, 0, NULL, "no lock"},
	};

	(void)state;
	CHECK(rows, sd_fix_sections_at);
}

static void unequal_loops_are_given_out_in_smaller_parts(void **state)
{
	static const struct row rows[] = {
		{"void f(int n)\n{\n#pragma omp parallel for schedule(static)\n"
		 "\tfor (int i = 0; i < n; i++)\n\t\twork(i);\n}\n",
			5, 0,
			"-#pragma omp parallel for schedule(static)\n"
			"+#pragma omp parallel for schedule(dynamic)\n",
			NULL},
		{"#define GIVEN schedule(static)\nvoid f(int n)\n{\n#pragma omp for GIVEN\n"
		 "\tfor (int i = 0; i < n; i++)\n\t\twork(i);\n}\n",
			6, 0, "-#pragma omp for GIVEN\n+#pragma omp for schedule(dynamic)\n", NULL},
		{"void f(int n)\n{\n#pragma omp for schedule(dynamic, 64)\n"
		 "\tfor (int i = 0; i < n; i++)\n\t\twork(i);\n}\n",
			5, 0, NULL, "already"},
		{"void f(int n)\n{\n#pragma omp for\n\tfor (int i = 0; i < n; i++)\n"
		 "\t\twork(i, omp_get_thread_num());\n}\n",
			5, 0, NULL, "which thread"},
		{"void f(int me, int all)\n{\n\tfor (int i = 90 * me / all; i < 90 * (me + 1) / all; "
		 "i++)\n\t\twork(i);\n}\n",
			4, 0,
			"-\tfor (int i = 90 * me / all; i < 90 * (me + 1) / all; i++)\n"
			"+\tfor (int i = me; i < 90; i += all)\n",
			NULL},
		{"void f(struct m *m)\n{\n#ifdef FIXED\n\tfor (unsigned r = m->id; r < 9; r += m->n)\n"
		 "#else\n\tfor (unsigned r = 9 * m->id / m->n; r < 9 * (m->id + 1) / m->n; r++)\n"
		 "#endif\n\t\twork(r);\n}\n",
			8, 0,
			"-\tfor (unsigned r = 9 * m->id / m->n; r < 9 * (m->id + 1) / m->n; r++)\n"
			"+\tfor (unsigned r = m->id; r < 9; r += m->n)\n",
			NULL},
		{"void f(int me, int all)\n{\n\tfor (int i = 90 * me / all; i < 90 * (me + 2) / all; "
		 "i++)\n\t\twork(i);\n}\n",
			4, 0, NULL, "no loop"},
	};

	(void)state;
	CHECK(rows, sd_fix_loops_at);
}

static void counts_of_a_loop_are_added_up_by_each_thread(void **state)
{
	static const struct row rows[] = {
		{"void f(int n)\n{\n\tfor (int i = 0; i < n; i++)\n\t\tatomic_fetch_add(&hits, i);\n}\n",
			4, 0,
			"+\tunsigned long long own_hits = 0;\n-\t\tatomic_fetch_add(&hits, i);\n"
			"+\t\town_hits += i;\n+\tatomic_fetch_add(&hits, own_hits);\n",
			NULL},
		{"struct t {\n\tatomic_int bin[4];\n};\nvoid f(struct t *t, int n)\n{\n"
		 "\tfor (int i = 0; i < n; i++) {\n\t\tatomic_fetch_add_explicit(&t->bin[i % 4], 1, "
		 "order);\n\t}\n}\n",
			7, 0,
			"+\tunsigned long long own_bin[sizeof t->bin / sizeof *t->bin] = {0};\n"
			"-\t\tatomic_fetch_add_explicit(&t->bin[i % 4], 1, order);\n"
			"+\t\town_bin[i % 4] += 1;\n"
			"+\tfor (unsigned each = 0; each < sizeof t->bin / sizeof *t->bin; each++)\n"
			"+\t\tatomic_fetch_add_explicit(&t->bin[each], own_bin[each], order);\n",
			NULL},
		{"void f(struct t *o, int n)\n{\n\tfor (int i = 0; i < n; i++) {\n"
		 "\t\tatomic_fetch_add(&o->refs, 1);\n\t\tuse(o->kind);\n"
		 "\t\tatomic_fetch_sub(&o->refs, 1);\n\t}\n}\n",
			4, 0,
			"+\tatomic_fetch_add(&o->refs, 1);\n-\t\tatomic_fetch_add(&o->refs, 1);\n"
			"-\t\tatomic_fetch_sub(&o->refs, 1);\n+\tatomic_fetch_sub(&o->refs, 1);\n",
			NULL},
		/* the count so far is asked for; the place changes; the loop may be left */
		{"void f(int n)\n{\n\tfor (int i = 0; i < n; i++) {\n\t\tatomic_fetch_add(&hits, 1);\n"
		 "\t\tif (hits > 9)\n\t\t\tstop();\n\t}\n}\n",
			4, 0, NULL, "ask for hits"},
		{"void f(struct t *o)\n{\n\tfor (; o; o = o->next)\n"
		 "\t\tatomic_fetch_add(&o->refs, 1);\n}\n",
			4, 0, NULL, "may change"},
		{"void f(int n)\n{\n\tfor (int i = 0; i < n; i++) {\n\t\tatomic_fetch_add(&hits, 1);\n"
		 "\t\tif (i > 9)\n\t\t\treturn;\n\t}\n}\n",
			4, 0, NULL, "may be left"},
		{"void f(int n)\n{\n\tatomic_fetch_add(&hits, 1);\n}\n", 3, 0, NULL, "no loop"},
	};

	(void)state;
	CHECK(rows, counts);
}

static void a_limit_of_arenas_goes(void **state)
{
	static const struct row rows[] = {
		{"int main(void)\n{\n\tmallopt(M_ARENA_MAX, 1);\n\treturn 0;\n}\n", 3, 0,
			"-\tmallopt(M_ARENA_MAX, 1);\n", NULL},
		{"int main(void)\n{\n\tmallopt(M_ARENA_MAX, arenas);\n\treturn 0;\n}\n", 3, 0,
			"-\tmallopt(M_ARENA_MAX, arenas);\n+\t(void)(arenas);\n", NULL},
		{"int main(void)\n{\n\tif (!mallopt(M_ARENA_MAX, 1))\n\t\treturn 1;\n}\n", 3, 0,
			NULL, "nowhere"},
	};

	(void)state;
	CHECK(rows, arenas);
}

/* Sections of a program that clang compiled from a source of one line. */
static void a_source_is_told_by_its_digest_in_the_program(void **state)
{
	static const char was[] = "int main(void) { return 0; }\n",
			  is[] = "int main(void) { return 1; }\n";
	unsigned char bytes[512];
	FILE *const f = fopen("tests/fixtures/fuzz_digests/clang-dwarf5", "re");
	const size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
	struct sd_source_digests d;

	(void)state;
	assert_true(n > 2 && n < sizeof bytes);
	assert_int_equal(fclose(f), 0);
	d = (struct sd_source_digests){.text = bytes + 2, .text_size = bytes[0]};
	d.line = bytes + 2 + d.text_size;
	d.line_size = n - 2 - d.text_size;
	assert_int_equal(sd_source_digests_look(&d, "src/main.c", was, sizeof was - 1),
		SD_SOURCE_DIGEST_SAME);
	assert_int_equal(
		sd_source_digests_look(&d, "main.c", is, sizeof is - 1), SD_SOURCE_DIGEST_OTHER);
	assert_int_equal(
		sd_source_digests_look(&d, "b.c", was, sizeof was - 1), SD_SOURCE_DIGEST_NONE);
	d.line_size -= 17; /* cut off in the digest */
	assert_int_equal(
		sd_source_digests_look(&d, "main.c", was, sizeof was - 1), SD_SOURCE_DIGEST_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_section_gets_shorter_by_what_is_the_threads_own),
		cmocka_unit_test(an_object_has_a_lock_up_to_the_end_of_its_block),
		cmocka_unit_test(what_is_declared_before_threads_begin_is_shared),
		cmocka_unit_test(branches_that_were_not_compiled_do_not_matter),
		cmocka_unit_test(unequal_loops_are_given_out_in_smaller_parts),
		cmocka_unit_test(counts_of_a_loop_are_added_up_by_each_thread),
		cmocka_unit_test(a_limit_of_arenas_goes),
		cmocka_unit_test(a_source_is_told_by_its_digest_in_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
