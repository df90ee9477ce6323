#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/make_full.h"
#include "fields/json_path.h"

/* As many lines of source as a place may have. */
#define EMPTY_10 "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\","
#define EMPTY_40 EMPTY_10 EMPTY_10 EMPTY_10 EMPTY_10
#define EMPTY_160 EMPTY_40 EMPTY_40 EMPTY_40 EMPTY_40

static void a_damaged_field_is_refused_with_its_place(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	static const struct {
		const char *piece, *other, *message;
	} rows[] = {
		{"\"wall\":4", "\"wall\":\"four\"", "r.json:13: runs[0].metrics.wall: \"four\""},
		{"\"wall\":2.5", "\"wall\":-1",
			"r.json:14: runs[1].metrics.wall: must be within 0"},
		{"\"wall\":4", "\"wall\":null", "metrics.wall: must be a number, a status"},
		{"\"wall\":4", "\"wall\":\"ok\"", "is \"ok\", but the number is missing"},
		{"\"wall\":4", "\"wall\":{\"value\":1,\"status\":\"denied\"}", "has no number"},
		{"\"wall\":4", "\"wall\":{\"value\":1}", "metrics.wall: must be a number, a st"},
		{"\"wall\":4", "\"wall\":1e999", "real number overflow"},
		{"\"wall\":4", "\"wall\":NaN", "not a record of scalediag, or damaged"},
		{"\"wall\":4", "\"wall\":4,\"wall\":5", "damaged: duplicate"},
		{"\"wall\":4", "\"wal\":4", "runs[0].metrics.wal: is not known here"},
		{"\"cycles\":\"denied\"", "\"cycles\":\"nope\"", "cycles: \"nope\" is no status"},
		{"\"noisy\"", "\"loud\"", "runs[1].metrics.steal.status: \"loud\""},
		{"\"point\":1", "\"point\":2", "runs[1].point: is 2, but the plan has 2 points"},
		{"\"point\":1", "\"point\":-1", "runs[1].point: must be within 0"},
		{"\"point\":1", "\"point\":0.5", "runs[1].point: must be a whole number"},
		{"\"point\":1", "\"point\":99999999999999999999", "too big integer"},
		{"\"point\":1,", "", "runs[1]: \"point\" is missing"},
		{"\"end\":\"exited\"", "\"end\":\"exploded\"", "runs[0].end: \"exploded\" is none"},
		{"\"flags\":[\"held\"]", "\"flags\":[\"hold\"]", "runs[1].flags[0]: \"hold\""},
		{"\"flags\":[\"held\"]", "\"flags\":[\"held\",\"held\"]", "stands here twice"},
		{"\"flags\":[\"held\"]", "\"flags\":{}", "runs[1].flags: must be an array"},
		{"\"role\":\"cycles\"", "\"role\":\"bicycles\"",
			"runs[1].roles[0].role: \"bicycles\" is none"},
		{"\"running\":1", "\"running\":1.5", "running: must be within 0 and 1"},
		{"\"value\":9", "\"value\":-9", "value: must be within 0"},
		{"\"pass\":0", "\"pass\":1", "runs[1]: is of pass 1, but the plan has 1"},
		{"\"pass\":0", "\"pass\":0.5", "runs[1].pass: must be a whole"},
		{"\"pass\":0", "\"pass\":-1", "runs[1].pass: must be within 0"},
		{"\"passes\":[[\"cycles\"]]", "\"passes\":[[\"cycles\",\"cycles\"]]",
			"plan.passes[0][1]: \"cycles\" stands here twice"},
		{"\"passes\":[[\"cycles\"]]", "\"passes\":[[]]", "plan.passes[0]: counts nothing"},
		{"\"passes\":[[\"cycles\"]]", "\"passes\":[[1]]",
			"plan.passes[0][0]: \"a number\" is none"},
		{"\"multiplex\":false", "\"multiplex\":1", "plan.multiplex: must be true or false"},
		{"[0,0.5,2]", "[0,true,2]", "runs[1].concurrency[1]: must be a number"},
		{"[0,0.5,2]", "[0,-2]", "runs[1].concurrency[1]: must be within 0"},
		{"\"threads_seen\":1", "\"threads_seen\":0",
			"threads: are 1, but only 0 were seen"},
		{"\"name\":\"app\"", "\"name\":\"0123456789abcdef\"",
			"threads[0].name: is 16 bytes"},
		{"\"name\":\"app\"", "\"name\":\"a\\u0000b\"",
			"not a record of scalediag, or damag"},
		{"\"tid\":101", "\"tid\":-1", "runs[1].threads[0].tid: must be within 0"},
		{"\"argv\":[\"./app\",\"100\"]", "\"argv\":[]", "program.argv: names no program"},
		{"\"./app\"", "{\"hex\":\"ffg0\"}", "program.argv[0]: holds \"g0\""},
		{"\"./app\"", "{\"hex\":\"ff0\"}", "has 3 hexadecimal digits"},
		{"\"./app\"", "{\"hex\":\"ff00\"}", "holds \"00\""},
		{"\"./app\"", "{\"bytes\":\"ff\"}", "must be a string or"},
		{"\"./app\"", "7", "program.argv[0]: must be a string, is a number"},
		{"\"scaling\":\"strong\"", "\"scaling\":\"mild\"",
			"r.json:5: program.scaling: \"mil"},
		{"\"cores\":2,\"cpus\":\"0-1\"", "\"cores\":1,\"cpus\":\"0\"",
			"plan.points[1]: begins with 1, but the one before it with 1"},
		{"\"cpus\":\"0-1\"", "\"cpus\":\"0,0\"", "points[1].cpus: names CPU 0 twice"},
		{"\"cpus\":\"0-1\"", "\"cpus\":\"0-2\"", "names 3 CPUs for 2 cores"},
		{"\"cpus\":\"0-1\"", "\"cpus\":\"1-0\"", "must be a list of CPUs"},
		{"\"cpus\":\"0-1\"", "\"cpus\":\"0-99999\"", "must be a list of CPUs"},
		{"\"cpus\":\"0-1\"", "\"cpus\":\"0-1\\n\"", "must be a list of CPUs"},
		{"\"cpus\":\"0-1\"", "\"cpus\":\"\"", "names no CPU"},
		{"\"cpus\":\"0-1\"", "\"cpus\":[0,1]", "must be a list of CPUs"},
		{"\"seed\":\"1\"", "\"seed\":\"18446744073709551616\"",
			"plan.seed: must be a whole"},
		{"\"seed\":\"1\"", "\"seed\":1", "plan.seed: must be a whole"},
		{"\"cores\":1,\"bandwidth\":1", "\"cores\":0,\"bandwidth\":1",
			"calibration.ceilings[0].cores: must be within 1"},
		{"\"cores\":2,\"bandwidth\":2", "\"cores\":1,\"bandwidth\":2",
			"calibration.ceilings[1]: begins with 1, but the one"},
		{"\"bandwidth\":2", "\"bandwidth\":-2", "bandwidth: must be within 0"},
		{"\"statement\":\"none\",", "", "calibration: \"statement\" is missing"},
		{"\"budget_s\":0", "\"budget_s\":-1", "plan.budget_s: must be within 0"},
		{"\"complete\":true", "\"complete\":1",
			"r.json:3: complete: must be true or false"},
		{"\"warnings\":[]", "\"warnings\":[[]]",
			"warnings[0]: must be a string, is an array"},
		{"\"runs\":[",
			"\"source_lines\":[{\"line\":0,\"first\":0,\"state\":\"read\",\"file\":\"a."
			"c\",\"lines\":[]}],\"runs\":[",
			"source_lines[0].line: must be within 1"},
		{"\"runs\":[",
			"\"source_lines\":[{\"line\":5,\"first\":1,\"state\":\"read\",\"file\":\"a."
			"c\",\"lines\":[\"x\",\"y\"]}],\"runs\":[",
			"source_lines[0].lines: do not have the line 5"},
		{"\"runs\":[",
			"\"source_lines\":[{\"line\":5,\"first\":6,\"state\":\"read\",\"file\":\"a."
			"c\",\"lines\":[\"x\"]}],\"runs\":[",
			"source_lines[0].lines: do not have the line 5"},
		{"\"runs\":[",
			"\"source_lines\":[{\"line\":1,\"first\":0,\"state\":\"here\",\"file\":\"a."
			"c\",\"lines\":[]}],\"runs\":[",
			"source_lines[0].state: "},
		{"\"runs\":[",
			"\"source_lines\":[{\"line\":1,\"first\":1,\"state\":\"read\",\"file\":\"a."
			"c\",\"lines\":[" EMPTY_160 "\"\"]}],\"runs\":[",
			"source_lines[0].lines"},
		{"\"runs\":[",
			"\"source_lines\":[{\"line\":1,\"first\":1,\"state\":\"read\",\"file\":\"a."
			"c\",\"lines\":["
			"\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
			"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
			"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
			"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
			"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
			"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"]}],\"runs\":[",
			"source_lines[0].lines[0]: is 401 bytes long, at most 400"},
		{"\"runs\":[",
			"\"source_lines\":[{\"line\":1,\"first\":0,\"state\":\"missing\",\"file\":"
			"\"a.c\",\"lines\":[]},{\"line\":1,\"first\":0,\"state\":\"missing\","
			"\"file\":\"a.c\",\"lines\":[]},{\"line\":1,\"first\":0,\"state\":"
			"\"missing\",\"file\":\"a.c\",\"lines\":[]},{\"line\":1,\"first\":0,"
			"\"state\":\"missing\",\"file\":\"a.c\",\"lines\":[]},{\"line\":1,"
			"\"first\":0,\"state\":\"missing\",\"file\":\"a.c\",\"lines\":[]},{"
			"\"line\":1,\"first\":0,\"state\":\"missing\",\"file\":\"a.c\",\"lines\":[]"
			"},{\"line\":1,\"first\":0,\"state\":\"missing\",\"file\":\"a.c\","
			"\"lines\":[]},{\"line\":1,\"first\":0,\"state\":\"missing\",\"file\":\"a."
			"c\",\"lines\":[]},{\"line\":1,\"first\":0,\"state\":\"missing\",\"file\":"
			"\"a.c\",\"lines\":[]}],\"runs\":[",
			"source_lines"},
		{"\"runs\":[", "\"rounds\":[],\"runs\":[", "rounds: is not known here"},
		{"\"warnings\":[],", "", "\"warnings\" is missing"},
		{"\"pmu\":\"unsupported\"", "\"pmu\":\"no\"", "host.pmu: \"no\""},
		{"\"texts\":[\"\"", "\"texts\":[\"x\"", "stacks.texts[0]: must be \"\""},
		{"\"texts\":[\"\"", "\"texts\":[\"\",\"\"", "stacks.texts[1]: stands here twice"},
		{"\"frames\":[1,", "\"frames\":[2,", "stacks.frames[0]: must be within 0 and 1"},
		{"\"frames\":[1,0,0,12,2,\"18446744073709551615\"", "\"frames\":[1,0,0,12,2,\"18\"",
			"stacks.frames[5]: must be a whole number, from 2^63 on in quotes"},
		{"\"nodes\":[0,0,1,1]", "\"nodes\":[0,0,2,1]",
			"stacks.nodes[2]: must be within 0 and 1"},
		{"\"nodes\":[0,0,1,1]", "\"nodes\":[0,0,1,2]",
			"stacks.nodes[3]: must be within 0 and 1"},
		{"\"nodes\":[0,0,1,1]", "\"nodes\":[0,0,0,0]", "stacks.nodes[3]: ends a node that"},
		{"\"nodes\":[0,0,1,1]", "\"nodes\":[0,0,1]", "stacks.nodes: has 3 numbers, not 2"},
		{"[2,\"useful\"", "[3,\"useful\"",
			"sampled.uses[0][0]: is 3, but there are 3 nodes"},
		{"[2,\"useful\"", "[2,\"idle\"", "uses[0][1]: \"idle\" is none of its names"},
		{"[2,\"useful\",1.25", "[2,\"useful\",-1", "uses[0][2]: must be within 0"},
		{"[2,\"useful\",1.25", "[2,\"useful\",0],[2,\"useful\",1", "uses[0]: ends in 0"},
		{"\"locks_seen\":70", "\"locks_seen\":0", "locks: are 1, but only 0 were seen"},
		{"\"holders\":[2,0.5]", "\"holders\":[3,0.5]",
			"holders[0]: is 3, but there are 3 nodes"},
		{"\"holders\":[2,0.5]", "\"holders\":[2,0]", "holders[1]: must be within"},
		{"\"holders\":[2,0.5]", "\"holders\":[2]",
			"holders: has 1 elements, not 2 for each"},
		{"\"bins\":10", "\"bins\":9", "lanes: have 10 bins of 9"},
		{"\"steps\":[[3,1]", "\"steps\":[[3,2]", "lanes: name doing 2 of 2"},
		{"[\"not-there\",0,0]", "[\"not-there\",0,99]", "doings[1][2]: is 99, but there"},
		{"[\"not-there\",0,0]", "[\"nowhere\",0,0]", "doings[1][0]: \"nowhere\" is none"},
		{"\"unwound\":0.333", "\"unwound\":1.333", "unwound: must be within 0 and 1"},
		{"\"sampled\":{\"status\":\"ok\"", "\"sampled\":{\"status\":\"absent\"",
			"sampled.status: is absent: then the whole is left out"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_record r;
		char *text = damaged(rows[i].piece, rows[i].other);

		w->messages = 0;
		assert_int_equal(sd_record_parse(text, strlen(text), "r.json", &r, &sink), -EINVAL);
		if (!strstr(w->said, rows[i].message))
			fail_msg("%s: said \"%s\", not \"%s\"", rows[i].other, w->said,
				rows[i].message);
		assert_int_equal(w->messages, 1);
		assert_null(r.run);
		assert_null(r.plan.point);
		free(text);
	}
}

