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
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <math.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "number.h"
#include "truth_table.h"

#define ARGUMENTS 64

/* What an answer is worth. Undecided and busy ones are answers, but not right. Not shown: nothing
 * was named, and the times say that the broken program loses nothing on this machine (one with two
 * memory controllers for two CPUs has no bandwidth to run out of): not counted either way. */
enum outcome { RIGHT, WRONG, UNDECIDED, BUSY, FAILED, NOT_SHOWN, OUTCOMES };
static const char *const outcome_name[OUTCOMES] = {
	"right", "wrong", "undecided", "machine busy", "failed", "not shown here"};

#define LOSES_NOTHING \
	.95 /* efficiency that may be the true one: a cause takes 5 % of the cores or more */

/* Found: a cause, or one of these. */
enum { FOUND_NONE = SD_CAUSE_COUNT, FOUND_UNDECIDED, FOUND_BUSY, FOUND_FAILED, FOUNDS };
#define EXPECTED (SD_CAUSE_COUNT + 2) /* a cause; it scales; it waits by its own choice */

struct tally {
	unsigned cell[EXPECTED][FOUNDS];     /* expected by found */
	unsigned outcome[OUTCOMES], sure;    /* sure: right, and likely or stronger */
	unsigned scaling, accused;           /* runs of programs that scale; with a cause named */
	unsigned pairs, faster, went, other; /* broken held against fixed */
	unsigned both, second;               /* two causes: diagnosed, the second named too */
	double cost;                         /* s that diagnoses took */
	unsigned runs;
};

struct answer {
	int found, named; /* named: likely or stronger */
	enum sd_cause at[SD_CAUSE_COUNT];
	size_t n_at; /* named or possible with an amount, in order */
	int would;   /* the first, before it was seen that the machine was busy */
	const char *verdict;
	const char *component; /* the largest loss */
	double efficiency;     /* that it may have at most cores; below 0: not asked */
	json_t *root;          /* owned */
};

/* ---- running scalediag ------------------------------------------------------------------------
 */

static char *slurp(int fd)
{
	size_t n = 0, room = 1 << 16;
	char *text = malloc(room);
	ssize_t got;

	while (text &&
		((got = read(fd, text + n, room - n - 1)) > 0 || (got < 0 && errno == EINTR))) {
		n += got > 0 ? (size_t)got : 0;
		if (room - n < 2) {
			char *const more = realloc(text, room *= 2);

			if (!more)
				free(text);
			text = more;
		}
	}
	if (text)
		text[n] = '\0';
	return text;
}

/* The last line it said. */
static void put_error(const char *errors)
{
	FILE *const f = fopen(errors, "r");
	char line[512] = "";

	while (f && fgets(line, sizeof line, f))
		;
	if (f)
		fclose(f);
	printf("  failed: %s", *line ? line : "nothing said\n");
}

