/*
 * Cost of a calibration inside a diagnosis, where its experiments need this machine's numbers and
 * there are none yet: time, and the most memory of its process. Prints; never passes or fails.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench/bench_output.h"
#include "bench/bench_table.h"
#include "context/context.h"
#include "plan/planner.h"
#include "run/node_ceilings.h"

#define TURNS 3

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* In a process of its own: the seconds and the MB. */
static int once(void)
{
	static struct sd_progress_line line;
	const struct sd_sink silent = {0};
	const struct sd_cli cli = {.sink = &silent, .line = &line, .kernels = sd_kernel_registry};
	const struct sd_options o = {.cores = SD_CORES_POWERS};
	struct sd_topology t = {0};
	struct sd_record r = {0};
	double begun;
	struct rusage u;
	int rc = sd_topology_load(&t, &(struct sd_topology_source){0}, &silent);

	rc = rc ? rc : sd_planner_make(&o, &t, &r.plan, &silent);
	begun = now();
	rc = rc ? rc : sd_node_ceilings_measure(&r, &cli);
	getrusage(RUSAGE_SELF, &u);
	printf("%.3f %ld\n", now() - begun, u.ru_maxrss / 1024);
	rc = rc ? rc : !(r.calibration.made > 0);
	sd_topology_free(&t);
	sd_record_free(&r);
	return rc ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *const again[] = {"/proc/self/exe", "once", NULL};
	double seconds[TURNS], mb[TURNS];
	char out[256], *end;

	if (argc == 2 && strcmp(argv[1], "once") == 0)
		return once();
	bench_head("calibration", "", "s", "MB at most", "");
	for (int i = 0; i < TURNS; i++) {
		if (bench_output(again, out, sizeof out)) {
			bench_row("in a diagnosis", "", "failed", "failed", "");
			return 0;
		}
		seconds[i] = strtod(out, &end);
		mb[i] = strtod(end, NULL);
	}
	bench_row("in a diagnosis", "", bench_cell(seconds, TURNS, 1).text,
		bench_cell(mb, TURNS, 0).text, "");
	return 0;
}
