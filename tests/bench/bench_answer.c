/*
 * How soon a diagnosis answers, and whether rightly: programs whose cause is known (tests/truth),
 * diagnosed with default options by this build and, in turn with it, by another one. The record is
 * cut behind each of its runs and reported again by the build that made it: so it is known after
 * how many seconds a cause was likely first. Prints pairs of both builds' times, by kind what
 * either answers rightly, and keeps the records; never passes or fails.
 *
 *   bench_answer FOLDER      of the built programs, of which FOLDER/a has the broken ones
 * In the environment:
 *   SCALEDIAG, BASE          the program under test; the one that it is compared with (the version
 *                            before, which make builds), or nothing
 *   SD_TRUTH                 "ledger queue": these only
 *   SD_TRUTH_LOADS           "quiet half": what runs beside it; both
 */
#include <limits.h>
#include <time.h>

#include "accuracy/truth_command.h"
#include "accuracy/truth_answer.h"
#include "accuracy/truth_loads.h"
#include "base/statistics.h"

#define WORST 5

struct timed {
	const struct truth *truth;
	const char *load;
	double likely, final; /* s; likely NAN: never */
	unsigned likely_runs;
	enum outcome outcome;
	int found;
};

struct build {
	const char *name, *path;
	struct timed of[2 * TRUTH_ROWS];
	size_t n;
};

static char work[PATH_MAX], record[PATH_MAX + 80], part[PATH_MAX + 16], errors[PATH_MAX + 16];

static double clock_s(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A cause is likely, or confirmed, and not that others were busy. */
static int is_likely(json_t *root)
{
	struct answer a;

	read_answer(root, &a);
	return a.named && a.found < SD_CAUSE_COUNT;
}

/* s, by the clock of the runs, at which the n-th run had ended. */
static double end_of(const json_t *runs, size_t n)
{
	const json_t *const run = json_array_get(runs, n);

	return json_number_value(json_object_get(run, "start")) +
	       json_number_value(json_object_get(json_object_get(run, "metrics"), "wall"));
}

/* Cuts the record behind each run and reports it, until a cause is likely. */
static void find_likely(const struct build *b, double begun, struct timed *t)
{
	json_t *const root = json_load_file(record, 0, NULL);
	json_t *const runs = json_incref(json_object_get(root, "runs"));
	json_t *const first = json_array();

	t->likely = NAN;
	for (size_t i = 0; i < json_array_size(runs) && isnan(t->likely); i++) {
		struct command c = {0};
		json_t *answer;

		json_array_append(first, json_array_get(runs, i));
		json_object_set(root, "runs", first);
		if (i < 2 || json_dump_file(root, part, 0))
			continue;
		add(&c, b->path);
		add(&c, "report");
		add(&c, "--format");
		add(&c, "json");
		add(&c, part);
		answer = run(c.argv, errors);
		if (answer && is_likely(answer)) {
			t->likely = end_of(runs, i) - begun;
			t->likely_runs = (unsigned)i + 1;
		}
		json_decref(answer);
	}
	json_decref(first);
	json_decref(runs);
	json_decref(root);
}

static void diagnose(
	struct build *b, const char *folder, const struct truth *truth, const struct load *load)
{
	struct timed *const t = &b->of[b->n++];
	const double begun = clock_s(CLOCK_REALTIME), from = clock_s(CLOCK_MONOTONIC);
	struct command c = {0};
	char program[PATH_MAX];
	struct answer a;

	*t = (struct timed){.truth = truth, .load = load->name};
	snprintf(program, sizeof program, "%s/a/%s", folder, truth->name);
	snprintf(record, sizeof record, "%s/%s-%s-%s.json", work, truth->name, load->name, b->name);
	add(&c, b->path);
	add(&c, "--cores");
	add(&c, "1,2");
	add(&c, "--json");
	add(&c, "--cwd");
	add(&c, work);
	add(&c, "-o");
	add(&c, record);
	add(&c, "--");
	add(&c, program);
	read_answer(run(c.argv, errors), &a);
	t->final = clock_s(CLOCK_MONOTONIC) - from;
	a.efficiency = best_efficiency(a.root);
	t->outcome = worth(truth, &a);
	t->found = a.would;
	find_likely(b, begun, t);
	json_decref(a.root);
	printf("  %-6s %-16s %-5s likely after ", load->name, truth->name, b->name);
	if (isnan(t->likely))
		printf("   -  s         ");
	else
		printf("%5.1f s, %2u runs", t->likely, t->likely_runs);
	printf("; final after %5.1f s: %s, %s\n", t->final, outcome_name[t->outcome],
		found_name(t->found));
	fflush(stdout);
}

/* ---- the table ---- */

static double median(double *v, size_t n)
{
	return sd_statistics_median(v, n);
}

static void put_row(const struct build *b, const char *load)
{
	static double likely[2 * TRUTH_ROWS], final[2 * TRUTH_ROWS];
	unsigned outcome[OUTCOMES] = {0};
	size_t n = 0, m = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct timed *const t = &b->of[i];

		if (strcmp(t->load, load) != 0)
			continue;
		final[n++] = t->final;
		outcome[t->outcome]++;
		if (!isnan(t->likely))
			likely[m++] = t->likely;
	}
	if (!n)
		return;
	printf("  %-6s %-5s  a likely cause in %2zu of %2zu", load, b->name, m, n);
	if (m)
		printf(", median after %5.1f s", median(likely, m));
	printf("; final median after %5.1f s; right %u, wrong %u, undecided %u, busy %u, failed %u, "
	       "not shown %u\n",
		median(final, n), outcome[RIGHT], outcome[WRONG], outcome[UNDECIDED], outcome[BUSY],
		outcome[FAILED], outcome[NOT_SHOWN]);
}

