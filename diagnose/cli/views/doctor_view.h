/*
 * Output of `scalediag doctor`: the facts, and what can be found out of each cause here.
 */
#ifndef SD_DOCTOR_VIEW_H
#define SD_DOCTOR_VIEW_H

#include <stdio.h>

#include "probe/doctor.h"
#include "probe/readiness.h"
#include "page/report_style.h"

/* Both: 0; -EIO; -ENOMEM. */
int sd_doctor_text(FILE *f, const struct sd_doctor *d, const struct sd_readiness *ready,
	const struct sd_report_style *style);
int sd_doctor_json(FILE *f, const struct sd_doctor *d, const struct sd_readiness *ready);

#endif
