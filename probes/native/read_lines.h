/*
 * Lines that several threads read and no sample writes: whether anybody can.
 */
#ifndef SD_READ_LINES_H
#define SD_READ_LINES_H

#include "native/data_maps.h"
#include "native/sample_touches.h"
#include "trace/timeline.h"

/* Makes SD_TOUCH_READ, among the first n touches, ALONE where the memory may not be written.
 * `timeline`: of their threads. */
void sd_read_lines_clear(struct sd_sample_touches *t, size_t n, const struct sd_timeline *timeline,
	const struct sd_data_maps *m);

#endif
