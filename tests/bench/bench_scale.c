/*
 * How long a large record takes, from the file to the page: counts up to 1,024 cores, every run
 * with as many threads, stacks and lanes as a record keeps (of 10,000 threads the busiest 256).
 * usage: bench_scale [COUNTS RUNS FUNCTIONS]; 64 10 5000 unless told otherwise
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "report/formats.h"
#include "html/html.h"
#include "record/record_file.h"
#include "support/analyse_record.h"
#include "support/make_record.h"

#define CORES 1024u
#define THREADS 10000u

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((format(printf, 2, 3))) static unsigned text(
	struct sd_record *r, const char *format, ...)
{
	char name[64];
	unsigned number = 0;
	va_list list;

	va_start(list, format);
	vsnprintf(name, sizeof name, format, list);
	va_end(list);
	if (sd_stacks_text(&r->stacks, name, &number))
		abort();
	return number;
}

/* A call tree of that many functions, some eight calls deep. */
static unsigned *make_stacks(struct sd_record *r, unsigned functions)
{
	unsigned *const node = make_zeroed(functions, sizeof *node);

	for (unsigned i = 0; i < functions; i++) {
		const struct sd_frame f = {.function = text(r, "solver::step_%u", i),
			.file = text(r, "/home/user/src/part_%u.cc", i / 16),
			.module = text(r, "/home/user/bin/solver"),
			.line = 10 + i % 900,
			.offset = 0x1000 + 16 * (uint64_t)i};
		unsigned frame;

		if (sd_stacks_frame(&r->stacks, &f, &frame) ||
			sd_stacks_node(&r->stacks, i ? node[(i - 1) / 3] : 0, frame, &node[i]))
			abort();
	}
	return node;
}

static void add_samples(
	struct sd_run *run, const unsigned *node, unsigned functions, double seconds)
{
	struct sd_sampled *const s = &run->sampled;
	const size_t n = functions < SD_SAMPLED_ROWS ? functions : SD_SAMPLED_ROWS;

	*s = (struct sd_sampled){.status = SD_STATUS_OK,
		.switch_stacks = SD_STATUS_OK,
		.kernel = SD_STATUS_OK,
		.wakers = SD_STATUS_OK,
		.hz = 400,
		.samples = 400 * seconds,
		.unwound = 1,
		.n_use = n};
	s->use = make_zeroed(n, sizeof *s->use);
	for (size_t i = 0; i < n; i++)
		s->use[i] = (struct sd_use){.node = node[i],
			.activity = i % 7 ? SD_ACTIVITY_USEFUL : SD_ACTIVITY_MUTEX,
			.seconds = seconds / (double)n,
			.count = 400 * seconds / (double)n,
			.blame = .01 * seconds / (double)n};
}

static void add_threads(struct sd_run *run, double seconds)
{
	run->thread = make_zeroed(SD_RUN_THREADS, sizeof *run->thread);
	run->n_thread = SD_RUN_THREADS;
	run->n_thread_seen = THREADS;
	for (unsigned i = 0; i < SD_RUN_THREADS; i++) {
		run->thread[i].tid = 1000 + (int)i;
		run->thread[i].cpu = SD_OK(seconds / THREADS);
		snprintf(run->thread[i].name, sizeof run->thread[i].name, "worker/%u", i);
	}
}

static struct sd_binned_lanes *make_lanes(void)
{
	struct sd_binned_lanes *const l = make_zeroed(1, sizeof *l);

	l->length = 10000000000;
	l->bins = SD_BINNED_BINS;
	l->n_seen = THREADS;
	l->n_doing = 2;
	l->doing = make_zeroed(2, sizeof *l->doing);
	l->doing[0] = (struct sd_binned_doing){SD_ACTIVITY_USEFUL, 1, 0};
	l->doing[1] = (struct sd_binned_doing){SD_ACTIVITY_MUTEX, 2, 0};
	l->n_lane = SD_BINNED_LANES;
	l->lane = make_zeroed(l->n_lane, sizeof *l->lane);
	for (unsigned i = 0; i < l->n_lane; i++) {
		struct sd_binned_lane *const lane = &l->lane[i];

		*lane = (struct sd_binned_lane){.pid = 1000, .tid = 1000 + (int)i};
		snprintf(lane->name, sizeof lane->name, "worker/%u", i);
		lane->n_step = SD_BINNED_STEPS / SD_BINNED_LANES;
		lane->step = make_zeroed(lane->n_step, sizeof *lane->step);
		for (unsigned k = 0; k < lane->n_step; k++)
			lane->step[k] = (struct sd_binned_step){40, k % 2};
	}
	return l;
}

