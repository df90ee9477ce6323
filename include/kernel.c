#include "kernel.h"

#include <errno.h>
#include <stdlib.h>

#define SAME_STATE 1.8

int sd_states_same(double a, double b)
{
	return a > 0 && b > 0 && a <= SAME_STATE * b && b <= SAME_STATE * a;
}

int sd_bench_rows_add(struct sd_bench_rows *rows, const struct sd_bench_row *row)
{
	/* the array doubles: its size is a power of two whenever it is full */
	if ((rows->n & (rows->n - 1)) == 0) {
		const size_t room = rows->n ? 2 * rows->n : 1;
		struct sd_bench_row *p = realloc(rows->row, room * sizeof *p);

		if (!p)
			return -ENOMEM;
		rows->row = p;
	}
	rows->row[rows->n++] = *row;
	return 0;
}

void sd_bench_rows_free(struct sd_bench_rows *rows)
{
	free(rows->row);
	*rows = (struct sd_bench_rows){0};
}

void sd_bench_rows_by_state(struct sd_bench_rows *rows, struct sd_states *states)
{
	const struct sd_states old = *states;
	unsigned rank[SD_STATES_MAX];

	for (unsigned i = 0; i < old.n; i++) {
		rank[i] = 0;
		for (unsigned j = 0; j < old.n; j++)
			rank[i] +=
				old.line[j] < old.line[i] ||
				(j < i && old.line[j] <= old.line[i] && old.line[j] >= old.line[i]);
		states->line[rank[i]] = old.line[i];
		states->seen[rank[i]] = old.seen[i];
	}
	for (size_t i = 0; i < rows->n; i++)
		if (rows->row[i].state < old.n)
			rows->row[i].state = rank[rows->row[i].state];
}
