#include "run/kept_runs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribute/lane_spans.h"
#include "hotspots/profile_stacks.h"
#include "probe/accountant.h"
#include "probe/kept_samples.h"
#include "trace/timeline.h"

static void say_refused(const char *path, size_t number, int rc, const struct sd_sink *sink)
{
	switch (rc) {
	case -ENOENT:
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: is not there, and run %zu of the record was sampled: name the folder "
			"that --keep-samples wrote for this record",
			path, number);
		break;
	case -ESTALE:
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: holds the samples of another run than run %zu of the record: name the "
			"folder that --keep-samples wrote for this record",
			path, number);
		break;
	case -EINVAL:
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: is no file of raw samples that --keep-samples writes, or is not whole",
			path);
		break;
	case -ENOEXEC:
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: was recorded on another kind of processor: read it on one like that",
			path);
		break;
	default:
		sd_say(sink, SD_LEVEL_ERROR, "%s: %s", path, strerror(-rc));
	}
}

/* A fresh string or NULL. */
static char *path_of(const char *folder, size_t number)
{
	char *path;

	return asprintf(&path, "%s/run-%04zu.perf", folder, number) < 0 ? NULL : path;
}

static int attribute(struct sd_kept_samples *k, struct sd_record *r, const char *folder,
	size_t number, int typical, const struct sd_sink *sink)
{
	const unsigned steps =
		typical ? sd_binned_lanes_most(r->run[number - 1].point, r->plan.n_point) : 0;
	struct sd_run *const run = &r->run[number - 1];
	const struct sd_plan_point *const p = &r->plan.point[run->point];
	char *const path = path_of(folder, number);
	int rc;

	if (!path)
		return -ENOMEM;
	rc = sd_kept_samples_account(
		k, path, &sd_accountant_rules, sd_plan_stack_cores(p), steps, run);
	if (rc)
		say_refused(path, number, rc, sink);
	free(path);
	return rc;
}

static int has(const size_t *list, size_t n, size_t what)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == what)
			return 1;
	return 0;
}

int sd_kept_runs_attribute(struct sd_record *r, const char *folder, const struct sd_sink *sink)
{
	struct sd_kept_samples *k = NULL;
	size_t n = 0, *typical = NULL, n_typical = 0;
	int rc = sd_profile_stacks_typical(r, 0, &typical, &n_typical);

	rc = rc ? rc : sd_kept_samples_open(&k, &r->stacks, sink);
	for (size_t i = 0; i < r->n_run && !rc; i++)
		if (r->run[i].sampled.status == SD_STATUS_OK) {
			rc = attribute(k, r, folder, i + 1, has(typical, n_typical, i), sink);
			n++;
		}
	free(typical);
	if (!rc && n == 0) {
		sd_say(sink, SD_LEVEL_ERROR,
			"no run of the record was sampled: there is nothing to attribute anew "
			"(--from-samples)");
		rc = -ENODATA;
	}
	if (!rc && sd_kept_samples_other_boots(k))
		sd_say(sink, SD_LEVEL_WARNING,
			"the kernel was booted since the samples were kept in %s: its functions "
			"have "
			"no names, and waits that only these tell have no reason",
			folder);
	sd_kept_samples_close(k);
	return rc;
}

static int add_lanes(struct sd_kept_samples *k, const struct sd_record *r, const char *folder,
	size_t run, struct sd_thread_lanes_run *out, const struct sd_sink *sink)
{
	struct sd_timeline timeline = {0};
	char *const path = path_of(folder, run + 1);
	int rc = path ? sd_kept_samples_timeline(k, path, &r->run[run], &timeline) : -ENOMEM;

	if (!rc)
		rc = sd_lane_spans_make(&timeline, SD_THREAD_LANES_SPANS, out);
	out->run = run;
	out->cores = r->plan.point[r->run[run].point].cores;
	if (rc)
		say_refused(path ? path : folder, run + 1, rc, sink);
	sd_timeline_free(&timeline);
	free(path);
	return rc;
}

int sd_kept_runs_lanes(struct sd_record *r, const char *folder, unsigned cores,
	struct sd_thread_lanes *out, const struct sd_sink *sink)
{
	struct sd_kept_samples *k = NULL;
	size_t *run = NULL, n = 0;
	int rc = sd_profile_stacks_typical(r, cores, &run, &n);

	*out = (struct sd_thread_lanes){0};
	if (!rc) {
		out->run = calloc(n + 1, sizeof *out->run);
		rc = out->run ? 0 : -ENOMEM;
	}
	if (!rc)
		rc = sd_kept_samples_open(&k, &r->stacks, sink);
	for (size_t i = 0; !rc && i < n; i++)
		rc = add_lanes(k, r, folder, run[i], &out->run[out->n++], sink);
	sd_kept_samples_close(k);
	free(run);
	return rc;
}
