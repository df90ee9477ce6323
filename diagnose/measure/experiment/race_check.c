#include "experiment/race_check.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment/valgrind_races.h"
#include "plan/schedule.h"

/* Helgrind lets one thread run at a time and is 20 to 100 times as slow; s at least. */
#define SLOWER 300.0
#define PATIENCE_S 60.0

/* A file of more bytes has more errors than anybody reads. */
#define FILE_MOST ((size_t)64 << 20)

static double longest(const struct sd_arm_round *r, size_t point)
{
	const double cpu =
		sd_schedule_wall(r->t->record, point) * (double)r->plan->point[point].cpus.n;

	return fmax(PATIENCE_S, SLOWER * (isfinite(cpu) ? cpu : 0));
}

/* Beside the record, from the root: the program may be anywhere. NULL: out of memory. */
static char *output_path(const struct sd_arm_round *r)
{
	char *const beside = sd_trial_beside(r->t, "races");
	char *folder, *path = NULL;

	if (!beside || *beside == '/')
		return beside;
	folder = getcwd(NULL, 0);
	if (folder && asprintf(&path, "%s/%s", folder, beside) < 0)
		path = NULL;
	free(folder);
	free(beside);
	return path;
}

static char *read_whole(const char *path, size_t *size)
{
	FILE *const f = fopen(path, "re");
	char *text = NULL;
	long n = -1;

	*size = 0;
	if (!f)
		return NULL;
	if (fseek(f, 0, SEEK_END) == 0)
		n = ftell(f);
	if (n > 0 && (size_t)n <= FILE_MOST && fseek(f, 0, SEEK_SET) == 0)
		text = malloc((size_t)n);
	*size = text ? fread(text, 1, (size_t)n, f) : 0;
	fclose(f);
	return text;
}

/* The files of all processes; removed. How many said something goes to *found. */
static int take_files(
	const char *path, struct sd_stacks *stacks, struct sd_experiment_run *out, size_t *found)
{
	char *pattern = NULL;
	glob_t g = {0};
	int rc = 0;

	if (asprintf(&pattern, "%s.[0-9]*", path) < 0)
		return -ENOMEM;
	if (glob(pattern, GLOB_NOSORT, NULL, &g) != 0)
		g.gl_pathc = 0;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		size_t size = 0;
		char *const text = rc || !stacks ? NULL : read_whole(g.gl_pathv[i], &size);

		if (text)
			rc = sd_valgrind_races_add(text, size, stacks, out);
		*found += text && rc == 0;
		rc = rc == -EINVAL ? 0 : rc;
		free(text);
		unlink(g.gl_pathv[i]);
	}
	globfree(&g);
	free(pattern);
	return rc;
}

static int take_races(struct sd_arm_round *r, struct sd_run *run, const char *path)
{
	size_t found = 0;
	int rc;

	run->tried = calloc(1, sizeof *run->tried);
	if (!run->tried)
		return -ENOMEM;
	rc = take_files(path, r->t->stacks, run->tried, &found);
	if (rc == 0 && found == 0)
		SD_GIVE_UP(r, "Valgrind wrote nothing that can be read");
	return rc;
}

int sd_race_check_run(struct sd_arm_round *r, struct sd_run *run)
{
	char *const path = output_path(r);
	char *file = NULL;
	size_t ignored = 0;
	int rc = path ? 0 : -ENOMEM;

	/* %p: of each process */
	if (rc == 0 && asprintf(&file, "--xml-file=%s.%%p", path) < 0)
		rc = -ENOMEM;
	if (rc == 0)
		rc = take_files(path, NULL, NULL, &ignored); /* an earlier session's */
	if (rc == 0) {
		const char *const under[] = {"valgrind", "--tool=helgrind", "--xml=yes", file,
			"--trace-children=yes", NULL};
		const struct sd_trial_change change = {
			.timeout_s = longest(r, run->point), .under = under};

		rc = sd_trial_run(r->t, run, &change, r->deadline);
	}
	if (rc == 0 && sd_schedule_good(run))
		rc = take_races(r, run, path);
	else if (path)
		(void)take_files(path, NULL, NULL, &ignored);
	free(file);
	free(path);
	return rc;
}
