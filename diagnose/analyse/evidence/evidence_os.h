/*
 * Evidence beside the stack, for the table of causes: sentences that support a cause, and facts
 * that contradict or rule out a cause (METHODS 3, column "falsifier").
 *
 * The plain functions add what supports the cause. _falsified adds what contradicts it and returns
 * 1 if anything does. _excluded adds a fact that rules it out regardless of the numbers and returns
 * 1 if there is one.
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
/* Which locks of the kernel threads sleep for (`slept`), or spin for, which is system time. */
void sd_evidence_kernel_locks(struct sd_case *c, struct sd_finding *f, int slept);
void sd_evidence_quota(struct sd_case *c, struct sd_finding *f);
void sd_evidence_noise(struct sd_case *c, struct sd_finding *f);
void sd_evidence_output(struct sd_case *c, struct sd_finding *f);   /* of a race */
void sd_evidence_unsteady(struct sd_case *c, struct sd_finding *f); /* of unlocked sharing */

/* 1: runs at the largest count print different things, and those of the reference do not; 0 as well
 * where they may be the same lines in another order. */
int sd_evidence_output_differs(const struct sd_case *c);

/* Warns, with "results differ: " first, where runs at the largest count print different things and
 * those of the reference do not. */
void sd_evidence_output_warn(struct sd_case *c);

/* 1, and says so, when runs that print different things speak against lines that are only
 * neighbours. */
int sd_evidence_output_falsified(struct sd_case *c, struct sd_finding *f);

void sd_evidence_imbalance_against(struct sd_case *c, struct sd_finding *f);
int sd_evidence_disk_falsified(struct sd_case *c, struct sd_finding *f);
int sd_evidence_kernel_falsified(struct sd_case *c, struct sd_finding *f);

int sd_evidence_serial_excluded(struct sd_case *c, struct sd_finding *f);
int sd_evidence_imbalance_excluded(struct sd_case *c, struct sd_finding *f);
int sd_evidence_quota_excluded(struct sd_case *c, struct sd_finding *f);
int sd_evidence_numa_excluded(struct sd_case *c, struct sd_finding *f);
int sd_evidence_smt_excluded(struct sd_case *c, struct sd_finding *f);

/* Mean seconds of a run with at most one thread running; < 0 unknown. */
double sd_evidence_alone(const struct sd_chosen *p);

/* Cores that idle when every thread waits for the one with most CPU time, in the run of median
 * time; < 0: unknown, or CPU times do not tell (threads spin, or come and go). */
double sd_evidence_uneven(const struct sd_case *c);

/* SD_BIT(IMBALANCE) where waits are as short as wake-ups, of threads with as much work as each
 * other: fewer of them are the remedy, not other shares. Else 0. */
unsigned long sd_evidence_wakeups(const struct sd_case *c);

/* Components of barriers, by the data: _more are those that may also contain barrier cost, such as
 * waits too short for anything else; _own are those that are nothing else, 0 if below the gate. */
unsigned long sd_evidence_barriers_more(const struct sd_case *c);
unsigned long sd_evidence_barriers_own(const struct sd_case *c);

/* Components caused by starting and ending threads all the time: waits, one thread alone, and ready
 * threads without a CPU whose cost for each waiting join is at most that of a wake-up. 0: threads
 * live longer, or unknown. */
unsigned long sd_evidence_brief_threads(const struct sd_case *c);

#endif
