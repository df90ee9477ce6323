/*
 * What the software PMU costs, beside valgrind's cachegrind (the same caches) and lackey: CPU time
 * against native, the most of memory, and whether the misses agree. Ratios of CPU time, the best of
 * a few runs each: other load takes time, it never gives any. Never a pass or a failure.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simfile.h"

#define REPEATS 3

/* valgrind preloads it into what it runs. The misses of loading it, about 110 of L1, are a tenth of
 * a small program's: to be compared, the other run loads it too. */
#define CORE "/usr/libexec/valgrind/vgpreload_core-amd64-linux.so"

/* of tests/programs/ten.c, and how much of each: a hundredth of a second or so, so that what
 * starting QEMU and valgrind costs is in it too */
static const struct {
	const char *name, *n;
} programs[] = {{"mix", "3"}, {"primes", "8"}, {"sort", "2"}, {"naive", "6"}, {"blocked", "6"},
	{"chase", "4"}, {"triad", "30"}, {"histogram", "10"}, {"words", "10"}, {"tree", "3"}};
#define NAMES (sizeof programs / sizeof *programs)

struct cost {
	double cpu, mib; /* seconds, the least; below 0: it did not run */
	double most;     /* seconds */
	pid_t pid;
};

/* One run with its standard error in `err`. */
static struct cost once(const char *const *argv, const char *err)
{
	struct cost c = {.cpu = -1};
	struct rusage u;
	int status;

	fflush(NULL);
	c.pid = fork();
	if (c.pid == 0) {
		const int to = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600),
			  null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(to, 2);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	if (c.pid < 0 || wait4(c.pid, &status, 0, &u) != c.pid || status)
		return c;
	c.cpu = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
		(double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
	c.most = c.cpu;
	c.mib = (double)u.ru_maxrss / 1024;
	return c;
}

static struct cost best(const char *const *argv, const char *err)
{
	struct cost least = once(argv, err);

	for (int i = 1; i < REPEATS; i++) {
		struct cost c = once(argv, err);
		const double most = c.most > least.most ? c.most : least.most;

		if (c.cpu < least.cpu)
			least = c;
		least.most = most;
	}
	return least;
}

/* "D1  misses:  1,234": the number behind `key`; below 0: not there. */
static double said(const char *err, const char *key)
{
	FILE *const f = fopen(err, "r");
	char line[512];
	double v = -1;

	while (f && fgets(line, sizeof line, f)) {
		const char *p = strstr(line, key);

		if (!p || v >= 0)
			continue;
		v = 0;
		for (p += strlen(key) + strspn(p + strlen(key), " "); *p && *p != ' '; p++)
			if (*p >= '0' && *p <= '9')
				v = v * 10 + (*p - '0');
	}
	if (f)
		fclose(f);
	return v;
}

/* The misses of L1 and of the LLC, of all processes' files of this bench. */
static int misses(const char *prefix, pid_t pid, double *l1, double *llc)
{
	struct sd_simfile f;
	char path[512];

	snprintf(path, sizeof path, "%s.%d.sim", prefix, (int)pid);
	if (sd_simfile_read(&f, path, NULL, 0))
		return -EBADMSG;
	*l1 = *llc = 0;
	for (size_t i = 0; i < f.n_thread; i++) {
		*l1 += f.thread[i].l1_misses;
		*llc += f.thread[i].llc_misses;
	}
	sd_simfile_free(&f);
	return 0;
}

static int by_value(const void *a, const void *b)
{
	return (*(const double *)a > *(const double *)b) -
	       (*(const double *)a < *(const double *)b);
}

/* Times of native; below 0: it did not run. */
struct ratios {
	double sim, grind, lackey;
};

static struct ratios bench(const char *build, const char *folder, const char *name, const char *n)
{
	char program[4200], plugin[9000], err[512], prefix[300];
	struct cost native, sim, same, grind, lackey;
	double l1 = -1, llc = -1, d1, ll;

