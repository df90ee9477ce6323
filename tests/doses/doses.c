/*
 * True amounts: programs that lose a known number of cores to a known cause (dose.c) are diagnosed
 * as a user would, and what the report says is held against what the same runs said themselves.
 * So are the good forms, where a cause that is named is an accusation. Prints a row a dose and the
 * errors of each cause; never passes or fails.
 *
 *   doses FOLDER             of the built program, and of its records and files
 * Beside other work, as root: chrt -f 5 make doses DOSES_OPTIONS="--no-shield ...". In the
 * environment:
 *   SCALEDIAG                the program under test
 *   DOSES                    "serial lock": these only; a mixture is named "serial+lock", and all
 *                            of them "mixtures"; without it all but those of ranks of MPI
 *   DOSES_SECONDS            of work on one core; .4
 *   DOSES_OPTIONS            of scalediag; "--repeats 5 --experiments none"
 */
#include <time.h>

#include "doses/dose_bench.h"
#include "support/witness.h"

/* The machine beside it: of the runs at the largest count, and of all of the diagnoses. */
static void put_witness(
	struct witness *w, const struct bench *b, const struct dose_line *line, size_t lines)
{
	double ready;

	(void)dose_wall(line, lines, b->n, &ready);
	printf("  [no CPU %.1f %%, others %.0f %%, loop %.2f]\n", 100 * ready,
		100 * others_share(&w->since), witness_change(w));
	fflush(stdout); /* or every child would print it again */
}

/* ---- a row of the table ---- */

static void put_range(const char *what, struct sd_interval v)
{
	if (v.status == SD_STATUS_OK)
		printf("  %s %.2f (%.2f to %.2f)", what, v.value, v.low, v.high);
	else
		printf("  %s -", what);
}

/* By the interval of the cause, and where it is told with none by that of its components. */
static int is_covered(struct sd_interval cause, struct sd_interval components, double truth)
{
	const struct sd_interval v = cause.status == SD_STATUS_OK ? cause : components;

	return v.low <= truth && truth <= v.high;
}

/* Is the first cause one of these, or rightly none: of what costs less than 5 % of the cores none
 * need be named (LOSES_NOTHING)? */
static int is_right(json_t *root, const char *causes, double truth, const char **first)
{
	struct answer a;

	read_answer(root, &a);
	*first = found_name(a.found);
	return (*causes && listed(causes, *first)) ||
	       (a.found == FOUND_NONE && (!*causes || truth < 1 - LOSES_NOTHING));
}

/* Does the word claim something? Undecided and busy are answers that do not. */
static int is_claim(const char *first)
{
	return strcmp(first, found_name(FOUND_UNDECIDED)) != 0 &&
	       strcmp(first, found_name(FOUND_BUSY)) != 0 &&
	       strcmp(first, found_name(FOUND_FAILED)) != 0;
}

static void count_payoff(struct dose_errors *e, struct sd_interval said, double gain)
{
	if (said.status != SD_STATUS_OK || isnan(gain) || e->n_payoff == DOSE_TOLD)
		return;
	e->payoff[e->n_payoff] = fabs(said.value / gain - 1);
	e->width[e->n_payoff++] = (said.high - said.low) / said.value;
}

/* s of a run at the largest count, the median: with the start and the end of the process, and with
 * what the launcher of ranks takes, which no program says of its own time. */
static double wall_of(const json_t *root)
{
	return gain_wall(root).value;
}

/* Diagnoses the good form of a dose, in which whatever is named is an accusation; s of its runs at
 * the largest count; NAN: it failed. */
static double control(
	const struct bench *b, const struct dose_row *row, double share, struct dose_errors *e)
{
	struct answer a;
	char dose[32];
	json_t *root;
	double wall;

	if (row->start == DOSE_QUOTA && bench_set_quota(b, 0))
		return NAN;
	snprintf(dose, sizeof dose, "%s:%g", row->name, share);
	root = bench_diagnose(b, dose, NULL);
	read_answer(root, &a);
	if (a.found < SD_CAUSE_COUNT) {
		printf("; good form ACCUSED of %s, %s", found_name(a.found), a.verdict);
		e->accused++;
	}
	e->controls += root != NULL;
	wall = wall_of(root);
	json_decref(root);
	return wall;
}

static void add_error(struct dose_errors *e, double error)
{
	if (e->n < DOSE_TOLD)
		e->error[e->n++] = error;
}

