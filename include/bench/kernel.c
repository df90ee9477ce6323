#include "bench/kernel.h"

#include <math.h>
#include <stdlib.h>

#include "base/one_more.h"

#define SAME_STATE 1.8
#define BIN_FIRST 1e-9
#define BIN_RATIO 1.08
#define GAP_BINS 2u     /* empty ones: noise alone leaves none where a tenth lies beyond */
#define GROUP_LEAST 3.0 /* probes, and a tenth of all of the state */

int sd_kernel_states_same(double a, double b)
{
	return a > 0 && b > 0 && a <= SAME_STATE * b && b <= SAME_STATE * a;
}

void sd_kernel_states_note(struct sd_machine_states *s, double line)
{
	const double at = log(line / BIN_FIRST) / log(BIN_RATIO);

	if (line > 0 && at >= 0 && at < SD_STATES_BINS)
		s->bin[(size_t)at]++;
}

static double bin_line(size_t bin)
{
	return BIN_FIRST * pow(BIN_RATIO, (double)bin + 0.5);
}

/* The state whose round trip this bin is nearest to. */
static unsigned state_of(const struct sd_machine_states *s, size_t bin)
{
	unsigned best = 0;

	for (unsigned i = 1; i < s->n; i++)
		if (fabs(log(bin_line(bin) / s->line[i])) <
			fabs(log(bin_line(bin) / s->line[best])))
			best = i;
	return best;
}

/* How many probes of state i are in the bins from first to before last; *mean of them. */
static double count_bins(
	const struct sd_machine_states *s, unsigned i, size_t first, size_t last, double *mean)
{
	double n = 0, sum = 0;

	for (size_t b = first; b < last; b++)
		if (s->bin[b] && state_of(s, b) == i) {
			n += s->bin[b];
			sum += s->bin[b] * bin_line(b);
		}
	*mean = n > 0 ? sum / n : 0;
	return n;
}

static void find_split(struct sd_machine_states *s, unsigned i)
{
	double mean[3];
	const double all = count_bins(s, i, 0, SD_STATES_BINS, &mean[2]);
	const double least = fmax(GROUP_LEAST, 0.1 * all);

	s->split[i][0] = s->split[i][1] = 0;
	for (size_t b = 1; b + GAP_BINS < SD_STATES_BINS; b++) {
		double gap;

		if (count_bins(s, i, b, b + GAP_BINS, &gap) > 0)
			continue;
		if (count_bins(s, i, 0, b, &mean[0]) >= least &&
			count_bins(s, i, b + GAP_BINS, SD_STATES_BINS, &mean[1]) >= least) {
			s->split[i][0] = mean[0];
			s->split[i][1] = mean[1];
			return;
		}
	}
}

void sd_kernel_states_splits(struct sd_machine_states *s)
{
	for (unsigned i = 0; i < s->n; i++)
		find_split(s, i);
}

int sd_bench_rows_add(struct sd_bench_rows *rows, const struct sd_bench_row *row)
{
	return SD_APPEND(rows->row, rows->n, row);
}

void sd_bench_rows_free(struct sd_bench_rows *rows)
{
	free(rows->row);
	*rows = (struct sd_bench_rows){0};
}

void sd_bench_rows_by_state(struct sd_bench_rows *rows, struct sd_machine_states *states)
{
	const struct sd_machine_states old = *states;
	unsigned rank[SD_STATES_MAX];

	for (unsigned i = 0; i < old.n; i++) {
		rank[i] = 0;
		for (unsigned j = 0; j < old.n; j++)
			rank[i] +=
				old.line[j] < old.line[i] ||
				(j < i && old.line[j] <= old.line[i] && old.line[j] >= old.line[i]);
		states->line[rank[i]] = old.line[i];
		states->seen[rank[i]] = old.seen[i];
		states->split[rank[i]][0] = old.split[i][0];
		states->split[rank[i]][1] = old.split[i][1];
	}
	for (size_t i = 0; i < rows->n; i++)
		if (rows->row[i].state < old.n)
			rows->row[i].state = rank[rows->row[i].state];
}
