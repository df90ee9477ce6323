/* The files that are part of the program, and a directory in their place. */
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

#include "base/configs.h"

static void keep(void *ctx, enum sd_level level, const char *text)
{
	assert_int_equal(level, SD_LEVEL_ERROR);
	snprintf(ctx, 256, "%s", text);
}

static void every_embedded_file_is_listed_and_ends_in_a_nul(void **state)
{
	struct sd_texts names = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_list(NULL, "events", &names, NULL), 0);
	assert_true(names.n > 0);
	for (size_t i = 0; i < names.n; i++) {
		assert_int_equal(sd_configs_get(NULL, names.text[i], &c, NULL), 0);
		assert_int_equal(strlen(c.text), c.size);
		assert_true(c.size > 0);
		sd_config_free(&c);
	}
	sd_texts_free(&names);
}

static void the_program_holds_the_bytes_of_the_tree(void **state)
{
	struct sd_config embedded, file;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "events/ix86arch.conf", &embedded, NULL), 0);
	assert_int_equal(sd_configs_get("configs", "events/ix86arch.conf", &file, NULL), 0);
	assert_int_equal(embedded.size, file.size);
	assert_memory_equal(embedded.text, file.text, file.size + 1);
	assert_string_equal(embedded.name, "configs/events/ix86arch.conf");
	assert_string_equal(embedded.name, file.name);
	sd_config_free(&embedded);
	sd_config_free(&file);
}

static void a_missing_file_is_said_with_its_place(void **state)
{
	char said[256] = "";
	const struct sd_sink sink = {.emit = keep, .ctx = said};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "events/none.conf", &c, &sink), -ENOENT);
	assert_string_equal(said, "configs/events/none.conf: No such file or directory");
	assert_null(c.text);
	assert_int_equal(sd_configs_get("/nowhere", "events/x.conf", &c, &sink), -ENOENT);
	assert_string_equal(said, "/nowhere/events/x.conf: No such file or directory");
	assert_int_equal(sd_configs_get("configs", "../Makefile", &c, &sink), -EINVAL);
}

static void what_is_no_plain_file_of_sane_size_is_refused(void **state)
{
	char dir[] = "/tmp/sd_configs_XXXXXX", said[256] = "", path[64];
	const struct sd_sink sink = {.emit = keep, .ctx = said};
	struct sd_texts names = {0};
	struct sd_config c;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/fifo.conf", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(sd_configs_get(dir, "fifo.conf", &c, &sink), -EINVAL);
	unlink(path);
	snprintf(path, sizeof path, "%s/large.conf", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(ftruncate(fileno(f), (off_t)SD_CONFIG_MAX + 1), 0);
	assert_int_equal(sd_configs_get(dir, "large.conf", &c, &sink), -EFBIG);
	assert_non_null(strstr(said, "File too large"));
	assert_int_equal(ftruncate(fileno(f), (off_t)SD_CONFIG_MAX), 0);
	fclose(f);
	assert_int_equal(sd_configs_get(dir, "large.conf", &c, &sink), 0);
	assert_int_equal(c.size, SD_CONFIG_MAX);
	sd_config_free(&c);
	assert_int_equal(sd_configs_list(dir, ".", &names, NULL), 0);
	assert_int_equal(names.n, 1);
	assert_string_equal(names.text[0], "./large.conf");
	sd_texts_free(&names);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_embedded_file_is_listed_and_ends_in_a_nul),
		cmocka_unit_test(the_program_holds_the_bytes_of_the_tree),
		cmocka_unit_test(a_missing_file_is_said_with_its_place),
		cmocka_unit_test(what_is_no_plain_file_of_sane_size_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
