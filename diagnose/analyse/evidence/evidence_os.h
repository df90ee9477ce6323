/*
 * What the table of causes asks of the data beside the stack: sentences that support a cause, and
 * the facts that contradict one or settle it (METHODS 3, column "falsifier").
 *
 * the plain ones say what supports the cause; _falsified says what contradicts it and returns 1
 * then; _excluded says the fact that rules it out whatever the numbers are and returns 1 then.
 */
#ifndef SD_EVIDENCE_OS_H
#define SD_EVIDENCE_OS_H

#include "case/case.h"

void sd_evidence_lock(struct sd_case *c, struct sd_finding *f);
void sd_evidence_serial(struct sd_case *c, struct sd_finding *f);
void sd_evidence_barrier(struct sd_case *c, struct sd_finding *f);
void sd_evidence_imbalance(struct sd_case *c, struct sd_finding *f);
void sd_evidence_disk(struct sd_case *c, struct sd_finding *f);
void sd_evidence_kernel(struct sd_case *c, struct sd_finding *f);
void sd_evidence_quota(struct sd_case *c, struct sd_finding *f);
void sd_evidence_noise(struct sd_case *c, struct sd_finding *f);
void sd_evidence_output(struct sd_case *c, struct sd_finding *f);   /* of a race */
void sd_evidence_unsteady(struct sd_case *c, struct sd_finding *f); /* of unlocked sharing */

int sd_evidence_serial_falsified(struct sd_case *c, struct sd_finding *f);
int sd_evidence_imbalance_falsified(struct sd_case *c, struct sd_finding *f);
int sd_evidence_disk_falsified(struct sd_case *c, struct sd_finding *f);
int sd_evidence_kernel_falsified(struct sd_case *c, struct sd_finding *f);

int sd_evidence_serial_excluded(struct sd_case *c, struct sd_finding *f);
int sd_evidence_imbalance_excluded(struct sd_case *c, struct sd_finding *f);
int sd_evidence_quota_excluded(struct sd_case *c, struct sd_finding *f);
int sd_evidence_numa_excluded(struct sd_case *c, struct sd_finding *f);
int sd_evidence_smt_excluded(struct sd_case *c, struct sd_finding *f);

/* Components of barriers, by the data: where their cost may be besides, such as waits too short to
 * be for anything else; and those that are nothing else, 0 when these are below the gate. */
unsigned long sd_evidence_barriers_more(const struct sd_case *c);
unsigned long sd_evidence_barriers_own(const struct sd_case *c);

/* Waits, one thread alone, and ready threads without a CPU, as far as they are because threads are
 * started and ended all the time: components whose cost for each join that waited is no more than a
 * wake-up takes. 0: threads live for longer, or nobody knows. */
unsigned long sd_evidence_brief_threads(const struct sd_case *c);

#endif
