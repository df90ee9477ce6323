#include "import/import.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { COLUMNS = 256, CELL = 256 };

enum kind { UNKNOWN, CORES, TIME, PROGRAM, ROLE };

/* Times of a row, s. The POP times (METHODS 1.4) become the useful time and three kinds of
 * waiting. */
enum time_of { WALL, USER, SYSTEM, CPU, IDEAL, USEFUL_AVG, USEFUL_MAX, USEFUL_TOTAL, TIMES };

struct column {
	enum kind kind;
	enum time_of time;
	double unit; /* s */
	enum sd_role role;
	enum sd_quality quality;
	char name[64];
};

struct table {
	const struct sd_import_text *t;
	struct column column[COLUMNS];
	size_t n;
	char separator;
	const char *app;
	char seen[CELL]; /* the program of the first row that counted */
};

static const char *const cores_names[] = {
	"cores", "threads", "procs", "processes", "ranks", "cpus", "n", NULL};
static const char *const program_names[] = {"app", "program", "set", "benchmark", NULL};

static const struct {
	const char *name;
	enum time_of time;
} times[] = {
	{"seconds", WALL},
	{"wall", WALL},
	{"time", WALL},
	{"runtime", WALL},
	{"elapsed", WALL},
	{"user", USER},
	{"system", SYSTEM},
	{"sys", SYSTEM},
	{"cpu", CPU},
	{"cpu_time", CPU},
	{"task_clock", CPU},
	{"runtime_ideal", IDEAL},
	{"useful_avg", USEFUL_AVG},
	{"useful_max", USEFUL_MAX},
	{"useful_total", USEFUL_TOTAL},
};

/* Names in use for counts, and what they are. A demand miss of the last-level cache is no line from
 * memory: prefetched lines are not in it. */
static const struct {
	const char *name;
	enum sd_role role;
	enum sd_quality quality;
} counts[] = {
	{"l1miss", SD_ROLE_L1D_MISSES, SD_QUALITY_PROXY},
	{"l2miss", SD_ROLE_L2_MISSES, SD_QUALITY_PROXY},
	{"l3miss", SD_ROLE_LLC_MISSES, SD_QUALITY_PROXY},
	{"llcmiss", SD_ROLE_LLC_MISSES, SD_QUALITY_PROXY},
	{"useful_instr", SD_ROLE_INSTRUCTIONS, SD_QUALITY_EXACT},
	{"useful_cycles", SD_ROLE_CYCLES, SD_QUALITY_EXACT},
};

static int is_one_of(const char *name, const char *const *list)
{
	while (*list && strcasecmp(*list, name) != 0)
		list++;
	return *list != NULL;
}

/* A time's name without its unit. */
static double unit_of(char *name)
{
	static const struct {
		const char *end;
		double unit;
	} units[] = {{"_us", 1e-6}, {"_ms", 1e-3}, {"_ns", 1e-9}, {"_s", 1}};
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		size_t k = strlen(units[i].end);

		if (n > k && strcasecmp(name + n - k, units[i].end) == 0) {
			name[n - k] = '\0';
			return units[i].unit;
		}
	}
	return 1;
}

static void name_column(struct column *c)
{
	char bare[sizeof c->name];

	if (is_one_of(c->name, cores_names)) {
		c->kind = CORES;
		return;
	}
	if (is_one_of(c->name, program_names)) {
		c->kind = PROGRAM;
		return;
	}
	snprintf(bare, sizeof bare, "%s", c->name);
	c->unit = unit_of(bare);
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		if (strcasecmp(times[i].name, bare) == 0) {
			c->kind = TIME;
			c->time = times[i].time;
			return;
		}
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (strcasecmp(counts[i].name, c->name) == 0) {
			c->kind = ROLE;
			c->role = counts[i].role;
			c->quality = counts[i].quality;
			return;
		}
	if (sd_role_parse(c->name, &c->role) == 0)
		c->kind = ROLE;
}

/* The next cell of a line into `cell`, trimmed and without its quotes. 1, 0 at the end, -EINVAL. */
static int next_cell(
	const struct table *t, unsigned line, const char **p, const char *end, char *cell)
{
	size_t n = 0;
	int quoted = 0;

	if (*p > end)
		return 0;
	for (; *p < end && (quoted || **p != t->separator); ++*p) {
		if (**p == '"') {
			quoted = !quoted;
			continue;
		}
		if (n == 0 && isspace((unsigned char)**p))
			continue;
		if (n + 1 >= CELL)
			return sd_import_bad(t->t, line, "a cell of %d characters or more", CELL);
		cell[n++] = **p;
	}
	if (quoted)
		return sd_import_bad(t->t, line, "a quotation mark is not closed");
	++*p;
	while (n > 0 && isspace((unsigned char)cell[n - 1]))
		n--;
	cell[n] = '\0';
	return 1;
}