/* A cause of so many cores, as the report has it. */
static void rate(const struct bench *b, const struct dose_row *row, json_t *root, double truth,
	struct dose_errors *e)
{
	const struct sd_interval cores = dose_interval(dose_finding(root, row->causes), "cores");
	const struct sd_interval component = dose_components(root, row->components);
	const int covered = is_covered(cores, component, truth);

	printf("  %.3f: %.3f in the stack (%+.1f %%)", truth, component.value,
		100 * (component.value - truth) / b->n);
	put_range("cause", cores);
	printf("%s", covered ? "" : " NOT COVERED");
	add_error(e, fabs(component.value - truth) / b->n);
	e->covered += (size_t)covered;
}

/* Cores that it took: by the clocks of the runs, and of a quota besides what it leaves free. */
static double amount_of(const struct bench *b, const struct dose_row *row, double share,
	const json_t *root, const struct dose_line *line, size_t lines)
{
	double ready;
	const double truth = dose_amount(line, lines, b->n, 0, row->grows);

	if (row->start == DOSE_QUOTA)
		printf("  (the quota leaves %.3f)", b->n - bench_quota(share, b->n));
	return truth * dose_wall(line, lines, b->n, &ready) / wall_of(root);
}

#define SHOWN .005 /* of the cores: half of the error that is aimed at */

static void dose_one(
	const struct bench *b, const struct dose_row *row, double share, struct dose_errors *e)
{
	struct dose_line line[DOSE_RUNS];
	struct sd_interval worth;
	struct witness w;
	char dose[32];
	double truth, gain;
	const char *first;
	size_t lines;
	json_t *root;
	int right;

	snprintf(dose, sizeof dose, "%s=%g", row->name, share);
	if (row->start == DOSE_QUOTA && bench_set_quota(b, bench_quota(share, b->n)))
		return;
	witness_start(&w);
	root = bench_diagnose(b, dose, NULL);
	lines = dose_read_log(b->log, line);
	printf("%-14s %-7s%3.0f %%", row->name, b->mpi ? b->mpi : "", 100 * share);
	truth = amount_of(b, row, share, root, line, lines);
	if (!root || isnan(truth))
		printf("  failed");
	else if (truth < SHOWN * b->n)
		printf("  skipped: this machine does not show it: %.3f of %u cores", truth, b->n);
	else {
		rate(b, row, root, truth, e);
		right = is_right(root, row->causes, truth / b->n, &first);
		e->right += (size_t)right;
		printf("; first: %s%s", first, right || !is_claim(first) ? "" : " WRONG");
		e->wrong += (size_t)(!right && is_claim(first));
		worth = dose_interval(dose_finding(root, row->causes), "worth");
		put_range("; payoff", worth);
		gain = wall_of(root) / control(b, row, share, e);
		printf(", measured %.2f", gain);
		if (row->same)
			count_payoff(e, worth, gain);
	}
	put_witness(&w, b, line, lines);
	json_decref(root);
}

/* ---- two causes ---- */

static const struct dose_row *row_of(const char *name)
{
	for (size_t i = 0; i < DOSE_ROWS; i++)
		if (strcmp(dose_row[i].name, name) == 0)
			return &dose_row[i];
	abort();
}

/* Finds the place of any of these among the causes that are told; SD_CAUSE_COUNT: none is. */
static size_t place_of(json_t *root, const char *causes)
{
	struct answer a;

	read_answer(root, &a);
	for (size_t i = 0; i < a.n_at; i++)
		if (*causes && listed(causes, sd_cause_info[a.at[i]].name))
			return i;
	return SD_CAUSE_COUNT;
}

/* 1: the larger is told before the smaller, which is told where it costs as much as a cause must.
 * A sleep by choice is no cause. */
static int in_order(json_t *root, const struct dose_row *const row[2], double smaller)
{
	const size_t first = place_of(root, row[0]->causes),
		     second = place_of(root, row[1]->causes);

	if (second == SD_CAUSE_COUNT && smaller >= 1 - LOSES_NOTHING)
		return 0;
	return !*row[0]->causes || first < second;
}

