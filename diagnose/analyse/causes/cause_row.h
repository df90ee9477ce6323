/*
 * What the ledger must know of a cause, and who states its bounds (METHODS 4). One file a cause
 * defines its row; cause_list.c has them all.
 */
#ifndef SD_CAUSE_ROW_H
#define SD_CAUSE_ROW_H

#include "case/case.h"

/* States what one source says of the cause (case/stated.h), and the sentences that belong to it. A
 * source that says nothing changes nothing. */
typedef void sd_cause_row_state(struct sd_case *c, struct sd_finding *f);

struct sd_cause_row {
	/* SD_BIT: where its cores can ever be. Those that a record does not tell apart do not
	 * count. */
	unsigned long components;
	unsigned mechanism;               /* SD_SEES_*: what a source must see to bound it from
					     above */
	sd_cause_row_state *const *state; /* NULL-ended; one a source. NULL: the old judge's verdict
					     is what is stated (judged_statement.h) */
};

/* One a file of this folder. */
extern const struct sd_cause_row sd_cause_row_allocator;
extern const struct sd_cause_row sd_cause_row_bus_locks;
extern const struct sd_cause_row sd_cause_row_cpu_quota;
extern const struct sd_cause_row sd_cause_row_disk;
extern const struct sd_cause_row sd_cause_row_frequency;
extern const struct sd_cause_row sd_cause_row_kernel_memory;
extern const struct sd_cause_row sd_cause_row_load_imbalance;
extern const struct sd_cause_row sd_cause_row_lock_contention;
extern const struct sd_cause_row sd_cause_row_mpi;
extern const struct sd_cause_row sd_cause_row_noise;
extern const struct sd_cause_row sd_cause_row_numa;
extern const struct sd_cause_row sd_cause_row_oversubscription;
extern const struct sd_cause_row sd_cause_row_serial_code;
extern const struct sd_cause_row sd_cause_row_smt;

/* SD_CAUSE_COUNT rows, by cause. */
extern const struct sd_cause_row *const sd_cause_row_list[SD_CAUSE_COUNT];

#endif
