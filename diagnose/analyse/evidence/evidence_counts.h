/*
 * Sentences of evidence from what was counted, one function a cause (METHODS 3, column "PMU
 * evidence").
 */
#ifndef SD_EVIDENCE_COUNTS_H
#define SD_EVIDENCE_COUNTS_H

#include "case/case.h"

void sd_evidence_counts_llc(struct sd_case *c, struct sd_finding *f);
void sd_evidence_counts_dtlb(struct sd_case *c, struct sd_finding *f);
void sd_evidence_counts_sharing(struct sd_case *c, struct sd_finding *f);
void sd_evidence_counts_locks(struct sd_case *c, struct sd_finding *f);
void sd_evidence_counts_work(struct sd_case *c, struct sd_finding *f);
void sd_evidence_counts_spin(struct sd_case *c, struct sd_finding *f);
void sd_evidence_counts_smt(struct sd_case *c, struct sd_finding *f);
void sd_evidence_counts_clock(struct sd_case *c, struct sd_finding *f);

#endif
