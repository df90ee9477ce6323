/*
 * Writing and reading records: of 64 counts x 50 runs, and a very large one, of about 249 MB. Each
 * time in a process of its own; memory is what reading takes more than reading the smallest record,
 * by the byte of the file. Prints; never passes or fails.
 */
#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "bench/bench_output.h"
#include "bench/bench_table.h"
#include "bench/large_record.h"
#include "record/record_file.h"

#define TURNS 5

/* what they are of; `runs` of the small one without stacks, as a plain diagnosis has few */
static const struct size {
	const char *text;
	struct large large;
	unsigned turns;
} sizes[] = {
	{"1 count x 1 run", {.counts = 1, .cores = 1, .runs = 1, .functions = 1, .threads = 1}, 3},
	{"64 counts x 50 runs",
		{.counts = 64, .cores = 128, .runs = 50, .functions = 30, .threads = 16}, TURNS},
	{"the same, 1,500 stacks each",
		{.counts = 64, .cores = 1024, .runs = 50, .functions = 1500, .threads = 256}, 1},
};
#define SIZES (sizeof sizes / sizeof *sizes)

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long most_bytes(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss * 1024;
}

/* Writes the record, as main does it in a process of its own: says the seconds and the bytes. */
static int do_write(const char *path, const struct large *large)
{
	const struct sd_sink silent = {0};
	struct sd_record r;
	double begun;
	int rc;

	make_large(&r, large);
	begun = now();
	rc = sd_record_write(path, &r, &silent);
	printf("%.6f %ld\n", now() - begun, most_bytes());
	sd_record_free(&r);
	return rc ? 1 : 0;
}

static int do_read(const char *path)
{
	const struct sd_sink silent = {0};
	struct sd_record r = {0};
	const double begun = now();
	const int rc = sd_record_read(path, &r, &silent);

	printf("%.6f %ld\n", now() - begun, most_bytes());
	sd_record_free(&r);
	return rc ? 1 : 0;
}

static int ask(const char *what, const char *path, size_t size, double *seconds, double *bytes)
{
	char number[8], out[256], *end;
	const char *const argv[] = {"/proc/self/exe", what, path, number, NULL};

	snprintf(number, sizeof number, "%zu", size);
	if (bench_output(argv, out, sizeof out))
		return -1;
	*seconds = strtod(out, &end);
	*bytes = strtod(end, NULL);
	return 0;
}

static int measure(const char *path, size_t i, double *least)
{
	double write[TURNS], read[TURNS], memory[TURNS], bytes;
	const size_t n = sizes[i].turns;
	struct stat st;
	char what[64];

	for (size_t k = 0; k < n; k++) {
		if (ask("write", path, i, &write[k], &bytes) || stat(path, &st) ||
			ask("read", path, i, &read[k], &bytes))
			return -1;
		if (i == 0)
			*least = bytes;
		memory[k] = (bytes - *least) / (double)st.st_size;
	}
	snprintf(what, sizeof what, "%.1f MB", (double)st.st_size / 1e6);
	if (i > 0) {
		bench_row(sizes[i].text, what, bench_cell(write, n, 2).text,
			bench_cell(read, n, 2).text, bench_cell(memory, n, 1).text);
	}
	return 0;
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/bench-record-XXXXXX", path[PATH_MAX];
	const char *const clean[] = {"rm", "-r", folder, NULL};
	char said[256];
	double least = 0;
	int rc = 0;

	if (argc == 4 && strcmp(argv[1], "read") == 0)
		return do_read(argv[2]);
	if (argc == 4 && strcmp(argv[1], "write") == 0 && strtoul(argv[3], NULL, 10) < SIZES)
		return do_write(argv[2], &sizes[strtoul(argv[3], NULL, 10)].large);
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof path, "%s/r.json", folder);
	bench_head("record", "", "write, s", "read, s", "bytes a byte read");
	for (size_t i = 0; i < SIZES && !rc; i++)
		rc = measure(path, i, &least);
	(void)bench_output(clean, said, sizeof said);
	if (rc)
		fprintf(stderr, "bench_record: could not write or read\n");
	return rc ? 1 : 0;
}
