#include "launch/mpi_launcher.h"

#include <stddef.h>
#include <string.h>

int sd_mpi_launcher_is(const char *command)
{
	static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun", "prun",
		"srun", "aprun", "jsrun", "ibrun"};
	const char *const slash = strrchr(command, '/');
	const char *const name = slash ? slash + 1 : command;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const size_t n = strlen(names[i]);

		if (strncmp(name, names[i], n) == 0 &&
			(!name[n] || name[n] == '.' || name[n] == '-'))
			return 1;
	}
	return 0;
}
