#include "runs/run_figures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROW SD_RUN_FIGURES_ROW

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
	out->n_run = n_run;
	out->row = calloc((out->n + ROW) * n_run, sizeof *out->row);
	if (!out->row)
		return -ENOMEM;
	for (size_t k = 0; k < out->n; k++)
		for (size_t j = 0; j < n_run; j++)
			out->row[(k / ROW * n_run + j) * ROW + k % ROW] =
				figure_in(&parts[j], out->of[k]);
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
	for (size_t first = 0; first < f->n; first += ROW) {
		const double *const row = f->row + first * f->n_run;
		double sum[ROW] = {0};

		for (size_t j = begin; j < end; j++) {
			const double share = (times ? times[j] : 1) / some;

			for (size_t k = 0; k < ROW; k++)
				sum[k] += share * row[j * ROW + k];
		}
		for (size_t k = 0; k < ROW && first + k < f->n; k++) {
			const size_t of = f->of[first + k];
			const double all = figure_in(out, of) + sum[k];

			memcpy((char *)out + of, &all, sizeof all);
		}
	}
}
