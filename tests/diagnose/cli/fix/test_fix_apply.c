/*
 * Changes of several files: all are written, or none is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fix/fix_apply.h"

static int refused[2]; /* calls of rename() that fail, from 1; 0: none */
static int renamed;

/* Stands before the C library's. */
int rename(const char *from, const char *to)
{
	renamed++;
	if (renamed == refused[0] || renamed == refused[1]) {
		errno = EROFS;
		return -1;
	}
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0u);
}

#define FILES 3

struct scene {
	char folder[64], said[1024];
	struct sd_record record;
	struct sd_fix_source source[FILES];
	struct sd_fix_sources sources;
};

static void keep(void *ctx, enum sd_level level, const char *text)
{
	struct scene *const s = ctx;
	const size_t n = strlen(s->said);

	(void)level;
	snprintf(s->said + n, sizeof s->said - n, "%s\n", text);
}

static const char *path_of(const struct scene *s, const char *name)
{
	static char path[512];

	snprintf(path, sizeof path, "%s/%s", s->folder, name);
	return path;
}

static void write_file(const struct scene *s, const char *name, const char *text)
{
	FILE *const f = fopen(path_of(s, name), "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static char *const names[FILES] = {(char[]){"a.c"}, (char[]){"b.c"}, (char[]){"c.c"}};
static char old_text[] = "old\n";

static int setup(void **state)
{
	static struct scene s;

	s = (struct scene){.folder = "/tmp/scalediag-fix.XXXXXX"};
	assert_non_null(mkdtemp(s.folder));
	s.sources = (struct sd_fix_sources){.record = &s.record, .folder = s.folder, .n = FILES};
	for (size_t i = 0; i < FILES; i++) {
		write_file(&s, names[i], old_text);
		s.source[i] = (struct sd_fix_source){
			.named = names[i], .path = names[i], .text = old_text, .size = 4};
		assert_int_equal(sd_source_edits_add(&s.source[i].edits, 0, 3, "new"), 0);
		s.sources.source[i] = &s.source[i];
	}
	renamed = 0;
	*state = &s;
	return 0;
}

static int teardown(void **state)
{
	struct scene *const s = *state;
	DIR *const d = opendir(s->folder);
	const struct dirent *one;

	while (d && (one = readdir(d)))
		if (*one->d_name != '.')
			unlink(path_of(s, one->d_name));
	closedir(d);
	for (size_t i = 0; i < FILES; i++)
		sd_source_edits_free(&s->source[i].edits);
	return rmdir(s->folder);
}

static void expect_text(const struct scene *s, const char *name, const char *text)
{
	char got[16] = "";
	FILE *const f = fopen(path_of(s, name), "r");

	assert_true((f != NULL) == (text != NULL));
	if (!f)
		return;
	assert_non_null(fgets(got, sizeof got, f));
	fclose(f);
	assert_string_equal(got, text);
}

/* Files that the folder has. */
static size_t count(const struct scene *s)
{
	DIR *const d = opendir(s->folder);
	const struct dirent *one;
	size_t n = 0;

	assert_non_null(d);
	while ((one = readdir(d)))
		n += *one->d_name != '.';
	closedir(d);
	return n;
}

static int apply(struct scene *s, int first, int second)
{
	const struct sd_sink sink = {keep, s};

	refused[0] = first;
	refused[1] = second;
	return sd_fix_apply(&s->sources, &sink);
}

static void all_are_changed_and_the_old_texts_kept(void **state)
{
	struct scene *const s = *state;

	assert_int_equal(apply(s, 0, 0), 0);
	assert_int_equal(count(s), 2 * FILES);
	for (size_t i = 0; i < FILES; i++) {
		char orig[16];

		snprintf(orig, sizeof orig, "%s.orig", names[i]);
		expect_text(s, names[i], "new\n");
		expect_text(s, orig, "old\n");
	}
}

/* Neither an old text that is kept already, nor one on which its author has gone on. */
static void nothing_of_anybody_is_replaced(void **state)
{
	struct scene *const s = *state;

	write_file(s, "b.c.orig", "kept\n");
	assert_int_equal(apply(s, 0, 0), -EEXIST);
	expect_text(s, "b.c.orig", "kept\n");
	assert_int_equal(count(s), FILES + 1);
	assert_int_equal(unlink(path_of(s, "b.c.orig")), 0);
	write_file(s, "c.c", "older\n");
	assert_int_equal(apply(s, 0, 0), -ESTALE);
	assert_int_equal(sd_fix_apply_copy(&s->sources, s->folder, NULL), -ESTALE);
	expect_text(s, "c.c", "older\n");
	expect_text(s, "a.c", "old\n");
	assert_int_equal(count(s), FILES);
}

static void where_one_cannot_be_renamed_the_others_are_put_back(void **state)
{
	struct scene *const s = *state;

	assert_int_equal(apply(s, FILES, 0), -EROFS);
	for (size_t i = 0; i < FILES; i++)
		expect_text(s, names[i], "old\n");
	assert_int_equal(count(s), FILES);
	assert_non_null(strstr(s->said, "c.c: cannot be changed"));
	assert_null(strstr(s->said, "STAYS CHANGED"));
}

static void what_cannot_be_put_back_is_named_with_its_old_text(void **state)
{
	struct scene *const s = *state;

	/* c.c, then b.c on the way back */
	assert_int_equal(apply(s, FILES, FILES + 1), -EROFS);
	expect_text(s, "a.c", "old\n");
	expect_text(s, "b.c", "new\n");
	expect_text(s, "b.c.orig", "old\n");
	expect_text(s, "c.c", "old\n");
	assert_int_equal(count(s), FILES + 1);
	assert_non_null(strstr(s->said, "b.c: STAYS CHANGED"));
	assert_non_null(strstr(s->said, "b.c.orig"));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(all_are_changed_and_the_old_texts_kept),
		T(nothing_of_anybody_is_replaced),
		T(where_one_cannot_be_renamed_the_others_are_put_back),
		T(what_cannot_be_put_back_is_named_with_its_old_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
