/* The CSV output of likwid-perfctr (-O): tables of events and of metrics, a column a core. */
#include "import/import.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "import/event_counts.h"

struct likwid {
	const struct sd_import_text *t;
	struct sd_import *im;
	struct sd_event_counts counts;
	struct sd_run run;
	size_t columns; /* of cores in this table; 0: of no table of cores */
	unsigned cores; /* the most that any table has */
	int events;     /* its rows are events: name, counter, counts */
	double wall;    /* s, the longest of all cores */
};

/* Copies the n-th cell; empty beyond the last. */
static void cell_of(const char *p, size_t length, size_t n, char *out, size_t size)
{
	const char *const end = p + length;

	for (; n && p < end; n--) {
		const char *const comma = memchr(p, ',', (size_t)(end - p));

		p = comma ? comma + 1 : end;
	}
	length = p < end ? (size_t)(end - p) : 0;
	if (memchr(p, ',', length))
		length = (size_t)((const char *)memchr(p, ',', length) - p);
	snprintf(out, size, "%.*s", (int)(length < size ? length : size - 1), p);
}

/* "Event,Counter,Core 0,Core 1," or "Metric,HWThread 0,...": how many cores. The tables of sums and
 * means have none. */
static void take_heading(struct likwid *l, const char *p, size_t length)
{
	const size_t first = l->events ? 2 : 1;
	char cell[64];

	l->columns = 0;
	for (size_t i = first; i < first + SD_CPU_MAX; i++) {
		cell_of(p, length, i, cell, sizeof cell);
		if (strncmp(cell, "Core ", 5) != 0 && strncmp(cell, "HWThread ", 9) != 0)
			break;
		l->columns++;
	}
	l->cores = l->columns > l->cores ? (unsigned)l->columns : l->cores;
}

static int take_event(struct likwid *l, unsigned line, const char *p, size_t length)
{
	char name[200], cell[64];
	double sum = 0;
	int any = 0, rc;

	cell_of(p, length, 0, name, sizeof name);
	for (size_t i = 0; i < l->columns; i++) {
		double v;

		cell_of(p, length, i + 2, cell, sizeof cell);
		rc = sd_import_number(l->t, line, name, cell, &v);
		if (rc < 0)
			return rc;
		if (rc > 0) {
			sum += v;
			any = 1;
		}
	}
	if (!any)
		return 0;
	rc = sd_event_counts_add(&l->counts, name, sum, 1, 1);
	return rc == -E2BIG ? sd_import_bad(l->t, line, "has too many events") : rc;
}

static void take_time(struct likwid *l, const char *p, size_t length)
{
	char cell[64];
	double v;

	for (size_t i = 0; i < l->columns; i++) {
		cell_of(p, length, i + 1, cell, sizeof cell);
		if (sd_number_double(cell, 0, 1e9, &v) == 0)
			l->wall = fmax(l->wall, v);
	}
}

static int take_line(struct likwid *l, unsigned line, const char *p, size_t length)
{
	char first[200];

	cell_of(p, length, 0, first, sizeof first);
	if (strcmp(first, "Event") == 0 || strcmp(first, "Metric") == 0) {
		l->events = first[0] == 'E';
		take_heading(l, p, length);
		return 0;
	}
	if (strcmp(first, "TABLE") == 0 || strcmp(first, "STRUCT") == 0) {
		l->columns = 0;
		return 0;
	}
	if (strcmp(first, "CPU name:") == 0 || strcmp(first, "CPU type:") == 0) {
		char value[128];

		cell_of(p, length, 1, value, sizeof value);
		if (first[4] == 't')
			return sd_import_cpu_type(l->im, l->t, line, value);
		sd_import_cpu_name(l->im, value);
		return 0;
	}
	if (l->columns == 0 || !first[0])
		return 0;
	if (l->events)
		return take_event(l, line, p, length);
	if (strncmp(first, "Runtime (RDTSC)", 15) == 0)
		take_time(l, p, length);
	return 0;
}

int sd_import_likwid(struct sd_import *im, const struct sd_import_text *t, unsigned cores)
{
	struct likwid l = {.t = t, .im = im};
	size_t at = 0, length;
	unsigned line = 0;
	const char *p;
	int rc = sd_import_check(t);

	while (rc == 0 && (p = sd_import_line(t, &at, &length, &line)))
		rc = take_line(&l, line, p, length);
	if (rc == 0 && l.counts.n == 0)
		rc = sd_import_bad(t, 1,
			"has no table of events: give the output of "
			"likwid-perfctr -O");
	if (rc == 0 && !(l.wall >= 1e-6))
		rc = sd_import_bad(t, 1,
			"has no \"Runtime (RDTSC) [s]\": measure a group of "
			"likwid-perfctr (-g), not single events");
	if (rc == 0) {
		l.run.metric[SD_METRIC_WALL] = SD_OK(l.wall);
		rc = sd_event_counts_roles(&l.counts, &im->cpu, "likwid", &l.run, &im->unknown);
	}
	if (rc == 0)
		rc = sd_import_add(im, t, 1, cores ? cores : l.cores, &l.run);
	sd_event_counts_free(&l.counts);
	sd_run_free(&l.run);
	return rc;
}
