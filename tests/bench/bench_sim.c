/*
 * Cost of the software PMU, with the options that --events sim passes, beside QEMU alone, which is
 * the least it can cost, and valgrind's cachegrind and lackey: CPU time against native, the most of
 * memory, and whether the misses agree, those of one more run with cachegrind's caches. Then what
 * starting takes, and the same of QEMU and the software PMU where programs run for about a second,
 * as users' do: only parts of them are modelled ("long": that alone), and of two threads that fight
 * for a line, or do not. Every run of a tool has a native one right before it, and tools take
 * turns: load that comes and goes is in both halves of a pair. Per program the median of the pairs'
 * ratios, and their quartiles. Never a pass or a failure.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench_table.h"
#include "launch/command_words.h"
#include "simulate/machine_model.h"
#include "simulate/qemu_command.h"
#include "harness/samples.h"
#include "machine/topology.h"
#include "simfile/sim_file.h"

#define ROUNDS 7
#define ROUNDS_BRIEF 2 /* "brief": a row a tool, for the table of all benchmarks */
#define LONGER_ROUNDS 2

/* valgrind preloads it into what it runs. The misses of loading it, about 110 of L1, are a tenth of
 * a small program's: to be compared, the other run loads it too. */
#define CORE "/usr/libexec/valgrind/vgpreload_core-amd64-linux.so"

/* of tests/programs/ten.c, and how much of each: a hundredth of a second or so, so that what
 * starting QEMU and valgrind costs is in it too; and about a second */
static const struct {
	const char *name, *n, *longer;
} programs[] = {{"mix", "3", "150"}, {"primes", "8", "960"}, {"sort", "2", "200"},
	{"naive", "6", "600"}, {"blocked", "6", "1200"}, {"chase", "4", "250"},
	{"triad", "30", "9000"}, {"histogram", "10", "900"}, {"words", "10", "900"},
	{"tree", "3", "60"}};
#define NAMES (sizeof programs / sizeof *programs)

struct cost {
	double cpu, mib; /* seconds; below 0: it did not run, or failed */
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
	c.mib = (double)u.ru_maxrss / 1024;
	return c;
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
	struct sd_sim_file f;
	char path[512];

	snprintf(path, sizeof path, "%s.%d.sim", prefix, (int)pid);
	if (sd_sim_file_read(&f, path, NULL, 0))
		return -EBADMSG;
	*l1 = *llc = 0;
	for (size_t i = 0; i < f.n_thread; i++) {
		*l1 += f.thread[i].l1_misses;
		*llc += f.thread[i].llc_misses;
	}
	sd_sim_file_free(&f);
	return 0;
}

enum tool { SIM, BARE, GRIND, LACKEY, TOOLS };
static const char *const tool_name[TOOLS] = {"sim", "qemu alone", "cachegrind", "lackey"};
/* lackey takes longest, and its ratio is the farthest away */
static unsigned tool_rounds[TOOLS] = {ROUNDS, ROUNDS, ROUNDS, 2};
static unsigned longer_rounds[TOOLS] = {LONGER_ROUNDS, LONGER_ROUNDS};
static int brief;

/* Pairs of a program with a tool. */
struct pairs {
	double ratio[ROUNDS];
	size_t n;
	double native, cpu, mib; /* seconds, the least; MiB, the most */
};

static void pair(
	struct pairs *p, const char *const *native, const char *const *tool, const char *err)
{
	const struct cost bare = once(native, "/dev/null"), c = once(tool, err);

	if (bare.cpu <= 0 || c.cpu < 0)
		return;
	if (!p->n || bare.cpu < p->native)
		p->native = bare.cpu;
	if (!p->n || c.cpu < p->cpu)
		p->cpu = c.cpu;
	if (c.mib > p->mib)
		p->mib = c.mib;
	p->ratio[p->n++] = c.cpu / bare.cpu;
}

static void print_ratio(const struct pairs *p)
{
	const struct sd_samples_quartiles q = sd_samples_quartiles(p->ratio, p->n ? p->n : 1);
	char text[64];

	if (!p->n)
		snprintf(text, sizeof text, "not here");
	else
		snprintf(text, sizeof text, "%.1fx [%.1f %.1f]", q.median, q.q1, q.q3);
	printf(" %20s", text);
}

