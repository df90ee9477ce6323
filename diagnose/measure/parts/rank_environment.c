#include "parts/rank_environment.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/environment.h"

static int set_parent(char ***envp)
{
	char host[64] = "", text[96];

	gethostname(host, sizeof host - 1);
	snprintf(text, sizeof text, "%s %d", host, (int)getpid());
	return sd_environment_set(envp, SD_RANK_PARENT, text, 0);
}

/* Without it ranks elsewhere are logged, and not measured. */
static int set_agent(char ***envp)
{
	char self[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (n <= 0)
		return 0;
	self[n] = '\0';
	return sd_environment_set(envp, SD_RANK_AGENT, self, 0);
}

/* Open MPI's mpirun hands on to other nodes what this names, or what -x does, and refuses both. */
#define OPEN_MPI_LIST "OMPI_MCA_mca_base_env_list"
static const char *const handed_on[] = {"LD_PRELOAD", SD_RANK_FOLDER, SD_RANK_AGENT, SD_RANK_PARENT,
	SD_RANK_THREADS, SD_RANK_SAMPLES, SD_RANK_CALLS, "OMP_NUM_THREADS"};

static int has_variable(char *const *envp, const char *name)
{
	const size_t n = strlen(name);

	for (; *envp; envp++)
		if (strncmp(*envp, name, n) == 0 && (*envp)[n] == '=')
			return 1;
	return 0;
}

static int has_word(char *const *argv, const char *word)
{
	while (*argv && strcmp(*argv, word) != 0)
		argv++;
	return *argv != NULL;
}

static int set_handed_on(char ***envp, char *const *argv)
{
	char list[256] = "";
	size_t n = 0;

	if (has_variable(*envp, OPEN_MPI_LIST) || has_word(argv, "-x"))
		return 0;
	for (size_t i = 0; i < sizeof handed_on / sizeof *handed_on; i++)
		if (has_variable(*envp, handed_on[i]))
			n += (size_t)snprintf(
				list + n, sizeof list - n, "%s%s", n ? ";" : "", handed_on[i]);
	return sd_environment_set(envp, OPEN_MPI_LIST, list, 0);
}

int sd_rank_environment_set(char ***envp, const struct sd_rank_environment *of)
{
	char threads[16];
	int rc = sd_environment_set(envp, "LD_PRELOAD", of->library, 1);

	snprintf(threads, sizeof threads, "%u", of->threads);
	rc = rc ? rc : sd_environment_set(envp, SD_RANK_FOLDER, of->folder, 0);
	if (!rc && of->no_calls)
		rc = sd_environment_set(envp, SD_RANK_CALLS, "none", 0);
	else if (!rc)
		rc = set_agent(envp);
	rc = rc ? rc : set_parent(envp);
	rc = rc ? rc : sd_environment_set(envp, SD_RANK_THREADS, threads, 0);
	if (!rc && of->no_samples)
		rc = sd_environment_set(envp, SD_RANK_SAMPLES, "none", 0);
	return rc ? rc : set_handed_on(envp, of->argv);
}
