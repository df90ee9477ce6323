#include "learn/lesson_attach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "launch/command_words.h"
#include "learn/child_process.h"
#include "learn/lesson_size.h"

#define WORDS 16
#define REPORT_S 10 /* in which a service has reported what it has done */
#define LOOK_MS 20
#define HEAD 4096 /* bytes of its markers, in which the first names stand */

/* The service, started; -1 after a message. */
static pid_t start(const struct sd_lesson_folder *c, int version, unsigned granted)
{
	char *const program = sd_lesson_folder_path(c, version, "");
	char *const markers = sd_lesson_folder_path(c, version, ".markers");
	char *const args = sd_lesson_size_with(c->lesson->args, "{n}", granted);
	char **words = NULL, *argv[WORDS + 2] = {program};
	pid_t pid = -1;

	if (!program || !markers || !args)
		sd_say(c->cli->sink, SD_LEVEL_ERROR, "out of memory");
	else if (sd_command_words_split(args, "args", &words, c->cli->sink) == 0) {
		for (size_t i = 0; i < WORDS && words[i]; i++)
			argv[i + 1] = words[i];
		pid = sd_child_process_start(c->cli, program, argv, "SCALEDIAG_MARKERS", markers);
	}
	sd_command_words_free(words);
	free(args);
	free(markers);
	free(program);
	return pid;
}

/* Waits until the service has reported, as attach asks for by that name. */
static void await_report(const struct sd_lesson_folder *c, int version, const char *name)
{
	char *const markers = sd_lesson_folder_path(c, version, ".markers");
	int found = !markers;

	for (int i = 0; i < REPORT_S * 1000 / LOOK_MS && !found && !*c->cli->stop; i++) {
		const int fd = sd_regular_file_open(markers, 0, NULL);
		char head[HEAD];

		if (fd >= 0) {
			const size_t n = sd_regular_file_bytes(fd, head, sizeof head, 0);

			found = memmem(head, n, name, strlen(name) + 1) != NULL;
			close(fd);
		}
		if (!found)
			usleep(LOOK_MS * 1000);
	}
	free(markers);
}

enum sd_exit sd_lesson_attach_measure(
	const struct sd_lesson_folder *c, int version, const char *cores, unsigned granted)
{
	char command[] = "attach", window_is[] = "--window", cores_are[] = "--cores",
	     powers[] = "powers", progress_is[] = "--progress", requests[] = "requests",
	     record_is[] = "-o", window[16], number[16];
	char *const record = sd_lesson_folder_path(c, version, ".json");
	char *const counts = cores ? strdup(cores) : strdup(powers);
	const pid_t pid = record && counts ? start(c, version, granted) : -1;
	char *argv[] = {command, window_is, window, cores_are, counts, progress_is, requests,
		record_is, record, number, NULL};
	enum sd_exit status = SD_EXIT_MEASURE;

	snprintf(window, sizeof window, "%u", c->lesson->window);
	snprintf(number, sizeof number, "%d", (int)pid);
	if (pid >= 0)
		await_report(c, version, requests);
	if (pid >= 0)
		status = sd_child_process_run(c->cli, (int)(sizeof argv / sizeof *argv) - 1, argv);
	sd_child_process_end(pid);
	free(counts);
	free(record);
	return status;
}
