#include "learn/lesson_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "learn/child_process.h"
#include "output/folder_removal.h"
#include "output/output_file.h"
#include "launch/program_path.h"
#include "launch/command_words.h"

/* Words of a command line at most; lessons have few. */
#define WORDS 64

const char *const sd_lesson_folder_version[SD_VERSIONS] = {"broken", "fixed"};

char *sd_lesson_folder_path(const struct sd_lesson_folder *c, int version, const char *suffix)
{
	char *path;

	return asprintf(&path, "%s/%s%s", c->folder, sd_lesson_folder_version[version], suffix) < 0
		       ? NULL
		       : path;
}

/* A part of a lesson: text without an end. */
struct part {
	const char *text;
	size_t size;
};

static int put_part(FILE *f, const void *data)
{
	const struct part *const p = data;

	return fwrite(p->text, 1, p->size, f) == p->size ? 0 : -EIO;
}

int sd_lesson_folder_write(const char *folder, const char *name, const char *text, size_t size,
	const struct sd_sink *sink)
{
	const struct part part = {text, size};
	char *path;
	int rc;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return -ENOMEM;
	rc = sd_output_file_write(path, SD_OUTPUT_LESSON, put_part, &part, sink);
	free(path);
	return rc;
}

int sd_lesson_folder_write_sources(const char *folder, const struct sd_lesson_files *files,
	const struct sd_lesson *l, const struct sd_sink *sink)
{
	int rc = sd_lesson_folder_write(folder, "broken.c", files->broken,
		(size_t)(files->broken_end - files->broken), sink);

	if (!rc)
		rc = sd_lesson_folder_write(folder, "fixed.c", files->fixed,
			(size_t)(files->fixed_end - files->fixed), sink);
	if (!rc && l->window)
		rc = sd_lesson_folder_write(folder, "scalediag.h", sd_lesson_header,
			(size_t)((uintptr_t)sd_lesson_header_end - (uintptr_t)sd_lesson_header),
			sink);
	return rc;
}

/* Under a name that nobody uses, noted before it is there. 0 or -errno. */
static int make_folder(struct sd_lesson_folder *c)
{
	const char *const tmp = getenv("TMPDIR");
	int rc;

	do {
		uint64_t r;

		sd_leftover_note_close(&c->note);
		free(c->folder);
		c->folder = NULL;
		if (getrandom(&r, sizeof r, 0) != sizeof r)
			return -EIO;
		if (asprintf(&c->folder, "%s/scalediag-learn-%016" PRIx64,
			    tmp && *tmp ? tmp : "/tmp", r) < 0) {
			c->folder = NULL;
			return -ENOMEM;
		}
		sd_leftover_note_open(&c->note, SD_LEFTOVER_FOLDER, c->folder);
		rc = mkdir(c->folder, 0700) == 0 ? 0 : -errno;
	} while (rc == -EEXIST);
	return rc;
}

enum sd_exit sd_lesson_folder_open(struct sd_lesson_folder *c, const struct sd_cli *cli,
	const struct sd_lesson_files *files, const struct sd_lesson *lesson)
{
	int rc;

	*c = (struct sd_lesson_folder){.cli = cli, .files = files, .lesson = lesson};
	rc = make_folder(c);
	if (rc) {
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"%s: %s; name another folder for temporary files in TMPDIR",
			c->folder ? c->folder : "scalediag-learn", strerror(-rc));
		sd_leftover_note_close(&c->note);
		free(c->folder);
		c->folder = NULL;
		return SD_EXIT_MEASURE;
	}
	return sd_lesson_folder_write_sources(c->folder, files, lesson, cli->sink) ? SD_EXIT_MEASURE
										   : SD_EXIT_DONE;
}

void sd_lesson_folder_close(struct sd_lesson_folder *c)
{
	if (c->folder)
		(void)sd_folder_removal_at(AT_FDCWD, c->folder);
	sd_leftover_note_close(&c->note);
	free(c->folder);
	c->folder = NULL;
}

/* ---- the compiler ---------------------------------------------------------------------------- */

static enum sd_exit compile(
	const struct sd_lesson_folder *c, const char *cc, char **flags, int version)
{
	char *const source = sd_lesson_folder_path(c, version, ".c");
	char *const program = sd_lesson_folder_path(c, version, "");
	char g[] = "-g", o[] = "-o", lm[] = "-lm", *argv[WORDS + 8] = {NULL};
	enum sd_exit status = SD_EXIT_MEASURE;
	size_t n = 1;

	argv[0] = strdup(cc);
	while (*flags && n < WORDS)
		argv[n++] = *flags++;
	argv[n++] = g;
	argv[n++] = o;
	argv[n++] = program;
	argv[n++] = source;
	argv[n++] = lm;
	if (!argv[0] || !source || !program)
		goto out;
	status = sd_child_process_exec(c->cli, cc, argv);
	if (status != SD_EXIT_DONE && status != SD_EXIT_INTERRUPTED) {
		sd_say(c->cli->sink, SD_LEVEL_ERROR,
			"%s %s: could not compile %s.c of this lesson; another compiler can be "
			"named in CC",
			cc, c->lesson->flags, sd_lesson_folder_version[version]);
		status = SD_EXIT_MEASURE;
	}
out:
	free(argv[0]);
	free(source);
	free(program);
	return status;
}

