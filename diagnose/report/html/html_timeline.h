/*
 * What each thread did, cut into equal bins: as much as a picture can show, whatever the length of
 * the run.
 */
#ifndef SD_HTML_TIMELINE_H
#define SD_HTML_TIMELINE_H

#include <stdio.h>

#include "analysis/thread_lanes.h"
#include "export/viewer_functions.h"

/*
 * ,"locks":[...],"runs":[{cores, length_ns, bins, more, threads:[{name, tid, steps:[[bins,
 * activity, function + 1, lock + 1], ...]}]}]: the steps of a thread fill its bins; 0 or left out
 * at the end is unknown. `lanes` may be NULL. 0 or -ENOMEM.
 */
int sd_html_timeline_data(FILE *f, const struct sd_viewer_functions *v,
	const struct sd_thread_lanes *lanes, int (*put_string)(FILE *f, const char *text));

#endif
