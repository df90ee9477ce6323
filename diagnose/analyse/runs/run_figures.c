#include "runs/run_figures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static double figure_in(const struct sd_run_parts *parts, size_t of)
{
	double value;

	memcpy(&value, (const char *)parts + of, sizeof value);
	return value;
}

/* Does any run have it? */
static int is_had(const struct sd_run_parts *parts, size_t n_run, size_t of)
{
	for (size_t j = 0; j < n_run; j++)
		if (figure_in(&parts[j], of) != 0)
			return 1;
	return 0;
}

static size_t place_of(size_t k)
{
	if (k < SD_PART_COUNT)
		return offsetof(struct sd_run_parts, part) + k * sizeof(double);
	return k == SD_PART_COUNT ? offsetof(struct sd_run_parts, instructions)
				  : offsetof(struct sd_run_parts, cycles);
}

int sd_run_figures_list(const struct sd_run_parts *parts, size_t n_run, struct sd_run_figures *out)
{
	*out = (struct sd_run_figures){0};
	for (size_t k = 0; k < SD_RUN_FIGURES; k++)
		if (is_had(parts, n_run, place_of(k)))
			out->of[out->n++] = place_of(k);
	out->row = calloc(n_run * out->n + 1, sizeof *out->row);
	if (!out->row)
		return -ENOMEM;
	for (size_t j = 0; j < n_run; j++)
		for (size_t k = 0; k < out->n; k++)
			out->row[j * out->n + k] = figure_in(&parts[j], out->of[k]);
	return 0;
}

void sd_run_figures_free(struct sd_run_figures *f)
{
	free(f->row);
	*f = (struct sd_run_figures){0};
}

void sd_run_figures_mean(const struct sd_run_figures *f, size_t begin, size_t end,
	const unsigned *times, double some, struct sd_run_parts *out)
{
	double sum[SD_RUN_FIGURES] = {0};

	for (size_t j = begin; j < end; j++) {
		const double share = (times ? times[j] : 1) / some;

		for (size_t k = 0; k < f->n; k++)
			sum[k] += share * f->row[j * f->n + k];
	}
	for (size_t k = 0; k < f->n; k++) {
		const double all = figure_in(out, f->of[k]) + sum[k];

		memcpy((char *)out + f->of[k], &all, sizeof all);
	}
}
