/*
 * The metric tables and the advice, read once for a report.
 */
#ifndef SD_CONFIG_TABLES_H
#define SD_CONFIG_TABLES_H

#include "metrics/formula_tables.h"
#include "base/sink.h"

/* Those of SCALEDIAG_CONFIGS, else the program's own. 0 or -errno, said; *out is to be freed in
 * every case. */
int sd_config_tables_load(struct sd_formula_tables *out, const struct sd_sink *sink);

#endif
