#include "import/import.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/csv_columns.h"
#include "import/event_counts.h"
#include "import/perf_lines.h"
#include "import/table_cells.h"
#include "base/one_more.h"

enum { COLUMNS = 256 };

struct table {
	const struct sd_import_text *t;
	struct sd_import *im;
	struct sd_csv_column column[COLUMNS];
	size_t n;
	char separator;
	const char *app;
	char seen[SD_TABLE_CELL]; /* the program of the first row that counted */
	double rate; /* throughput of the first row, where no column is of times; 0 none yet */
};

static int has(const struct table *t, enum sd_csv_kind kind, enum sd_csv_time time)
{
	int n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->column[i].kind == kind &&
		     (kind != SD_CSV_TIME || t->column[i].time == time);
	return n;
}

static int read_names(struct table *t, unsigned line, const char *p, const char *end)
{
	char cell[SD_TABLE_CELL];
	int rc;

	t->separator = sd_table_cells_separator(p, end);
	sd_table_cells_trim(t->separator, &p, &end);
	while ((rc = sd_table_cells_next(t->t, line, t->separator, &p, end, cell)) > 0) {
		struct sd_csv_column *c = &t->column[t->n];

		if (t->n >= COLUMNS)
			return sd_import_bad(t->t, line, "more than %d columns", COLUMNS);
		sd_csv_column_make(cell, c);
		for (size_t i = 0; i < t->n; i++)
			if (sd_csv_column_same(&t->column[i], c))
				return sd_import_bad(t->t, line,
					"columns '%s' and '%s' are the same", t->column[i].name,
					c->name);
		if (c->kind == SD_CSV_UNKNOWN && !t->im->cpu.map &&
			sd_event_names_common(c->name) == SD_ROLE_COUNT)
			sd_say(t->t->sink, SD_LEVEL_WARNING,
				"%s:%u: column '%.60s' is not used: it is no role and no time",
				t->t->name, line, c->name);
		t->n++;
	}
	if (rc < 0)
		return rc;
	if (!has(t, SD_CSV_CORES, 0))
		return sd_import_bad(
			t->t, line, "no column of core counts (cores, threads, procs)");
	if (!has(t, SD_CSV_TIME, SD_CSV_WALL) && !has(t, SD_CSV_RATE, 0))
		return sd_import_bad(t->t, line,
			"no column of times (seconds, wall, real, runtime_us), and none of "
			"throughputs (throughput, ops/s)");
	if (!has(t, SD_CSV_TIME, SD_CSV_WALL))
		sd_say(t->t->sink, SD_LEVEL_WARNING,
			"%s:%u: throughputs without times: the times are those of the work that "
			"the first row does in 1 s",
			t->t->name, line);
	return 0;
}

/* A row as far as it was read. */
struct row {
	unsigned cores;
	double time[SD_CSV_TIMES];
	int known[SD_CSV_TIMES], bare[SD_CSV_TIMES]; /* bare: its column names no unit */
	double unit;                                 /* s, of those; 0: the row says none */
	double rate;                                 /* 1/s, or for each `per`; 0 none */
	double per;                                  /* s, as the row says; 0: it says none */
	int skip;
	struct sd_run run;
	struct sd_event_counts counts; /* of columns that are events */
};

/* Only whether two runs print the same is of interest: FNV-1a of what stands there. */
static int take_output(const char *cell, struct sd_run *run)
{
	uint64_t digest = 14695981039346656037u;

	for (const char *p = cell; *p; p++)
		digest = (digest ^ (unsigned char)*p) * 1099511628211u;
	run->stdout_digest = digest;
	run->stdout_bytes = strlen(cell);
	return 0;
}

static int take_thread(const struct sd_csv_column *c, double cpu, struct sd_run *run)
{
	struct sd_thread *const grown = sd_one_more(run->thread, run->n_thread, sizeof *grown);

	if (!grown)
		return -ENOMEM;
	run->thread = grown;
	grown[run->n_thread] =
		(struct sd_thread){.pid = 1, .tid = (int)c->thread + 1, .cpu = SD_OK(cpu)};
	snprintf(grown[run->n_thread].name, sizeof grown->name, "thread %u", c->thread);
	run->n_thread_seen = ++run->n_thread;
	return 0;
}

static int take_cell(struct table *t, unsigned line, struct sd_csv_column column, const char *cell,
	struct row *row)
{
	struct sd_csv_column *const c = &column;
	double v;
	int rc;

