#include "sweep/sweep_run.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "sweep/sweep_engine.h"
#include "sweep/sweep_hosts.h"

static void names_are_read_from_files_of_several_kinds(void **state)
{
	static const char text[] = "# nodes\nn2 slots=4\n\nn1\r\nn2\nadmin@n3:2 # one\n";
	struct sd_texts out = {.n = 0};

	(void)state;
	assert_int_equal(sd_sweep_hosts_parse(text, sizeof text - 1, "f", &out, NULL), 0);
	assert_int_equal(out.n, 3);
	assert_string_equal(out.text[0], "admin@n3:2");
	assert_string_equal(out.text[1], "n1");
	assert_string_equal(out.text[2], "n2");
	sd_texts_free(&out);
}

/* Names are refused that could be taken for an option or for a shell's word. */
static void no_other_word_is_a_name(void **state)
{
	static const char *const bad[] = {"-oProxyCommand=x", "n1;reboot", "n[1-3]", "$(x)", "",
		".n",
		/* to pdsh the first is a command that is run here */
		"exec:node1", "exec:1", "ssh:n1", "root@n1:x", "::x"};
	static const char *const good[] = {"n1", "root@n1", "n1:2", "fe80::1", "root@2001:db8::7"};
	struct sd_texts out = {.n = 0};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(sd_sweep_hosts_is_name(bad[i]));
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_true(sd_sweep_hosts_is_name(good[i]));
	assert_int_equal(sd_sweep_hosts_parse("n1\nn2;x\n", 8, "f", &out, NULL), -EINVAL);
	sd_texts_free(&out);
}

static void nodes_of_slurm_that_are_down_are_told_apart(void **state)
{
	static const char text[] = "n1 idle\nn1 idle\nn2 allocated\nn3 down*\nn4 drained\nn5 "
				   "idle*\nn6 mixed-\n";
	struct sd_texts out = {.n = 0}, unfit = {.n = 0};

	(void)state;
	assert_int_equal(sd_sweep_hosts_slurm(text, sizeof text - 1, &out, &unfit, NULL), 0);
	assert_int_equal(out.n, 3);
	assert_string_equal(out.text[2], "n6");
	assert_int_equal(unfit.n, 3);
	sd_texts_free(&out);
	sd_texts_free(&unfit);
}

static void expect_command(enum sd_sweep_engine engine, const char *partition, const char *expected)
{
	char program[] = "/opt/it's/scalediag", word[] = "calibrate", *words[] = {program, word};
	const struct sd_texts what = {words, 2};
	struct sd_texts out = {.n = 0};
	char line[400] = "";

	assert_int_equal(sd_sweep_engine_command(engine, "n1", partition, &what, &out), 0);
	for (size_t i = 0; i < out.n; i++) {
		strcat(line, i ? "|" : "");
		strcat(line, out.text[i]);
	}
	assert_string_equal(line, expected);
	sd_texts_free(&out);
}

static void each_engine_has_its_command(void **state)
{
	(void)state;
	expect_command(SD_SWEEP_SRUN, "long",
		"srun|--nodes=1|--ntasks=1|--exclusive|--mem=0|--cpu-bind=none|--quiet|"
		"--nodelist=n1|--partition=long|/opt/it's/scalediag|calibrate");
	expect_command(
		SD_SWEEP_CLUSH, NULL, "clush|-N|-S|-q|-w|n1|'/opt/it'\\''s/scalediag'|'calibrate'");
	expect_command(
		SD_SWEEP_PDSH, NULL, "pdsh|-N|-S|-w|n1|'/opt/it'\\''s/scalediag'|'calibrate'");
	expect_command(SD_SWEEP_SSH, NULL,
		"ssh|-o|BatchMode=yes|-T|n1|'/opt/it'\\''s/scalediag'|'calibrate'");
}

/* ---- running --------------------------------------------------------------------------------- */

struct seen {
	const char *script;
	size_t n, failed;
	char why[256], printed[64];
	int stop_after;
};

static int command(void *ctx, const char *host, struct sd_texts *argv)
{
	const struct seen *const seen = ctx;
	int rc = sd_texts_add(argv, "sh");

	rc = rc ? rc : sd_texts_add(argv, "-c");
	rc = rc ? rc : sd_texts_add(argv, "%s", seen->script);
	rc = rc ? rc : sd_texts_add(argv, "sh");
	return rc ? rc : sd_texts_add(argv, "%s", host);
}

