/*
 * Lists what to mend on a machine, in order, with the words that every format of the doctor uses.
 */
#ifndef SD_DOCTOR_MENDS_H
#define SD_DOCTOR_MENDS_H

#include <stddef.h>

#include "probe/doctor.h"
#include "probe/readiness.h"
#include "views/doctor_causes.h"

/* Everything is borrowed: of *d and *ready, or constant. */
struct sd_doctor_mend {
	const char *label, *fix; /* what is missing; the command or setting that mends it */
	const char *gives;       /* what a diagnosis gains by it */
};

#define SD_DOCTOR_MENDS 13

/* Fills at most SD_DOCTOR_MENDS, that first which tells most. Their number. */
size_t sd_doctor_mends(
	const struct sd_doctor *d, const struct sd_readiness *ready, struct sd_doctor_mend *out);

extern const char *const sd_doctor_ready_label[SD_READY_COUNT];
extern const char *const sd_doctor_reach[]; /* by enum sd_reach */

int sd_doctor_counts(const struct sd_doctor *d); /* do hardware counters work? */
/* The conclusion: what is there, and what it means that the rest is not. */
const char *sd_doctor_answer(const struct sd_doctor *d);

#endif
