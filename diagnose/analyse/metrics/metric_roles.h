/*
 * Which roles a family's metrics are made of, those first that causes are judged by: what is worth
 * counting there, and in which order.
 */
#ifndef SD_METRIC_ROLES_H
#define SD_METRIC_ROLES_H

#include "metrics/formula_tables.h"

/*
 * The roles of the family's metrics, each once, the most telling first; of a metric with several
 * formulas those of the first whose roles all can be counted. `can` is by role: not 0 when it can.
 * How many are in `out`, which has room for SD_ROLE_COUNT.
 */
size_t sd_metric_roles_order(const struct sd_formula_tables *f, const char *family,
	const unsigned char *can, enum sd_role *out);

/* A role of a metric that says where it comes from, and the events from one sample to the next. */
struct sd_metric_where {
	enum sd_role role;
	unsigned period;
};

/* Those of the family, each once, as above; of a role in several metrics the first one's period. */
size_t sd_metric_roles_where(const struct sd_formula_tables *f, const char *family,
	const unsigned char *can, struct sd_metric_where *out);

/* Whether a metric can be had when the roles in `can` are counted, by one of its formulas. */
int sd_metric_roles_enough(const struct sd_formula_tables *f, unsigned id, const char *family,
	const unsigned char *can);

/* Whether the roles that sd_metric_roles_order() takes for it are all in `counted`; 1 too when it
 * cannot be had at all. */
int sd_metric_roles_counted(const struct sd_formula_tables *f, unsigned id, const char *family,
	const unsigned char *can, const unsigned char *counted);

#endif
