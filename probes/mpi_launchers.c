#include "probes/mpi_launchers.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const launchers[] = {
	"mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich", "srun"};

/* By what the launcher's name leads to. */
static const struct {
	const char *word, *whose;
} known[] = {{"orterun", "Open MPI"}, {"prterun", "Open MPI"}, {"openmpi", "Open MPI"},
	{"hydra", "MPICH"}, {"mpich", "MPICH"}, {"srun", "Slurm"}, {"intel", "Intel MPI"}};

static const char *whose(const char *path)
{
	char *const real = realpath(path, NULL);
	const char *out = "unknown";

	for (size_t i = sizeof known / sizeof *known; real && i > 0; i--)
		if (strstr(real, known[i - 1].word))
			out = known[i - 1].whose;
	free(real);
	return out;
}

/* The first folder of the path that has it; 0: none has. */
static int find(const char *root, const char *path, const char *name, char *out, size_t size)
{
	while (*path) {
		const size_t n = strcspn(path, ":");

		if (n && snprintf(out, size, "%s%.*s/%s", root, (int)n, path, name) < (int)size &&
			access(out, X_OK) == 0)
			return 1;
		path += n + (path[n] == ':');
	}
	return 0;
}

unsigned sd_mpi_launchers_find(const char *root, const char *path, char *out, size_t size)
{
	unsigned found = 0;
	char file[PATH_MAX];

	*out = '\0';
	for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
		const size_t n = strlen(out);

		if (!find(root, path, launchers[i], file, sizeof file))
			continue;
		snprintf(out + n, size - n, "%s%s (%s)", n ? ", " : "", launchers[i], whose(file));
		found++;
	}
	return found;
}
