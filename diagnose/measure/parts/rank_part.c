#include "parts/rank_part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/record_file.h"

static int fill(struct sd_record *r, const struct sd_cpulist *cpus, unsigned cores,
	char *const *argv, struct sd_run *run)
{
	struct sd_plan_point *const point = calloc(1, sizeof *point);

	if (!point)
		return -ENOMEM;
	r->plan.point = point;
	r->plan.n_point = 1;
	point->cores = cores;
	for (size_t i = 0; i < cpus->n && i < cores; i++)
		if (sd_cpulist_add(&point->cpus, cpus->cpu[i]))
			return -ENOMEM;
	snprintf(r->tool_version, sizeof r->tool_version, "%s", SD_VERSION);
	gethostname(r->host.name, sizeof r->host.name - 1);
	for (size_t i = 0; argv[i]; i++)
		if (sd_texts_add(&r->program.argv, "%s", argv[i]) < 0)
			return -ENOMEM;
	r->program.cwd = getcwd(NULL, 0);
	r->complete = 1;
	return r->program.cwd ? sd_record_add(r, run) : -errno;
}

int sd_rank_part_write(const char *folder, const struct sd_cpulist *cpus, unsigned cores,
	char *const *argv, struct sd_run *run, struct sd_stacks *stacks, const struct sd_sink *sink)
{
	struct sd_record record = {.stacks = *stacks};
	char *path = NULL;
	int rc;

	*stacks = (struct sd_stacks){0};
	rc = fill(&record, cpus, cores, argv, run);
	if (!rc && asprintf(&path, "%s/%s.%d%s", folder, record.host.name, (int)getpid(),
			   SD_RANK_PART_SUFFIX) < 0) {
		path = NULL;
		rc = -ENOMEM;
	}
	if (rc)
		sd_say(sink, SD_LEVEL_ERROR, "what this rank did is lost: %s", strerror(-rc));
	else
		rc = sd_record_write(path, &record, sink);
	free(path);
	sd_record_free(&record);
	return rc;
}
