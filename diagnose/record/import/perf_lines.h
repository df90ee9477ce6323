/*
 * One line of `perf stat` in any of its forms, as the same members: -x of any separator, -j, and
 * what it prints for people.
 */
#ifndef SD_PERF_LINES_H
#define SD_PERF_LINES_H

#include "import/import.h"

enum { SD_PERF_FIELD = 200 };

struct sd_perf_counter {
	char value[SD_PERF_FIELD], unit[SD_PERF_FIELD], event[SD_PERF_FIELD],
		running[SD_PERF_FIELD], metric[SD_PERF_FIELD], metric_unit[SD_PERF_FIELD],
		cgroup[SD_PERF_FIELD];
	char part[SD_PERF_FIELD];   /* "S0-D0-C0", "CPU3", "a.out-123": of what alone; or "" */
	char spread[SD_PERF_FIELD]; /* of the runs whose mean it is, -r; or "" */
	double interval;            /* s since the start, of -I; 0: none */
};

/* Each: 1 and *out; 0: holds no counter; -EINVAL after a message. */
int sd_perf_lines_separated(const struct sd_import_text *t, unsigned line, const char *p,
	size_t length, struct sd_perf_counter *out);
int sd_perf_lines_json(const struct sd_import_text *t, unsigned line, const char *p, size_t length,
	struct sd_perf_counter *out);
int sd_perf_lines_printed(const char *p, size_t length, struct sd_perf_counter *out);

/* Is this what perf stat prints for people? */
int sd_perf_lines_is_printed(const struct sd_import_text *t);

/*
 * A number as the locale of whoever ran perf writes it: with commas, points, blanks or apostrophes
 * between thousands, and a comma or a point before decimals. `whole`: it has no decimals, so that a
 * lone group of three digits is thousands. 0 and *out; -EINVAL.
 */
int sd_perf_lines_number(const char *cell, int whole, double *out);

#endif