/* Its standard output as JSON; NULL when it failed. */
static json_t *run(char *const *argv, const char *errors)
{
	json_t *root = NULL;
	char *text;
	int out[2], status;
	pid_t child;

	if (pipe(out) || (child = fork()) < 0)
		return NULL;
	if (child == 0) {
		const int log = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		if (log < 0 || dup2(out[1], STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
			_exit(127);
		close(out[0]);
		execv(argv[0], argv);
		_exit(127);
	}
	close(out[1]);
	text = slurp(out[0]);
	close(out[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (text && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		root = json_loads(text, 0, NULL);
	if (!root)
		put_error(errors);
	free(text);
	return root;
}

struct command {
	char *argv[ARGUMENTS];
	size_t n;
	char words[1024];
};

static void add(struct command *c, const char *arg)
{
	if (c->n + 1 < ARGUMENTS)
		c->argv[c->n++] = (char *)(uintptr_t)arg;
	c->argv[c->n] = NULL;
}

static void add_words(struct command *c, const char *words)
{
	char *save = NULL;

	snprintf(c->words, sizeof c->words, "%s", words ? words : "");
	for (char *w = strtok_r(c->words, " ", &save); w; w = strtok_r(NULL, " ", &save))
		add(c, w);
}

static const char *scalediag(void)
{
	const char *const given = getenv("SCALEDIAG");

	return given ? given : "build/scalediag";
}

/* ---- reading an answer ------------------------------------------------------------------------
 */

static const char *string_of(const json_t *o, const char *key)
{
	const char *const s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static int is_busy(const json_t *root)
{
	const json_t *w;
	size_t i;

	json_array_foreach(json_object_get(root, "warnings"), i,
		w) if (strstr(json_string_value(w), "machine was busy")) return 1;
	return 0;
}

static int cause_of(const char *name)
{
	int k = 0;

	while (k < SD_CAUSE_COUNT && strcmp(sd_cause_info[k].name, name))
		k++;
	return k;
}

/* The upper end of the 95 % interval of the efficiency at most cores; below 0: not known. */
static double best_efficiency(const json_t *root)
{
	const json_t *const points = json_object_get(root, "points");
	const json_t *const e =
		json_object_get(json_array_get(points, json_array_size(points) - 1), "efficiency");
	const json_t *const high = json_object_get(e, "high");

	return json_is_number(high) ? json_number_value(high) : -1;
}

static const char *largest_loss(const json_t *root)
{
	const json_t *const points = json_object_get(root, "points"), *part;
	const json_t *const last = json_array_get(points, json_array_size(points) - 1);
	const char *name = "";
	double most = 0;
	size_t i;

	json_array_foreach(json_object_get(last, "stack"), i, part)
	{
		const double cores =
			json_number_value(json_object_get(json_object_get(part, "cores"), "value"));

		if (cores > most && strcmp(string_of(part, "component"), "useful")) {
			most = cores;
			name = string_of(part, "component");
		}
	}
	return name;
}

/*
 * The first cause: the first that is likely or confirmed, else the first possible one. Possible
 * causes without an amount stand in the table's order, which says nothing: that is undecided.
 */
static void read_answer(json_t *root, struct answer *a)
{
	const json_t *f;
	size_t i;

	*a = (struct answer){.found = root ? FOUND_NONE : FOUND_FAILED, .root = root};
	a->component = largest_loss(root);
	a->efficiency = -1;
	json_array_foreach(json_object_get(root, "findings"), i, f)
	{
		const char *const verdict = string_of(f, "verdict");
		const int named = !strcmp(verdict, "confirmed") || !strcmp(verdict, "likely");
		const int cause = cause_of(string_of(f, "cause"));

		if (cause == SD_CAUSE_COUNT || !(named || !strcmp(verdict, "possible")))
			continue;
		if (!named && json_is_null(json_object_get(json_object_get(f, "cores"), "value"))) {
			if (a->found == FOUND_NONE)
				a->found = FOUND_UNDECIDED;
			continue;
		}
		if (a->n_at == 0) {
			a->found = cause;
			a->named = named;
			a->verdict = verdict;
		}
		a->at[a->n_at++] = (enum sd_cause)cause;
	}
	if (a->found == FOUND_NONE && json_is_null(json_object_get(root, "scales")))
		a->found = FOUND_UNDECIDED;
	a->would = a->found;
	if (a->found == SD_CAUSE_NOISE || a->found == SD_CAUSE_CPU_QUOTA ||
		(root && !a->named && is_busy(root)))
		a->found = FOUND_BUSY;
}

/* At a count that was only simulated no run can name a cause: what the latency model charges most
 * for, where that costs as much as a cause must. */
static void read_estimate(struct answer *a)
{
	const json_t *const all = json_object_get(a->root, "estimates");
	const json_t *const last = json_array_get(all, json_array_size(all) - 1), *c;
	const double gate = (1 - LOSES_NOTHING) * json_number_value(json_object_get(last, "cores"));
	size_t i;

	if (!last || json_is_true(json_object_get(last, "measured_too")) ||
		(a->found != FOUND_NONE && a->found != FOUND_UNDECIDED && a->found != FOUND_BUSY))
		return;
	a->found = json_number_value(json_object_get(last, "lost_cores")) < gate ? FOUND_NONE
										 : FOUND_UNDECIDED;
	json_array_foreach(json_object_get(last, "causes"), i, c)
	{
		const int cause = cause_of(string_of(c, "cause"));

		if (cause == SD_CAUSE_COUNT || a->found == FOUND_NONE ||
			json_number_value(json_object_get(c, "cores")) < gate)
			break;
		if (a->n_at == 0)
			a->found = cause;
		a->at[a->n_at++] = (enum sd_cause)cause;
		a->verdict = "estimated";
	}
	a->would = a->found;
}

static enum outcome worth(const struct truth *t, const struct answer *a)
{
	switch (a->found) {
	case FOUND_FAILED:
		return FAILED;
	case FOUND_BUSY:
		return BUSY;
	case FOUND_UNDECIDED:
		return t->n_right && a->efficiency >= LOSES_NOTHING ? NOT_SHOWN : UNDECIDED;
	case FOUND_NONE:
		if (t->component)
			return strcmp(t->component, a->component) == 0 ? RIGHT : WRONG;
		if (!t->n_right)
			return RIGHT;
		return a->efficiency >= LOSES_NOTHING ? NOT_SHOWN : WRONG;
	default:
		for (size_t i = 0; i < t->n_cause; i++)
			if ((int)t->cause[i] == a->found)
				return RIGHT;
		return WRONG;
	}
}

static int expected(const struct truth *t)
{
	if (t->n_right)
		return (int)t->cause[0];
	return t->component ? SD_CAUSE_COUNT + 1 : SD_CAUSE_COUNT;
}

static const char *found_name(int found)
{
	static const char *const other[] = {"none", "undecided", "busy", "failed"};

	return found < SD_CAUSE_COUNT ? sd_cause_info[found].name : other[found - SD_CAUSE_COUNT];
}

static const char *expected_name(int e)
{
	return e < SD_CAUSE_COUNT    ? sd_cause_info[e].name
	       : e == SD_CAUSE_COUNT ? "(it scales)"
				     : "(own waits)";
}

static enum outcome count(struct tally *y, const struct truth *t, const struct answer *a)
{
	const enum outcome o = worth(t, a);

	y->outcome[o]++;
	if (o == NOT_SHOWN)
		return o;
	y->cell[expected(t)][a->found]++;
	y->runs++;
	y->sure += o == RIGHT && (a->named || a->found == FOUND_NONE);
	if (expected(t) == SD_CAUSE_COUNT) {
		y->scaling++;
		y->accused += a->found < SD_CAUSE_COUNT;
	}
	if (t->n_right > 1 && o == RIGHT) {
		size_t seen = 0;

		for (size_t i = 0; i < a->n_at; i++)
			for (size_t k = 0; k < t->n_right; k++)
				seen += a->at[i] == t->cause[k];
		y->both++;
		y->second += seen > 1;
	}
	return o;
}

/* ---- the three parts --------------------------------------------------------------------------
 */

struct place {
	char programs[256];
	char work[256], out[320], broken[320], fixed[320];
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
	add(&c, scalediag());
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
	add_words(&c, getenv("SD_TRUTH_OPTIONS"));
	add(&c, "--");
	add(&c, program);
	read_answer(run(c.argv, p->out), a);
	y->cost += now() - start;
}

/* Is the broken version's first known cause gone in the fixed one, and is that faster? */
static void compare(const struct place *p, const struct truth *t, struct tally *y)
{
	struct command c = {0};
	const json_t *x;
	json_t *root;
	size_t i;

	add(&c, scalediag());
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

static void live(const struct place *p, const struct truth *t, struct tally *y)
{
	struct answer a;
	enum outcome o;

	diagnose(p, t, "a", "1,2", p->broken, y, &a);
	a.efficiency = best_efficiency(a.root);
	o = count(y, t, &a);
	say("live", t, o, &a);
	json_decref(a.root);
	if (o != RIGHT || expected(t) == SD_CAUSE_COUNT)
		return;
	diagnose(p, t, "b", "1,2", p->fixed, y, &a);
	compare(p, t, y);
	if (a.found < SD_CAUSE_COUNT) {
		y->other++;
		printf("  fixed  %-16s %s, %s\n", t->name, found_name(a.found), a.verdict);
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
	add(&c, scalediag());
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

/* ---- what came out ----------------------------------------------------------------------------
 */

/* Wilson, J. Am. Stat. Assoc. 22 (1927); 95 %. */
static void wilson(unsigned k, unsigned n, double *low, double *high)
{
	const double z = 1.959964, p = n ? (double)k / n : 0;
	const double middle = n ? (p + z * z / (2 * n)) / (1 + z * z / n) : .5;
	const double half =
		n ? z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4.0 * n * n)) : .5;

	*low = fmax(0, middle - half);
	*high = fmin(1, middle + half);
}

static void put_share(const char *what, unsigned k, unsigned n)
{
	double low, high;

	wilson(k, n, &low, &high);
	if (n)
		printf("%s %u of %u, %.0f %% (95 %%: %.0f to %.0f)", what, k, n, 100.0 * k / n,
			100 * low, 100 * high);
	else
		printf("%s -", what);
}

static void put_matrix(const struct tally *y)
{
	printf("\nexpected           found\n");
	for (int e = 0; e < EXPECTED; e++) {
		unsigned all = 0;

		for (int f = 0; f < FOUNDS; f++)
			all += y->cell[e][f];
		if (!all)
			continue;
		printf("  %-17s", expected_name(e));
		for (int f = 0; f < FOUNDS; f++)
			if (y->cell[e][f])
				printf(" %s %u", found_name(f), y->cell[e][f]);
		printf("\n");
	}
	printf("\ncause              recall; precision (strict: without what would also be "
	       "right)\n");
	for (int k = 0; k < SD_CAUSE_COUNT; k++) {
		unsigned expect = 0, found = 0;

		for (int f = 0; f < FOUNDS; f++)
			expect += y->cell[k][f];
		for (int e = 0; e < EXPECTED; e++)
			found += y->cell[e][k];
		if (!expect && !found)
			continue;
		printf("  %-16s", sd_cause_info[k].name);
		put_share("", y->cell[k][k], expect);
		put_share(";", y->cell[k][k], found);
		printf("\n");
	}
}

static void put_all(const char *part, const struct tally *y)
{
	const unsigned decided = y->outcome[RIGHT] + y->outcome[WRONG];

	if (!y->runs)
		return;
	printf("\n== %s: %u diagnoses, %.0f s each\n", part, y->runs, y->cost / y->runs);
	put_matrix(y);
	printf("\n");
	put_share("first cause right:", y->outcome[RIGHT], y->runs);
	printf("\n");
	put_share("  of those decided:", y->outcome[RIGHT], decided);
	printf("\n");
	put_share("  right, and likely or confirmed:", y->sure, y->runs);
	printf("\n  not decided: %u; machine busy: %u; failed: %u; besides, not shown on this "
	       "machine: "
	       "%u\n",
		y->outcome[UNDECIDED], y->outcome[BUSY], y->outcome[FAILED], y->outcome[NOT_SHOWN]);
	put_share("a cause named for programs that scale:", y->accused, y->scaling);
	printf("\n");
	put_share("of two causes the second named too:", y->second, y->both);
	printf("\n");
	put_share("the fixed version is faster, says compare:", y->faster, y->pairs);
	printf("\n");
	put_share("  and the cause is gone:", y->went, y->pairs);
	printf("\n  fixed versions with a cause named: %u\n", y->other);
	printf("(the intervals take the repeats as independent)\n");
}

static int listed(const char *list, const char *word)
{
	const size_t n = strlen(word);

	for (const char *at = list; at && (at = strstr(at, word)); at += n)
		if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
			return 1;
	return !list || !*list;
}

static int open_place(struct place *p, const char *programs)
{
	const char *const base = getenv("TMPDIR");

	char *const full = realpath(programs, NULL); /* they run in another folder */

	if (!full)
		return -errno;
	snprintf(p->programs, sizeof p->programs, "%s", full);
	free(full);
	snprintf(p->work, sizeof p->work, "%.200s/accuracy-XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(p->work))
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

int main(int argc, char **argv)
{
	static struct truth_table table;
	static struct tally real, sim, import;
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
	for (uint64_t r = 0; listed(parts, "live") && r < repeats; r++)
		for (size_t i = 0; i < table.n; i++)
			if (table.row[i].live && listed(only, table.row[i].name))
				live(&p, &table.row[i], &real);
	for (size_t i = 0; listed(parts, "sim") && i < table.n; i++)
		if (table.row[i].sim_cores && listed(only, table.row[i].name))
			simulated(&p, &table.row[i], &sim);
	for (size_t i = 0; listed(parts, "import") && i < table.n_published; i++)
		if (listed(only, table.published[i].app ? table.published[i].app
							: table.published[i].name))
			imported(&p, &table.published[i], &import);
	put_all("run for real", &real);
	put_all("simulated cores", &sim);
	put_all("published counts", &import);
	if (nftw(p.work, remove_one, 16, FTW_DEPTH | FTW_PHYS))
		printf("left behind: %s\n", p.work);
	config_destroy(&table.config);
	return 0;
}
