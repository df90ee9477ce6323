/*
 * The causes' rows.
 */
#ifndef SD_CAUSE_TABLE_H
#define SD_CAUSE_TABLE_H

#include "case/rule.h"

extern const struct sd_rule sd_cause_table[SD_CAUSE_COUNT];

#endif
