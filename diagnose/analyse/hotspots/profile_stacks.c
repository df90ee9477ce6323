#include "hotspots/profile_stacks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "accounting/parts_by_stack.h"
#include "hotspots/fold_stacks.h"
#include "runs/run_selection.h"
#include "runs/sampled_uses.h"

static int by_node(const void *x, const void *y)
{
	const struct sd_stack_profile_row *a = x, *b = y;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (a->activity > b->activity) - (a->activity < b->activity);
}

static void merge(struct sd_stack_profile_point *p)
{
	size_t n = 0;

	qsort(p->row, p->n, sizeof *p->row, by_node);
	for (size_t i = 0; i < p->n; i++) {
		if (n && by_node(&p->row[n - 1], &p->row[i]) == 0)
			p->row[n - 1].seconds += p->row[i].seconds;
		else
			p->row[n++] = p->row[i];
	}
	p->n = n;
}

static int add_point(const struct sd_chosen *p, struct sd_stack_profile_point *out)
{
	struct sd_sampled_uses uses = {.p = p};

	*out = (struct sd_stack_profile_point){.cores = p->cores, .runs = sd_sampled_uses_runs(p)};
	out->row = calloc(sd_sampled_uses_all(p) + 1, sizeof *out->row);
	if (!out->row)
		return -ENOMEM;
	for (const struct sd_use *u; (u = sd_sampled_uses_next(&uses));)
		if (sd_run_parts_usable(SD_OK(u->seconds)) && u->seconds > 0)
			out->row[out->n++] = (struct sd_stack_profile_row){.node = u->node,
				.activity = u->activity,
				.seconds = u->seconds / (double)out->runs};
	merge(out);
	return 0;
}

int sd_profile_stacks(const struct sd_record *record, unsigned cores, struct sd_stack_profile *out)
{
	struct sd_run_selection choice = {0};
	int rc = sd_run_selection_make(record, SD_LABEL_NONE, &choice), known = cores == 0;

	*out = (struct sd_stack_profile){0};
	if (!rc) {
		out->point = calloc(choice.n_point + 1, sizeof *out->point);
		rc = out->point ? 0 : -ENOMEM;
	}
	for (size_t i = 0; !rc && i < choice.n_point; i++) {
		const struct sd_chosen *const p = &choice.point[i];

		if (cores && p->cores != cores)
			continue;
		known = 1;
		if (sd_sampled_uses_runs(p))
			rc = add_point(p, &out->point[out->n++]);
	}
	if (!rc && !out->n)
		rc = known ? -ENODATA : -ENOENT;
	sd_run_selection_free(&choice);
	return rc;
}

/* The run of a count whose time is nearest to the median; NULL: none was sampled. */
static const struct sd_run *typical(const struct sd_chosen *p)
{
	const struct sd_run *best = NULL;
	double far = INFINITY;

	for (size_t j = 0; j < p->n_run; j++) {
		const double d = fabs(p->parts[j].time - p->median_time);

		if (sd_parts_by_stack_sampled(p->run[j]) && (!best || d < far)) {
			best = p->run[j];
			far = d;
		}
	}
	return best;
}

int sd_profile_stacks_typical(
	const struct sd_record *record, unsigned cores, size_t **out, size_t *n)
{
	struct sd_run_selection choice = {0};
	int rc = sd_run_selection_make(record, SD_LABEL_NONE, &choice);

	*out = NULL;
	*n = 0;
	if (!rc) {
		*out = calloc(choice.n_point + 1, sizeof **out);
		rc = *out ? 0 : -ENOMEM;
	}
	for (size_t i = 0; !rc && i < choice.n_point; i++) {
		const struct sd_run *const run =
			cores && choice.point[i].cores != cores ? NULL : typical(&choice.point[i]);

		if (run)
			(*out)[(*n)++] = (size_t)(run - record->run);
	}
	sd_run_selection_free(&choice);
	return rc;
}