	if (c->kind == SD_CSV_PROGRAM) {
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
	if (row->skip)
		return 0;
	if (c->kind == SD_CSV_OUTPUT)
		return take_output(cell, &row->run);
	if (c->kind == SD_CSV_UNIT) {
		const int rate = strncmp(cell, "ops/", 4) == 0; /* of JMH's mode thrpt */
		const double unit = sd_csv_column_unit(cell + 4 * rate);

		*(rate ? &row->per : &row->unit) = unit;
		return unit > 0 ? 0
				: sd_import_bad(t->t, line,
					  "%s: '%.20s' is none of ns, us, ms, s and ops/s", c->name,
					  cell);
	}
	if (c->kind == SD_CSV_UNKNOWN && sd_perf_lines_number(cell, 1, &v))
		return 0; /* a note, or no number */
	rc = sd_csv_column_number(c, t->t, line, cell, &v);
	if (rc < 0)
		return rc;
	if (rc == 0 && (c->kind == SD_CSV_CORES || c->kind == SD_CSV_RATE ||
			       (c->kind == SD_CSV_TIME && c->time == SD_CSV_WALL)))
		return sd_import_bad(t->t, line,
			"%s: is missing ('%.20s'), and without it the row means nothing", c->name,
			cell);
	if (rc == 0)
		return 0;
	if (c->kind == SD_CSV_CORES) {
		if (v < 1 || v > SD_CPU_MAX || v != (unsigned)v)
			return sd_import_bad(
				t->t, line, "%s: '%.40s' is no count of cores", c->name, cell);
		row->cores = (unsigned)v;
		return 0;
	}
	if (c->kind == SD_CSV_TIME) {
		row->time[c->time] = v * c->unit;
		row->known[c->time] = 1;
		row->bare[c->time] = !c->has_unit;
		return 0;
	}
	if (c->kind == SD_CSV_RATE) {
		row->rate = v;
		return v > 0 ? 0
			     : sd_import_bad(
				       t->t, line, "%s: '%.20s' is no throughput", c->name, cell);
	}
	if (c->kind == SD_CSV_WAIT) {
		row->run.idle[c->idle] = SD_OK(v * c->unit);
		return 0;
	}
	if (c->kind == SD_CSV_THREAD)
		return take_thread(c, v * c->unit, &row->run);
	if (c->kind == SD_CSV_UNKNOWN)
		return sd_event_counts_add(&row->counts, c->name, v, 1, 0);
	rc = sd_import_role(&row->run, c->role, v, 1, 0, c->quality,
		t->im->cpu.map ? t->im->cpu.map->family : "csv");
	return rc == -EEXIST ? 0 : rc;
}

/* The waits of MPI processes from the additive POP times; they must not be negative. */
static int take_pop(const struct table *t, unsigned line, struct row *row)
{
	const double *time = row->time, n = row->cores;
	const double part[3] = {n * (time[SD_CSV_USEFUL_MAX] - time[SD_CSV_USEFUL_AVG]),
		n * (time[SD_CSV_IDEAL] - time[SD_CSV_USEFUL_MAX]),
		n * (time[SD_CSV_WALL] - time[SD_CSV_IDEAL])};
	static const enum sd_idle idle[3] = {SD_IDLE_IMBALANCE, SD_IDLE_SERIAL, SD_IDLE_MPI};

	if (!row->known[SD_CSV_IDEAL] || !row->known[SD_CSV_USEFUL_MAX] ||
		!row->known[SD_CSV_USEFUL_AVG])
		return 0;
	for (int i = 0; i < 3; i++) {
		if (part[i] < -1e-6 * n * time[SD_CSV_WALL])
			return sd_import_bad(t->t, line,
				"the times of a POP table must be useful_avg <= useful_max <= runtime_ideal <= runtime");
		row->run.idle[idle[i]] = SD_OK(part[i] > 0 ? part[i] : 0);
	}
	return 0;
}

/* A row of STREAM's own rates says what so many cores get from memory, unless that was given, and
 * what the run moved: lines as STREAM counts them, without those that are read only to be written.
 */
static int take_stream(
	struct sd_import *im, const struct table *t, unsigned line, double bytes, struct row *row)
{
	static const char ours[] = "memory bandwidth of the node: as its table of STREAM says";
	struct sd_calibration *const k = &im->record.calibration;
	int rc = 0;

