/*
 * Which commands start MPI ranks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "launch/mpi_launcher.h"

static void launchers_are_known_by_name(void **state)
{
	static const struct {
		const char *command;
		int is;
	} row[] = {{"mpirun", 1}, {"/usr/bin/mpirun.openmpi", 1}, {"mpiexec.hydra", 1}, {"srun", 1},
		{"prterun", 1}, {"./mpirunner", 0}, {"app", 0}, {"/opt/srun/app", 0}, {"", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		assert_int_equal(sd_mpi_launcher_is(row[i].command), row[i].is);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launchers_are_known_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
