#include "run/program_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/configs.h"
#include "launch/program_path.h"
#include "launch/source_commit.h"
#include "probe/program_build.h"
#include "record/program_behind.h"

/* How the program itself was compiled, not what starts it. 0 or -ENOMEM. */
static int read_build(struct sd_program *p, const struct sd_options *o)
{
	const size_t at =
		sd_program_behind((const char *const *)o->argv, o->argc, sd_configs_dir(), NULL);
	char *path = NULL;
	int rc = 0;

	if (sd_program_path_find(o->argv[at], p->cwd, environ, &path, NULL) == 0)
		rc = sd_program_build_read(path, &p->build);
	free(path);
	return rc;
}

int sd_program_record_fill(struct sd_program *p, const struct sd_options *o)
{
	for (size_t i = 0; i < o->argc; i++)
		if (sd_texts_add(&p->argv, "%s", o->argv[i]) < 0)
			return -ENOMEM;
	for (size_t i = 0; i < o->n_env; i++)
		if (sd_texts_add(&p->env, "%s", o->env[i]) < 0)
			return -ENOMEM;
	p->scaling = o->scaling;
	p->placement = o->placement;
	p->timeout_s = o->timeout_s;
	p->no_env = o->no_env;
	/* an absolute folder, so that --resume works from elsewhere */
	p->cwd = o->cwd ? realpath(o->cwd, NULL) : getcwd(NULL, 0);
	if (!p->cwd)
		return -errno;
	if (sd_source_commit_read(p->cwd, &p->source) < 0)
		return -ENOMEM;
	p->with_launch = o->with_launch;
	p->ignore_failure = o->ignore_failure;
	p->no_omp_tool = o->no_omp_tool;
	p->system_calls = o->system_calls;
	if (o->region && !(p->region = strdup(o->region)))
		return -ENOMEM;
	if (o->latency && !(p->latency = strdup(o->latency)))
		return -ENOMEM;
	if (o->rate && !(p->rate = strdup(o->rate)))
		return -ENOMEM;
	if (read_build(p, o) < 0)
		return -ENOMEM;
	if (o->prepare && !(p->prepare = strdup(o->prepare)))
		return -ENOMEM;
	return 0;
}
