#include "runs/machine_states.h"

#include <math.h>
#include <stdlib.h>

#include "accounting/run_parts.h"

/* Minimum ratio between two populations; within one, neighbouring values are far closer even with
 * few samples. */
#define LEAST_RATIO 1.6

static int by_line(const void *a, const void *b)
{
	const struct sd_state_sample *x = a, *y = b;

	return (x->line > y->line) - (x->line < y->line);
}

static int by_point(const void *a, const void *b)
{
	const struct sd_state_sample *x = a, *y = b;

	return (x->point > y->point) - (x->point < y->point);
}

/* Median of values that are sorted already. */
static struct sd_value middle(const struct sd_state_sample *v, size_t n)
{
	return SD_OK(v[(n - 1) / 2].line + (v[n / 2].line - v[(n - 1) / 2].line) / 2);
}

/* Is there a point with values on both sides? */
static int straddled(struct sd_state_sample *v, size_t n, double split)
{
	qsort(v, n, sizeof *v, by_point);
	for (size_t i = 1; i < n; i++)
		if (v[i].point == v[i - 1].point && (v[i].line > split) != (v[i - 1].line > split))
			return 1;
	return 0;
}

void sd_machine_states_split(struct sd_state_sample *v, size_t n, struct sd_machine_states *out)
{
	size_t cut = 0;
	double widest = LEAST_RATIO;

	*out = (struct sd_machine_states){0};
	if (n == 0)
		return;
	qsort(v, n, sizeof *v, by_line);
	for (size_t i = 2; i + 2 <= n; i++) {
		if (v[i].line / v[i - 1].line >= widest) {
			widest = v[i].line / v[i - 1].line;
			cut = i;
		}
	}
	out->n = 1;
	out->line[0] = middle(v, n);
	if (cut == 0)
		return;
	out->split = sqrt(v[cut].line * v[cut - 1].line);
	out->line[0] = middle(v, cut);
	out->line[1] = middle(v + cut, n - cut);
	out->n = 2;
	if (!straddled(v, n, out->split)) {
		qsort(v, n, sizeof *v, by_line);
		*out = (struct sd_machine_states){.n = 1, .line[0] = middle(v, n)};
	}
}

static enum sd_label label(const struct sd_machine_states *s, struct sd_value line)
{
	if (!sd_run_parts_usable(line) || line.value <= 0)
		return SD_LABEL_NONE;
	return line.value > s->split ? SD_LABEL_FAR : SD_LABEL_NEAR;
}

enum sd_label sd_machine_states_label(const struct sd_machine_states *s, const struct sd_run *run)
{
	enum sd_label before, after;

	if (s->n < 2)
		return SD_LABEL_NONE;
	if (run->flags & SD_RUN_MIXED)
		return SD_LABEL_MIXED;
	before = label(s, run->metric[SD_METRIC_LINE_BEFORE]);
	after = label(s, run->metric[SD_METRIC_LINE_AFTER]);
	if (before == SD_LABEL_NONE || after == SD_LABEL_NONE)
		return before == SD_LABEL_NONE ? after : before;
	return before == after ? before : SD_LABEL_MIXED;
}
