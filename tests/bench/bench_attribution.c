/*
 * How far what samples and switches say is from what perf says of the very same run: programs that
 * Debian has are run once, watched at once by the sampling of a diagnosis, by `perf record -e
 * cpu-clock`, and by `perf sched record`. It prints for each: the function whose share of the
 * samples differs most, in percentage points, beside the two standard deviations that two samplings
 * of that many samples differ by chance; and the time its threads were blocked, against its
 * switches by perf. Prints; never passes or fails. Needs root (system-wide tracepoints) and
 * linux-perf.
 */
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "bench/perf_output.h"
#include "support/capture_child.h"
#include "probes/probes.h"
#include "record/stacks.h"

/* ---- ours ---- */

static int is_blocked(enum sd_activity a)
{
	return sd_activity_info[a].group == SD_GROUP_WAITING && a != SD_ACTIVITY_RUNNABLE;
}

/* The function that holds the instruction, as perf names it, not one inlined into it. */
static void take_ours(struct result *r, const struct sd_stacks *stacks, const struct sd_run *run)
{
	for (size_t i = 0; i < run->sampled.n_use; i++) {
		const struct sd_use *const u = &run->sampled.use[i];
		unsigned node = u->node;
		const struct sd_frame *f;
		struct seen *s;

		if (is_blocked(u->activity))
			r->blocked_ours += u->seconds;
		r->ready_ours += u->activity == SD_ACTIVITY_RUNNABLE ? u->seconds : 0;
		if (sd_activity_info[u->activity].group == SD_GROUP_WAITING)
			continue;
		r->n_ours += u->count;
		r->ours += u->seconds;
		f = &stacks->frame[stacks->node[node].frame];
		while (node && f->inlined && stacks->node[node].parent) {
			node = stacks->node[node].parent;
			f = &stacks->frame[stacks->node[node].frame];
		}
		s = node ? key_of(r, stacks->text[f->module], stacks->text[f->function])
			 : key_of(r, "", "");
		if (s)
			s->ours += u->seconds;
	}
}

/* ---- a run ---- */

static int watch(char *const argv[], struct sd_stacks *stacks, struct sd_run *run, int *pid)
{
	struct capture_child child = capture_fork(argv);
	struct sd_cpulist cpus = capture_cpus();
	const struct sd_probe_target target = {.pid = child.pid,
		.cpus = &cpus,
		.cores = (unsigned)cpus.n,
		.expect_s = 10,
		.stacks = stacks,
		.root = ""};
	char record[64], sched[64], number[16];
	void *state = NULL;
	pid_t perf[2];
	int rc = sd_probe_sampling.open(&state, &target), status;

	if (rc) {
		printf("no samples here: %s\n", strerror(-rc));
		close(child.gate);
		return -1;
	}
	*pid = child.pid;
	fcntl(child.gate, F_SETFD, FD_CLOEXEC);
	snprintf(record, sizeof record, "%s/record", folder);
	snprintf(sched, sizeof sched, "%s/sched", folder);
	snprintf(number, sizeof number, "%d", (int)child.pid);
	/*
	 * Linux marks a mapping as having a build-id for every event after the first that asked for
	 * one (perf_event_mmap_output leaves the bit set). Ours asks; perf, if it did not, would
	 * take the inode for a build-id and die of its length.
	 */
	perf[0] = start((char *const[]){(char[]){"perf"}, (char[]){"record"}, (char[]){"-q"},
		(char[]){"--buildid-mmap"}, (char[]){"-e"}, (char[]){"cpu-clock"}, (char[]){"-F"},
		(char[]){"997"}, (char[]){"-o"}, record, (char[]){"-p"}, number, NULL});
	perf[1] = start((char *const[]){(char[]){"perf"}, (char[]){"sched"}, (char[]){"record"},
		(char[]){"-q"}, (char[]){"--buildid-mmap"}, (char[]){"-m"}, (char[]){"8M"},
		(char[]){"-o"}, sched, NULL});
	sleep(2); /* until both are ready */
	sd_probe_sampling.start(state);
	close(child.gate);
	while (waitpid(child.pid, &status, WNOHANG) == 0) {
		const uint64_t delay = sd_probe_sampling.tick(state, capture_now());

		nanosleep(
			&(struct timespec){.tv_nsec = (long)(delay < 20000000 ? delay : 20000000)},
			NULL);
	}
	sd_probe_sampling.stop(state, run);
	sd_probe_sampling.close(state);
	for (int i = 0; i < 2; i++) {
		kill(perf[i], SIGINT);
		waitpid(perf[i], NULL, 0);
	}
	sd_cpulist_free(&cpus);
	return run->sampled.status == SD_STATUS_OK ? 0 : -1;
}