	snprintf(program, sizeof program, "%s/tests/programs/ten", build);
	snprintf(err, sizeof err, "%s/err", folder);
	snprintf(prefix, sizeof prefix, "%s/r", folder);
	snprintf(plugin, sizeof plugin,
		"%s/scalediag-sim.so,out=%s,cores=1,l1=32768:8,l2=0:1,llc=8388608:16", build,
		prefix);
	native = best((const char *const[]){program, name, n, NULL}, err);
	sim = best((const char *const[]){"qemu-x86_64", "-plugin", plugin, program, name, n, NULL},
		err);
	same = access(CORE, R_OK) == 0
		       ? once((const char *const[]){"qemu-x86_64", "-E", "LD_PRELOAD=" CORE,
				      "-plugin", plugin, program, name, n, NULL},
				 err)
		       : sim;
	misses(prefix, same.pid, &l1, &llc);
	lackey = once(
		(const char *const[]){"valgrind", "--tool=lackey", program, name, n, NULL}, err);
	grind = best((const char *const[]){"valgrind", "--tool=cachegrind", "--cache-sim=yes",
			     "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64",
			     "--cachegrind-out-file=/dev/null", program, name, n, NULL},
		err);
	d1 = said(err, "D1  misses:");
	ll = said(err, "LLd misses:");
	if (native.cpu <= 0 || sim.cpu <= 0) {
		printf("%-10s could not be run\n", name);
		return (struct ratios){-1, -1, -1};
	}
	printf("%-10s %7.3f %7.1fx %+6.0f %% %9.1fx %9.1fx %7.1f %7.1f", name, native.cpu,
		sim.cpu / native.cpu, (sim.most / sim.cpu - 1) * 100, grind.cpu / native.cpu,
		lackey.cpu / native.cpu, native.mib, sim.mib);
	printf(" %11.0f %+7.2f %% %11.0f %+7.2f %%\n", l1, (l1 / d1 - 1) * 100, llc,
		(llc / ll - 1) * 100);
	return (struct ratios){
		sim.cpu / native.cpu, grind.cpu / native.cpu, lackey.cpu / native.cpu};
}

static void summary(const char *tool, double *ratio, size_t n)
{
	qsort(ratio, n, sizeof *ratio, by_value);
	if (n && ratio[0] > 0)
		printf("%-10s median %.1fx, most %.1fx of native\n", tool,
			(ratio[(n - 1) / 2] + ratio[n / 2]) / 2, ratio[n - 1]);
}

int main(void)
{
	const char *const scalediag = getenv("SCALEDIAG");
	char build[4096], folder[] = "/tmp/benchsim.XXXXXX", command[64];
	double sim[NAMES], grind[NAMES], lackey[NAMES];
	size_t n = 0, faster = 0;

	snprintf(build, sizeof build, "%s", scalediag ? scalediag : "build/scalediag");
	if (!strrchr(build, '/') || !mkdtemp(folder))
		return 1;
	*strrchr(build, '/') = '\0';
	printf("CPU time against native; below 0: that tool is not here. Misses against "
	       "cachegrind's "
	       "of the same caches.\n%-10s %7s %8s %8s %10s %10s %7s %7s %11s %9s %11s %9s\n",
		"program", "s", "sim", "spread", "cachegrind", "lackey", "MiB", "sim MiB",
		"L1 misses", "", "LLC misses", "");
	for (size_t i = 0; i < NAMES; i++) {
		const struct ratios x = bench(build, folder, programs[i].name, programs[i].n);

		fflush(stdout);
		if (x.sim <= 0)
			continue;
		faster += x.sim < x.grind && x.sim < x.lackey;
		sim[n] = x.sim;
		grind[n] = x.grind;
		lackey[n++] = x.lackey;
	}
	summary("sim", sim, n);
	summary("cachegrind", grind, n);
	summary("lackey", lackey, n);
	printf("faster than both on %zu of %zu\n", faster, n);
	snprintf(command, sizeof command, "%s/err", folder);
	unlink(command);
	return 0;
}
