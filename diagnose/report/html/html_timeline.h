/*
 * Data of the timeline: what each thread of a run did.
 */
#ifndef SD_HTML_TIMELINE_H
#define SD_HTML_TIMELINE_H

#include <stdio.h>

#include "record/record.h"

/*
 * ,"words":["", ...],"runs":[{cores, length_ns, bins, more, doings:[[state, function, lock], ...],
 * threads:[{name, tid, steps:[[bins, doing], ...]}]}]: of each point the run that kept its lanes.
 * `state` is an index of the page's activities, function and lock of the words. 0 or -ENOMEM.
 */
int sd_html_timeline_data(
	FILE *f, const struct sd_record *r, int (*put_string)(FILE *f, const char *text));

#endif
