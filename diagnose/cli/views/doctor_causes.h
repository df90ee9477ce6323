/*
 * How far each cause can be judged on a machine: by what the doctor found there, and by the
 * experiments that can be made.
 */
#ifndef SD_DOCTOR_CAUSES_H
#define SD_DOCTOR_CAUSES_H

#include "probe/doctor.h"
#include "probe/readiness.h"
#include "record/cause.h"

#define SD_DOCTOR_NEEDS 6

/* Sources that can tell of a cause: roles, any of them, and facts beyond the times of the runs,
 * which every cause has. */
struct sd_doctor_need {
	enum sd_role role[SD_DOCTOR_NEEDS];
	unsigned n_role;
	enum sd_fact_id fact[SD_DOCTOR_NEEDS];
	unsigned n_fact;
};
const struct sd_doctor_need *sd_doctor_need(int cause);

enum sd_reach { SD_REACH_NO, SD_REACH_LIKELY, SD_REACH_CONFIRMED };

struct sd_doctor_judged {
	enum sd_reach reach;
	char by[640];     /* experiments; or else evidence */
	char change[400]; /* what would take it further, or that nothing does; "": nothing known */
};

/* Does seeing what this experiment predicts confirm the cause? */
int sd_doctor_confirms(enum sd_experiment experiment, int cause);

void sd_doctor_judge(const struct sd_doctor *d, const struct sd_readiness *ready, int cause,
	struct sd_doctor_judged *out);

#endif
