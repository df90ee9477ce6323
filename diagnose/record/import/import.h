/*
 * Counts measured elsewhere as a record: tables with a row a core count (CSV), and the output of
 * `perf stat -x,` and `perf stat -j`, a file a core count. All of it is untrusted.
 *
 * What was not counted stays absent: an empty cell, NaN, <not counted>, <not supported> are never
 * 0.
 */
#ifndef SD_IMPORT_H
#define SD_IMPORT_H

#include "record/record.h"
#include "base/sink.h"

/* Larger files are refused. */
#define SD_IMPORT_BYTES ((size_t)64 << 20)

/* Runs on their way into a record. */
struct sd_import {
	struct sd_record
		record;  /* its runs; `point` of each is an index into cores until finished */
	unsigned *cores; /* owned; by run */
};

/* A text to import; `name` is for messages. */
struct sd_import_text {
	const char *name, *text;
	size_t size;
	const struct sd_sink *sink;
};

/*
 * A table: comment lines begin with '#', one line of column names, a row a core count or several.
 * Needed: cores (threads, procs) and seconds; then whatever is known: user, system, cpu, roles by
 * their names, and the times of a POP table (runtime_ideal, useful_avg, useful_max, useful_total).
 * `_us`, `_ms`, `_ns` and `_s` at the end of a time say its unit. A column app (program, set) holds
 * several programs: `app` chooses one, NULL where there is one only. A comment that ends in
 * "GB/s: 1=21.3, 16T 164.2" says what so many cores get from memory. 0; -EINVAL, said with file and
 * line; -ENOMEM. The import is to be freed in every case.
 */
int sd_import_csv(struct sd_import *im, const struct sd_import_text *t, const char *app);

/* One file of perf stat, of a run (the mean of runs, with -r) on so many cores. As above. */
int sd_import_perf(struct sd_import *im, const struct sd_import_text *t, unsigned cores);

/* Ceilings of the machine: "1=21.27,16=164.2", cores and GB/s. */
int sd_import_ceilings(struct sd_import *im, const char *list, const struct sd_sink *sink);

/* The core count in a file's name, its only number ("perf.8.csv"); 0: there is none, or several. */
unsigned sd_import_count(const char *path);

/* After the last text: the plan from the core counts, and what the record says it is. */
int sd_import_finish(struct sd_import *im, const char *program, const struct sd_sink *sink);

void sd_import_free(struct sd_import *im); /* accepts the zeroed value */

/* ---- shared by the readers ---- */

/* The next line of a text without its end; NULL at the end. *line counts them. */
const char *sd_import_line(
	const struct sd_import_text *t, size_t *at, size_t *length, unsigned *line);

/* "FILE:LINE: ..." as an error; returns -EINVAL. */
int sd_import_bad(const struct sd_import_text *t, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Refuses what is not text in an encoding that holds ASCII. 0 or -EINVAL. */
int sd_import_check(const struct sd_import_text *t);

/*
 * A cell: 1 and *out; 0 when it says that there is no number; -EINVAL (said with `what`) when it is
 * neither, or out of range.
 */
int sd_import_number(const struct sd_import_text *t, unsigned line, const char *what,
	const char *cell, double *out);

/* Takes the run. 0, -EINVAL for an impossible count of cores, -ENOMEM. */
int sd_import_add(struct sd_import *im, unsigned cores, struct sd_run *run);

/* A count of a role into a run: `value` as it would be had it counted all the time. 0, -EEXIST when
 * the run has it, -ENOMEM. */
int sd_import_role(struct sd_run *run, enum sd_role role, double value, double running, int user,
	enum sd_quality quality, const char *source);

#endif
