#include "commands/timed_pairs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/regular_file.h"
#include "base/statistics.h"
#include "launch/command_words.h"
#include "learn/child_process.h"

#define LEAST 5
#define MOST 25
#define PRINTED ((size_t)64 << 20) /* bytes that are compared */

/* Runs a side once. *seconds is its time. */
static enum sd_exit run_once(
	const struct sd_cli *cli, const struct sd_timed_side *s, int out, double *seconds)
{
	const double start = sd_clock_s();
	const enum sd_exit status = sd_child_process_into(cli, s->argv[0], s->argv, s->folder, out);

	*seconds = sd_clock_s() - start;
	if (status == SD_EXIT_DONE || *cli->stop)
		return *cli->stop ? SD_EXIT_INTERRUPTED : status;
	if ((int)status == 127)
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s cannot be started", s->called);
	else
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s ends with status %d, and not with 0",
			s->called, (int)status);
	return SD_EXIT_PROGRAM;
}

static enum sd_exit say_printed(const struct sd_cli *cli, const char *called, int error)
{
	sd_say(cli->sink, SD_LEVEL_ERROR, "%s: cannot keep what is printed: %s", called,
		strerror(error));
	return SD_EXIT_MEASURE;
}

/* The same, with what it prints. The caller frees *text. */
static enum sd_exit run_printing(
	const struct sd_cli *cli, const struct sd_timed_side *s, unsigned char **text, size_t *size)
{
	const int out = memfd_create("printed", MFD_CLOEXEC);
	enum sd_exit status;
	double seconds;

	if (out < 0)
		return say_printed(cli, s->called, errno);
	status = run_once(cli, s, out, &seconds);
	if (status == SD_EXIT_DONE && !(*text = sd_regular_file_read(out, PRINTED, size)))
		status = say_printed(cli, s->called, EFBIG);
	close(out);
	return status;
}

/* Runs a side once more, in place of what was printed before. */
static enum sd_exit run_again(
	const struct sd_cli *cli, const struct sd_timed_side *s, int out, double *seconds)
{
	if (ftruncate(out, 0) != 0 || lseek(out, 0, SEEK_SET) != 0)
		return say_printed(cli, s->called, errno);
	return run_once(cli, s, out, seconds);
}

/* Both once, and the one before a second time. */
static enum sd_exit look(const struct sd_cli *cli, struct sd_timed_pairs *p)
{
	unsigned char *text[3] = {NULL};
	size_t size[3] = {0};
	enum sd_exit status = SD_EXIT_DONE;

	for (unsigned i = 0; i < 3 && status == SD_EXIT_DONE; i++)
		status = run_printing(
			cli, &p->side[i == 1 ? SD_PAIR_AFTER : SD_PAIR_BEFORE], &text[i], &size[i]);
	if (status == SD_EXIT_DONE) {
		p->same = size[0] == size[1] && memcmp(text[0], text[1], size[0]) == 0;
		p->steady = size[0] == size[2] && memcmp(text[0], text[2], size[0]) == 0;
	}
	for (unsigned i = 0; i < 3; i++)
		free(text[i]);
	return status;
}

enum sd_exit sd_timed_pairs_run(const struct sd_cli *cli, struct sd_timed_pairs *p, double seconds)
{
	double time[2][MOST], ratio[MOST];
	const double start = sd_clock_s();
	const int out = memfd_create("printed", MFD_CLOEXEC);
	enum sd_exit status = out < 0 ? say_printed(cli, "both programs", errno) : look(cli, p);

	p->pairs = 0;
	while (status == SD_EXIT_DONE && p->pairs < MOST &&
		(p->pairs < LEAST || sd_clock_s() - start < seconds)) {
		const size_t i = p->pairs;

		for (unsigned k = 0; k < 2 && status == SD_EXIT_DONE; k++) {
			const unsigned side = (unsigned)(k + i) % 2;

			status = run_again(cli, &p->side[side], out, &time[side][i]);
		}
		if (status != SD_EXIT_DONE)
			break;
		ratio[i] = time[SD_PAIR_BEFORE][i] / time[SD_PAIR_AFTER][i];
		p->pairs++;
	}
	if (out >= 0)
		close(out);
	if (status != SD_EXIT_DONE) {
		p->pairs = 0;
		return status;
	}
	for (unsigned k = 0; k < 2; k++)
		p->side[k].seconds = sd_statistics_median(time[k], p->pairs);
	p->gain = sd_statistics_order_ratio(ratio, p->pairs);
	return SD_EXIT_DONE;
}

void sd_timed_pairs_say(const struct sd_timed_pairs *p, const char *subject, char *out, size_t size)
{
	const struct sd_interval g = p->gain;
	const int tells = g.low > 1 || g.high < 1;

	snprintf(out, size,
		"%s%s is %.2fx as fast (%.2fx to %.2fx, %zu pairs), %.3g s instead of %.3g s%s",
		tells ? "" : "no difference that can be told: ", subject, g.value, g.low, g.high,
		p->pairs, p->side[SD_PAIR_AFTER].seconds, p->side[SD_PAIR_BEFORE].seconds,
		p->same     ? "; both print the same"
		: p->steady ? "; THEY PRINT DIFFERENT THINGS"
			    : "; what is printed differs from run to run");
}

int sd_timed_pairs_program(const char *command, char ***argv)
{
	char head[2] = "";
	struct stat st;
	int fd, rc = sd_command_words_split(command, "", argv, NULL);

	if (rc)
		return rc == -ENOMEM ? rc : 0;
	fd = sd_regular_file_open(**argv, 0, &st);
	if (fd < 0)
		return 0;
	rc = sd_regular_file_bytes(fd, head, sizeof head, 0) == sizeof head && *head != '{' &&
	     access(**argv, X_OK) == 0;
	close(fd);
	return rc;
}