static void what_is_not_a_record_of_this_schema_is_refused_in_its_own_words(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"", "r.json: is empty"},
		{"wall,cores\n1,2\n", "r.json:1: not a record of scalediag, or damaged"},
		{"\x7f"
		 "ELF\x02\x01\x01",
			"not a record of scalediag, or damaged"},
		{"[]", "is JSON, but not a record of scalediag"},
		{"{\"a\": 1}", "is JSON, but not a record of scalediag"},
		{"{\"kind\":\"perf\",\"schema\":1}", "is of the kind \"perf\""},
		{"{\"kind\":7}", "is of the kind \"?\""},
		{"{\"schema\":1,\"points\":[],\"findings\":[]}", "is a report, not a record"},
		{"{\"kind\":\"scalediag-record\"}", "schema"},
		{"{\"kind\":\"scalediag-record\",\"schema\":\"1\"}", "must be a whole number"},
		{"{\"kind\":\"scalediag-record\",\"schema\":2,\"tool\":{\"version\":\"9.1\"}}",
			"reads schema 1; use a newer scalediag (the record was written by 9.1)"},
		{"{\"kind\":\"scalediag-record\",\"schema\":0}", "use an older scalediag"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_record r;

		w->messages = 0;
		assert_int_equal(
			sd_record_parse(rows[i].text, strlen(rows[i].text), "r.json", &r, &sink),
			-EINVAL);
		if (!strstr(w->said, rows[i].message))
			fail_msg("said \"%s\", not \"%s\"", w->said, rows[i].message);
		assert_int_equal(w->messages, 1);
	}
}