/* The words of the compiler, which may be several ("ccache gcc"), and of the lesson's flags. 0, or
 * what was said. */
static int split_compiler(const struct sd_lesson_folder *c, const char *cc, char ***words)
{
	char *line;
	int rc;

	if (asprintf(&line, "%s %s", cc, c->lesson->flags) < 0) {
		sd_say(c->cli->sink, SD_LEVEL_ERROR, "out of memory");
		return -ENOMEM;
	}
	rc = sd_command_words_split(line, "CC", words, c->cli->sink);
	free(line);
	return rc;
}

enum sd_exit sd_lesson_folder_compile(const struct sd_lesson_folder *c)
{
	const int mpi = c->lesson->need == SD_LESSON_NEEDS_MPI;
	const char *const wanted = mpi ? NULL : getenv("CC");
	char *path = NULL, **words = NULL;
	enum sd_exit status = SD_EXIT_MEASURE;

	if (split_compiler(c,
		    mpi                 ? SD_LESSON_MPI_COMPILER
		    : wanted && *wanted ? wanted
					: "cc",
		    &words) != 0)
		return status;
	if (sd_program_path_find(words[0], NULL, environ, &path, NULL) < 0)
		sd_say(c->cli->sink, SD_LEVEL_ERROR,
			mpi ? "no MPI: '%s' is not there. Install one (Debian: apt-get install gcc "
			      "openmpi-bin libopenmpi-dev); --no-run shows the lesson without"
			    : "no C compiler: '%s' is not there. Install one (Debian: apt-get "
			      "install gcc libc6-dev), or name one in CC; --no-run shows the lesson "
			      "without",
			words[0]);
	else
		status = SD_EXIT_DONE;
	for (int v = 0; v < SD_VERSIONS && status == SD_EXIT_DONE; v++)
		status = compile(c, path, words + 1, v);
	sd_command_words_free(words);
	free(path);
	return status;
}

/* ---- the runs -------------------------------------------------------------------------------- */

/* The words of `run`, on the stack of the caller; what they point to lives longer. */
struct line {
	char *argv[WORDS + 1];
	int n;
};

static void add(struct line *l, const char *word)
{
	/* argp takes char **, and changes the order of the words, not the words */
	if (l->n < WORDS)
		l->argv[l->n++] = (char *)(uintptr_t)word; /* NOLINT(performance-no-int-to-ptr) */
}

static enum sd_exit measure(const struct sd_lesson_folder *c, int version, const char *suffix,
	const char *args, struct line *line)
{
	char *const record = sd_lesson_folder_path(c, version, suffix);
	char *const program = sd_lesson_folder_path(c, version, "");
	enum sd_exit status = SD_EXIT_MEASURE;
	char **words = NULL;

	if (!record || !program) {
		sd_say(c->cli->sink, SD_LEVEL_ERROR, "out of memory");
	} else if (!args || sd_command_words_split(args, "args", &words, c->cli->sink) == 0) {
		add(line, "--cwd");
		add(line, c->folder);
		add(line, "-o");
		add(line, record);
		add(line, "--");
		if (c->lesson->need == SD_LESSON_NEEDS_MPI) {
			add(line, SD_LESSON_MPI_LAUNCHER);
			add(line, "-n");
			add(line, "{ranks}");
		}
		add(line, program);
		for (char **w = words; w && *w; w++)
			add(line, *w);
		status = sd_child_process_run(c->cli, line->n, line->argv);
		if (status == SD_EXIT_MEASURE)
			sd_say(c->cli->sink, SD_LEVEL_NOTE,
				"the files of this lesson are in %s; another place can be named in TMPDIR",
				c->folder);
	}
	sd_command_words_free(words);
	free(record);
	free(program);
	return status;
}

enum sd_exit sd_lesson_folder_measure(const struct sd_lesson_folder *c, int version,
	const char *args, const char *cores, unsigned budget)
{
	struct line line = {0};
	char seconds[16];

	snprintf(seconds, sizeof seconds, "%u", budget);
	add(&line, "run");
	add(&line, c->lesson->need == SD_LESSON_NEEDS_MPI ? "--ranks" : "--cores");
	/* ranks are given as numbers */
	add(&line, cores ? cores : c->lesson->need == SD_LESSON_NEEDS_MPI ? "1,2" : "powers");
	add(&line, "--budget");
	add(&line, seconds);
	add(&line, "--experiments");
	add(&line, c->lesson->experiments ? c->lesson->experiments : "none");
	return measure(c, version, ".json", args, &line);
}

enum sd_exit sd_lesson_folder_simulate(
	const struct sd_lesson_folder *c, int version, const char *args, unsigned budget)
{
	const struct sd_lesson *const l = c->lesson;
	struct line line = {0};
	char seconds[16];

	snprintf(seconds, sizeof seconds, "%u", budget);
	add(&line, "run");
	add(&line, "--events");
	add(&line, "sim");
	add(&line, "--budget");
	add(&line, seconds);
	add(&line, "--cores");
	add(&line, l->sim_cores ? l->sim_cores : "1,2");
	add(&line, "--repeats");
	add(&line, "1");
	add(&line, "--experiments");
	add(&line, "none");
	add(&line, "--samples");
	add(&line, "none");
	if (l->machine) {
		add(&line, "--machine");
		add(&line, l->machine);
	}
	return measure(c, version, ".sim.json", args, &line);
}
