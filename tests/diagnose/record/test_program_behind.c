/*
 * The word of a command line that a record is named after, by the launchers that the program knows.
 */
#include "record/program_behind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define WORDS 16

/* Splits at blanks. */
static size_t split(char *text, const char **word)
{
	size_t n = 0;

	for (char *s = strtok(text, " "); s && n < WORDS; s = strtok(NULL, " "))
		word[n++] = s;
	return n;
}

static void the_script_or_program_behind_is_found(void **state)
{
	static const char *const row[][2] = {
		{"./app 8", "./app"},
		{"python3 solve.py 8", "solve.py"},
		{"/usr/bin/python3.11 -X dev -u dir/solve.py", "dir/solve.py"},
		{"python3 -m http.server 80", "http.server"},
		{"python3 -c pass 8", "python3"},
		{"pythonic app.py", "pythonic"},
		{"java -Xmx1g -cp a.jar:b.jar org.Main 8", "org.Main"},
		{"java -XX:ActiveProcessorCount={n} -jar app.jar", "app.jar"},
		{"bash run.sh", "run.sh"},
		{"sh -c ./app", "sh"},
		{"mpirun -n 4 ./solver", "./solver"},
		{"mpirun --mca btl self,sm -np=4 python3 solve.py", "solve.py"},
		{"srun -N 2 -n{ranks} ./solver", "./solver"},
		{"npx -p typescript tsc --all", "tsc"},
		{"npm run bench", "bench"},
		{"node server.js", "server.js"},
		{"env -u HOME A=1 B=2 timeout -k 5 60 taskset -c 0-3 ./app", "./app"},
		{"cargo run --release", "cargo"},
		{"go run .", "go"},
		{"nice", "nice"},
		{"python3 -W", "python3"},
		{"python3 -m", "python3"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char text[128];
		const char *word[WORDS] = {""};
		size_t n, at;

		snprintf(text, sizeof text, "%s", row[i][0]);
		n = split(text, word);
		at = sd_program_behind(word, n ? n : 1, NULL, NULL);
		if (strcmp(word[at], row[i][1]) != 0)
			fail_msg("'%s': '%s', not '%s'", row[i][0], word[at], row[i][1]);
	}
}

struct said {
	char *text;
	size_t size;
};

static void keep(void *ctx, enum sd_level level, const char *text)
{
	const struct said *const s = ctx;

	(void)level;
	snprintf(s->text, s->size, "%s", text);
}

static size_t by(const char *text, char *said, size_t size)
{
	static const char *const word[] = {"run", "-n", "app"};
	struct said s = {said, size};
	const struct sd_sink sink = {.emit = keep, .ctx = &s};

	*said = '\0';
	return sd_program_behind_by(word, 3, "x.conf", text, strlen(text), &sink);
}

static void a_file_that_is_none_is_named_with_its_line(void **state)
{
	static const struct {
		const char *text, *said;
		size_t at;
	} row[] = {
		{"launchers = ({ names = [\"run\"]; });", "", 2},
		{"launchers = ({ names = [\"run\"]; words = 1; });", "", 0},
		{"launchers = ();", "", 0},
		{"launchers = (", "x.conf:1: syntax error", 0},
		{"", "x.conf: launchers = ( { ... }, ... ) is missing", 0},
		{"launchers = 3;", "x.conf: launchers = ( { ... }, ... ) is missing", 0},
		{"launchers = (\n3);", "x.conf:2: a launcher is a group: { names = [...]; ... }",
			0},
		{"launchers = ({ names = \"run\"; });",
			"x.conf:1: names: must be names in quotes: [\"a\", \"b\"]", 0},
		{"launchers = ({ names = [1]; });",
			"x.conf:1: names: must be names in quotes: [\"a\", \"b\"]", 0},
		{"launchers = ({ words = 10; });", "x.conf:1: words: must be a number, 0 to 9", 0},
		{"launchers = ({ sets = 1; });", "x.conf:1: sets: must be true or false", 0},
		{"launchers = ({ name = [\"run\"]; });", "x.conf:1: name: no such setting here", 0},
		{"@include \"y\"", "x.conf:1: @include is not allowed here", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char said[256];

		assert_int_equal(by(row[i].text, said, sizeof said), row[i].at);
		assert_string_equal(said, row[i].said);
	}
}

/* One launcher may name another for ever. */
static void a_word_that_starts_itself_ends(void **state)
{
	const char *word[64];

	(void)state;
	for (size_t i = 0; i < 64; i++)
		word[i] = "nice";
	assert_in_range(sd_program_behind(word, 64, NULL, NULL), 1, 63);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_script_or_program_behind_is_found),
		cmocka_unit_test(a_file_that_is_none_is_named_with_its_line),
		cmocka_unit_test(a_word_that_starts_itself_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
