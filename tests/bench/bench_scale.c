/*
 * How long a large program on a large machine takes, from the plan to the page: 64 counts up to
 * 1,024 cores, 10,000 threads, every run with as many stacks and lanes as a record keeps (of the
 * threads the busiest 256). Before that, the trace of a run attributed, with all threads there at
 * once. Each part's time and the most memory until then.
 *
 * usage: bench_scale [COUNTS RUNS FUNCTIONS]; 64 10 5000 unless told otherwise
 */
#include <inttypes.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "bench/bench_table.h"
#include "bench/large_plan.h"
#include "html/html.h"
#include "probe/accountant.h"
#include "record/record_file.h"
#include "report/formats.h"

#define CORES 1024u
#define THREADS 10000u
#define WAITS 2u /* of each thread in the trace */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double all; /* s of the parts so far */

/* Says the time of a part, s; returns the start of the next. */
static double said(const char *part, double since)
{
	struct rusage use;
	const double seconds = now() - since;
	char time[32], memory[32];

	getrusage(RUSAGE_SELF, &use);
	snprintf(time, sizeof time, "%.2f", seconds);
	snprintf(memory, sizeof memory, "%ld", use.ru_maxrss / 1024);
	bench_row("", part, time, memory, "");
	all += seconds;
	return now();
}

/* The trace is made before the clock begins. */
static int attribute(const struct large *l)
{
	struct sd_record r = {0};
	struct sd_timeline t;
	struct sd_run run = {0};
	const struct sd_accountant_run of = {
		.stacks = &r.stacks, .cores = l->cores, .lane_steps = SD_BINNED_STEPS, .exact = 1};
	unsigned *const node = large_stacks(&r, l->functions);
	double at;
	int rc;

	make_large_timeline(&t, l, node, WAITS, 1);
	at = now();
	rc = sd_accountant_rules.timeline(&t, &of, &run);
	(void)said("attribute a trace", at);
	sd_timeline_free(&t);
	sd_run_free(&run);
	sd_record_free(&r);
	free(node);
	return rc;
}

static int go(const char *path, const struct large *l)
{
	const struct sd_sink silent = {0};
	const struct sd_report_style style = {.record_path = path, .width = 80};
	FILE *const nothing = fopen("/dev/null", "w");
	struct sd_record made, r = {0};
	struct sd_analysis a = {0};
	struct stat st = {0};
	double at;
	int rc;

	rc = nothing ? attribute(l) : -errno;
	all = 0;
	at = now();
	rc = rc ? rc : large_plan(l, l->runs);
	(void)said("plan", at);
	make_large(&made, l);
	at = now();
	rc = rc ? rc : sd_record_write(path, &made, &silent);
	at = said("write the record", at);
	sd_record_free(&made);
	at = now();
	rc = rc ? rc : sd_record_read(path, &r, &silent);
	at = said("read it", at);
	rc = rc ? rc : sd_analyse(&r, NULL, NULL, &a);
	at = said("analyse", at);
	rc = rc ? rc : sd_report_format_find("text")->print(nothing, &r, &a, &style);
	at = said("text", at);
	rc = rc ? rc : sd_report_format_find("json")->print(nothing, &r, &a, &style);
	at = said("json", at);
	rc = rc ? rc : sd_html_report(nothing, &r, &a, &style);
	(void)said("html", at);
	if (!rc && stat(path, &st) == 0) {
		char text[64];

		snprintf(text, sizeof text, "%.2f", all);
		bench_row("", "all from the plan on", text, "", "");
		snprintf(text, sizeof text, "%.1f MB", (double)st.st_size / 1e6);
		bench_row("", "size of the record", text, "", "");
	}
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
	struct large l = {.cores = CORES, .threads = THREADS};
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
	l.counts = (unsigned)counts;
	l.runs = (unsigned)runs;
	l.functions = (unsigned)functions;
	bench_head("scale", "part", "s", "MB at most so far", "");
	printf("%u counts x %u runs, %u cores, %u threads, %u functions\n", l.counts, l.runs,
		l.cores, l.threads, l.functions);
	rc = go(path, &l);
	unlink(path);
	if (rc)
		fprintf(stderr, "failed: %s\n", strerror(-rc));
	return rc ? 4 : 0;
}
