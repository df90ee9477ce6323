#include "attach/counter_command.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "launch/command_words.h"
#include "launch/launch.h"

#define ANY_NUMBER "([0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?)"
#define TIMEOUT_S 10 /* it asks a service that is under load */

/* It ended well, or why not. */
static int judge(
	const struct sd_counter_command *c, const struct sd_run *run, const struct sd_sink *sink)
{
	if (run->end == SD_END_EXITED && run->code == 0)
		return 0;
	sd_say(sink, SD_LEVEL_ERROR, "--rate-command %s %s %d; what it printed is in %s",
		c->words[0],
		run->end == SD_END_EXITED      ? "ended with status"
		: run->end == SD_END_SIGNALLED ? "was killed by signal"
					       : "timed out, killed by signal",
		run->code, c->output);
	return -ENODATA;
}

static int read_count(void *ctx, double *count, uint64_t *when, const struct sd_sink *sink)
{
	const struct sd_counter_command *const c = ctx;
	const struct sd_launch l = {.argv = c->words,
		.envp = environ,
		.timeout_s = TIMEOUT_S,
		.stdout_path = c->output,
		.stop = c->stop};
	const uint64_t before = sd_clock_ns();
	struct sd_run run = {0};
	char text[64];
	int rc = sd_launch(&l, &run, sink);

	if (!rc)
		rc = judge(c, &run, sink);
	if (!rc) { /* it asked somewhere between its start and its end */
		*when = before + (uint64_t)(run.metric[SD_METRIC_WALL].value * .5e9);
		rc = sd_printed_rate_read(&c->number, c->output, count, text, sizeof text);
		if (rc)
			sd_say(sink, SD_LEVEL_ERROR,
				"--rate-command %s printed no number above 0%s: see %s",
				c->words[0], rc == -ERANGE ? " where --rate looks for it" : "",
				c->output);
		rc = rc ? -ENODATA : 0;
	}
	sd_run_free(&run);
	return rc;
}

int sd_counter_command_open(struct sd_counter_command *c, const char *command, const char *pattern,
	const char *output, const volatile sig_atomic_t *stop, const struct sd_sink *sink)
{
	int rc;

	*c = (struct sd_counter_command){.output = output, .stop = stop};
	rc = sd_command_words_split(command, "--rate-command", &c->words, sink);
	if (!rc)
		rc = sd_printed_rate_open(&c->number, pattern ? pattern : ANY_NUMBER, sink);
	if (rc) {
		sd_command_words_free(c->words);
		*c = (struct sd_counter_command){0};
		return rc;
	}
	c->counter = (struct sd_work_counter){.read = read_count, .ctx = c};
	return 0;
}

void sd_counter_command_close(struct sd_counter_command *c)
{
	if (!c->words)
		return;
	sd_command_words_free(c->words);
	sd_printed_rate_close(&c->number);
	*c = (struct sd_counter_command){0};
}