/* The misses of one more run: with what valgrind preloads, where that is here. */
static void print_misses(const char *const *sim, const char *plugin, const char *prefix,
	const char *err, const char *grind_err)
{
	const char *const preloaded[] = {
		sim[0], "-E", "LD_PRELOAD=" CORE, "-plugin", plugin, sim[3], sim[4], sim[5], NULL};
	const struct cost c = once(access(CORE, R_OK) == 0 ? preloaded : sim, err);
	const double d1 = said(grind_err, "D1  misses:"), ll = said(grind_err, "LLd misses:");
	double l1, llc;

	if (c.cpu < 0 || misses(prefix, c.pid, &l1, &llc))
		printf(" no counts");
	else if (d1 <= 0 || ll <= 0)
		printf(" %11.0f %9s %11.0f", l1, "", llc);
	else
		printf(" %11.0f %+7.2f %% %11.0f %+7.2f %%", l1, (l1 / d1 - 1) * 100, llc,
			(llc / ll - 1) * 100);
}

/* The command of --events sim at this core count; NULL: there is none here. */
static char **simulation(const char *plugin, const char *output, unsigned cores, char **argv)
{
	const struct sd_topology_source here = {0};
	struct sd_plan_simulation simulated = {0};
	const struct sd_qemu_command e = {
		.plugin = plugin, .output = output, .simulation = &simulated, .cores = cores};
	struct sd_topology t = {0};
	char **command = NULL;

	if (!sd_topology_load(&t, &here, NULL) &&
		!sd_machine_find(NULL, &t, &simulated.machine, NULL))
		sd_qemu_command_argv(&e, argv, environ, &command, NULL);
	sd_topology_free(&t);
	return command;
}

/* Fills pairs[]; 0, or -ENOENT when the program or QEMU did not run. */
static int bench(const char *build, const char *folder, const char *of, const char *name,
	const char *n, const unsigned rounds[TOOLS], struct pairs pairs[TOOLS])
{
	const int is_of_ten = strcmp(of, "ten") == 0;
	char program[4200], plugin[9000], err[TOOLS][512], prefix[300], *file;
	const char *const native[] = {program, name, n, NULL};
	const char *const sim[] = {"qemu-x86_64", "-plugin", plugin, program, name, n, NULL};
	const char *const grind[] = {"valgrind", "--tool=cachegrind", "--cache-sim=yes",
		"--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64",
		"--cachegrind-out-file=/dev/null", program, name, n, NULL};
	const char *const lackey[] = {"valgrind", "--tool=lackey", program, name, n, NULL};
	const char *const bare[] = {"qemu-x86_64", program, name, n, NULL};
	const char *const *argv[TOOLS] = {NULL, bare, grind, lackey};
	char **as_passed;

	snprintf(program, sizeof program, "%s/tests/programs/%s", build, of);
	for (enum tool t = 0; t < TOOLS; t++)
		snprintf(err[t], sizeof err[t], "%s/%s", folder, tool_name[t]);
	snprintf(prefix, sizeof prefix, "%s/r", folder);
	snprintf(plugin, sizeof plugin, "%s/", build);
	file = sd_qemu_command_plugin_in(plugin);
	as_passed = file ? simulation(file, prefix, is_of_ten ? 1 : 2, (char **)(uintptr_t)native)
			 : NULL;
	argv[SIM] = as_passed ? (const char *const *)as_passed : sim;
	snprintf(plugin, sizeof plugin, "%s,out=%s,cores=1,l1=32768:8,l2=0:1,llc=8388608:16",
		file ? file : "no plugin", prefix);
	free(file);
	for (unsigned round = 0; round < ROUNDS; round++)
		for (enum tool t = 0; t < TOOLS; t++)
			if (round < rounds[t])
				pair(&pairs[t], native, argv[t], err[t]);
	sd_command_words_free(as_passed);
	if (!pairs[SIM].n) {
		if (!brief)
			printf("%-10s could not be run\n", is_of_ten ? name : of);
		return -ENOENT;
	}
	if (brief)
		return 0;
	printf("%-10s %7.3f", is_of_ten ? name : of, pairs[SIM].native);
	for (enum tool t = 0; t < TOOLS; t++)
		if (rounds[t])
			print_ratio(&pairs[t]);
	printf(" %7.1f", pairs[SIM].mib);
	if (rounds[GRIND])
		print_misses(sim, plugin, prefix, err[SIM], err[GRIND]);
	printf("\n");
	return 0;
}

/* Prints the sums over the programs that the tool ran. */
static void summary(enum tool t, double *ratio, size_t n)
{
	const struct sd_samples_quartiles q = sd_samples_quartiles(ratio, n ? n : 1);
	char most[16];

	snprintf(most, sizeof most, "%.1f", q.max);
	if (brief)
		bench_row("", tool_name[t], n ? bench_cell(ratio, n, 1).text : "not here",
			n ? most : "", "");
	else if (n)
		printf("%-10s median %.1fx, most %.1fx of native\n", tool_name[t], q.median, q.max);
	else
		printf("%-10s not here\n", tool_name[t]);
}

