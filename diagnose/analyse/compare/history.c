#include "analysis/history.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/near_path.h"
#include "base/one_more.h"

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

void sd_history_end(struct sd_history *h)
{
	if (h->n)
		qsort(h->row, h->n, sizeof *h->row, by_time);
	for (size_t i = 0; i < h->n; i++) {
		const struct sd_history_point *const before = find_before(h, i);

		h->row[i].change =
			before ? change_of(before, &h->row[i].point[h->row[i].n_point - 1])
			       : SD_CHANGE_UNKNOWN;
	}
}

void sd_history_free(struct sd_history *h)
{
	for (size_t i = 0; i < h->n; i++)
		drop(&h->row[i]);
	free(h->row);
	*h = (struct sd_history){0};
}
