/*
 * The JSON reports against their published schemas (configs/schema), by Python's jsonschema: every
 * report fits, and the schema knows every name that it has. An agent gets the same answers from
 * `scalediag mcp`, in any order, and leaves nothing behind.
 */
#include "e2e/e2e.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Validates argv[2] against argv[1]; with a third word no name may be unknown to the schema. Exits
 * 77 without jsonschema. */
static const char script[] =
	"import json, sys\n"
	"try:\n"
	"    import jsonschema\n"
	"except ImportError:\n"
	"    sys.exit(77)\n"
	"schema, report = (json.load(open(p)) for p in sys.argv[1:3])\n"
	"open_objects = ('sampling', 'experiments', 'estimates')\n"
	"def close(x, name=''):\n"
	"    if isinstance(x, dict):\n"
	"        if 'properties' in x and name not in open_objects:\n"
	"            x['additionalProperties'] = False\n"
	"        for k, v in x.items():\n"
	"            close(v, name if k in ('anyOf', 'items') else k)\n"
	"    elif isinstance(x, list):\n"
	"        for v in x:\n"
	"            close(v, name)\n"
	"if len(sys.argv) > 3:\n"
	"    close(schema)\n"
	"errors = list(jsonschema.Draft202012Validator(schema).iter_errors(report))\n"
	"for e in errors[:5]:\n"
	"    print('/'.join(map(str, e.absolute_path)), e.message[:300])\n"
	"sys.exit(1 if errors else 0)\n";

static int validate_by(const char *schema, const char *report, const char *strict)
{
	const pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		execl("/usr/bin/python3", "python3", "-c", script, schema, report, strict,
			(char *)NULL);
		_exit(77);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int validate(const char *report, const char *strict)
{
	return validate_by("configs/schema/report.schema.json", report, strict);
}

static void write_file(const char *path, const char *text, size_t n)
{
	FILE *const f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	fclose(f);
}

static void expect(int got, int wanted)
{
	if (got == 77) {
		print_message("SKIP: no /usr/bin/python3 with jsonschema\n");
		skip();
	}
	assert_int_equal(got, wanted);
}

static void a_measured_report_fits_and_has_no_name_of_its_own(void **state)
{
	struct e2e *const e = *state;
	const char *const path = e2e_path(e, "report.json");
	struct e2e_result r;
	char *name;

	e2e_run(e, &r, "--json", "--cores", "1", "--repeats", "5", e2e_program(e, "scales"),
		"0.02");
	e2e_expect_status(&r, 0);
	write_file(path, r.out, r.n_out);
	expect(validate(path, NULL), 0);
	expect(validate(path, "strict"), 0);
	/* and what does not fit is found */
	name = strstr(r.out, "\"wall_s\"");
	assert_non_null(name);
	memcpy(name, "\"wall_x\"", 8);
	write_file(path, r.out, r.n_out);
	expect(validate(path, NULL), 1);
	e2e_result_free(&r);
}

static void an_imported_report_fits(void **state)
{
	struct e2e *const e = *state;
	const char *const path = e2e_path(e, "report.json");
	char here[4096], csv[4200];
	struct e2e_result r;

	assert_non_null(getcwd(here, sizeof here));
	snprintf(csv, sizeof csv, "%s/tests/fixtures/published/proxy_8180M.csv", here);
	e2e_run(e, &r, "import", "--from", "csv", "--json", "--app", "HPCCG", csv);
	e2e_expect_status(&r, 0);
	write_file(path, r.out, r.n_out);
	expect(validate(path, "strict"), 0);
	e2e_result_free(&r);
}

/* They are on the newest records of the folder, which nobody names. */
static void brief_answers_fit(void **state)
{
	static const struct {
		const char *words[4];
		int status;
	} row[] = {
		{{"report", "--brief"}, 0},
		{{"report", "--brief", "--cause", "memory-bandwidth"}, 0},
		{{"report", "--brief", "--cause", "work-inflation"}, 0},
		{{"check", "--brief", "--require", "scales"}, 1},
		{{"check", "--brief", "--require", "efficiency>=0.01"}, 4},
		{{"compare", "--brief"}, 0},
	};
	struct e2e *const e = *state;
	const char *const path = e2e_path(e, "brief.json");
	char here[4096], csv[4200];
	struct e2e_result r;

	assert_non_null(getcwd(here, sizeof here));
	snprintf(csv, sizeof csv, "%s/tests/fixtures/published/proxy_8180M.csv", here);
	for (int i = 0; i < 2; i++) {
		e2e_run(e, &r, "import", "--from", "csv", "--brief", "--app", "HPCCG", "-o",
			i ? "b.scalediag.json" : "a.scalediag.json", csv);
		e2e_expect_status(&r, 0);
		write_file(path, r.out, r.n_out);
		expect(validate_by("configs/schema/brief.schema.json", path, NULL), 0);
		e2e_result_free(&r);
	}
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const char *const *const w = row[i].words;

		e2e_run(e, &r, w[0], w[1], w[2], w[3]);
		e2e_expect_status(&r, row[i].status);
		assert_true(r.n_out <= 4096);
		write_file(path, r.out, r.n_out);
		expect(validate_by("configs/schema/brief.schema.json", path, NULL), 0);
		assert_non_null(strstr(r.out, ".scalediag.json\""));
		e2e_result_free(&r);
	}
	/* and what does not fit is found */
	e2e_write(path, "{\"schema\":1,\"kind\":\"report\"}");
	expect(validate_by("configs/schema/brief.schema.json", path, NULL), 1);
}