	if (!k->statement)
		k->statement = strdup(ours);
	if (!k->statement)
		return -ENOMEM;
	if (strcmp(k->statement, ours) == 0)
		rc = sd_calibration_add(k, row->cores, row->rate * bytes);
	if (rc == -EINVAL)
		return sd_import_bad(t->t, line, "%g is no bandwidth", row->rate);
	if (rc && rc != -EEXIST)
		return rc;
	return sd_import_role(&row->run, SD_ROLE_DRAM_LINES, t->rate * bytes / 64, 1, 0,
		SD_QUALITY_EXACT, "stream");
}

/*
 * A throughput beside a time is that of a program which runs for a fixed time. Alone it is a time:
 * that of the work which the first row does in a second, so that CPU times would be of other work.
 */
static int take_rate(struct sd_import *im, struct table *t, unsigned line, struct row *row)
{
	const struct sd_csv_column *rate = NULL;

	for (size_t i = 0; i < t->n; i++)
		rate = t->column[i].kind == SD_CSV_RATE ? &t->column[i] : rate;
	if (!(row->rate > 0))
		return 0;
	row->rate /= row->per > 0 ? row->per : 1;
	if (row->known[SD_CSV_WALL]) {
		row->run.metric[SD_METRIC_RATE] = SD_OK(row->rate);
		if (!im->record.program.rate)
			im->record.program.rate = strdup(rate->name);
		return im->record.program.rate ? 0 : -ENOMEM;
	}
	for (int i = 0; i < SD_CSV_TIMES; i++)
		if (row->known[i])
			return sd_import_bad(t->t, line,
				"CPU times beside a throughput need the time of the run as well");
	t->rate = t->rate > 0 ? t->rate : row->rate;
	row->time[SD_CSV_WALL] = t->rate / row->rate;
	row->known[SD_CSV_WALL] = 1;
	return rate->bytes > 0 ? take_stream(im, t, line, rate->bytes, row) : 0;
}

static int finish_row(struct sd_import *im, struct table *t, unsigned line, struct row *row)
{
	struct sd_value *m = row->run.metric;
	double cpu;
	int rc;

	for (int i = 0; i < SD_CSV_TIMES; i++)
		if (row->bare[i] && row->unit > 0)
			row->time[i] *= row->unit;
	rc = take_rate(im, t, line, row);
	if (rc)
		return rc;
	if (row->time[SD_CSV_WALL] < 1e-6)
		return sd_import_bad(t->t, line, "a time of %g s is none", row->time[SD_CSV_WALL]);
	m[SD_METRIC_WALL] = SD_OK(row->time[SD_CSV_WALL]);
	if (row->known[SD_CSV_USER])
		m[SD_METRIC_USER] = SD_OK(row->time[SD_CSV_USER]);
	if (row->known[SD_CSV_SYSTEM])
		m[SD_METRIC_SYSTEM] = SD_OK(row->time[SD_CSV_SYSTEM]);
	cpu = row->known[SD_CSV_CPU] ? row->time[SD_CSV_CPU] : row->time[SD_CSV_USEFUL_TOTAL];
	if (row->known[SD_CSV_CPU] || row->known[SD_CSV_USEFUL_TOTAL])
		m[SD_METRIC_TASK_CLOCK] = SD_OK(cpu);
	else if (row->known[SD_CSV_USER] && !row->known[SD_CSV_SYSTEM])
		m[SD_METRIC_TASK_CLOCK] = SD_OK(row->time[SD_CSV_USER]);
	rc = take_pop(t, line, row);
	if (rc == 0)
		rc = sd_event_counts_roles(&row->counts, &im->cpu, "csv", &row->run, &im->unknown);
	return rc ? rc : sd_import_add(im, t->t, line, row->cores, &row->run);
}

static int read_row(
	struct sd_import *im, struct table *t, unsigned line, const char *p, const char *end)
{
	struct row row = {0};
	char cell[SD_TABLE_CELL] = "";
	size_t n = 0;
	int rc = 0;

	sd_table_cells_trim(t->separator, &p, &end);
	while (rc >= 0 && (rc = sd_table_cells_next(t->t, line, t->separator, &p, end, cell)) > 0) {
		if (n < t->n)
			rc = take_cell(t, line, t->column[n], cell, &row);
		n++;
	}
	if (rc >= 0 && n != t->n)
		rc = sd_import_bad(t->t, line, "%zu cells, but %zu columns%s", n, t->n,
			n > t->n && t->separator == ',' ? " (a decimal comma? write 1234.5)" : "");
	if (rc >= 0 && !row.skip)
		rc = finish_row(im, t, line, &row);
	sd_event_counts_free(&row.counts);
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
	size_t at = 0, length, before = im->given;
	unsigned line = 0;
	const char *p;
	int rc = t ? sd_import_check(text) : -ENOMEM;

	if (rc)
		goto out;
	t->t = text;
	t->im = im;
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
		else if (sd_table_cells_is_rule(t->separator, p, length))
			continue;
		else if (t->n == 0)
			rc = read_names(t, line, p, p + length);
		else
			rc = read_row(im, t, line, p, p + length);
	}
	if (rc == 0 && t->n == 0)
		rc = sd_import_bad(text, line, "has no line of column names");
	if (rc == 0 && im->given == before)
		rc = sd_import_bad(text, line,
			app && has(t, SD_CSV_PROGRAM, 0) ? "has no row of program '%.60s'"
							 : "has no row",
			app ? app : "");
	if (rc == 0 && app && !has(t, SD_CSV_PROGRAM, 0))
		rc = sd_import_bad(
			text, 1, "has no column app, so nothing to choose with '%.60s'", app);
out:
	free(t);
	return rc;
}
