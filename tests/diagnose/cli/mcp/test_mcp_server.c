/*
 * The server where nobody can be answered: it ends, and says why.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "mcp/mcp_server.h"

#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"

static void keep(void *ctx, enum sd_level level, const char *text)
{
	(void)level;
	snprintf(ctx, 256, "%s", text);
}

/* Serves one ping whose answer goes to the file. */
static enum sd_exit serve(const char *out, char said[256])
{
	static const volatile sig_atomic_t stop;
	const struct sd_sink sink = {keep, said};
	const struct sd_cli cli = {.sink = &sink, .stop = &stop};
	const struct sd_mcp_limits limits = {.folder = "/tmp", .timeout_s = 10};
	const int in_before = dup(STDIN_FILENO), out_before = dup(STDOUT_FILENO);
	const int to = open(out, O_WRONLY);
	enum sd_exit status;
	int p[2];

	*said = '\0';
	fflush(stdout);
	assert_true(in_before >= 0 && out_before >= 0 && to >= 0);
	assert_int_equal(pipe(p), 0);
	assert_int_equal(write(p[1], PING, sizeof PING - 1), sizeof PING - 1);
	close(p[1]);
	assert_true(dup2(p[0], STDIN_FILENO) >= 0 && dup2(to, STDOUT_FILENO) >= 0);
	status = sd_mcp_server_run(&cli, &limits);
	fflush(stdout);
	clearerr(stdout);
	assert_true(dup2(in_before, STDIN_FILENO) >= 0 && dup2(out_before, STDOUT_FILENO) >= 0);
	close(in_before);
	close(out_before);
	close(to);
	close(p[0]);
	return status;
}

static void an_answer_that_cannot_be_written_is_said(void **state)
{
	char said[256];

	(void)state;
	assert_int_equal(serve("/dev/null", said), SD_EXIT_DONE);
	assert_string_equal(said, "");
	assert_int_equal(serve("/dev/full", said), SD_EXIT_MEASURE);
	assert_non_null(strstr(said, "standard output: No space left"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_that_cannot_be_written_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