static int done(void *ctx, const struct sd_sweep_outcome *o)
{
	struct seen *const seen = ctx;

	seen->n++;
	if (o->why[0]) {
		seen->failed++;
		snprintf(seen->why, sizeof seen->why, "%s", o->why);
	}
	snprintf(seen->printed, sizeof seen->printed, "%s", o->printed);
	return seen->stop_after && (int)seen->n == seen->stop_after ? -ENOSPC : 0;
}

static int run(struct seen *seen, unsigned at_once, double timeout)
{
	char one[] = "1", two[] = "2", three[] = "3", *hosts[] = {one, two, three};
	const struct sd_texts all = {hosts, 3};
	const struct sd_sweep sweep = {.hosts = &all,
		.at_once = at_once,
		.timeout = timeout,
		.command = command,
		.done = done,
		.ctx = seen};
	const int rc = sd_sweep_run(&sweep);

	/* nothing is left behind */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	return rc;
}

static void each_node_has_its_outcome(void **state)
{
	struct seen seen = {.script = "echo node $1; [ $1 != 2 ] || { echo first >&2; echo 'no "
				      "such node' >&2; exit 3; }"};

	(void)state;
	assert_int_equal(run(&seen, 1, 60), 0);
	assert_int_equal(seen.n, 3);
	assert_int_equal(seen.failed, 1);
	assert_string_equal(seen.why, "no such node");
	assert_string_equal(seen.printed, "node 3\n");
	seen = (struct seen){.script = "kill -9 $$"};
	assert_int_equal(run(&seen, 3, 60), 0);
	assert_int_equal(seen.failed, 3);
	assert_string_equal(seen.why, "ended by signal 9");
}

/* Neither pipes nor a process are to be had: that is said of each node. */
static void one_that_cannot_be_started_is_told(void **state)
{
	struct seen seen = {.script = "echo node $1"};
	struct rlimit all, few;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
	few = (struct rlimit){0, all.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(run(&seen, 2, 60), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &all), 0);
	assert_int_equal(seen.n, 3);
	assert_int_equal(seen.failed, 3);
	assert_non_null(strstr(seen.why, "no process can be started here: Too many open files"));
}

static void one_that_does_not_end_is_ended(void **state)
{
	struct seen seen = {.script = "[ $1 = 1 ] || exit 0; sleep 600"};

	(void)state;
	assert_int_equal(run(&seen, 3, 1), 0);
	assert_int_equal(seen.n, 3);
	assert_int_equal(seen.failed, 1);
	assert_string_equal(seen.why, "it took too long");
}

static void an_error_ends_the_others(void **state)
{
	struct seen seen = {.script = "[ $1 = 1 ] || sleep 600", .stop_after = 1};

	(void)state;
	assert_int_equal(run(&seen, 3, 600), -ENOSPC);
	assert_int_equal(seen.n, 1);
}

static void one_command_is_run_alone(void **state)
{
	char sh[] = "sh", c[] = "-c", script[] = "echo yes; cat", *words[] = {sh, c, script};
	const struct sd_texts argv = {words, 3};
	char why[256], *text;
	size_t size;

	(void)state;
	/* its input is empty: cat ends */
	assert_int_equal(sd_sweep_run_one(&argv, 60, NULL, &text, &size, why), 0);
	assert_string_equal(text, "yes\n");
	assert_int_equal(size, 4);
	free(text);
	snprintf(script, sizeof script, "exit 5");
	assert_int_equal(sd_sweep_run_one(&argv, 60, NULL, &text, &size, why), -ECHILD);
	assert_string_equal(why, "exit status 5");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_read_from_files_of_several_kinds),
		cmocka_unit_test(no_other_word_is_a_name),
		cmocka_unit_test(nodes_of_slurm_that_are_down_are_told_apart),
		cmocka_unit_test(each_engine_has_its_command),
		cmocka_unit_test(each_node_has_its_outcome),
		cmocka_unit_test(one_that_cannot_be_started_is_told),
		cmocka_unit_test(one_that_does_not_end_is_ended),
		cmocka_unit_test(an_error_ends_the_others),
		cmocka_unit_test(one_command_is_run_alone),
	};

	return cmocka_run_group_tests_name("sweep", tests, NULL, NULL);
}
