/*
 * Answers to a client's lines, in any order and of any shape, and the command lines that its calls
 * become: none outside of the folder, none as root by surprise.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mcp/mcp_session.h"

#define INITIALIZE                                                                         \
	"{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":\"initialize\",\"params\":{"         \
	"\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":" \
	"\"t\",\"version\":\"0\"}}}"
#define CALL(id, name, arguments)                                                               \
	"{\"jsonrpc\":\"2.0\",\"id\":" id                                                       \
	",\"method\":\"tools/call\",\"params\":{\"name\":\"" name "\",\"arguments\":" arguments \
	"}}"

/* The command line that was started last, and the call that was cancelled last. */
struct world {
	char folder[64];
	struct sd_mcp_limits limits;
	struct sd_mcp_session session;
	char started[2048], cancelled[64];
	double seconds;
};

static const char *note_start(void *ctx, json_t *id, const struct sd_mcp_tool *t,
	const struct sd_texts *argv, double seconds)
{
	struct world *const w = ctx;
	size_t n = 0;

	(void)id;
	(void)t;
	w->started[0] = '\0';
	for (size_t i = 0; i < argv->n && n < sizeof w->started; i++)
		n += (size_t)snprintf(
			w->started + n, sizeof w->started - n, "%s%s", i ? " " : "", argv->text[i]);
	w->seconds = seconds;
	return NULL;
}

static void note_cancel(void *ctx, const json_t *id)
{
	struct world *const w = ctx;

	snprintf(w->cancelled, sizeof w->cancelled, "%lld", json_integer_value(id));
}

static void touch(const struct world *w, const char *name)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", w->folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
}

static int begin(void **state)
{
	struct world *const w = calloc(1, sizeof *w);
	char path[128];

	if (!w)
		return -1;
	snprintf(w->folder, sizeof w->folder, "/tmp/scalediag-mcp-XXXXXX");
	if (!mkdtemp(w->folder))
		return -1;
	touch(w, "app");
	touch(w, "a.scalediag.json");
	touch(w, "b.scalediag.json");
	snprintf(path, sizeof path, "%s/out", w->folder);
	if (symlink("/bin/sh", path) != 0)
		return -1;
	w->limits = (struct sd_mcp_limits){.folder = w->folder, .timeout_s = 300};
	w->session = (struct sd_mcp_session){
		.limits = &w->limits, .start = note_start, .cancel = note_cancel, .ctx = w};
	*state = w;
	return 0;
}

static int end(void **state)
{
	static const char *const names[] = {"app", "a.scalediag.json", "b.scalediag.json", "out"};
	struct world *const w = *state;
	char path[128];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", w->folder, names[i]);
		unlink(path);
	}
	rmdir(w->folder);
	free(w);
	return 0;
}

/* The answer as text, "" none. */
static void take(struct world *w, const char *line, char out[8192])
{
	json_t *const answer = sd_mcp_session_take(&w->session, line, strlen(line));
	char *const text = answer ? json_dumps(answer, SD_MCP_MESSAGE_DUMP) : NULL;

	snprintf(out, 8192, "%s", text ? text : "");
	free(text);
	json_decref(answer);
}

static void every_line_has_the_answer_that_is_due(void **state)
{
	static const struct {
		const char *line, *has; /* has NULL: no answer */
	} row[] = {
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
			"initialize comes first"},
		{"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}", "\"id\":2,\"result\":{}"},
		{INITIALIZE, "\"protocolVersion\":\"2025-06-18\""},
		{"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"initialize\",\"params\":{"
		 "\"protocolVersion\":\"2031-01-01\"}}",
			"\"protocolVersion\":\"2025-11-25\""},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", NULL},
		{"{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\"}",
			"\"name\":\"diagnose\""},
		{"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"resources/list\"}", "-32601"},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/whatever\"}", NULL},
		{"{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{}}", NULL},
		{"{\"jsonrpc\":\"2.0\",\"id\":7", "-32700"},
		{"", "-32700"},
		{"[]", "-32600"},
		{"{\"jsonrpc\":\"1.0\",\"id\":8,\"method\":\"ping\"}", "\"id\":8,\"error\""},
		{"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", "-32600"},
		{"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\",\"params\":[]}", "-32602"},
		{"{\"jsonrpc\":\"2.0\",\"id\":9,\"id\":9,\"method\":\"ping\"}", "-32700"},
		{CALL("10", "magic", "{}"), "no such tool"},
		{CALL("11", "report", "[]"), "arguments must be an object"},
		{CALL("12", "report", "{\"recrod\":\"a\"}"), "report has no such argument"},
		{CALL("13", "evidence", "{}"), "cause: is missing"},
		{CALL("14", "evidence", "{\"cause\":7}"), "cause: must be a string"},
		{CALL("15", "report", "{\"record\":\"none.json\"}"), "record: No such file"},
		{CALL("16", "report", "{\"record\":\"../../etc/passwd\"}"),
			"outside of the folder"},
		{CALL("17", "report", "{\"record\":\"/etc/passwd\"}"), "outside of the folder"},
		{CALL("18", "diagnose", "{\"program\":[]}"), "program: a list"},
		{CALL("19", "diagnose", "{\"program\":[\"/bin/sh\",\"-c\",\"true\"]}"),
			"outside of the folder"},
		{CALL("20", "diagnose", "{\"program\":[\"out\"]}"), "outside of the folder"},
		{CALL("21", "diagnose", "{\"program\":[\"app\"],\"seconds\":1e9}"),
			"a number of seconds from 1 to 300"},
		{CALL("22", "diagnose", "{\"program\":[\"app\",1]}"), "every word is a string"},
		{CALL("23", "compare", "{\"after\":\"a.scalediag.json\"}"), "before: is missing"},
	};
	struct world *const w = *state;
	char answer[8192];

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		take(w, row[i].line, answer);
		if (row[i].has ? !strstr(answer, row[i].has) : *answer)
			fail_msg("row %zu: %s: '%s'", i, row[i].line, answer);
	}
	assert_string_equal(w->started, "");
}

