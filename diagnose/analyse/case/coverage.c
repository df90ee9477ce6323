#include "case/coverage.h"

#include "analysis/cause_growth.h"

#include <stdio.h>

/* The components that are made of counts which may see a part of them, and where. */
static const struct {
	enum sd_component component;
	unsigned places; /* SD_SIGHT_BIT(): where it can be */
} counted[] = {
	{SD_COMPONENT_CPI_DTLB, SD_SIGHT_BIT(COMPLEX)}, /* any: it has no place */
	{SD_COMPONENT_CPI_SHARING, SD_SIGHT_PLACES},
	{SD_COMPONENT_CPI_NUMA, SD_SIGHT_BIT(REMOTE)},
};

/* Is the component the cause's? That of sharing is of both kinds. */
static int is_of(enum sd_component component, enum sd_cause cause)
{
	return component == SD_COMPONENT_CPI_SHARING ? sd_cause_growth[cause].bytes != 0
						     : sd_component_info[component].cause == cause;
}

static const unsigned place_bit[SD_METRIC_EVAL_PLACES] = {
	SD_SEES_INSIDE_CACHE, SD_SEES_BETWEEN_CACHES, SD_SEES_BETWEEN_SOCKETS};

/* The places that this machine has. */
static unsigned places_of(const struct sd_case *c, unsigned places)
{
	return c->record->host.packages == 1 ? places & ~SD_SIGHT_BIT(REMOTE) : places;
}

/* A place of which nothing is seen is one that is missed; an access that is missed somewhere else
 * is missed. */
static unsigned blind_of(unsigned cells, unsigned places)
{
	unsigned blind = 0;

	for (unsigned p = 0; p < SD_METRIC_EVAL_PLACES; p++) {
		const int loads = (cells & SD_METRIC_EVAL_CELL(p, 0)) != 0;
		const int stores = (cells & SD_METRIC_EVAL_CELL(p, 1)) != 0;

		if (!(places >> (SD_SIGHT_COMPLEX + p) & 1))
			continue;
		if (!loads && !stores)
			blind |= place_bit[p];
		else
			blind |= (loads ? 0u : SD_SEES_LOADS) | (stores ? 0u : SD_SEES_STORES);
	}
	return blind;
}

/* Cells that the counts of a component's cost see, a bit each; 0: no usable count of it. */
static unsigned cells_of(const struct sd_case *c, enum sd_component component)
{
	for (unsigned id = 0; id < c->model->f->n_name; id++) {
		const struct sd_formula *const row = c->model->row[id];
		struct sd_metric_eval_result r;

		if (!row || row->component != component)
			continue;
		r = sd_metric_eval_evaluate(c->model, &c->after, row);
		if (sd_metric_eval_usable(r))
			return r.cells;
	}
	return 0;
}

void sd_coverage_make(struct sd_case *c)
{
	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
		const unsigned cells = c->model->row ? cells_of(c, counted[i].component) : 0;

		for (int k = 0; cells && k < SD_CAUSE_COUNT; k++)
			if (is_of(counted[i].component, (enum sd_cause)k))
				c->blind[k] = blind_of(cells, places_of(c, counted[i].places));
	}
}

void sd_coverage_say(struct sd_case *c, struct sd_finding *f)
{
	static const struct {
		unsigned bit;
		const char *what;
	} parts[] = {
		{SD_SEES_LOADS, "loads"},
		{SD_SEES_STORES, "stores"},
		{SD_SEES_INSIDE_CACHE, "lines that stay among cores on one cache"},
		{SD_SEES_BETWEEN_CACHES, "lines that go from one cache of the socket to another"},
		{SD_SEES_BETWEEN_SOCKETS, "lines that go between sockets"},
	};
	char list[200] = "";
	size_t n = 0;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (c->blind[f->cause] & parts[i].bit)
			n += (size_t)snprintf(
				list + n, sizeof list - n, "%s%s", n ? ", " : "", parts[i].what);
	if (n)
		sd_case_say(c, f, "not seen by what was counted on this CPU: %s", list);
}
