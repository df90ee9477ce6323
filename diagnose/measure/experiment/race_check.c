#include "experiment/race_check.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment/valgrind_races.h"
#include "plan/one_run.h"
#include "plan/schedule.h"

/* Helgrind lets one thread run at a time and is 20 to 100 times as slow; s at least. */
#define SLOWER 300.0
#define PATIENCE_S 60.0

#define SUFFIX ".xml"

/* A file of more bytes has more errors than anybody reads. */
#define FILE_MOST ((size_t)64 << 20)

static double longest(const struct sd_arm_round *r, size_t point)
{
	const double cpu =
		sd_schedule_wall(r->t->record, point) * (double)r->plan->point[point].cpus.n;

	return fmax(PATIENCE_S, SLOWER * (isfinite(cpu) ? cpu : 0));
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

/* The files of all processes, and their folder; removed. How many said something goes to *found. */
static int take_files(
	const char *folder, struct sd_stacks *stacks, struct sd_experiment_run *out, size_t *found)
{
	DIR *const d = opendir(folder);
	const struct dirent *e;
	int rc = 0;

	while (d && (e = readdir(d))) {
		const size_t n = strlen(e->d_name), end = sizeof SUFFIX - 1;
		char *path = NULL, *text = NULL;
		size_t size = 0;

		if (n <= end || strcmp(e->d_name + n - end, SUFFIX) != 0)
			continue;
		if (rc == 0 && stacks && asprintf(&path, "%s/%s", folder, e->d_name) < 0) {
			path = NULL;
			rc = -ENOMEM;
		}
		if (path)
			text = read_whole(path, &size);
		if (text)
			rc = sd_valgrind_races_add(text, size, stacks, out);
		*found += text && rc == 0;
		rc = rc == -EINVAL ? 0 : rc;
		free(text);
		free(path);
		unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d)
		closedir(d);
	rmdir(folder);
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
	/* of ours, where nobody else has put a link */
	char *const folder = sd_trial_beside_absolute(r->t, "races");
	char *file = NULL;
	size_t ignored = 0;
	int rc = folder ? 0 : -ENOMEM;

	/* %p: of each process */
	if (rc == 0 && asprintf(&file, "--xml-file=%s/%%p" SUFFIX, folder) < 0) {
		file = NULL;
		rc = -ENOMEM;
	}
	if (rc == 0)
		rc = sd_trial_make_folder(r->t, folder, 1, "Valgrind's reports");
	if (rc == 0) {
		const char *const under[] = {"valgrind", "--tool=helgrind", "--xml=yes", file,
			"--trace-children=yes", NULL};
		/* only programs that load it tell Helgrind of their locks */
		static const char *const told[] = {"vgpreload_helgrind-", NULL};
		struct sd_trial_change change = {
			.timeout_s = longest(r, run->point), .under = under};

		rc = sd_arm_witnessed(r, run, &change, told);
		if (rc == 0 && !r->why[0] && sd_one_run_good(run))
			rc = take_races(r, run, folder);
		else
			(void)take_files(folder, NULL, NULL, &ignored);
	}
	free(file);
	free(folder);
	return rc;
}