/* ---- an agent -------------------------------------------------------------------------------- */

struct agent {
	struct e2e *e;
	struct e2e_job job;
	int to;     /* its stdin */
	FILE *from; /* its stdout */
};

static int take_stdin(void *pipe)
{
	return dup2(*(const int *)pipe, 0) < 0;
}

static void say(const struct agent *a, const char *text)
{
	for (size_t n = strlen(text); n;) {
		const ssize_t done = write(a->to, text, n);

		assert_true(done > 0);
		text += done;
		n -= (size_t)done;
	}
}

/* The next message; owned. */
static json_t *hear(const struct agent *a)
{
	char *line = NULL;
	size_t size = 0;
	json_t *out;

	assert_true(getline(&line, &size, a->from) > 0);
	out = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	if (!out)
		fail_msg("no message: %s", line);
	free(line);
	return out;
}

static void begin(struct agent *a, struct e2e *e)
{
	int pipes[2];

	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	*a = (struct agent){.e = e, .to = pipes[1]};
	e2e_start(e, &a->job, take_stdin, &pipes[0],
		(const char *const[]){"mcp", "--allow-root", "--timeout", "120", NULL});
	close(pipes[0]);
	a->from = fdopen(dup(a->job.out), "r");
	assert_non_null(a->from);
	say(a, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
	       "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{"
	       "\"name\":\"test\",\"version\":\"0\"}}}\n"
	       "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
	json_decref(hear(a));
}

/* It goes when nobody asks any more. */
static void leave(struct agent *a)
{
	struct e2e_result r;

	close(a->to);
	fclose(a->from);
	e2e_wait(&a->job, &r, 60);
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
}

static void call(const struct agent *a, int id, const char *tool, const char *arguments)
{
	char line[1024];

	snprintf(line, sizeof line,
		"{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":"
		"\"%s\",\"arguments\":%s}}\n",
		id, tool, arguments);
	say(a, line);
}

static int id_of(const json_t *message)
{
	return (int)json_integer_value(json_object_get(message, "id"));
}

static json_t *result_of(const json_t *message)
{
	return json_object_get(message, "result");
}

/* One call, which must be answered so; the answer as data, of which the message is *owner. */
static const json_t *ask(const struct agent *a, const char *tool, const char *arguments,
	int is_error, json_t **owner)
{
	json_t *message;

	call(a, 77, tool, arguments);
	message = hear(a);
	assert_int_equal(id_of(message), 77);
	if (json_is_true(json_object_get(result_of(message), "isError")) != is_error)
		fail_msg("%s %s: %s", tool, arguments, json_dumps(message, 0));
	json_decref(*owner);
	*owner = message;
	return json_object_get(result_of(message), "structuredContent");
}

static void must_fit(const struct agent *a, const json_t *answer)
{
	const char *const path = e2e_path(a->e, "answer");

	assert_int_equal(json_dump_file(answer, path, 0), 0);
	expect(validate_by("configs/schema/brief.schema.json", path, NULL), 0);
}

static void an_agent_goes_from_run_to_cause_to_comparison(void **state)
{
	struct e2e *const e = *state;
	json_t *message, *owner = NULL;
	const json_t *answer;
	struct agent a;

	e2e_copy(e2e_program(e, "scales"), e2e_path(e, "app"), 0755);
	begin(&a, e);
	call(&a, 1, "diagnose",
		"{\"program\":[\"app\",\"0.02\"],\"cores\":\"1\",\"seconds\":30,\"experiments\":\"none\"}");
	/* others are answered meanwhile, but not a second one that would disturb it */
	say(&a, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n");
	call(&a, 3, "diagnose", "{\"program\":[\"app\"]}");
	for (int i = 2; i <= 3; i++) {
		message = hear(&a);
		assert_int_equal(id_of(message), i);
		json_decref(message);
	}
	message = hear(&a);
	assert_int_equal(id_of(message), 1);
	answer = json_object_get(result_of(message), "structuredContent");
	must_fit(&a, answer);
	assert_non_null(
		strstr(json_string_value(json_object_get(answer, "record")), "app.scalediag.json"));
	json_decref(message);
	answer = ask(&a, "evidence", "{\"cause\":\"serial-code\"}", 0, &owner);
	must_fit(&a, answer);
	answer = ask(&a, "source", "{\"cause\":\"serial-code\"}", 0, &owner);
	assert_non_null(json_object_get(answer, "source"));
	answer = ask(&a, "next", "{}", 0, &owner);
	assert_non_null(json_object_get(answer, "steps"));
	answer = ask(&a, "doctor", "{}", 0, &owner);
	assert_non_null(json_object_get(answer, "readiness"));
	e2e_copy(e2e_path(e, "app.scalediag.json"), e2e_path(e, "old.scalediag.json"), 0644);
	answer = ask(&a, "compare",
		"{\"before\":\"old.scalediag.json\",\"after\":\"app.scalediag.json\"}", 0, &owner);
	must_fit(&a, answer);
	ask(&a, "evidence", "{\"cause\":\"no-such-cause\"}", 1, &owner);
	/* a record that is replaced under it is read anew */
	e2e_write(e2e_path(e, "app.scalediag.json"), "no record");
	ask(&a, "report", "{\"record\":\"app.scalediag.json\"}", 1, &owner);
	ask(&a, "report", "{\"record\":\"old.scalediag.json\"}", 0, &owner);
	json_decref(owner);
	leave(&a);
}

/* One that was cancelled may be ending still, and is not to be disturbed: asks until it runs. */
static void start_sleeper(const struct agent *a, int id)
{
	json_t *message;
	int refused;

	do {
		call(a, id, "diagnose", "{\"program\":[\"./sleeper\"]}");
		say(a, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}\n");
		message = hear(a);
		refused = id_of(message) == id;
		json_decref(message);
		if (refused)
			json_decref(hear(a));
		usleep(20000);
	} while (refused);
}

static void what_an_agent_cancels_or_leaves_is_ended(void **state)
{
	struct e2e *const e = *state;
	const char *const sleeper = e2e_path(e, "sleeper");
	char *const huge = malloc(2u << 20);
	struct agent a;
	pid_t pid[4];

	assert_non_null(huge);
	memset(huge, 'x', 2u << 20);
	strcpy(huge + (2u << 20) - 2, "\n");
	e2e_write(sleeper, "#!/bin/sh\necho $$ >>pids\nexec sleep 600\n");
	assert_int_equal(chmod(sleeper, 0755), 0);
	begin(&a, e);
	say(&a, huge);
	free(huge);
	json_decref(hear(&a));
	for (int i = 1; i <= 2; i++) {
		start_sleeper(&a, i);
		while (e2e_pids(e2e_path(e, "pids"), pid, 4) < (size_t)i)
			usleep(10000);
		if (i == 1) {
			say(&a, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
				"\"params\":{\"requestId\":1}}\n");
			e2e_await_gone(e2e_path(e, "pids"), 1);
		}
	}
	say(&a, "{\"jsonrpc\":\"2.0\",\"id\":10,\"meth");
	leave(&a);
	e2e_await_gone(e2e_path(e, "pids"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, e2e_setup, e2e_teardown)
		TEST(a_measured_report_fits_and_has_no_name_of_its_own),
		TEST(an_imported_report_fits),
		TEST(brief_answers_fit),
		TEST(an_agent_goes_from_run_to_cause_to_comparison),
		TEST(what_an_agent_cancels_or_leaves_is_ended),
#undef TEST
	};

	return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
