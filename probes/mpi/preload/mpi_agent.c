#include "preload/mpi_preload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A rank outside of the process tree that scalediag measures (on another node, or below srun, whose
 * tasks another process starts) becomes one of a rank agent's, which measures it there: the agent
 * is executed in its place, and starts the program. A library's constructor is given the command
 * line, so that the launcher's stays as the user wrote it.
 */

/* Variables in which launchers number their ranks. */
static const char *const rank_variable[] = {
	"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "MPI_LOCALRANKID", "SLURM_PROCID"};

/* Processes between a rank and its scalediag, at most. */
#define DEPTH 64

static int is_rank(void)
{
	for (size_t i = 0; i < sizeof rank_variable / sizeof *rank_variable; i++)
		if (getenv(rank_variable[i]))
			return 1;
	return 0;
}

static int parent_of(int pid)
{
	char path[64], text[512];
	const char *end;
	int parent = 0;
	size_t n;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = '\0';
	/* the name, in brackets, may hold anything */
	end = strrchr(text, ')');
	return end && sscanf(end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* "HOST PID": of the scalediag that started the launcher. */
static int is_measured(void)
{
	const char *const parent = getenv("SCALEDIAG_RANK_PARENT");
	char host[64] = "", name[64] = "";
	int pid = 0, at = getpid();

	gethostname(host, sizeof host - 1);
	if (!parent || sscanf(parent, "%63s %d", name, &pid) != 2 || strcmp(host, name))
		return 0;
	for (int i = 0; i < DEPTH && at > 1; i++)
		if ((at = parent_of(at)) == pid)
			return 1;
	return 0;
}

static int is_same_file(const char *path, const struct stat *exe)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_dev == exe->st_dev && st.st_ino == exe->st_ino;
}

/* A name that the agent finds the program by: as it was called, where that leads to it. NULL: none.
 */
static char *name_of(const char *agent, char *called, char *path, size_t size)
{
	const ssize_t n = readlink("/proc/self/exe", path, size - 1);
	struct stat exe;

	if (n <= 0 || stat("/proc/self/exe", &exe))
		return NULL;
	path[n] = '\0';
	if (is_same_file(agent, &exe))
		return NULL; /* it is one, as the user's line says */
	return strchr(called, '/') && is_same_file(called, &exe) ? called : path;
}

static void become_measured(int argc, char **argv)
{
	static char command[] = "rank-agent", end[] = "--";
	char *const agent = getenv("SCALEDIAG_RANK_AGENT");
	char path[4096], **list, *name;

	/* a launcher in a job script has a rank's number, too */
	if (!agent || argc < 1 || !is_rank() || is_measured())
		return;
	list = calloc((size_t)argc + 4, sizeof *list);
	name = list ? name_of(agent, argv[0], path, sizeof path) : NULL;
	if (name) {
		list[0] = agent;
		list[1] = command;
		list[2] = end;
		list[3] = name;
		memcpy(list + 4, argv + 1, (size_t)(argc - 1) * sizeof *list);
		execv(agent, list); /* a node that has no such program is logged only */
	}
	free(list);
	/* what it starts is not tried again */
	unsetenv("SCALEDIAG_RANK_AGENT");
}

/* Not the attribute `constructor`: link-time optimisation makes one function of all of a library's,
 * which is given no arguments. */
static void (*at_start)(int, char **)
	__attribute__((section(".init_array"), used)) = become_measured;
