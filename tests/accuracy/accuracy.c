/*
 * How often the diagnosis is right: programs whose cause is known (tests/truth) are diagnosed as a
 * user would, broken and fixed, and the first cause that is named is held against the known one.
 * Prints the confusion matrix, precision and recall with their 95 % Wilson intervals; never passes
 * or fails.
 *
 *   accuracy FOLDER          of the built programs: FOLDER/a broken, FOLDER/b fixed, FOLDER/s less
 *                            work for the software PMU
 * In the environment:
 *   SCALEDIAG                the program under test
 *   SD_TRUTH                 "ledger queue": these only
 *   SD_TRUTH_REPEATS         3
 *   SD_TRUTH_OPTIONS         of scalediag, besides "--cores 1,2 --json"
 *   SD_TRUTH_PARTS           "live sim import"
 *   SD_TRUTH_LOADS           "quiet half build bursts cache stream disk short pinned rt": what
 *                            runs beside the live part; "quiet"
 *   SD_TRUTH_USER            number of the user that scalediag runs as; ours
 *   SD_TRUTH_BASE            another build, as of the last release: diagnoses each live program in
 *                            turn with this one, and has rows of its own
 *   SD_TRUTH_SHIELD          "with without": precedence over that (--no-shield); "with"
 */
#include <errno.h>
#include <ftw.h>
#include <jansson.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "accuracy/truth_command.h"
#include "accuracy/truth_growth.h"
#include "accuracy/truth_loads.h"
#include "accuracy/truth_neighbours.h"
#include "accuracy/truth_tally.h"

/* ---- the three parts ------------------------------------------------------------------------ */