static void a_record_cut_off_anywhere_is_refused(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	char *text = damaged("", "");
	const size_t n = strlen(text);

	/* without the last newline it is still whole */
	for (size_t cut = 1; cut + 1 < n; cut++) {
		struct sd_record r;

		assert_int_equal(sd_record_parse(text, cut, "r.json", &r, &sink), -EINVAL);
		assert_null(r.run);
	}
	assert_non_null(strstr(w->said, "the record ends in the middle"));
	free(text);
}

static void the_line_of_a_place_is_found_however_the_json_is_laid_out(void **state)
{
	static const char text[] =
		"{ \"a\" :\n[ 1,\n{\"x]\\\"\": [\n], \"b\"\n:\n\"}\"} ],\n\"c\": null}";
	const struct sd_json_path a = {.key = "a"}, a1 = {.up = &a, .index = 1},
				  b = {.up = &a1, .key = "b"}, c = {.key = "c"},
				  none = {.up = &a, .index = 2};
	const struct sd_source s = {.text = text, .size = sizeof text - 1};
	/* of the element alone: where it begins is known */
	const char *const begin = strstr(text, "{\"x]");
	const struct sd_source part = {
		.text = begin, .size = strlen(begin), .base = &a1, .line = 2};

	(void)state;
	assert_int_equal(sd_json_path_line(&part, &a1), 3);
	assert_int_equal(sd_json_path_line(&part, &b), 6);
	assert_int_equal(sd_json_path_line(&s, NULL), 1);
	assert_int_equal(sd_json_path_line(&s, &a), 2);
	assert_int_equal(sd_json_path_line(&s, &a1), 3);
	assert_int_equal(sd_json_path_line(&s, &b), 6);
	assert_int_equal(sd_json_path_line(&s, &c), 7);
	assert_int_equal(sd_json_path_line(&s, &none), 0);
}

