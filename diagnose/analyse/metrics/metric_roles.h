/*
 * Which roles a family's metrics are made of, those first that causes are judged by: what is worth
 * counting there, and in which order.
 */
#ifndef SD_METRIC_ROLES_H
#define SD_METRIC_ROLES_H

#include "metrics/formula_tables.h"
#include "record/plan.h"
#include "record/record.h"

/*
 * The roles of the family's metrics, each once, the most telling first; of a metric with several
 * formulas those of the first whose roles all can be counted. `can` is by role: not 0 when it can.
 * How many are in `out`, which has room for SD_ROLE_COUNT.
 */
size_t sd_metric_roles_order(const struct sd_formula_tables *f, const char *family,
	const unsigned char *can, enum sd_role *out);

/* The roles that runs of the record counted and no metric of the family can use, with all of them;
 * `out` has room for SD_ROLE_COUNT. How many. */
size_t sd_metric_roles_unused(const struct sd_formula_tables *f, const char *family,
	const struct sd_record *record, enum sd_role *out);

/* A role of a metric that says where it comes from, and the events from one sample to the next. */
struct sd_metric_where {
	enum sd_role role;
	unsigned period;
};

/* Those of the family, each once, as above; of a role in several metrics the first one's period. */
size_t sd_metric_roles_where(const struct sd_formula_tables *f, const char *family,
	const unsigned char *can, struct sd_metric_where *out);

/*
 * The passes of the plan that the formula of a component (formula_tables.h) needs beyond what every
 * pass counts; n 0: the tables have none for it, or the passes do not count all of it. One of more
 * than SD_PASS_LIST passes is none.
 */
void sd_metric_roles_passes(const struct sd_formula_tables *f, const char *family,
	const struct sd_plan *plan, enum sd_component component, struct sd_pass_list *out);

/* Whether a metric can be had when the roles in `can` are counted, by one of its formulas. */
int sd_metric_roles_enough(const struct sd_formula_tables *f, unsigned id, const char *family,
	const unsigned char *can);

#endif
