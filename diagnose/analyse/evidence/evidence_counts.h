/*
 * Sentences of evidence from what was counted, one function a cause (METHODS 3, column "PMU
 * evidence").
 */
#ifndef SD_COUNTED_H
#define SD_COUNTED_H

#include "causes/judge.h"

void sd_counted_llc(struct sd_case *c, struct sd_finding *f);
void sd_counted_dtlb(struct sd_case *c, struct sd_finding *f);
void sd_counted_sharing(struct sd_case *c, struct sd_finding *f);
void sd_counted_locks(struct sd_case *c, struct sd_finding *f);
void sd_counted_work(struct sd_case *c, struct sd_finding *f);
void sd_counted_spin(struct sd_case *c, struct sd_finding *f);
void sd_counted_smt(struct sd_case *c, struct sd_finding *f);
void sd_counted_clock(struct sd_case *c, struct sd_finding *f);

#endif
