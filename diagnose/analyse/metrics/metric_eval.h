/*
 * Metrics of a point: evaluates the tables' formulas over the point's counts.
 */
#ifndef SD_METRIC_EVAL_H
#define SD_METRIC_EVAL_H

#include "metrics/role_counts.h"
#include "metrics/formula_tables.h"
#include "record/record.h"

/* The tables as one record needs them. */
struct sd_model {
	const struct sd_formula_tables *f;
	const struct sd_formula **row; /* owned; by id: the row for the record's family or NULL */
	const struct sd_record *record;
	const char *family;
};

/*
 * 0 or -ENOMEM. Empty (row == NULL) if there are no tables or no run counted a role.
 */
int sd_metric_eval_make(struct sd_model *m, const struct sd_record *record,
	const struct sd_run_selection *choice, const struct sd_formula_tables *f);
void sd_metric_eval_free(struct sd_model *m); /* accepts the zeroed value */

/* A point as formulas see it. */
struct sd_metric_eval_point {
	struct sd_role_counts counts;
	struct sd_value term[SD_TERM_COUNT];
};

/* Run j counts times[j] times; NULL: each once. */
void sd_metric_eval_point(const struct sd_model *m, const struct sd_chosen *p,
	const unsigned *times, struct sd_metric_eval_point *out);

/* Places times accesses: what counts of sharing see (enum sd_sight), a bit each. */
#define SD_METRIC_EVAL_PLACES 3
#define SD_METRIC_EVAL_CELL(place, is_store) (1u << (2 * (place) + (is_store)))

/* A metric with the status and the quality of the worst of its inputs. */
struct sd_metric_eval_result {
	double value;
	enum sd_status status; /* absent: an input was not counted, or it divides by zero */
	enum sd_quality quality;
	int shared, weak;
	unsigned cells; /* what its counts of sharing and of one kind of access see together; 0: it
			   has none such */
	int over;       /* beyond its threshold */
};

struct sd_metric_eval_result sd_metric_eval_evaluate(const struct sd_model *m,
	const struct sd_metric_eval_point *p, const struct sd_formula *row);

/* The same by name; absent if the tables have none of that name for this family. */
struct sd_metric_eval_result sd_metric_eval_named(
	const struct sd_model *m, const struct sd_metric_eval_point *p, const char *name);

/* Is it usable, also for comparison with another point's? */
int sd_metric_eval_usable(struct sd_metric_eval_result r);

/*
 * Fills the mechanisms of *out (stall, spin, spin_instructions) from this resample of a point's
 * runs; unknown ones are unchanged. Returns the SD_RUN_PARTS_SPIN and SD_RUN_PARTS_STALL() bits of
 * those filled.
 */
unsigned sd_metric_eval_mechanisms(const struct sd_model *m, const struct sd_chosen *p,
	const unsigned *times, struct sd_run_parts *out);

#endif