static int has(const struct table *t, enum kind kind, enum time_of time)
{
	int n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->column[i].kind == kind && (kind != TIME || t->column[i].time == time);
	return n;
}

static int read_names(struct table *t, unsigned line, const char *p, const char *end)
{
	char cell[CELL];
	int rc;

	t->separator = memchr(p, ';', (size_t)(end - p))    ? ';'
		       : memchr(p, '\t', (size_t)(end - p)) ? '\t'
							    : ',';
	while ((rc = next_cell(t, line, &p, end, cell)) > 0) {
		struct column *c = &t->column[t->n];

		if (t->n >= COLUMNS)
			return sd_import_bad(t->t, line, "more than %d columns", COLUMNS);
		*c = (struct column){.unit = 1};
		snprintf(c->name, sizeof c->name, "%.63s", cell);
		name_column(c);
		for (size_t i = 0; i < t->n; i++)
			if ((c->kind == ROLE && t->column[i].kind == ROLE &&
				    t->column[i].role == c->role) ||
				(c->kind != UNKNOWN && c->kind != ROLE &&
					c->kind == t->column[i].kind &&
					(c->kind != TIME || c->time == t->column[i].time)))
				return sd_import_bad(t->t, line,
					"columns '%s' and '%s' are the same", t->column[i].name,
					c->name);
		if (c->kind == UNKNOWN)
			sd_say(t->t->sink, SD_LEVEL_WARNING,
				"%s:%u: column '%.60s' is not used: it is no role and no time",
				t->t->name, line, c->name);
		t->n++;
	}
	if (rc < 0)
		return rc;
	if (!has(t, CORES, 0))
		return sd_import_bad(
			t->t, line, "no column of core counts (cores, threads, procs)");
	if (!has(t, TIME, WALL))
		return sd_import_bad(t->t, line, "no column of times (seconds, wall, runtime_us)");
	return 0;
}

/* What a row says so far. */
struct row {
	unsigned cores;
	double time[TIMES];
	int known[TIMES];
	int skip;
	struct sd_run run;
};

static int take_cell(
	struct table *t, unsigned line, const struct column *c, const char *cell, struct row *row)
{
	double v;
	int rc;

	if (c->kind == PROGRAM) {
		row->skip |= t->app && strcmp(t->app, cell) != 0;
		if (row->skip)
			return 0;
		if (t->seen[0] && strcmp(t->seen, cell) != 0)
			return sd_import_bad(t->t, line,
				"programs '%.60s' and '%.60s' in one table: choose with --app",
				t->seen, cell);
		snprintf(t->seen, sizeof t->seen, "%s", cell);
		return 0;
	}
	if (c->kind == UNKNOWN || row->skip)
		return 0;
	rc = sd_import_number(t->t, line, c->name, cell, &v);
	if (rc < 0)
		return rc;
	if (rc == 0 && (c->kind == CORES || (c->kind == TIME && c->time == WALL)))
		return sd_import_bad(t->t, line,
			"%s: is missing ('%.20s'), and without it the row means nothing", c->name,
			cell);
	if (rc == 0)
		return 0;
	if (c->kind == CORES) {
		if (v < 1 || v > SD_CPU_MAX || v != (unsigned)v)
			return sd_import_bad(
				t->t, line, "%s: '%.40s' is no count of cores", c->name, cell);
		row->cores = (unsigned)v;
		return 0;
	}
	if (c->kind == TIME) {
		row->time[c->time] = v * c->unit;
		row->known[c->time] = 1;
		return 0;
	}
	rc = sd_import_role(&row->run, c->role, v, 1, 0, c->quality, "csv");
	return rc == -EEXIST ? 0 : rc;
}

/* The waits of MPI processes from the additive POP times; they must not be negative. */
static int take_pop(const struct table *t, unsigned line, struct row *row)
{
	const double *time = row->time, n = row->cores;
	const double part[3] = {n * (time[USEFUL_MAX] - time[USEFUL_AVG]),
		n * (time[IDEAL] - time[USEFUL_MAX]), n * (time[WALL] - time[IDEAL])};
	static const enum sd_idle idle[3] = {SD_IDLE_IMBALANCE, SD_IDLE_SERIAL, SD_IDLE_MPI};

	if (!row->known[IDEAL] || !row->known[USEFUL_MAX] || !row->known[USEFUL_AVG])
		return 0;
	for (int i = 0; i < 3; i++) {
		if (part[i] < -1e-6 * n * time[WALL])
			return sd_import_bad(t->t, line,
				"the times of a POP table must be useful_avg <= useful_max <= runtime_ideal <= runtime");
		row->run.idle[idle[i]] = SD_OK(part[i] > 0 ? part[i] : 0);
	}
	return 0;
}

