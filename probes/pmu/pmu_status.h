/*
 * Is there a PMU, and if not, why not?
 */
#ifndef SD_PMU_STATUS_H
#define SD_PMU_STATUS_H

#include "probe/doctor.h"

/*
 * Tries a hardware cycle counter on this process. OK: it counts; unsupported, denied; absent: it
 * could not be tried, as all counters are in use. *error (may be NULL) is open's -errno, 0 when it
 * could be opened.
 */
enum sd_status sd_pmu_status_find(int *error);

/* Of so many the same event, how many count at once: the counters of a thread; at most 32. */
unsigned sd_pmu_status_counters(void);

/* The fact and its reason: hypervisor, container, paranoid level, security module, driver. */
void sd_pmu_status_explain(struct sd_fact *fact, const struct sd_doctor_source *source);

#endif
