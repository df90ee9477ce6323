/*
 * The speedup of a service whose CPUs are changed while it runs (scalediag attach --cores 1,2), and
 * that of the same service started anew on one CPU and on two, in turn: the second over the first.
 * The service is tests/programs/service with two threads.
 *
 *   bench_service [KIND]...      kinds as below; none: all
 */
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/statistics.h"
#include "bench/bench_output.h"

#define ROUNDS 3
#define SETTLE .3 /* s, as attach does and starting takes */
#define COUNT 1.0 /* s */

static const struct kind {
	const char *name, *share, *rate, *means;
} kinds[] = {
	{"cpu", "0", "0", "no lock"},
	{"mutex30", "0.3", "0", "30 % below one mutex"},
	{"mutex60", "0.6", "0", "60 % below one mutex"},
	{"memory", "memory", "0", "reads what no cache holds"},
	{"open", "0", "3000", "3000 requests a second come in"},
};

static struct {
	char program[PATH_MAX], file[64], markers[64], record[64];
} at;

static void nap(double s)
{
	const struct timespec t = {(time_t)s, (long)(fmod(s, 1) * 1e9)};

	nanosleep(&t, NULL);
}

static pid_t start(const struct kind *k, int cpus)
{
	const pid_t pid = fork();
	cpu_set_t own, set;
	int n = 0;

	if (pid)
		return pid;
	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof own, &own))
		_exit(127);
	for (int cpu = 0; cpu < CPU_SETSIZE && n < cpus; cpu++)
		if (CPU_ISSET(cpu, &own)) {
			CPU_SET(cpu, &set);
			n++;
		}
	if (sched_setaffinity(0, sizeof set, &set) || setenv("SCALEDIAG_MARKERS", at.markers, 1))
		_exit(127);
	execl(at.program, "service", at.file, "2", k->share, k->rate, NULL);
	_exit(127);
}

static void stop(pid_t pid)
{
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	unlink(at.markers);
}

static double served(void)
{
	const char *const argv[] = {at.program, at.file, NULL};
	char out[64];
	double n = NAN;

	return bench_output(argv, out, sizeof out) == 0 && sscanf(out, "served %lf", &n) == 1 ? n
											      : NAN;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Requests a second of one that is started on so many CPUs. */
static double throughput(const struct kind *k, int cpus)
{
	const pid_t pid = start(k, cpus);
	double from, before, out;

	nap(SETTLE);
	from = now();
	before = served();
	nap(COUNT);
	out = (served() - before) / (now() - from);
	stop(pid);
	return out;
}

static double restarted(const struct kind *k)
{
	const double one = throughput(k, 1);

	return throughput(k, 2) / one;
}

static double attached(const struct kind *k)
{
	static char out[1 << 20];
	const char *const given = getenv("SCALEDIAG");
	const pid_t pid = start(k, 2);
	char number[16];
	const char *const argv[] = {given ? given : "build/scalediag", "attach", number, "--cores",
		"1,2", "--window", "2.5", "--repeats", "5", "--progress", "requests", "--latency",
		"request", "--json", "-o", at.record, NULL};
	double speedup = NAN;
	json_t *report, *at_two;

	snprintf(number, sizeof number, "%d", (int)pid);
	unlink(at.record); /* that one is replaced would be said, among the JSON */
	nap(SETTLE);
	if (bench_output(argv, out, sizeof out))
		fprintf(stderr, "bench_service: scalediag failed: %s\n", out);
	stop(pid);
	report = json_loads(out, JSON_DISABLE_EOF_CHECK, NULL);
	speedup = json_is_real(at_two = json_object_get(
				       json_object_get(
					       json_array_get(json_object_get(report, "points"), 1),
					       "speedup"),
				       "value"))
			  ? json_real_value(at_two)
			  : NAN;
	json_decref(report);
	return speedup;
}

static void compare(const struct kind *k)
{
	double again[ROUNDS], running[ROUNDS], ratio[ROUNDS];
	struct sd_interval i;

	for (int n = 0; n < ROUNDS; n++) {
		const double before = restarted(k);

		running[n] = attached(k);
		again[n] = sqrt(before * restarted(k)); /* what drifts is in both */
		ratio[n] = running[n] / again[n];
	}
	i = sd_statistics_order(ratio, ROUNDS);
	printf("service, %-31s %.2fx started anew, %.2fx while it runs: %.3f of it (%.3f to %.3f)\n",
		k->means, sd_statistics_median(again, ROUNDS),
		sd_statistics_median(running, ROUNDS), i.value, i.low, i.high);
}

static int is_asked(const char *name, char **argv)
{
	if (!argv[1])
		return 1;
	for (argv++; *argv; argv++)
		if (strcmp(*argv, name) == 0)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/scalediag-bench-XXXXXX";
	const ssize_t n = readlink("/proc/self/exe", at.program, sizeof at.program - 64);

	(void)argc;
	if (n <= 0 || !mkdtemp(folder))
		return 1;
	at.program[n] = '\0';
	snprintf(strrchr(at.program, '/'), 32, "/programs/service");
	snprintf(at.file, sizeof at.file, "%s/served", folder);
	snprintf(at.markers, sizeof at.markers, "%s/markers", folder);
	snprintf(at.record, sizeof at.record, "%s/record.json", folder);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (is_asked(kinds[i].name, argv))
			compare(&kinds[i]);
	unlink(at.file);
	unlink(at.record);
	return rmdir(folder) != 0;
}
