/*
 * A verdict of the old judge as a statement, for the causes whose sources do not state bounds yet.
 * It goes when the last of them does.
 */
#ifndef SD_JUDGED_STATEMENT_H
#define SD_JUDGED_STATEMENT_H

#include "case/case.h"

/* States f, which has a verdict, its cores and share. */
void sd_judged_statement_make(struct sd_case *c, const struct sd_finding *f);

#endif
