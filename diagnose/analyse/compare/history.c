#include "analysis/history.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/near_path.h"
#include "base/one_more.h"
#include "base/statistics.h"
#include "compare/change_points.h"

/* The words of the command, the first without its folder. */
static char *program_of(const struct sd_record *r)
{
	char *out = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&out, &size);

	if (!f)
		return NULL;
	for (size_t i = 0; i < r->program.argv.n; i++) {
		const char *const word = r->program.argv.text[i];
		const char *const slash = i ? NULL : strrchr(word, '/');

		fprintf(f, "%s%s", i ? " " : "", slash && slash[1] ? slash + 1 : word);
	}
	fputs(r->program.scaling == SD_SCALING_WEAK ? " (weak scaling)" : "", f);
	if (fclose(f) != 0) {
		free(out);
		return NULL;
	}
	return out;
}

static double time_of(const struct sd_record *r)
{
	double first = INFINITY;

	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].start > 0)
			first = fmin(first, r->run[i].start);
	return isfinite(first) ? first : 0;
}

static int copy(char **out, const char *text)
{
	*out = text ? strdup(text) : NULL;
	return text && !*out ? -ENOMEM : 0;
}

static int add_cause(struct sd_history_row *row, const struct sd_analysis *a, const char *folder)
{
	const struct sd_finding *const first = &a->finding[a->finding[0].cause == SD_CAUSE_NOISE];
	int rc = 0;

	row->cause = SD_CAUSE_COUNT;
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (a->finding[i].verdict <= SD_VERDICT_POSSIBLE &&
			a->finding[i].cause < SD_CAUSE_COUNT &&
			sd_status_bounded(a->finding[i].cores))
			row->lost[a->finding[i].cause] = a->finding[i].cores.value;
	if (first->verdict > SD_VERDICT_POSSIBLE)
		return 0;
	row->cause = first->cause;
	row->verdict = first->verdict;
	row->cores = first->cores;
	if (first->n_where) {
		const struct sd_where *const at = &first->where[0];

		rc = copy(&row->where.function, at->function);
		rc = rc ? rc
			: copy(&row->where.file, at->file ? sd_near_path(at->file, folder) : NULL);
		row->where.line = at->line;
		row->where.share = at->share;
	}
	return rc;
}

static void drop(struct sd_history_row *row)
{
	free(row->file);
	free(row->program);
	free(row->point);
	sd_where_free(&row->where);
}

static int fill(struct sd_history_row *row, const char *file, const struct sd_record *r,
	const struct sd_analysis *a)
{
	row->file = strdup(file);
	row->program = program_of(r);
	row->point = calloc(a->n_point, sizeof *row->point);
	if (!row->file || !row->program || !row->point)
		return -ENOMEM;
	row->time = time_of(r);
	memcpy(row->commit, r->program.source.commit, sizeof row->commit);
	memcpy(row->branch, r->program.source.branch, sizeof row->branch);
	memcpy(row->cpu, r->host.cpu, sizeof row->cpu);
	for (size_t i = 0; i < a->n_point; i++)
		row->point[row->n_point++] = (struct sd_history_point){.cores = a->point[i].cores,
			.runs = a->point[i].runs,
			.wall = sd_point_time(a, &a->point[i]),
			.speedup = a->point[i].speedup,
			.efficiency = a->point[i].efficiency,
			.work = a->work};
	return add_cause(row, a, r->program.cwd);
}

int sd_history_add(struct sd_history *h, const char *file, const struct sd_record *r,
	const struct sd_analysis *a)
{
	struct sd_history_row row = {.change = SD_CHANGE_UNKNOWN};

	if (!a->n_point)
		return 0;
	if (fill(&row, file, r, a) < 0 || SD_APPEND(h->row, h->n, &row)) {
		drop(&row);
		return -ENOMEM;
	}
	return 0;
}

static int by_time(const void *x, const void *y)
{
	const struct sd_history_row *a = x, *b = y;
	const int program = strcmp(a->program, b->program);

	if (program)
		return program;
	if (a->time < b->time || a->time > b->time)
		return a->time < b->time ? -1 : 1;
	return strcmp(a->file, b->file);
}

/* The last row before this one that was measured at its largest count on the same kind of CPU. */
static const struct sd_history_point *find_before(const struct sd_history *h, size_t i)
{
	const struct sd_history_row *const now = &h->row[i];
	const unsigned cores = now->point[now->n_point - 1].cores;

	while (i-- > 0 && strcmp(h->row[i].program, now->program) == 0)
		for (size_t k = 0; k < h->row[i].n_point; k++)
			if (h->row[i].point[k].cores == cores &&
				strcmp(h->row[i].cpu, now->cpu) == 0)
				return &h->row[i].point[k];
	return NULL;
}

static enum sd_change change_of(
	const struct sd_history_point *before, const struct sd_history_point *now)
{
	const struct sd_interval times = sd_compare_ratio(now->wall, before->wall);
	/* of throughputs: for the same work */
	const double work = before->work > 0 && now->work > 0 ? before->work / now->work : 1;
	const struct sd_interval ratio = {
		times.value * work, times.low * work, times.high * work, times.status};

	if ((before->work > 0) != (now->work > 0))
		return SD_CHANGE_UNKNOWN;
	if (before->runs < 2 || now->runs < 2 || !sd_status_bounded(ratio))
		return SD_CHANGE_UNKNOWN;
	return ratio.low > 1 ? SD_CHANGE_MORE : ratio.high < 1 ? SD_CHANGE_LESS : SD_CHANGE_NOISE;
}