static void mix(const struct bench *b, const struct dose_mixture *m, struct dose_errors e[2])
{
	const struct dose_row *const row[2] = {row_of(m->first), row_of(m->second)};
	struct dose_line line[DOSE_RUNS];
	char dose[2][32];
	double truth[2];
	struct witness w;
	json_t *root;
	size_t lines;

	snprintf(dose[0], sizeof dose[0], "%s=%g", m->first, m->more);
	snprintf(dose[1], sizeof dose[1], "%s=%g", m->second, m->less);
	witness_start(&w);
	root = bench_diagnose(b, dose[0], dose[1]);
	lines = dose_read_log(b->log, line);
	printf("%s+%s", dose[0], dose[1]);
	for (size_t k = 0; root && lines && k < 2; k++) {
		truth[k] = dose_amount(line, lines, b->n, k, row[k]->grows);
		rate(b, row[k], root, truth[k], &e[k]);
	}
	if (!root || !lines)
		printf("  failed");
	else if (truth[0] < 2 * truth[1])
		printf("  not twice apart here");
	else
		printf("  %s", in_order(root, row, truth[1] / b->n) ? "in order" : "NOT IN ORDER");
	put_witness(&w, b, line, lines);
	json_decref(root);
}

/* ---- all of it ---- */

static int asked(const char *name)
{
	return listed(getenv("DOSES"), name);
}

static int is_row_asked(const struct dose_row *row)
{
	return asked(row->name) && (getenv("DOSES") || row->start != DOSE_RANKS);
}

static void doses_of(const struct bench *b, const struct dose_row *row, struct dose_errors *e)
{
	for (size_t k = 0; k < sizeof dose_share / sizeof *dose_share; k++)
		dose_one(b, row, dose_share[k], e);
}

/* Ranks are started by each implementation of MPI that there is. */
static void doses_of_ranks(struct bench *b, const struct dose_row *row, struct dose_errors *e)
{
	static const char *const mpi[] = {"openmpi", "mpich"};
	char path[700];

	for (size_t i = 0; i < sizeof mpi / sizeof *mpi; i++) {
		snprintf(path, sizeof path, "%s/rank_dose_%s", b->folder, mpi[i]);
		b->mpi = mpi[i];
		if (access(path, X_OK) == 0)
			doses_of(b, row, e);
		else
			printf("%-14s skipped: %s is not installed\n", row->name, mpi[i]);
	}
	b->mpi = NULL;
}

static void doses_of_quotas(struct bench *b, const struct dose_row *row, struct dose_errors *e)
{
	if (bench_open_group(b) == 0)
		doses_of(b, row, e);
	else
		printf("%-14s skipped: no cgroup whose quota this user may set\n", row->name);
	bench_close_group(b);
}

static void single_causes(struct bench *b)
{
	static const char *const name[] = {"waits", "kernel", "slower code"};
	static void (*const start[])(
		struct bench *, const struct dose_row *, struct dose_errors *) = {
		[DOSE_RANKS] = doses_of_ranks, [DOSE_QUOTA] = doses_of_quotas};
	static struct dose_errors each[DOSE_ROWS], class[DOSE_CLASSES];

	for (size_t i = 0; i < DOSE_ROWS; i++) {
		if (!is_row_asked(&dose_row[i]))
			continue;
		if (start[dose_row[i].start])
			start[dose_row[i].start](b, &dose_row[i], &each[i]);
		else
			doses_of(b, &dose_row[i], &each[i]);
	}
	printf("\n");
	for (size_t i = 0; i < DOSE_ROWS; i++) {
		dose_add(&class[dose_row[i].class], &each[i]);
		dose_put_errors(dose_row[i].name, &each[i]);
	}
	for (size_t i = 0; i < DOSE_CLASSES; i++)
		dose_put_errors(name[i], &class[i]);
	printf("\n");
}

static void mixtures(const struct bench *b)
{
	static struct dose_errors e[2];

	for (size_t i = 0; i < DOSE_MIXTURES; i++) {
		char name[2 * DOSE_NAME];

		snprintf(name, sizeof name, "%s+%s", dose_mixture[i].first, dose_mixture[i].second);
		if (asked(name) || asked("mixtures"))
			mix(b, &dose_mixture[i], e);
	}
	dose_put_errors("larger", &e[0]);
	dose_put_errors("smaller", &e[1]);
}

int main(int argc, char **argv)
{
	static struct bench b;

	if (argc != 2 || open_bench(&b, argv[1])) {
		fprintf(stderr,
			"usage: doses FOLDER, of the built programs, on two CPUs or more\n");
		return 2;
	}
	/* Open MPI asks whoever is root twice */
	if (setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1) ||
		setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1))
		return 2;
	single_causes(&b);
	mixtures(&b);
	return 0;
}
