#include "resolve/lock_rows.h"

#include <stdlib.h>

#include "base/one_more.h"

struct sd_kernel_lock *sd_lock_rows_find(
	struct sd_kernel_locks *l, unsigned name, unsigned call, unsigned held)
{
	const struct sd_kernel_lock made = {.name = name, .call = call, .held = held};

	for (size_t i = 0; i < l->n_row; i++)
		if (l->row[i].name == name && l->row[i].call == call && l->row[i].held == held)
			return &l->row[i];
	return SD_APPEND(l->row, l->n_row, &made) ? NULL : &l->row[l->n_row - 1];
}

static int longer_first(const void *a, const void *b)
{
	const struct sd_kernel_lock *const x = a, *const y = b;

	return (x->wait_s < y->wait_s) - (x->wait_s > y->wait_s);
}

void sd_lock_rows_sort(struct sd_kernel_locks *l)
{
	if (l->n_row)
		qsort(l->row, l->n_row, sizeof *l->row, longer_first);
	l->n_row_seen = l->n_row;
	while (l->n_row > SD_KERNEL_LOCK_ROWS)
		l->other_s += l->row[--l->n_row].wait_s;
}
