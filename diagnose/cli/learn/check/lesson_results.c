#include "check/lesson_results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "launch/command_words.h"
#include "learn/child_process.h"
#include "learn/lesson_size.h"

#define PRINTED_MOST ((size_t)4 << 20) /* bytes that are compared */
#define HANGS 60                       /* s: so long no program of a lesson takes */
#define WORDS 16

/* The arguments with which results are compared: few, and a last number that nobody foresees. */
static char *result_args(const struct sd_lesson *l, unsigned size, unsigned count)
{
	const char *const few = l->results ? l->results : l->simulate ? l->simulate : l->stand_in;
	char *const text = sd_lesson_size_with(few ? few : "", "{n}", count);
	char *const last = text ? strrchr(text, ' ') : NULL;
	char *const number = last ? last + 1 : text;
	char *out = NULL;

	if (size && number && *number &&
		asprintf(&out, "%.*s%lu", (int)(number - text), text,
			2 * strtoul(number, NULL, 10) + 1) < 0)
		out = NULL;
	if (!out)
		return text;
	free(text);
	return out;
}

/* Runs a program once. *text, which the caller frees, is what it printed. Its status. */
static enum sd_exit print_results(const struct sd_lesson_folder *room, unsigned size,
	unsigned count, unsigned char **text, size_t *n)
{
	char *const program = sd_lesson_folder_path(room, SD_BROKEN, "");
	char *const args = result_args(room->lesson, size, count);
	const int out = memfd_create("printed", MFD_CLOEXEC);
	char launcher[] = SD_LESSON_MPI_LAUNCHER, n_is[] = "-n", ranks[16], *argv[WORDS + 5];
	char **words = NULL;
	enum sd_exit status = SD_EXIT_MEASURE;
	size_t k = 0;

	snprintf(ranks, sizeof ranks, "%u", count);
	setenv("OMP_NUM_THREADS", ranks, 1);
	if (program && args && out >= 0 &&
		sd_command_words_split(args, "args", &words, room->cli->sink) == 0) {
		if (room->lesson->need == SD_LESSON_NEEDS_MPI) {
			argv[k++] = launcher;
			argv[k++] = n_is;
			argv[k++] = ranks;
		}
		argv[k++] = program;
		for (size_t i = 0; i < WORDS && words[i]; i++)
			argv[k++] = words[i];
		argv[k] = NULL;
		status = sd_child_process_limited(
			room->cli, argv[0], argv, room->folder, out, HANGS);
		*text = sd_regular_file_read(out, PRINTED_MOST, n);
	}
	unsetenv("OMP_NUM_THREADS");
	sd_command_words_free(words);
	if (out >= 0)
		close(out);
	free(args);
	free(program);
	return status;
}

enum sd_exit sd_lesson_results_make(
	struct sd_lesson_results *r, const struct sd_lesson_folder *room, unsigned granted)
{
	const int mpi = room->lesson->need == SD_LESSON_NEEDS_MPI;
	enum sd_exit status = SD_EXIT_DONE;

	/* MPI may not start more ranks than there are CPUs */
	*r = (struct sd_lesson_results){.counts = mpi && granted < SD_LESSON_RESULTS_COUNTS
							  ? granted
							  : SD_LESSON_RESULTS_COUNTS};
	for (unsigned size = 0; size < SD_LESSON_RESULTS_SIZES; size++)
		for (unsigned i = 0; i < r->counts && status == SD_EXIT_DONE; i++) {
			struct sd_lesson_printed *const p = &r->of[size][i];

			p->status = print_results(room, size, i + 1, &p->text, &p->size);
			status = p->status;
		}
	if (status == SD_EXIT_DONE)
		return status;
	sd_say(room->cli->sink, SD_LEVEL_ERROR, "the lesson's own broken.c does not run here");
	return *room->cli->stop ? SD_EXIT_INTERRUPTED : SD_EXIT_MEASURE;
}

int sd_lesson_results_same(const struct sd_lesson_results *r, const struct sd_lesson_folder *room,
	char *why, size_t bytes)
{
	for (unsigned size = 0; size < SD_LESSON_RESULTS_SIZES; size++)
		for (unsigned i = 0; i < r->counts && !*room->cli->stop; i++) {
			unsigned char *text = NULL;
			size_t n = 0;
			const enum sd_exit status = print_results(room, size, i + 1, &text, &n);
			const int same = text && status == r->of[size][i].status &&
					 n == r->of[size][i].size &&
					 memcmp(text, r->of[size][i].text, n) == 0;
			char *const args = result_args(room->lesson, size, i + 1);

			free(text);
			if (!same)
				snprintf(why, bytes,
					"it does not do what broken.c does, with %u at a time: %s %s",
					i + 1,
					status == r->of[size][i].status
						? "it prints something else, of"
						: "it fails or hangs, of",
					args ? args : "");
			free(args);
			if (!same)
				return 0;
		}
	return 1;
}

void sd_lesson_results_free(struct sd_lesson_results *r)
{
	for (unsigned size = 0; size < SD_LESSON_RESULTS_SIZES; size++)
		for (unsigned i = 0; i < SD_LESSON_RESULTS_COUNTS; i++)
			free(r->of[size][i].text);
	*r = (struct sd_lesson_results){0};
}
