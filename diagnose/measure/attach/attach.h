/*
 * A program that runs already, to be measured without being started again.
 */
#ifndef SD_ATTACH_H
#define SD_ATTACH_H

#include "attach/attached.h"
#include "attach/cpu_guard.h"
#include "attach/request_latency.h"
#include "attach/window.h"
#include "attach/work_counter.h"

struct sd_attach {
	struct sd_attached *program;
	double window_s;                    /* that it is looked at, each time */
	const struct sd_work_counter *work; /* its throughput; NULL: not known */
	struct sd_latency *latency;         /* how long its requests take; NULL: not watched */
	struct sd_cpu_guard *guard;         /* changes its CPUs for each count; NULL: only looks */
};

#endif
