/*
 * Output of `scalediag doctor`: the facts, and what can be found out of each cause here.
 */
#ifndef SD_DOCTOR_VIEW_H
#define SD_DOCTOR_VIEW_H

#include <stdio.h>

#include "probe/doctor.h"
#include "probe/readiness.h"
#include "page/report_style.h"

/* Each: 0; -EIO; -ENOMEM. The brief one is the first screen: what to mend first, and which causes
 * can be told; the text has every fact. */
int sd_doctor_brief(FILE *f, const struct sd_doctor *d, const struct sd_readiness *ready,
	const struct sd_report_style *style);
int sd_doctor_text(FILE *f, const struct sd_doctor *d, const struct sd_readiness *ready,
	const struct sd_report_style *style);
/* A page that has it all, what to mend first. */
int sd_doctor_html(FILE *f, const struct sd_doctor *d, const struct sd_readiness *ready);
int sd_doctor_json(FILE *f, const struct sd_doctor *d, const struct sd_readiness *ready);

#endif