static void calls_become_command_lines(void **state)
{
	static const struct {
		const char *line, *words; /* "@" is the folder */
		double seconds;
	} row[] = {
		{CALL("1", "diagnose",
			 "{\"program\":[\"./app\",\"--brief\",\"{n}\"],\"cores\":\"1,2\",\"seconds\":20}"),
			"run --brief --budget 20 --cores=1,2 -- @/app --brief {n}", 80},
		{CALL("1", "diagnose", "{\"program\":[\"app\"]}"),
			"run --brief --budget 120 -- @/app", 180},
		{CALL("1", "report", "{}"), "report --brief", 300},
		{CALL("1", "evidence", "{\"cause\":\"-o x\",\"record\":\"a.scalediag.json\"}"),
			"report --brief --cause=-o x @/a.scalediag.json", 300},
		{CALL("1", "compare",
			 "{\"before\":\"a.scalediag.json\",\"after\":\"./b.scalediag.json\"}"),
			"compare --brief @/a.scalediag.json @/b.scalediag.json", 300},
		{CALL("1", "doctor", "{}"), "doctor --json", 300},
	};
	struct world *const w = *state;
	char answer[8192], words[2048];

	take(w, INITIALIZE, answer);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		size_t n = 0;

		take(w, row[i].line, answer);
		for (const char *p = row[i].words; *p; p++)
			n += (size_t)snprintf(words + n, sizeof words - n,
				*p == '@' ? "%s" : "%.1s", *p == '@' ? w->folder : p);
		assert_string_equal(answer, "");
		assert_string_equal(w->started, words);
		assert_true(w->seconds == row[i].seconds);
	}
	take(w,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
		"\"requestId\":41}}",
		answer);
	assert_string_equal(w->cancelled, "41");
}

static void root_starts_no_program_by_surprise(void **state)
{
	struct world *const w = *state;
	char answer[8192];

	w->limits.root = 1;
	take(w, INITIALIZE, answer);
	take(w, CALL("1", "diagnose", "{\"program\":[\"app\"]}"), answer);
	assert_non_null(strstr(answer, "--allow-root"));
	assert_non_null(strstr(answer, "\"isError\":true"));
	assert_string_equal(w->started, "");
	take(w, CALL("2", "report", "{}"), answer);
	assert_string_equal(w->started, "report --brief");
}

static void an_answer_is_text_and_data(void **state)
{
	json_t *const id = json_integer(7);
	json_t *answer = sd_mcp_session_answer(id, json_pack("{s:i}", "a", 1), NULL);
	char *text = json_dumps(answer, SD_MCP_MESSAGE_DUMP);

	(void)state;
	assert_string_equal(text,
		"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":\"text\","
		"\"text\":\"{\\\"a\\\":1}\"}],\"isError\":false,\"structuredContent\":{\"a\":1}}}");
	free(text);
	json_decref(answer);
	answer = sd_mcp_session_answer(id, NULL, "\xff not text");
	assert_non_null(answer);
	json_decref(answer);
	json_decref(id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_line_has_the_answer_that_is_due, begin, end),
		cmocka_unit_test_setup_teardown(calls_become_command_lines, begin, end),
		cmocka_unit_test_setup_teardown(root_starts_no_program_by_surprise, begin, end),
		cmocka_unit_test(an_answer_is_text_and_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
