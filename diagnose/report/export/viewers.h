/*
 * Stacks and timelines of a record for the viewers that people have. All print the style's `stacks`
 * and, where the raw samples of runs were kept, its `lanes`. 0, -EIO or -ENOMEM.
 */
#ifndef SD_VIEWERS_H
#define SD_VIEWERS_H

#include "page/report_style.h"

/*
 * speedscope.app, its file format of https://www.speedscope.app/file-format-schema.json: two
 * profiles a core count, what ran and what waited, in us of thread time, mean of a run; one a
 * thread and lane, in us of the run's time.
 */
int sd_viewers_speedscope(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);

/*
 * profiler.firefox.com, its processed profile format, version 60, which later ones read. With lanes
 * a track a thread, the waits as markers; without, a track a core count whose time is no order.
 */
int sd_viewers_firefox(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);

/*
 * ui.perfetto.dev and chrome://tracing, the Trace Event Format: when each run was, by core count;
 * with lanes what each thread did in it.
 */
int sd_viewers_perfetto(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);

/*
 * profile.proto of github.com/google/pprof, which pprof, Pyroscope and others read, not compressed:
 * the stacks alone. Two values a sample and core count, cpu_2_cores and waiting_2_cores, in ns of
 * thread time, mean of a run; a file of two counts is never their sum.
 */
int sd_viewers_pprof(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);

#endif
