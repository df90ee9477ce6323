#include "record/region_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct sd_request_part_info sd_request_part_info[SD_REQUEST_PART_COUNT] = {
#define X(id, name, label) [SD_REQUEST_##id] = {name, label},
	SD_REQUEST_PARTS(X)
#undef X
};

const struct sd_region_time *sd_region_run_find(
	const struct sd_region_run *r, enum sd_region_kind kind, const char *name, unsigned node)
{
	for (size_t i = 0; i < r->n_row; i++)
		if (r->row[i].kind == kind && r->row[i].node == node &&
			strncmp(r->row[i].name, name, SD_REGION_NAME - 1) == 0)
			return &r->row[i];
	return NULL;
}

struct sd_region_time *sd_region_run_row(
	struct sd_region_run *r, enum sd_region_kind kind, const char *name, unsigned node)
{
	const struct sd_region_time *const found = sd_region_run_find(r, kind, name, node);
	struct sd_region_time *grown;

	if (found)
		return &r->row[found - r->row];
	grown = r->n_row < SD_REGION_RUN_ROWS ? reallocarray(r->row, r->n_row + 1, sizeof *grown)
					      : NULL;
	if (!grown)
		return NULL;
	r->row = grown;
	grown += r->n_row++;
	*grown = (struct sd_region_time){.kind = kind, .node = node};
	snprintf(grown->name, sizeof grown->name, "%s", name);
	return grown;
}

static int longer_first(const void *a, const void *b)
{
	const struct sd_region_time *const x = a, *const y = b;

	if (x->elapsed != y->elapsed)
		return x->elapsed < y->elapsed ? 1 : -1;
	return strcmp(x->name, y->name);
}

void sd_region_run_sort(struct sd_region_run *r)
{
	if (r->n_row)
		qsort(r->row, r->n_row, sizeof *r->row, longer_first);
}

void sd_region_run_free(struct sd_region_run *r)
{
	if (!r)
		return;
	free(r->row);
	free(r->span);
	free(r->entry);
	free(r->requests);
	free(r);
}