static int by_difference(const void *a, const void *b)
{
	const struct seen *const x = a, *const y = b;
	const double dx = fabs(x->ours - x->theirs), dy = fabs(y->ours - y->theirs);

	return (dx < dy) - (dx > dy);
}

/* Shares; then the largest differences, and what chance does to them. */
static void report(const char *name, struct result *r)
{
	size_t functions = 0;

	for (size_t i = 0; i < r->n; i++) {
		functions += r->seen[i].theirs > 0;
		r->seen[i].ours /= r->ours;
		r->seen[i].theirs /= r->theirs;
	}
	qsort(r->seen, r->n, sizeof *r->seen, by_difference);
	printf("%s: %.0f samples, perf %.0f, %zu functions; blocked %.4f s and ready %.4f s, perf "
	       "%.4f s (%+.2f %% to %+.2f %%)\n",
		name, r->n_ours, r->theirs, functions, r->blocked_ours, r->ready_ours,
		r->blocked_theirs, 100 * (r->blocked_ours / r->blocked_theirs - 1),
		100 * ((r->blocked_ours + r->ready_ours) / r->blocked_theirs - 1));
	for (size_t i = 0; i < r->n && i < 4; i++) {
		const double p = (r->seen[i].ours + r->seen[i].theirs) / 2;

		printf("  %6.2f %% perf %6.2f %%  %+5.2f points, by chance %.2f  %.60s\n",
			100 * r->seen[i].ours, 100 * r->seen[i].theirs,
			100 * (r->seen[i].ours - r->seen[i].theirs),
			200 * sqrt(p * (1 - p) * (1 / r->n_ours + 1 / r->theirs)), r->seen[i].key);
	}
	fflush(stdout);
}

static void bench(const char *name, const char *command)
{
	struct sd_stacks stacks = {0};
	struct sd_run run = {0};
	struct result r = {.seen = calloc(KEYS, sizeof *r.seen)};
	char *const argv[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, strdup(command), NULL};
	int pid = 0;

	if (r.seen && argv[2] && watch(argv, &stacks, &run, &pid) == 0) {
		take_ours(&r, &stacks, &run);
		take_theirs(&r);
		take_switches(&r, pid);
		if (r.ours > 0 && r.theirs > 0)
			report(name, &r);
		else
			printf("%s: not compared: %.0f samples of ours, %.0f of perf\n", name,
				r.n_ours, r.theirs);
	}
	free(argv[2]);
	free(r.seen);
	sd_run_free(&run);
	sd_stacks_free(&stacks);
}

int main(void)
{
	static const struct {
		const char *name, *command;
	} program[] = {
		{"xz", "exec xz -T2 -4 -k -c lines >/dev/null"},
		{"gcc", "exec gcc -O2 -c -o /dev/null many.c"},
		{"python3", "exec /usr/bin/python3 -c 'import threading\n"
			    "def f():\n s=0\n for i in range(120000000): s+=i*i\n"
			    "t=[threading.Thread(target=f) for _ in range(2)]\n"
			    "[x.start() for x in t]; [x.join() for x in t]'"},
		{"sort", "exec sort --parallel=2 -S 64M -T . -o sorted lines lines lines lines "
			 "lines lines "
			 "lines lines lines lines lines lines"},
		{"openssl", "exec openssl speed -multi 2 -seconds 4 -evp sha256 -bytes 1024 "
			    ">/dev/null 2>&1"},
	};
	/* text that neither repeats itself nor is noise; a source of a few seconds */
	static const char inputs[] =
		"awk 'BEGIN { srand(1); for (i = 0; i < 1500000; i++) printf \"%d %x key\\n"
		"\", rand() * 1e9, i * 7919 }' >lines; awk 'BEGIN { for (i = 0; i < 6000; i++) printf \"int f%d(int *a, int n) { int s = %d; for (int i = 0; i < n; i++) { if (a[i] > s) s += a[i] * %d; else a[i] ^= s; } return s; }\\n"
		"\", i, i, i + 3 }' >many.c";
	char clean[64];

	if (!mkdtemp(folder) || chdir(folder) || system(inputs)) {
		fprintf(stderr, "bench_attribution: cannot write to %s\n", folder);
		return 1;
	}
	for (size_t i = 0; i < sizeof program / sizeof *program; i++)
		bench(program[i].name, program[i].command);
	snprintf(clean, sizeof clean, "rm -rf %s", folder);
	return system(clean) != 0;
}
