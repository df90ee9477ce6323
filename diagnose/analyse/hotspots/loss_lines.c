#include "hotspots/loss_lines.h"

#include <errno.h>
#include <stdlib.h>

static int by_line(const void *x, const void *y)
{
	const struct sd_loss_line *a = x, *b = y;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static int by_cores(const void *x, const void *y)
{
	const struct sd_loss_line *a = x, *b = y;

	if (a->cores > b->cores || a->cores < b->cores)
		return a->cores > b->cores ? -1 : 1;
	return by_line(x, y);
}

int sd_loss_lines_find(
	const struct sd_loss_by_stack *from, const size_t *row_of, struct sd_losses *out)
{
	const struct sd_code_places *p = &from->places;
	struct sd_loss_line *v = calloc(p->n_spot, sizeof *v);
	size_t n = 0, merged = 0;

	if (!v)
		return -ENOMEM;
	for (size_t i = 1; i < p->n_spot; i++) {
		const size_t row = row_of[p->spot[i].function];
		const unsigned line = p->stacks->frame[p->spot[i].frame].line;

		if (row && line)
			v[n++] = (struct sd_loss_line){row - 1, line,
				sd_loss_by_stack_sum(from, i, SD_PARTS_BY_STACK_PARTS)};
	}
	qsort(v, n, sizeof *v, by_line);
	for (size_t i = 0; i < n; i++) {
		if (merged && by_line(&v[merged - 1], &v[i]) == 0)
			v[merged - 1].cores += v[i].cores;
		else
			v[merged++] = v[i];
	}
	qsort(v, merged, sizeof *v, by_cores);
	for (size_t i = 0; i < merged; i++)
		if (!out->row[v[i].row].at.line)
			out->row[v[i].row].at.line = v[i].line;
	while (merged && !(v[merged - 1].cores > 0))
		merged--;
	out->line = v;
	out->n_line = merged < SD_LOSS_LINES ? merged : SD_LOSS_LINES;
	return 0;
}
