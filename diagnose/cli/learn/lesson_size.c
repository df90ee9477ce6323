#include "learn/lesson_size.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "launch/command_words.h"
#include "launch/program_path.h"
#include "learn/child_process.h"
#include "page/page.h"

/* s; what the longest run is to take. */
#define RUN_S 1.0
/* s; of a shorter run most may be its start. */
#define TOLD_S .1
/* A run that tells nothing yet is tried with so many times the work. */
#define STEP 8
#define STEPS 5

#define WORDS 16

char *sd_lesson_size_with(const char *text, const char *name, unsigned long value)
{
	char *out = NULL;
	size_t size;
	FILE *const f = open_memstream(&out, &size);

	if (!f)
		return NULL;
	for (const char *at; (at = strstr(text, name)); text = at + strlen(name))
		fprintf(f, "%.*s%lu", (int)(at - text), text, value);
	fputs(text, f);
	return sd_page_written(f, &out);
}

/* Runs broken.c once, on one CPU where `cores` is 1. */
static enum sd_exit run_once(
	const struct sd_lesson_folder *c, unsigned cores, unsigned long size, double *seconds)
{
	char *const sized = sd_lesson_size_with(c->lesson->args, SD_LESSON_SIZE, size);
	char *const args = sized ? sd_lesson_size_with(sized, "{n}", cores) : NULL;
	char *const program = sd_lesson_folder_path(c, SD_BROKEN, "");
	char **words = NULL, *argv[WORDS + 5] = {program};
	char *launcher = NULL, ranks[16], n_is[] = "-n";
	enum sd_exit status = SD_EXIT_MEASURE;
	size_t at = 0;
	cpu_set_t one;
	const double begun = sd_clock_s();

	CPU_ZERO(&one);
	CPU_SET((size_t)(sched_getcpu() < 0 ? 0 : sched_getcpu()), &one);
	if (!args || !program)
		sd_say(c->cli->sink, SD_LEVEL_ERROR, "out of memory");
	else if (sd_command_words_split(args, "args", &words, c->cli->sink) == 0) {
		if (c->lesson->need == SD_LESSON_NEEDS_MPI &&
			sd_program_path_find(
				SD_LESSON_MPI_LAUNCHER, NULL, environ, &launcher, NULL) == 0) {
			snprintf(ranks, sizeof ranks, "%u", cores);
			argv[at++] = launcher;
			argv[at++] = n_is;
			argv[at++] = ranks;
			argv[at] = program;
		}
		for (size_t i = 0; i < WORDS && words[i]; i++)
			argv[++at] = words[i];
		status = sd_child_process_quiet(c->cli, argv[0], argv, cores == 1 ? &one : NULL);
	}
	*seconds = sd_clock_s() - begun;
	if (status != SD_EXIT_DONE && status != SD_EXIT_INTERRUPTED) {
		sd_say(c->cli->sink, SD_LEVEL_ERROR, "%s of this lesson does not run: status %d",
			program ? program : "broken", (int)status);
		status = SD_EXIT_MEASURE;
	}
	sd_command_words_free(words);
	free(launcher);
	free(program);
	free(args);
	free(sized);
	return status;
}

/* Two digits: nobody reads a measurement into it. */
static unsigned long rounded(double size)
{
	const double digit = pow(10, fmax(0, floor(log10(size)) - 1));

	return (unsigned long)fmin(SD_LESSON_SIZE_MOST, fmax(1, round(size / digit) * digit));
}

enum sd_exit sd_lesson_size_find(const struct sd_lesson_folder *c, unsigned cores, char **args)
{
	unsigned long size = c->lesson->begin;
	double longest = 0, launch = 0;

	*args = NULL;
	if (!size)
		return SD_EXIT_DONE;
	/* ranks take long to start: that is not of the work */
	if (c->lesson->need == SD_LESSON_NEEDS_MPI) {
		const enum sd_exit status = run_once(c, cores, 1, &launch);

		if (status != SD_EXIT_DONE)
			return status;
	}
	for (unsigned step = 0; longest < launch + TOLD_S && step < STEPS; step++) {
		if (step)
			size = rounded((double)size * STEP);
		for (unsigned all = 0; all < 2; all++) {
			double seconds;
			const enum sd_exit status = run_once(c, all ? cores : 1, size, &seconds);

			if (status != SD_EXIT_DONE)
				return status;
			longest = fmax(longest, seconds);
		}
	}
	*args = sd_lesson_size_with(c->lesson->args, SD_LESSON_SIZE,
		rounded((double)size * RUN_S / fmax(TOLD_S, longest - launch)));
	if (!*args)
		sd_say(c->cli->sink, SD_LEVEL_ERROR, "out of memory");
	return *args ? SD_EXIT_DONE : SD_EXIT_MEASURE;
}
