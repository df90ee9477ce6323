/*
 * Runs of small programs by sd_launch().
 */
#ifndef SD_TEST_LAUNCH_FIXTURE_H
#define SD_TEST_LAUNCH_FIXTURE_H

#include "support/measure_fakes.h"
#include "launch/launch.h"

/* One test's folder, its program's files, and a mark that only its processes carry. */
struct fixture {
	char folder[256], out[300], err[300], mark[64];
	char *envp[3];
	struct said said;
	struct sd_sink sink;
	struct sd_run run;
	struct sd_launch launch;
	char *argv[8];
};

static inline int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	assert_non_null(f);
	make_folder(f->folder, sizeof f->folder);
	snprintf(f->out, sizeof f->out, "%s/t.scalediag.out", f->folder);
	snprintf(f->err, sizeof f->err, "%s/t.scalediag.err", f->folder);
	snprintf(f->mark, sizeof f->mark, "SD_MARK=%s", strrchr(f->folder, '/'));
	f->envp[0] = f->mark;
	f->envp[1] = strdup("PATH=/usr/bin:/bin");
	f->sink = (struct sd_sink){.emit = hear_said, .ctx = &f->said};
	f->launch = (struct sd_launch){.argv = f->argv,
		.envp = f->envp,
		.cores = 1,
		.stdout_path = f->out,
		.stderr_path = f->err};
	*state = f;
	return 0;
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(marked(f->mark, NULL), 0);
	assert_no_children();
	sd_run_free(&f->run);
	remove_folder(f->folder);
	free(f->envp[1]);
	free(f);
	return 0;
}

/* Runs `sh -c script`. */
static inline int run_shell(struct fixture *f, const char *script)
{
	char sh[] = "sh", c[] = "-c", *copy = strdup(script);
	int rc;

	assert_non_null(copy);
	f->argv[0] = sh;
	f->argv[1] = c;
	f->argv[2] = copy;
	f->argv[3] = NULL;
	rc = sd_launch(&f->launch, &f->run, &f->sink);
	f->argv[0] = f->argv[1] = f->argv[2] = NULL;
	free(copy);
	return rc;
}

static inline double metric(const struct fixture *f, enum sd_metric m)
{
	assert_int_equal(f->run.metric[m].status, SD_STATUS_OK);
	return f->run.metric[m].value;
}

#endif