#ifdef __has_feature
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* If memory runs out: -ENOMEM and one message, and not a word about damage. */

static void without_memory_nothing_is_half_read(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	const struct rlimit most = {64 << 20, 64 << 20};
	char *text;
	size_t n = 0;
	pid_t child;
	int status;

	if (SANITIZED) {
		fprintf(stderr, "SKIP: without_memory_nothing_is_half_read: a sanitizer ends the "
				"process when memory runs out\n");
		skip();
	}
	/* 40 MB of warnings need far more than the 64 MB that are left */
	text = damaged("\"warnings\":[", "\"warnings\":[");
	child = fork();
	if (child == 0) {
		struct sd_record r;
		char *big = malloc(40 << 20), *tail = strstr(text, "\"warnings\":[") + 12;

		n = (size_t)(tail - text);
		memcpy(big, text, n);
		while (n < (38 << 20))
			n += (size_t)sprintf(big + n, "\"\",");
		n += (size_t)sprintf(big + n, "\"\"%s", tail);
		if (setrlimit(RLIMIT_DATA, &most) != 0)
			_exit(77);
		_exit(sd_record_parse(big, n, "r.json", &r, &sink) == -ENOMEM && w->messages == 1 &&
					strstr(w->said, "not enough memory")
				? 0
				: 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	free(text);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		fprintf(stderr, "SKIP: without_memory_nothing_is_half_read: may not set "
				"RLIMIT_DATA here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_damaged_field_is_refused_with_its_place),
		T(what_is_not_a_record_of_this_schema_is_refused_in_its_own_words),
		T(a_record_cut_off_anywhere_is_refused),
		T(the_line_of_a_place_is_found_however_the_json_is_laid_out),
		T(without_memory_nothing_is_half_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
