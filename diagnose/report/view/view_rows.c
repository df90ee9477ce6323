#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "page/interval_text.h"
#include "view/view_parts.h"

/* Below this a component prints as 0.00; and below this share of the cores it is not worth a line
 * of the first screen, unless a cause is marked there. */
#define PRINTED .005
#define WORTH_A_LINE .01

/* The number under which the cause of a component is shown; 0: it is not. */
static unsigned number_of(const struct sd_view *v, enum sd_component k)
{
	const int growth = k == SD_COMPONENT_GROWTH || k == SD_COMPONENT_CPI_OTHER;
	enum sd_cause cause = sd_component_info[k].cause;

	if (growth && v->a->growth)
		cause = (enum sd_cause)(v->a->growth - sd_cause_info);
	for (size_t i = 0; i < v->n_cause; i++) {
		const struct sd_finding *const f = v->cause[i].of;

		if (f ? f->cause == cause || (growth && !v->a->growth && f->of_growth) : growth)
			return v->cause[i].number;
		/* waits of a size that is another cause's go by its name */
		if (f && f->cause == SD_CAUSE_BARRIER_OVERHEAD && cause == SD_CAUSE_LOAD_IMBALANCE)
			return v->cause[i].number;
	}
	return 0;
}

struct sd_interval sd_view_cost(struct sd_interval cores, const struct sd_finding *f)
{
	return f && sd_status_measured(f->cores) && fabs(f->cores.value - cores.value) < 2 * PRINTED
		       ? f->cores
		       : cores;
}

static int rank(const struct sd_view_row *r)
{
	return r->component == SD_COMPONENT_USEFUL        ? 0
	       : r->component == SD_COMPONENT_UNACCOUNTED ? 2
							  : 1;
}

static int compare(const void *x, const void *y)
{
	const struct sd_view_row *const a = x, *const b = y;

	if (rank(a) != rank(b))
		return rank(a) - rank(b);
	if (a->cores.value < b->cores.value || a->cores.value > b->cores.value)
		return a->cores.value > b->cores.value ? -1 : 1;
	return (int)a->component - (int)b->component;
}

/* A service that is looked at as it is asked to work has no serial code: one thread had work. */
const char *sd_view_label(
	const struct sd_record *r, const struct sd_analysis *a, enum sd_component k)
{
	return k == SD_COMPONENT_SERIAL && r->program.attached && a->n_point == 1
		       ? "idle while one thread works"
		       : sd_component_info[k].label;
}

int sd_view_rows(struct sd_view *v)
{
	const struct sd_point *const pt = &v->a->point[v->a->n_point - 1];
	double rest = 0; /* the sum of what has no row */
	size_t present = 0;

	v->rest = fmax(.01, WORTH_A_LINE * pt->n);

	v->row = calloc(SD_COMPONENT_COUNT + 1, sizeof *v->row);
	if (!v->row)
		return -ENOMEM;
	for (int i = 0; i < SD_COMPONENT_COUNT; i++) {
		const struct sd_interval cores = pt->stack[i];
		const enum sd_component k = (enum sd_component)i;
		const unsigned cause = number_of(v, k);

		if (!sd_status_measured(cores))
			continue;
		present++;
		if (fabs(cores.value) < (cause ? PRINTED : fmax(PRINTED, v->rest))) {
			rest += cores.value;
			continue;
		}
		v->row[v->n_row++] = (struct sd_view_row){.component = k,
			.label = sd_view_label(v->r, v->a, k),
			.cores = sd_view_cost(cores, cause ? v->cause[cause - 1].of : NULL),
			.cause = cause,
			.gain = cores.value < 0 && k != SD_COMPONENT_UNACCOUNTED};
	}
	qsort(v->row, v->n_row, sizeof *v->row, compare);
	if (present > v->n_row)
		v->row[v->n_row++] = (struct sd_view_row){.component = SD_COMPONENT_COUNT,
			.label = "everything else",
			.cores =
				sd_status_unbounded(fabs(rest) < PRINTED ? 0 : rest, SD_STATUS_OK)};
	return 0;
}
