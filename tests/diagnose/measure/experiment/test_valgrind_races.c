/* Races in what Helgrind writes, and in anything else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "experiment/valgrind_races.h"

#define HEAD "<?xml version=\"1.0\"?>\n\n<valgrindoutput>\n\n<protocolversion>4</protocolversion>\n"

#define FRAME(object, function, line)                                      \
	"<frame>\n<ip>0x109159</ip>\n<obj>" object "</obj>\n<fn>" function \
	"</fn>\n<dir>/tmp</dir>\n<file>r.c</file>\n<line>" line "</line>\n</frame>\n"

#define RACE                                                                                      \
	"<error>\n<unique>0x0</unique>\n<tid>1</tid>\n<kind>Race</kind>\n<xwhat>\n"               \
	"<text>Possible data race during read of size 8 at 0x10C054 by thread #1</text>\n"        \
	"<hthreadid>1</hthreadid>\n</xwhat>\n<stack>\n" FRAME(                                    \
		"/tmp/r", "add&lt;int&gt;(int&amp;)", "5") FRAME("/tmp/r", "main",                \
		"6") "</stack>\n<xauxwhat>\n"                                                     \
		     "<text>This conflicts with a previous write of size 8 by thread #2</text>\n" \
		     "</xauxwhat>\n<stack>\n" FRAME("/tmp/r", "work", "9") FRAME(                 \
			     "/usr/libexec/valgrind/vgpreload_helgrind-amd64-linux.so",           \
			     "mythread_wrapper",                                                  \
			     "1") "</stack>\n<auxwhat>Address 0x10c054 is 4 bytes inside data symbol \"counter\"</auxwhat>\n</error>\n"

static struct sd_stacks stacks;
static struct sd_experiment_run run;

static int add(const char *text)
{
	return sd_valgrind_races_add(text, strlen(text), &stacks, &run);
}

static int forget(void **state)
{
	(void)state;
	free(run.race);
	run = (struct sd_experiment_run){.n_race = 0};
	sd_stacks_free(&stacks);
	return 0;
}

static const char *function_of(unsigned node)
{
	return stacks.text[stacks.frame[stacks.node[node].frame].function];
}

static void a_race_has_both_stacks_and_a_name(void **state)
{
	const struct sd_race *r;

	(void)state;
	assert_int_equal(add(HEAD RACE "</valgrindoutput>\n"), 0);
	assert_int_equal(run.n_race, 1);
	r = &run.race[0];
	assert_int_equal(r->address, 0x10c054);
	assert_int_equal(r->bytes, 8);
	assert_false(r->write[0]);
	assert_true(r->write[1]);
	assert_string_equal(stacks.text[r->name], "counter+0x4");
	assert_string_equal(function_of(r->node[0]), "add<int>(int&)");
	assert_int_equal(stacks.frame[stacks.node[r->node[0]].frame].line, 5);
	assert_string_equal(function_of(stacks.node[r->node[0]].parent), "main");
	/* Valgrind's own frames are none of the program's */
	assert_string_equal(function_of(r->node[1]), "work");
	assert_int_equal(stacks.node[r->node[1]].parent, 0);
}

static void other_errors_are_no_races(void **state)
{
	(void)state;
	assert_int_equal(
		add(HEAD "<error>\n<kind>LockOrder</kind>\n<what>x</what>\n<stack>\n" FRAME(
			"/tmp/r", "f", "5") "</stack>\n</error>\n</valgrindoutput>\n"),
		0);
	assert_int_equal(run.n_race_seen, 0);
	assert_int_equal(add("no XML at all"), -EINVAL);
}

static void a_file_that_ends_anywhere_is_read_so_far(void **state)
{
	static const char whole[] = HEAD RACE RACE;
	char *const part = malloc(sizeof whole);

	(void)state;
	assert_non_null(part);
	for (size_t n = sizeof HEAD; n < sizeof whole; n += 7) {
		memcpy(part, whole, n);
		assert_int_equal(sd_valgrind_races_add(part, n, &stacks, &run), 0);
	}
	free(part);
	assert_true(run.n_race_seen > 2);
	assert_true(run.n_race <= SD_RACES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_race_has_both_stacks_and_a_name, forget),
		cmocka_unit_test_teardown(other_errors_are_no_races, forget),
		cmocka_unit_test_teardown(a_file_that_ends_anywhere_is_read_so_far, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
