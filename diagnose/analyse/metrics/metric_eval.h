/*
 * Metrics of a point: the formulas of the tables, evaluated over what was counted there.
 */
#ifndef SD_METRIC_H
#define SD_METRIC_H

#include "metrics/role_counts.h"
#include "metrics/formula_tables.h"
#include "record/record.h"

/* The tables as one record needs them. */
struct sd_model {
	const struct sd_formulas *f;
	const struct sd_formula **row; /* owned; by id, the row of the record's family or NULL */
	const struct sd_record *record;
	const char *family;
};

/*
 * 0, or -ENOMEM. Empty (row == NULL), and nothing of it applies, when there are no tables or no run
 * counted a role.
 */
int sd_model_make(struct sd_model *m, const struct sd_record *record,
	const struct sd_choice *choice, const struct sd_formulas *f);
void sd_model_free(struct sd_model *m); /* accepts the zeroed value */

/* A point as formulas see it. */
struct sd_metric_point {
	struct sd_counts counts;
	struct sd_value term[SD_TERM_COUNT];
};

/* Run j taken times[j] times; NULL: each once. */
void sd_metric_point(const struct sd_model *m, const struct sd_chosen *p, const unsigned *times,
	struct sd_metric_point *out);

/* A metric with the status and the quality of the worst of its inputs. */
struct sd_metric_result {
	double value;
	enum sd_status status; /* absent: an input was not counted, or it divides by zero */
	enum sd_quality quality;
	int shared, weak;
	int over; /* the threshold is passed */
};

struct sd_metric_result sd_metric_evaluate(
	const struct sd_model *m, const struct sd_metric_point *p, const struct sd_formula *row);

/* The same by name; absent when the tables have none of that name for this family. */
struct sd_metric_result sd_metric_named(
	const struct sd_model *m, const struct sd_metric_point *p, const char *name);

/* May it be computed with, and compared with another point's? */
int sd_metric_usable(struct sd_metric_result r);

/*
 * Fills the mechanisms of out (sd_parts.stall, spin, spin_instructions) with what this drawing of a
 * point's runs says; those it does not say anything about stay as they are. Returns SD_PARTS_SPIN
 * and SD_PARTS_STALL() bits of those filled.
 */
unsigned sd_metric_mechanisms(const struct sd_model *m, const struct sd_chosen *p,
	const unsigned *times, struct sd_parts *out);

#endif
