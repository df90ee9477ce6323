/*
 * The metric tables and the advice, read once for a report.
 */
#ifndef SD_CONFIG_TABLES_H
#define SD_CONFIG_TABLES_H

#include "advice/advice_texts.h"
#include "metrics/formula_tables.h"
#include "base/sink.h"
#include "record/record.h"

struct sd_config_tables {
	struct sd_formula_tables formulas;
	struct sd_advice_texts advice;
};

/* Loads those of SCALEDIAG_CONFIGS, or else the built-in ones. 0, or -errno after a message; *out
 * must be freed in every case. */
int sd_config_tables_load(struct sd_config_tables *out, const struct sd_sink *sink);

/* The same of what a report of this record needs: without counts no metrics, whose formulas take
 * most of the time of a small report to compile. */
int sd_config_tables_load_for(
	struct sd_config_tables *out, const struct sd_record *record, const struct sd_sink *sink);

void sd_config_tables_free(struct sd_config_tables *t); /* accepts the zeroed value */

#endif