/* ---- change points --------------------------------------------------------------------------- */

/* The records of one program on one kind of machine, and their times. */
struct series {
	const struct sd_history_row **row;
	double *time; /* logarithm of s for a unit of work, or for a run */
	double *scratch;
	size_t n;
	unsigned cores;
};

static const struct sd_history_point *point_at(const struct sd_history_row *row, unsigned cores)
{
	for (size_t i = 0; i < row->n_point; i++)
		if (row->point[i].cores == cores)
			return &row->point[i];
	return NULL;
}

/* Those like the last of rows from..to-1. */
static void collect(const struct sd_history *h, size_t from, size_t to, struct series *s)
{
	const struct sd_history_row *const last = &h->row[to - 1];
	const struct sd_history_point *const like = &last->point[last->n_point - 1];
	size_t first = to;

	s->n = 0;
	s->cores = like->cores;
	for (size_t n = 0; first > from && n < SD_HISTORY_SERIES; first--)
		n += strcmp(h->row[first - 1].cpu, last->cpu) == 0;
	for (size_t i = first; i < to; i++) {
		const struct sd_history_point *const p = point_at(&h->row[i], s->cores);

		if (!p || strcmp(h->row[i].cpu, last->cpu) != 0 || !(p->wall.value > 0) ||
			!isfinite(p->wall.value) || (p->work > 0) != (like->work > 0))
			continue;
		s->time[s->n] = log(p->wall.value / (p->work > 0 ? p->work : 1));
		s->row[s->n++] = &h->row[i];
	}
}

static double median_time(const struct series *s, size_t from, size_t to)
{
	memcpy(s->scratch, s->time + from, (to - from) * sizeof *s->scratch);
	return sd_statistics_median(s->scratch, to - from);
}

static double median_lost(const struct series *s, enum sd_cause cause, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		s->scratch[i - from] = s->row[i]->lost[cause];
	return sd_statistics_median(s->scratch, to - from);
}

/* The level before reaches from `from`, the one since to `to`. */
static void describe_shift(
	const struct series *s, size_t from, size_t at, size_t to, struct sd_history_shift *out)
{
	const double way = median_time(s, at, to) - median_time(s, from, at);

	out->row = s->row[at];
	out->cores = s->cores;
	out->before = at - from;
	out->since = to - at;
	out->ratio = exp(way);
	out->cause = SD_CAUSE_COUNT;
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const enum sd_cause cause = (enum sd_cause)i;
		const double moved =
			median_lost(s, cause, at, to) - median_lost(s, cause, from, at);

		if (cause != SD_CAUSE_NOISE && moved * way > 0 && fabs(moved) > fabs(out->moved)) {
			out->cause = cause;
			out->moved = moved;
		}
	}
}

static int find_shifts(struct sd_history *h, const struct series *s)
{
	struct sd_change_point *found;
	size_t n;
	int rc = sd_change_points_find(s->time, s->n, &found, &n);

	for (size_t i = 0; i < n && !rc; i++) {
		struct sd_history_shift shift = {.p = found[i].p};

		describe_shift(s, i ? found[i - 1].at : 0, found[i].at,
			i + 1 < n ? found[i + 1].at : s->n, &shift);
		if (SD_APPEND(h->shift, h->n_shift, &shift))
			rc = -ENOMEM;
	}
	free(found);
	return rc;
}

static int add_shifts(struct sd_history *h)
{
	struct series s = {.row = calloc(SD_HISTORY_SERIES, sizeof(struct sd_history_row *)),
		.time = calloc(SD_HISTORY_SERIES, sizeof *s.time),
		.scratch = calloc(SD_HISTORY_SERIES, sizeof *s.scratch)};
	int rc = s.row && s.time && s.scratch ? 0 : -ENOMEM;

	for (size_t from = 0, to = 0; from < h->n && !rc; from = to) {
		while (to < h->n && strcmp(h->row[to].program, h->row[from].program) == 0)
			to++;
		collect(h, from, to, &s);
		rc = find_shifts(h, &s);
	}
	free(s.row);
	free(s.time);
	free(s.scratch);
	return rc;
}

int sd_history_end(struct sd_history *h)
{
	if (h->n)
		qsort(h->row, h->n, sizeof *h->row, by_time);
	for (size_t i = 0; i < h->n; i++) {
		const struct sd_history_point *const before = find_before(h, i);

		h->row[i].change =
			before ? change_of(before, &h->row[i].point[h->row[i].n_point - 1])
			       : SD_CHANGE_UNKNOWN;
	}
	return add_shifts(h);
}

void sd_history_free(struct sd_history *h)
{
	for (size_t i = 0; i < h->n; i++)
		drop(&h->row[i]);
	free(h->row);
	free(h->shift);
	*h = (struct sd_history){0};
}
