/*
 * The time of a transfer of a modified line between cores.
 */
#ifndef SD_TRANSFER_TIME_H
#define SD_TRANSFER_TIME_H

#include "record/record.h"
#include "runs/run_selection.h"

/* s: calibrated, else the mean of the probes of a point's runs; absent: neither. */
struct sd_value sd_transfer_time(const struct sd_record *record, const struct sd_chosen *point);

/* s that one takes at most, under load: five times that (METHODS 1.12: 85 to 130 ns become 200 to
 * 600); 1 us where nothing was measured. */
double sd_transfer_time_most(const struct sd_record *record, const struct sd_chosen *point);

#endif
