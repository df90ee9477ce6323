#include "run/submit_job.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* The word as a shell takes it, whatever is in it. */
static void put_word(FILE *f, const char *word)
{
	fputs(" '", f);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (const char[]){*word, '\0'}, f);
	fputc('\'', f);
}

/* No other option begins like it: a shorter one is ambiguous. */
static int is_submit(const char *word)
{
	return strncmp(word, "--su", 4) == 0;
}

static void put_script(FILE *f, const struct sd_options *o, int argc, char **argv)
{
	struct sd_rank_shape most = {1, 1, 1};
	char self[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	int options = 1;

	for (size_t i = 0; i < o->n_count; i++) {
		most.ranks = o->shape[i].ranks > most.ranks ? o->shape[i].ranks : most.ranks;
		most.threads =
			o->shape[i].threads > most.threads ? o->shape[i].threads : most.threads;
		most.nodes = o->shape[i].nodes > most.nodes ? o->shape[i].nodes : most.nodes;
	}
	fprintf(f,
		"#!/bin/sh\n#SBATCH --job-name=scalediag\n#SBATCH --nodes=%u\n#SBATCH --ntasks=%u\n"
		"#SBATCH --cpus-per-task=%u\nexec",
		most.nodes, most.ranks, most.threads);
	self[n > 0 ? n : 0] = '\0';
	put_word(f, n > 0 ? self : "scalediag");
	fputs(" run", f);
	for (int i = 1; i < argc; i++) {
		options &= argv[i] != o->argv[0];
		if (!options || !is_submit(argv[i]))
			put_word(f, argv[i]);
	}
	fputc('\n', f);
}

/* An open file that holds the script, at its beginning; -errno. */
static int make_script(const struct sd_options *o, int argc, char **argv)
{
	const int fd = memfd_create("script", MFD_CLOEXEC);
	FILE *const f = fd < 0 ? NULL : fdopen(dup(fd), "w");
	int rc = f ? 0 : -errno;

	if (f) {
		put_script(f, o, argc, argv);
		rc = fclose(f) ? -errno : 0;
	}
	if (!rc && lseek(fd, 0, SEEK_SET) < 0)
		rc = -errno;
	if (rc && fd >= 0)
		close(fd);
	return rc ? rc : fd;
}

/* The exit status of sbatch with this standard input; -errno. */
static int run_sbatch(int script)
{
	char *const argv[] = {(char[]){"sbatch"}, NULL};
	posix_spawn_file_actions_t actions;
	int status = 0, rc;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, script, 0);
	rc = posix_spawnp(&pid, "sbatch", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (rc)
		return -rc;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

enum sd_exit sd_submit_job(
	const struct sd_options *o, int argc, char **argv, const struct sd_sink *sink)
{
	int script, rc;

	if (!o->shape || !o->argc) {
		sd_say(sink, SD_LEVEL_ERROR,
			"--submit: how large the job is comes from --ranks or --points; give one of them");
		return SD_EXIT_USAGE;
	}
	script = make_script(o, argc, argv);
	rc = script < 0 ? script : run_sbatch(script);
	if (script >= 0)
		close(script);
	if (rc == 0) {
		sd_say(sink, SD_LEVEL_NOTE,
			"when the job is done, scalediag report has its record; --resume goes on with one "
			"that was cancelled");
		return SD_EXIT_DONE;
	}
	if (rc == -ENOENT)
		sd_say(sink, SD_LEVEL_ERROR,
			"--submit: sbatch is not in PATH; without Slurm, run the command in the batch "
			"system's own script");
	else if (rc < 0)
		sd_say(sink, SD_LEVEL_ERROR, "--submit: sbatch cannot be started: %s",
			strerror(-rc));
	else
		sd_say(sink, SD_LEVEL_ERROR, "--submit: sbatch refused the job (status %d)", rc);
	return SD_EXIT_MEASURE;
}
