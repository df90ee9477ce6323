/*
 * How long scalediag takes to start: `--version`, and the report of a small record, in turn with
 * /bin/true, which is what starting any program takes. Prints; never passes or fails.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "bench/bench_output.h"
#include "bench/bench_table.h"

#define TURNS 41

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ms of wall and CPU of one start; 0, or -1: it failed. */
static int once(const char *const *argv, double *wall, double *cpu)
{
	const double begun = now();
	struct rusage u;
	posix_spawn_file_actions_t actions;
	int status = -1, bad;
	pid_t pid = -1;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	/* posix_spawnp changes no argument */
	bad = posix_spawnp(&pid, argv[0], &actions, NULL, (char **)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (bad || wait4(pid, &status, 0, &u) != pid || status)
		return -1;
	*wall = 1e3 * (now() - begun);
	*cpu = 1e3 * (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       1e-3 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
	return 0;
}

int main(void)
{
	const char *const given = getenv("SCALEDIAG"), *const us =
							       given ? given : "build/scalediag";
	const char *const nothing[] = {"/bin/true", NULL}, *const version[] = {
								   us, "--version", NULL};
	const char *const report[] = {
		us, "report", "tests/fixtures/fuzz_record/two_points.json", NULL};
	const char *const *const argv[] = {nothing, version, report};
	static const char *const text[] = {"/bin/true", "--version", "report, small record"};
	static double wall[3][TURNS], cpu[3][TURNS], ratio[3][TURNS];

	for (size_t i = 0; i < TURNS; i++)
		for (size_t k = 0; k < 3; k++) {
			if (once(argv[k], &wall[k][i], &cpu[k][i])) {
				fprintf(stderr, "bench_start: %s failed\n", text[k]);
				return 1;
			}
			ratio[k][i] = wall[k][i] / wall[0][i];
		}
	bench_head("start", "of", "ms", "ms of CPU", "of /bin/true");
	for (size_t k = 0; k < 3; k++)
		bench_row("", text[k], bench_cell(wall[k], TURNS, 1).text,
			bench_cell(cpu[k], TURNS, 1).text, bench_cell(ratio[k], TURNS, 1).text);
	return 0;
}