struct place {
	char programs[256];
	const char *tool; /* the program under test */
	char work[256], out[320], broken[320], fixed[320];
	int no_shield;
	const struct load *load; /* beside the live part */
	const struct load_running *running;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void say(const char *part, const struct truth *t, enum outcome o, const struct answer *a)
{
	printf("  %-6s %-16s %-17s %-12s %s%s%s\n", part, t->app ? t->app : t->name,
		expected_name(expected(t)), outcome_name[o], found_name(a->would),
		a->verdict ? ", " : "", a->verdict ? a->verdict : "");
	fflush(stdout);
}

static void diagnose(const struct place *p, const struct truth *t, const char *variant,
	const char *cores, const char *record, struct tally *y, struct answer *a)
{
	struct command c = {0};
	char program[512];
	double start = now();

	snprintf(program, sizeof program, "%s/%s/%s", p->programs, variant, t->name);
	remove(record);
	add(&c, p->tool);
	add(&c, "--cores");
	add(&c, cores);
	add(&c, "--json");
	add(&c, "--cwd");
	add(&c, p->work);
	add(&c, "-o");
	add(&c, record);
	if (*variant == 's') {
		add(&c, "--events");
		add(&c, "sim");
		add(&c, "--experiments");
		add(&c, "none");
		add(&c, "--repeats");
		add(&c, "3");
	}
	if (*variant == 's' && t->sim_machine) {
		add(&c, "--machine");
		add(&c, t->sim_machine);
	}
	if (p->no_shield)
		add(&c, "--no-shield");
	add_words(&c, getenv("SD_TRUTH_OPTIONS"));
	add(&c, "--");
	add(&c, program);
	read_answer(run(c.argv, p->out), a);
	if (y->n_cost < COSTS)
		y->cost[y->n_cost++] = now() - start;
}

/* Is the broken version's first known cause gone in the fixed one, and is that faster? */
static void compare(const struct place *p, const struct truth *t, struct tally *y)
{
	struct command c = {0};
	const json_t *x;
	json_t *root;
	size_t i;

	add(&c, p->tool);
	add(&c, "compare");
	add(&c, "--format");
	add(&c, "json");
	add(&c, p->broken);
	add(&c, p->fixed);
	root = run(c.argv, p->out);
	if (!root)
		return;
	y->pairs++;
	y->faster += strcmp(string_of(root, "time"), "less") == 0;
	json_array_foreach(json_object_get(root, "causes"), i, x) y->went +=
		t->n_right && cause_of(string_of(x, "cause")) == (int)t->cause[0] &&
		strcmp(string_of(x, "fate"), "went") == 0;
	json_decref(root);
}

static double grown(const struct place *p, const struct truth *t)
{
	char program[512];
	double share;

	snprintf(program, sizeof program, "%s/a/%s", p->programs, t->name);
	share = growth_of(program);
	if (isnan(share))
		printf("  before %-16s could not be run on one CPU and on two\n", t->name);
	else
		printf("  before %-16s its user time grows by %.1f %% of two cores\n", t->name,
			100 * share);
	return share;
}

static void live(const struct place *p, const struct truth *t, struct tally *y)
{
	const double growth = t->contended ? grown(p, t) : NAN;
	struct answer a, b;
	enum outcome o;

	diagnose(p, t, "a", "1,2", p->broken, y, &a);
	a.efficiency = best_efficiency(a.root);
	a.growth = growth;
	o = count(y, t, &a);
	say("live", t, o, &a);
	count_neighbours(&y->neighbours, p->load, p->running, a.root);
	if (o == RIGHT && expected(t) != SD_CAUSE_COUNT) {
		diagnose(p, t, "b", "1,2", p->fixed, y, &b);
		compare(p, t, y);
		count_gain(&y->gains, t, a.root, b.root);
		if (b.found < SD_CAUSE_COUNT) {
			y->other++;
			printf("  fixed  %-16s %s, %s\n", t->name, found_name(b.found), b.verdict);
		}
		json_decref(b.root);
	}
	json_decref(a.root);
}

static void simulated(const struct place *p, const struct truth *t, struct tally *y)
{
	struct answer a;

	diagnose(p, t, "s", t->sim_cores, p->broken, y, &a);
	read_estimate(&a);
	say("sim", t, count(y, t, &a), &a);
	json_decref(a.root);
}

static void imported(const struct place *p, const struct truth *t, struct tally *y)
{
	struct command c = {0};
	struct answer a;
	char path[512];

	snprintf(path, sizeof path, "tests/fixtures/published/%s", t->name);
	remove(p->broken);
	add(&c, p->tool);
	add(&c, "import");
	add(&c, "--from");
	add(&c, "csv");
	add(&c, "--json");
	add(&c, "-o");
	add(&c, p->broken);
	if (t->app) {
		add(&c, "--app");
		add(&c, t->app);
	}
	add(&c, path);
	read_answer(run(c.argv, p->out), &a);
	say("import", t, count(y, t, &a), &a);
	json_decref(a.root);
}

/* ---- all of it ---- */

static int open_place(struct place *p, const char *programs)
{
	const char *const base = getenv("TMPDIR");

	char *const full = realpath(programs, NULL); /* they run in another folder */

	p->tool = scalediag();
	if (!full)
		return -errno;
	snprintf(p->programs, sizeof p->programs, "%s", full);
	free(full);
	snprintf(p->work, sizeof p->work, "%.200s/accuracy-XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(p->work) || chown(p->work, run_as(), (gid_t)-1))
		return -errno;
	snprintf(p->out, sizeof p->out, "%s/errors", p->work);
	snprintf(p->broken, sizeof p->broken, "%s/a.json", p->work);
	snprintf(p->fixed, sizeof p->fixed, "%s/b.json", p->work);
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* The live part beside each load that is asked for, a tally for each build. */
enum { THIS, BASE, BUILDS };

struct load_row {
	const struct load *load;
	int no_shield;
	struct tally tally[BUILDS];
};

#define LOAD_ROWS (2 * LOAD_KINDS)

/* One build after the other, so that both meet the same moments of the machine. */
static void live_builds(struct load_row *row, struct place *p, const struct truth *t)
{
	const char *const build[BUILDS] = {scalediag(), getenv("SD_TRUTH_BASE")};

	for (int i = 0; i < BUILDS; i++) {
		p->tool = build[i];
		if (i == BASE && p->tool)
			printf("  by %s:\n", p->tool);
		if (p->tool)
			live(p, t, &row->tally[i]);
	}
	p->tool = build[THIS];
}

static void live_beside(struct load_row *row, struct place *p, const struct truth_table *table,
	const char *only, uint64_t repeats)
{
	struct load_running load;
	unsigned started;

	p->no_shield = row->no_shield;
	printf("-- %s%s\n", row->load->text, row->no_shield ? ", without precedence" : "");
	load_start(row->load, &load);
	started = load.n;
	p->load = row->load;
	p->running = &load;
	for (uint64_t r = 0; r < repeats; r++)
		for (size_t i = 0; i < table->n; i++)
			if (table->row[i].live && listed(only, table->row[i].name))
				live_builds(row, p, &table->row[i]);
	if (load_stop(&load) != started)
		printf("-- not all of that load ran to the end: the row is of less\n");
}

static size_t live_rows(struct load_row *rows, struct place *p, const struct truth_table *table,
	const char *only, uint64_t repeats)
{
	const char *const loads = getenv("SD_TRUTH_LOADS");
	const char *const shield = getenv("SD_TRUTH_SHIELD");
	size_t n = 0;

	for (size_t i = 0; i < LOAD_KINDS; i++)
		for (int no_shield = 0; no_shield < 2; no_shield++) {
			if (!listed(loads ? loads : "quiet", load_kind[i].name) ||
				!listed(shield ? shield : "with", no_shield ? "without" : "with"))
				continue;
			rows[n].load = &load_kind[i];
			rows[n].no_shield = no_shield;
			live_beside(&rows[n++], p, table, only, repeats);
		}
	return n;
}

static void put_row(const struct load_row *row, int build)
{
	const struct tally *const y = &row->tally[build];
	const struct gains *const g = &y->gains;

	if (!y->runs)
		return;
	printf("| %s%s | %s | %u | %u | %u | %u | %u | %u of %u |", row->load->text,
		row->no_shield ? ", without precedence" : "", build == THIS ? "this" : "base",
		y->runs, y->outcome[RIGHT], y->outcome[UNDECIDED], y->outcome[BUSY],
		y->outcome[WRONG] + y->outcome[FAILED], y->accused, y->scaling);
	if (y->n_cost)
		printf(" %.0f |", y->cost[y->n_cost / 2]);
	else
		printf(" - |");
	if (g->n)
		printf(" %u of %u | %.0f %% |", g->inside, g->n, 100 * gain_width(g));
	else
		printf(" - | - |");
	if (y->neighbours.reports)
		printf(" %u, %u of %u |\n", y->neighbours.named, y->neighbours.kind,
			y->neighbours.reports);
	else
		printf(" - |\n");
}

/* All rows, one below the other, as a table of Markdown. */
static void put_rows(const struct load_row *rows, size_t n)
{
	printf("\n| beside | build | answers | right | undecided | busy | wrong or failed | "
	       "accused of those that scale | median s | real gain in the range | its width | "
	       "load named, its kind |\n"
	       "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < n; i++)
		for (int build = 0; build < BUILDS; build++)
			put_row(&rows[i], build);
}

static void put_part(struct load_row *row, int build)
{
	char part[192];

	snprintf(part, sizeof part, "run for real, %s%s%s", row->load->text,
		row->no_shield ? ", without precedence" : "", build == THIS ? "" : ", base");
	put_all(part, &row->tally[build]);
}

int main(int argc, char **argv)
{
	static struct truth_table table;
	static struct load_row rows[LOAD_ROWS];
	static struct tally sim, import;
	size_t n_row = 0;
	const char *const only = getenv("SD_TRUTH"), *const parts = getenv("SD_TRUTH_PARTS");
	struct place p;
	uint64_t repeats = 3;

	if (argc != 2 || (getenv("SD_TRUTH_REPEATS") &&
				 sd_number_u64(getenv("SD_TRUTH_REPEATS"), 1, 1000, &repeats))) {
		fprintf(stderr, "usage: [SD_TRUTH_REPEATS=N] accuracy FOLDER\n");
		return 2;
	}
	truth_read(&table, "tests/truth/expected.conf");
	if (open_place(&p, argv[1])) {
		perror("accuracy: a folder for its records");
		return 2;
	}
	if (listed(parts, "live"))
		n_row = live_rows(rows, &p, &table, only, repeats);
	for (size_t i = 0; listed(parts, "sim") && i < table.n; i++)
		if (table.row[i].sim_cores && listed(only, table.row[i].name))
			simulated(&p, &table.row[i], &sim);
	for (size_t i = 0; listed(parts, "import") && i < table.n_published; i++)
		if (listed(only, table.published[i].app ? table.published[i].app
							: table.published[i].name))
			imported(&p, &table.published[i], &import);
	for (size_t i = 0; i < n_row; i++)
		for (int build = 0; build < BUILDS; build++)
			put_part(&rows[i], build);
	if (n_row)
		put_rows(rows, n_row);
	put_all("simulated cores", &sim);
	put_all("published counts", &import);
	if (nftw(p.work, remove_one, 16, FTW_DEPTH | FTW_PHYS))
		printf("left behind: %s\n", p.work);
	config_destroy(&table.config);
	return 0;
}
