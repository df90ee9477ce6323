/*
 * Functions that every core runs whole: their CPU time is multiplied as the cores are. Work that is
 * divided keeps its CPU time, and what hardware or shared lines slow down seldom takes just so much
 * longer.
 */
#ifndef SD_REPEATED_WORK_H
#define SD_REPEATED_WORK_H

#include "case/case.h"

struct sd_repeated_work {
	double cores;      /* of the last point, that they added */
	double share;      /* of all user time that was added */
	double times;      /* the largest of them: its CPU time against the reference's */
	unsigned function; /* that one, of the spread's places; 0: there is none */
};

/* Of samples at the reference and the last point, with as much work at both. 0 or -ENOMEM. */
int sd_repeated_work_find(const struct sd_case *c, struct sd_repeated_work *out);

#endif
