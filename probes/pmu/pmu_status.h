/*
 * Is there a PMU, and if not, why not?
 */
#ifndef SD_PMU_STATUS_H
#define SD_PMU_STATUS_H

#include "probe/doctor.h"

/*
 * Tries a hardware cycle counter on this process. OK: it counts; unsupported; denied; absent: not
 * tried because all counters are in use. *error (may be NULL): the -errno of opening it, 0 if it
 * opened.
 */
enum sd_status sd_pmu_status_find(int *error);

/* How many copies of one event count at the same time: the counters of a thread; at most 32. */
unsigned sd_pmu_status_counters(void);

/* Fills the fact and its reason: hypervisor, container, paranoid level, security module, driver. */
void sd_pmu_status_explain(struct sd_fact *fact, const struct sd_doctor_source *source);

#endif