static void make_large(struct sd_record *r, unsigned counts, unsigned runs, unsigned functions)
{
	unsigned *const cores = make_zeroed(counts, sizeof *cores), *node;

	for (unsigned i = 0; i < counts; i++)
		cores[i] = i + 1 < counts ? 1 + i * (CORES - 1) / counts : CORES;
	make_record(r, cores, counts);
	node = make_stacks(r, functions);
	for (unsigned i = 0; i < counts; i++)
		for (unsigned k = 0; k < runs; k++) {
			const double n = cores[i], vary = 1 + .004 * (double)(k % 5);
			struct sample s = {.user = 1000 + n, .system = 1 + .1 * n};
			struct sd_run *run;

			for (int j = 0; j < SD_IDLE_COUNT; j++)
				s.idle[j] = .03 * n;
			s.wall = (s.user + s.system + SD_IDLE_COUNT * .03 * n) / n;
			run = record_sample(r, i, &s, vary);
			run->block = k;
			add_samples(run, node, functions, s.user);
			add_threads(run, s.user);
			if (k == 0 && i % 4 == 0)
				run->lanes = make_lanes();
		}
	free(node);
	free(cores);
}

/* What it takes, said; the start of the next. */
static double said(const char *what, double since)
{
	struct rusage use;
	const double seconds = now() - since;

	getrusage(RUSAGE_SELF, &use);
	printf("  %-8s %6.2f s   at most %4ld MB\n", what, seconds, use.ru_maxrss / 1024);
	fflush(stdout);
	return now();
}

static int go(const char *path, struct sd_record *made)
{
	const struct sd_sink silent = {0};
	const struct sd_report_style style = {.record_path = path, .width = 80};
	FILE *const nothing = fopen("/dev/null", "w");
	struct sd_record r = {0};
	struct sd_analysis a = {0};
	struct stat st;
	double at = now();
	int rc = nothing ? sd_record_write(path, made, &silent) : -errno;

	sd_record_free(made);
	at = said("write", at);
	if (!rc && stat(path, &st) == 0)
		printf("  record   %6.1f MB\n", (double)st.st_size / 1e6);
	rc = rc ? rc : sd_record_read(path, &r, &silent);
	at = said("read", at);
	rc = rc ? rc : sd_analyse(&r, NULL, NULL, &a);
	at = said("analyse", at);
	rc = rc ? rc : sd_report_format_find("text")->print(nothing, &r, &a, &style);
	at = said("text", at);
	rc = rc ? rc : sd_report_format_find("json")->print(nothing, &r, &a, &style);
	at = said("json", at);
	rc = rc ? rc : sd_html_report(nothing, &r, &a, &style);
	(void)said("html", at);
	if (nothing)
		fclose(nothing);
	sd_analysis_free(&a);
	sd_record_free(&r);
	return rc;
}

int main(int argc, char **argv)
{
	uint64_t counts = 64, runs = 10, functions = 5000;
	char path[] = "/tmp/scalediag-bench-XXXXXX";
	struct sd_record r;
	int file, rc;

	if (argc != 1 && (argc != 4 || sd_number_u64(argv[1], 2, 1024, &counts) ||
				 sd_number_u64(argv[2], 1, 1000, &runs) ||
				 sd_number_u64(argv[3], 1, 100000, &functions))) {
		fprintf(stderr, "usage: bench_scale [COUNTS RUNS FUNCTIONS]\n");
		return 2;
	}
	file = mkstemp(path);
	if (file < 0)
		return 4;
	close(file);
	unlink(path);
	printf("scale: %" PRIu64 " counts up to %u cores x %" PRIu64 " runs, %u threads, %" PRIu64
	       " functions\n",
		counts, CORES, runs, THREADS, functions);
	make_large(&r, (unsigned)counts, (unsigned)runs, (unsigned)functions);
	rc = go(path, &r);
	unlink(path);
	if (rc)
		fprintf(stderr, "failed: %s\n", strerror(-rc));
	return rc ? 4 : 0;
}