/* This build's time over the other's, of each program a pair: their geometric mean. */
static void put_ratio(const char *load, const char *what, const double *log_ratio, size_t n)
{
	const struct sd_interval v = sd_statistics_paired(log_ratio, n);

	if (n > 1)
		printf("  %-6s %s: this takes %.2f times what base takes (95 %%: %.2f to %.2f; %zu "
		       "pairs)\n",
			load, what, exp(v.value), exp(v.low), exp(v.high), n);
	else
		printf("  %-6s %s: %zu pair%s, which bounds nothing\n", load, what, n,
			n == 1 ? "" : "s");
}

/* How many programs of each kind of cause either answers rightly, where they differ. */
static void put_kinds(const struct build *this, const struct build *base, const char *load)
{
	for (int kind = 0; kind < EXPECTED; kind++) {
		unsigned right[2] = {0, 0}, all = 0;

		for (size_t i = 0; i < this->n; i++) {
			if (strcmp(this->of[i].load, load) != 0 ||
				expected(this->of[i].truth) != kind)
				continue;
			all++;
			right[0] += base->of[i].outcome == RIGHT;
			right[1] += this->of[i].outcome == RIGHT;
		}
		if (right[0] != right[1])
			printf("  %-6s %s: right in %u of %u, base in %u%s\n", load,
				expected_name(kind), right[1], all, right[0],
				right[1] < right[0] ? ": LESS OFTEN" : "");
	}
}

/* Each program is diagnosed by both builds, one after the other, so that entries are pairs. */
static void put_pairs(const struct build *this, const struct build *base, const char *load)
{
	static double likely[2 * TRUTH_ROWS], final[2 * TRUTH_ROWS];
	size_t n = 0, m = 0;

	for (size_t i = 0; i < this->n && base->n == this->n; i++) {
		const struct timed *const t = &this->of[i], *const b = &base->of[i];

		if (strcmp(t->load, load) != 0)
			continue;
		final[n++] = log(t->final / b->final);
		if (!isnan(t->likely) && !isnan(b->likely) && t->likely > 0 && b->likely > 0)
			likely[m++] = log(t->likely / b->likely);
	}
	if (!n)
		return;
	put_ratio(load, "to a likely cause", likely, m);
	put_ratio(load, "to the end", final, n);
	put_kinds(this, base, load);
}

static int by_final(const void *a, const void *b)
{
	const struct timed *const x = a, *const y = b;

	return (x->final < y->final) - (x->final > y->final);
}

static void put_worst(struct build *b)
{
	qsort(b->of, b->n, sizeof *b->of, by_final);
	printf("\n  the latest of %s:\n", b->name);
	for (size_t i = 0; i < b->n && i < WORST; i++)
		printf("  %-6s %-16s %5.1f s, %s, %s\n", b->of[i].load, b->of[i].truth->name,
			b->of[i].final, outcome_name[b->of[i].outcome], found_name(b->of[i].found));
}

int main(int argc, char **argv)
{
	static struct build this = {.name = "this"}, base = {.name = "base"};
	static struct truth_table table;
	const char *const only = getenv("SD_TRUTH"), *const loads = getenv("SD_TRUTH_LOADS");
	const char *const tmp = getenv("TMPDIR");
	char folder[PATH_MAX];

	if (argc != 2 || !realpath(argv[1], folder)) {
		fprintf(stderr, "usage: [BASE=SCALEDIAG] bench_answer FOLDER\n");
		return 2;
	}
	snprintf(work, sizeof work, "%.200s/answer-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(work)) {
		perror("bench_answer: a folder for its records");
		return 2;
	}
	snprintf(part, sizeof part, "%s/part.json", work);
	snprintf(errors, sizeof errors, "%s/errors", work);
	this.path = scalediag();
	base.path = getenv("BASE");
	if (base.path && !*base.path)
		base.path = NULL;
	truth_read(&table, "tests/truth/expected.conf");
	for (size_t k = 0; k < LOAD_KINDS; k++) {
		struct load_running load;

		if (!listed(loads && *loads ? loads : "quiet half", load_kind[k].name))
			continue;
		load_start(&load_kind[k], &load);
		for (size_t i = 0; i < table.n; i++) {
			const struct truth *const t = &table.row[i];

			if (!t->live || !listed(only, t->name))
				continue;
			if (base.path && i % 2)
				diagnose(&base, folder, t, &load_kind[k]);
			diagnose(&this, folder, t, &load_kind[k]);
			if (base.path && i % 2 == 0)
				diagnose(&base, folder, t, &load_kind[k]);
		}
		(void)load_stop(&load);
	}
	printf("\n");
	for (size_t k = 0; k < LOAD_KINDS; k++) {
		put_row(&base, load_kind[k].name);
		put_row(&this, load_kind[k].name);
	}
	for (size_t k = 0; k < LOAD_KINDS && base.path; k++)
		put_pairs(&this, &base, load_kind[k].name);
	put_worst(&this);
	unlink(part);
	unlink(errors);
	printf("\n  the records: %s\n", work);
	config_destroy(&table.config);
	return 0;
}