static int finish_row(struct sd_import *im, const struct table *t, unsigned line, struct row *row)
{
	struct sd_value *m = row->run.metric;
	double cpu;
	int rc;

	if (row->time[WALL] < 1e-6)
		return sd_import_bad(t->t, line, "a time of %g s is none", row->time[WALL]);
	m[SD_METRIC_WALL] = SD_OK(row->time[WALL]);
	if (row->known[USER])
		m[SD_METRIC_USER] = SD_OK(row->time[USER]);
	if (row->known[SYSTEM])
		m[SD_METRIC_SYSTEM] = SD_OK(row->time[SYSTEM]);
	cpu = row->known[CPU] ? row->time[CPU] : row->time[USEFUL_TOTAL];
	if (row->known[CPU] || row->known[USEFUL_TOTAL])
		m[SD_METRIC_TASK_CLOCK] = SD_OK(cpu);
	else if (row->known[USER] && !row->known[SYSTEM])
		m[SD_METRIC_TASK_CLOCK] = SD_OK(row->time[USER]);
	rc = take_pop(t, line, row);
	return rc ? rc : sd_import_add(im, t->t, line, row->cores, &row->run);
}

static int read_row(
	struct sd_import *im, struct table *t, unsigned line, const char *p, const char *end)
{
	struct row row = {0};
	char cell[CELL];
	size_t n = 0;
	int rc = 0;

	while (rc >= 0 && (rc = next_cell(t, line, &p, end, cell)) > 0) {
		if (n < t->n)
			rc = take_cell(t, line, &t->column[n], cell, &row);
		n++;
	}
	if (rc >= 0 && n != t->n)
		rc = sd_import_bad(t->t, line, "%zu cells, but %zu columns%s", n, t->n,
			n > t->n && t->separator == ',' ? " (a decimal comma? write 1234.5)" : "");
	if (rc >= 0 && !row.skip)
		rc = finish_row(im, t, line, &row);
	sd_run_free(&row.run);
	return rc;
}

/* A comment that ends in "GB/s: LIST" names ceilings; others are for people. */
static int read_comment(
	struct sd_import *im, const struct table *t, unsigned line, const char *p, size_t n)
{
	static const char mark[] = "GB/s:";
	const char *at = memmem(p, n, mark, sizeof mark - 1);
	char *list;
	int rc;

	if (!at || im->record.calibration.n_ceiling)
		return 0;
	at += sizeof mark - 1;
	list = strndup(at, n - (size_t)(at - p));
	if (!list)
		return -ENOMEM;
	rc = sd_import_ceilings(im, list, NULL);
	if (rc == -EINVAL) {
		sd_say(t->t->sink, SD_LEVEL_WARNING,
			"%s:%u: after GB/s: there is no list such as "
			"1=21.3,16=164.2; not used",
			t->t->name, line);
		sd_calibration_free(&im->record.calibration);
		rc = 0;
	}
	free(list);
	return rc;
}

int sd_import_csv(struct sd_import *im, const struct sd_import_text *text, const char *app)
{
	struct table *t = calloc(1, sizeof *t);
	size_t at = 0, length, before = im->record.n_run;
	unsigned line = 0;
	const char *p;
	int rc = t ? sd_import_check(text) : -ENOMEM;

	if (rc)
		goto out;
	t->t = text;
	t->app = app;
	if (text->size >= 3 && memcmp(text->text, "\xef\xbb\xbf", 3) == 0)
		at = 3;
	while (rc == 0 && (p = sd_import_line(text, &at, &length, &line))) {
		size_t blank = 0;

		while (blank < length && isspace((unsigned char)p[blank]))
			blank++;
		if (blank == length)
			continue;
		if (p[blank] == '#')
			rc = read_comment(im, t, line, p, length);
		else if (t->n == 0)
			rc = read_names(t, line, p, p + length);
		else
			rc = read_row(im, t, line, p, p + length);
	}
	if (rc == 0 && t->n == 0)
		rc = sd_import_bad(text, line, "has no line of column names");
	if (rc == 0 && im->record.n_run == before)
		rc = sd_import_bad(text, line,
			app && has(t, PROGRAM, 0) ? "has no row of program '%.60s'" : "has no row",
			app ? app : "");
	if (rc == 0 && app && !has(t, PROGRAM, 0))
		rc = sd_import_bad(
			text, 1, "has no column app, so nothing to choose with '%.60s'", app);
out:
	free(t);
	return rc;
}