/* A program that does nothing: what starting takes. */
static void bench_start(const char *build, const char *folder)
{
	struct pairs pairs[TOOLS] = {0};
	const int was = brief;

	brief = 1; /* no row of it */
	if (bench(build, folder, "ten", "mix", "0", longer_rounds, pairs) == 0)
		printf("starting and ending takes %.3f s, under QEMU %.3f s, under the software PMU %.3f s\n",
			pairs[SIM].native, pairs[BARE].cpu, pairs[SIM].cpu);
	brief = was;
}

/* The programs run longer: tables of the software PMU and of QEMU alone. */
static void bench_longer(const char *build, const char *folder)
{
	double median[TOOLS][NAMES];
	size_t n[TOOLS] = {0};

	if (brief)
		bench_head(
			"software PMU, 1 s", "of ten programs", "CPU, against native", "most", "");
	else
		printf("about a second:\n");
	for (size_t i = 0; i < NAMES; i++) {
		struct pairs pairs[TOOLS] = {0};

		if (bench(build, folder, "ten", programs[i].name, programs[i].longer, longer_rounds,
			    pairs))
			continue;
		fflush(stdout);
		for (enum tool t = 0; t < TOOLS; t++)
			if (pairs[t].n)
				median[t][n[t]++] =
					sd_samples_quartiles(pairs[t].ratio, pairs[t].n).median;
	}
	summary(SIM, median[SIM], n[SIM]);
	summary(BARE, median[BARE], n[BARE]);
}

/* Two threads, for about a second together: in one line, and in a line each. */
static void bench_fights(const char *build, const char *folder)
{
	static const char *const program[] = {"false_sharing", "padded"};

	if (brief)
		bench_head("software PMU, 1 s", "two threads", "CPU, against native", "most", "");
	for (size_t i = 0; i < sizeof program / sizeof *program; i++) {
		struct pairs pairs[TOOLS] = {0};
		double *const ratio = pairs[SIM].ratio;

		if (bench(build, folder, program[i], "2", "400000000", longer_rounds, pairs) == 0 &&
			brief)
			bench_row("", program[i], bench_cell(ratio, pairs[SIM].n, 1).text, "", "");
	}
}

/* The files of the runs, and the folder. */
static void clean_up(const char *folder)
{
	DIR *const d = opendir(folder);
	const struct dirent *e;
	char path[512];

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
	rmdir(folder);
}

static void bench_short(const char *build, const char *folder)
{
	double median[TOOLS][NAMES];
	size_t n[TOOLS] = {0}, faster = 0, compared = 0;

	if (brief)
		bench_head("software PMU", "of ten programs", "CPU, against native", "most", "");
	else
		printf("CPU time against native, the median of pairs [quartiles]; misses against cachegrind's of the same caches.\n"
		       "%-10s %7s %20s %20s %20s %20s %7s %11s %9s %11s %9s\n",
			"program", "s", "sim", "qemu alone", "cachegrind", "lackey", "sim MiB",
			"L1 misses", "", "LLC misses", "");
	for (size_t i = 0; i < NAMES; i++) {
		struct pairs pairs[TOOLS] = {0};
		double of[TOOLS];

		if (bench(build, folder, "ten", programs[i].name, programs[i].n, tool_rounds,
			    pairs))
			continue;
		fflush(stdout);
		for (enum tool t = 0; t < TOOLS; t++)
			if (pairs[t].n)
				median[t][n[t]++] = of[t] =
					sd_samples_quartiles(pairs[t].ratio, pairs[t].n).median;
		if (!pairs[GRIND].n || !pairs[LACKEY].n)
			continue;
		compared++;
		faster += of[SIM] < of[GRIND] && of[SIM] < of[LACKEY];
	}
	for (enum tool t = 0; t < TOOLS; t++)
		summary(t, median[t], n[t]);
	if (!brief)
		printf("faster than both on %zu of the %zu that both ran\n", faster, compared);
}

int main(int argc, char **argv)
{
	const char *const scalediag = getenv("SCALEDIAG");
	char build[4096], folder[] = "/tmp/benchsim.XXXXXX";
	const int only_long = argc == 2 && strcmp(argv[1], "long") == 0;

	snprintf(build, sizeof build, "%s", scalediag ? scalediag : "build/scalediag");
	if (!strrchr(build, '/') || !mkdtemp(folder))
		return 1;
	*strrchr(build, '/') = '\0';
	brief = argc == 2 && strcmp(argv[1], "brief") == 0;
	for (enum tool t = 0; brief && t < TOOLS; t++) {
		tool_rounds[t] = t == LACKEY ? 1 : ROUNDS_BRIEF;
		longer_rounds[t] = longer_rounds[t] > 0;
	}
	if (!only_long)
		bench_short(build, folder);
	if (!brief)
		bench_start(build, folder);
	bench_longer(build, folder);
	bench_fights(build, folder);
	clean_up(folder);
	return 0;
}
