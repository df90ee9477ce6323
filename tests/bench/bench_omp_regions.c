/*
 * Cost to a region of the library preloaded into OpenMP programs, ns: empty regions with it less
 * those without it, run in turn, and that over what it may be, 300 ns.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/statistics.h"

#define PAIRS 9
#define MOST 300.0

static char build[PATH_MAX];

/* ns a region; 0: it could not be run. */
static double run(const char *name, unsigned threads, int preloaded, const char *folder)
{
	char program[PATH_MAX + 64], preload[PATH_MAX + 64], number[32], where[PATH_MAX],
		regions[] = "5000";
	char wait_policy[] = "OMP_WAIT_POLICY=active";
	char *argv[] = {program, regions, NULL}, *envp[5] = {number, wait_policy};
	double ns = 0;
	int out[2];
	pid_t pid;
	FILE *f;

	snprintf(program, sizeof program, "%s/tests/programs/%s", build, name);
	snprintf(number, sizeof number, "OMP_NUM_THREADS=%u", threads);
	if (preloaded) {
		snprintf(preload, sizeof preload, "LD_PRELOAD=%s/scalediag-omp.so", build);
		snprintf(where, sizeof where, "SCALEDIAG_OMP_FOLDER=%s", folder);
		envp[2] = preload;
		envp[3] = where;
	}
	if (pipe(out))
		return 0;
	pid = fork();
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		execve(program, argv, envp);
		_exit(127);
	}
	close(out[1]);
	f = fdopen(out[0], "r");
	if (!f || fscanf(f, "%lf", &ns) != 1)
		ns = 0;
	if (f)
		fclose(f);
	waitpid(pid, NULL, 0);
	return ns;
}

static void compare(const char *compiler, const char *name, const char *folder)
{
	for (unsigned threads = 1; threads <= 2; threads++) {
		double more[PAIRS], plain[PAIRS];
		struct sd_interval i;

		for (int k = 0; k < PAIRS; k++) {
			plain[k] = run(name, threads, 0, folder);
			more[k] = run(name, threads, 1, folder) - plain[k];
		}
		if (!(plain[0] > 0)) {
			printf("omp regions, %s: not built here\n", compiler);
			return;
		}
		i = sd_statistics_order(more, PAIRS);
		printf("omp regions, %-5s, %u thread%s: %.0f ns plain, %+.0f ns (%.0f to %.0f) with the library: "
		       "%.2f of what it may cost\n",
			compiler, threads, threads == 1 ? " " : "s",
			sd_statistics_median(plain, PAIRS), i.value, i.low, i.high, i.value / MOST);
	}
}

int main(void)
{
	char folder[] = "/tmp/scalediag-bench-XXXXXX", command[64], self[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (n <= 0 || !mkdtemp(folder))
		return 1;
	self[n] = '\0';
	*strrchr(self, '/') = '\0';
	*strrchr(self, '/') = '\0';
	snprintf(build, sizeof build, "%s", self);
	compare("gcc", "empty_regions_omp", folder);
	compare("clang", "empty_regions_omp_clang", folder);
	snprintf(command, sizeof command, "rm -r %s", folder);
	return system(command) != 0;
}
