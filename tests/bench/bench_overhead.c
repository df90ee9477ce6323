/*
 * Cost of a diagnosis to a program, and of perf beside it: five programs, each under the diagnosis
 * as a user starts it, whose --prepare runs the program plain, under perf record with stacks, perf
 * stat and perf sched, and plain again: all see the same machine, and nothing is measured otherwise
 * than it is for a user, but for the precedence over other work, which the others have not either.
 * A tool is compared with the mean of the two plain runs around it. Every run starts the program by
 * this one, which takes its times. Prints ratios, medians with their 95 % interval; never passes or
 * fails. A tool that fails has no number.
 *
 *   bench_overhead [RUNS [PROGRAM...]]
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/number.h"
#include "bench/bench_output.h"
#include "bench/bench_table.h"
#include "bench/overhead_programs.h"

#define RUNS_MAX 200
#define RUNS 12

/* ---- one run, and what it took: a line of the file of results ---- */

static double cpu_of(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static double cpu_of_process(pid_t pid)
{
	clockid_t id;

	return clock_getcpuclockid(pid, &id) ? 0 : clock_of(id);
}

static int say(const char *path, const char *what, double a, double b, double c)
{
	FILE *const f = fopen(path, "a");
	int bad = !f || fprintf(f, "%s %.9f %.9f %.9f\n", what, a, b, c) < 0;

	return (f && fclose(f)) || bad;
}

static pid_t start(char *const *argv)
{
	const pid_t pid = fork();

	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	return pid;
}

/* Which CPUs a diagnosis gives its runs: what is beside it uses the same. */
static void keep_cpus(const char *path)
{
	char name[PATH_MAX + 8];
	cpu_set_t set;
	FILE *f;

	snprintf(name, sizeof name, "%s.cpus", path);
	f = sched_getaffinity(0, sizeof set, &set) == 0 ? fopen(name, "w") : NULL;
	if (f && fwrite(&set, sizeof set, 1, f) != 1)
		unlink(name);
	if (f)
		fclose(f);
}

static void take_cpus(const char *path)
{
	char name[PATH_MAX + 8];
	cpu_set_t set;
	FILE *f;

	snprintf(name, sizeof name, "%s.cpus", path);
	f = fopen(name, "r");
	if (f && fread(&set, sizeof set, 1, f) == 1)
		sched_setaffinity(0, sizeof set, &set);
	if (f)
		fclose(f);
}

/* timed FILE TOOL PROGRAM: its wall and CPU time, and what whoever started it used until then. */
static int timed(char **word)
{
	char *argv[] = {(char[]){"/proc/self/exe"}, (char[]){"run"}, word[2], NULL};
	const double begun = now();
	const pid_t pid = start(argv);
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return 1;
	if (strcmp(word[1], "diagnosed") == 0)
		keep_cpus(word[0]);
	return say(word[0], word[1], now() - begun, cpu_of(RUSAGE_CHILDREN),
		cpu_of(RUSAGE_SELF) + cpu_of(RUSAGE_CHILDREN) + cpu_of_process(getppid()));
}

/* ---- beside: what --prepare runs ---- */

enum tool { DIAGNOSED, RECORD, STAT, SCHED, AGAIN, PLAIN, TOOLS };
static const char *const tool_name[TOOLS] = {
	"diagnosed", "perf-record", "perf-stat", "perf-sched", "plain-again", "plain"};
static const char *const tool_text[TOOLS] = {"scalediag, its default", "perf record, stacks",
	"perf stat", "perf sched record", "plain, again", "plain"};

/* The tool's command is before the program's. */
static void beside(char **word, enum tool tool)
{
	char data[PATH_MAX + 16];
	/* -B: of the build ids of some files the perf of Debian 12 dies */
	const char *const before[TOOLS][12] = {
		[RECORD] = {"perf", "record", "-B", "-q", "--call-graph", "dwarf", "-o", data,
			"--"},
		[STAT] = {"perf", "stat", "-o", "/dev/null", "--"},
		[SCHED] = {"perf", "sched", "record", "-B", "-o", data, "--"},
	};
	char *argv[20];
	size_t n = 0;
	double used = cpu_of(RUSAGE_CHILDREN);
	pid_t pid;
	int status = -1;

	snprintf(data, sizeof data, "%s.data", word[0]);
	for (; before[tool][n]; n++)
		argv[n] = (char *)(uintptr_t)before[tool][n];
	argv[n++] = word[-2]; /* of main */
	argv[n++] = (char[]){"timed"};
	argv[n++] = word[0];
	argv[n++] = (char *)(uintptr_t)tool_name[tool];
	argv[n++] = word[1];
	argv[n] = NULL;
	pid = start(argv);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		(void)say(word[0], tool == PLAIN || tool == AGAIN ? "failed-plain" : "failed", tool,
			0, 0);
	else
		(void)say(word[0], "all", tool, cpu_of(RUSAGE_CHILDREN) - used, 0);
	unlink(data);
}

/* beside FILE PROGRAM PID: the other tools in turn, between two plain runs; before that, what the
 * diagnosis has used so far. */
static int besides(char **word)
{
	static const enum tool turn[] = {RECORD, STAT, SCHED};
	const size_t n = sizeof turn / sizeof *turn;
	struct timespec t = {0};

	(void)say(word[0], "tuple", cpu_of_process(atoi(word[2])), 0, 0);
	clock_gettime(CLOCK_MONOTONIC, &t);
	take_cpus(word[0]);
	beside(word, PLAIN);
	for (size_t i = 0; i < n; i++)
		beside(word, turn[(i + (size_t)t.tv_nsec / 1000) % n]);
	beside(word, AGAIN);
	return say(word[0], "begins", cpu_of_process(atoi(word[2])), 0, 0);
}

/* ---- the results ---- */

enum amount { WALL, CPU, ALL, AMOUNTS };

struct tuple {
	double of[AMOUNTS][TOOLS]; /* 0: not measured */
};

struct results {
	struct tuple tuple[RUNS_MAX + 8];
	size_t n;
	unsigned failed[TOOLS];
};

static enum tool tool_of(const char *name)
{
	enum tool t = 0;

	while (t < TOOLS && strcmp(name, tool_name[t]) != 0)
		t++;
	return t;
}

static int read_results(const char *path, struct results *r)
{
	FILE *const f = fopen(path, "r");
	char what[32];
	double a, b, c, begun = 0;
	struct tuple *t = NULL;

	*r = (struct results){0};
	while (f && fscanf(f, "%31s %lf %lf %lf", what, &a, &b, &c) == 4) {
		const enum tool tool = tool_of(what);

		if (strcmp(what, "tuple") == 0) {
			/* until then everything was for the run before */
			if (t && t->of[ALL][DIAGNOSED] > 0)
				t->of[ALL][DIAGNOSED] += a - begun;
			if (r->n == sizeof r->tuple / sizeof *r->tuple)
				break;
			t = &r->tuple[r->n++];
		} else if (strcmp(what, "begins") == 0) {
			begun = a;
		} else if (strncmp(what, "failed", 6) == 0 && a >= 0 && a < TOOLS) {
			r->failed[(int)a]++;
		} else if (strcmp(what, "all") == 0 && t && a >= 0 && a < TOOLS) {
			t->of[ALL][(int)a] = b;
		} else if (tool < TOOLS && t) {
			t->of[WALL][tool] = a;
			t->of[CPU][tool] = b;
			t->of[ALL][tool] = c;
		}
	}
	if (f)
		fclose(f);
	/* the last one's share of the end is not known, and the first one is the warm-up */
	return r->n < 4 ? -ENODATA : 0;
}

/* The tool's amounts against the mean of the plain ones. */
static struct bench_cell ratio(const struct results *r, enum tool tool, enum amount k)
{
	static double v[RUNS_MAX + 8];
	size_t n = 0;

	if (r->failed[tool])
		return (struct bench_cell){"failed"};
	for (size_t i = 1; i + 1 < r->n; i++) {
		const double *const of = r->tuple[i].of[k];
		const double plain = tool == AGAIN ? of[PLAIN] : (of[PLAIN] + of[AGAIN]) / 2;

		if (of[tool] > 0 && of[PLAIN] > 0 && of[AGAIN] > 0)
			v[n++] = of[tool] / plain;
	}
	return bench_cell(v, n, 3);
}

static void print(const struct program *p, const struct results *r)
{
	for (enum tool t = 0; t < PLAIN; t++)
		bench_row(t ? "" : p->text, tool_text[t], ratio(r, t, WALL).text,
			ratio(r, t, CPU).text, ratio(r, t, ALL).text);
}

/* One diagnosis with all beside it. */
static int bench(const char *self, const struct program *p, unsigned runs, const char *folder)
{
	static struct results r;
	static char said[1 << 16];
	const char *const given = getenv("SCALEDIAG");
	char file[PATH_MAX], record[PATH_MAX + 8], messages[PATH_MAX + 8], repeats[32];
	char prepare[3 * PATH_MAX];
	const char *const argv[] = {given ? given : "build/scalediag", "--cores=2", repeats,
		"--experiments=none", "--no-shield", prepare, "-o", record, "--", self, "timed",
		file, "diagnosed", p->name, NULL};
	pid_t pid;
	int status = -1;

	snprintf(file, sizeof file, "%s/%s", folder, p->name);
	snprintf(record, sizeof record, "%s.json", file);
	snprintf(messages, sizeof messages, "%s.err", file);
	snprintf(repeats, sizeof repeats, "--repeats=%u", runs);
	pid = fork();
	if (pid == 0) {
		snprintf(prepare, sizeof prepare, "--prepare=%s beside %s %s %d", self, file,
			p->name, (int)getpid());
		if (!freopen("/dev/null", "w", stdout) || !freopen(messages, "w", stderr))
			_exit(1);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status || read_results(file, &r)) {
		FILE *const f = fopen(messages, "r");
		const size_t n = f ? fread(said, 1, sizeof said - 1, f) : 0;

		if (f)
			fclose(f);
		said[n] = '\0';
		fprintf(stderr, "bench_overhead: %s: scalediag failed: %s\n", p->name, said);
		return -1;
	}
	print(p, &r);
	return 0;
}

static int bench_all(int argc, char **argv)
{
	char folder[] = "/tmp/bench-overhead-XXXXXX", self[PATH_MAX], said[256];
	const char *const clean[] = {"rm", "-r", folder, NULL};
	const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	uint64_t runs = RUNS;
	int rc = 0;

	if (argc > 1 && sd_number_u64(argv[1], 3, RUNS_MAX, &runs)) {
		fprintf(stderr, "usage: bench_overhead [RUNS [PROGRAM...]], 3 to %d runs\n",
			RUNS_MAX);
		return 2;
	}
	if (length <= 0 || !mkdtemp(folder))
		return 4;
	self[length] = '\0';
	set_loops();
	bench_head("cost, against plain", "under", "wall", "CPU of the program", "all CPU");
	for (size_t i = 0; i < PROGRAMS; i++) {
		int asked = argc <= 2;

		for (int k = 2; k < argc; k++)
			asked |= strcmp(argv[k], programs[i].name) == 0;
		if (asked)
			rc |= bench(self, &programs[i], (unsigned)runs, folder);
	}
	(void)bench_output(clean, said, sizeof said);
	return rc ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "timed") == 0)
		return timed(argv + 2);
	if (argc == 5 && strcmp(argv[1], "beside") == 0)
		return besides(argv + 2);
	for (size_t i = 0; argc == 3 && strcmp(argv[1], "run") == 0 && i < PROGRAMS; i++)
		if (strcmp(argv[2], programs[i].name) == 0)
			return programs[i].run();
	return bench_all(argc, argv);
}
