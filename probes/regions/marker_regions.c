#include "regions/marker_regions.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SD_MARKER_LAYOUT_ONLY
#include "base/regular_file.h"
#include "base/statistics.h"
#include "markers/scalediag.h"

#define S(ns) ((double)(ns)*1e-9)

/* No machine has more CPUs than this, so no region has more CPU time a second. */
#define MOST_CPUS 65536.0

/* ---- one region of one process --------------------------------------------------------------- */

/* Its text ends where the bytes do. */
static void name_of(const struct sd_marker_row *row, char name[SD_MARKER_NAME])
{
	memcpy(name, row->name, SD_MARKER_NAME);
	name[SD_MARKER_NAME - 1] = '\0';
}

/* Sums of ends less those of begins; one that is open lacks its end. 0: more than the run. */
static int sum_of(uint64_t sum, int open, uint64_t to, uint64_t most, double *out)
{
	if (open)
		sum += to;
	if (sum > most)
		return 0;
	*out = S(sum);
	return 1;
}

static void add_cpu(const struct sd_marker_row *row, double elapsed, struct sd_region_time *r)
{
	const double timed = S(row->timed), cpu = S(row->cpu);

	if (row->inside & SD_MARKER_TIMED || !(timed > 0) || timed > elapsed * 1.000001 ||
		cpu > MOST_CPUS * timed)
		return;
	if (!sd_has(r->cpu))
		r->cpu = SD_OK(0);
	r->cpu.value += cpu * elapsed / timed;
}

static int add_row(const struct sd_marker_row *row, uint64_t from, uint64_t to,
	struct sd_region_run *out, struct sd_region_time **into)
{
	const int open = (uint32_t)row->inside != 0;
	char name[SD_MARKER_NAME];
	double elapsed, thread_s = 0, entries = 0;
	struct sd_region_time *r;

	name_of(row, name);
	if (!sum_of(row->wall, open, to, to - from, &elapsed))
		return 0;
	for (unsigned k = 0; k < SD_MARKER_SLOTS; k++) {
		entries += (double)row->slot[k].count;
		thread_s += S(row->slot[k].ns);
	}
	r = sd_region_run_row(out, SD_REGION_MARKED, name, 0);
	if (!r && out->n_row < SD_REGION_RUN_ROWS)
		return -ENOMEM;
	if (!r) {
		out->no_row += entries;
		return 0;
	}
	r->processes++;
	r->most = row->most < MOST_CPUS && row->most > r->most ? row->most : r->most;
	r->entries += entries;
	r->elapsed = elapsed > r->elapsed ? elapsed : r->elapsed;
	r->thread_s += thread_s < MOST_CPUS * S(to - from) ? thread_s : 0;
	r->unmatched += (double)row->unmatched;
	r->unended += open;
	add_cpu(row, elapsed, r);
	*into = r;
	return 0;
}

/* ---- when the judged one was ----------------------------------------------------------------- */

struct mark {
	uint64_t time;
	int step;
};

static int earlier_first(const void *a, const void *b)
{
	const struct mark *const x = a, *const y = b;

	/* of one moment the begins first, so that what touches is one */
	return x->time != y->time ? (x->time < y->time ? -1 : 1) : y->step - x->step;
}

static size_t marks_of(
	const struct sd_marker_file *f, uint64_t from, uint64_t to, struct mark *out, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < most; i++) {
		const uint64_t time = f->mark[i].time;
		const int step = f->mark[i].step;

		if (time >= from && time <= to && (step == 1 || step == -1))
			out[n++] = (struct mark){time, step};
	}
	return n;
}

/* With a thread of any process in it. */
static void span_all(struct mark *mark, size_t n, uint64_t to, struct sd_region_run *out)
{
	uint64_t since = 0;
	long inside = 0;

	qsort(mark, n, sizeof *mark, earlier_first);
	for (size_t i = 0; i <= n; i++) {
		const long before = inside;
		const uint64_t now = i < n ? mark[i].time : to;

		/* an end without its begin is no thread less */
		inside = i == n ? 0 : inside + mark[i].step < 0 ? 0 : inside + mark[i].step;
		if (!before && inside)
			since = now;
		if (!before || inside || now == since)
			continue;
		out->judged_s += S(now - since);
		if (out->n_span && out->span[out->n_span - 1].to == since)
			out->span[out->n_span - 1].to = now;
		else
			out->span[out->n_span++] = (struct sd_region_span){since, now};
	}
}

static int find_spans(
	const struct sd_marker_file *f, uint64_t from, uint64_t to, struct sd_region_run *out)
{
	const size_t n = f->marks;
	struct mark *mark;

	if (n > SD_MARKER_MARKS)
		return 0; /* entered too often to say when */
	mark = calloc(n + 1, sizeof *mark);
	out->span = calloc(n + 1, sizeof *out->span);
	if (!mark || !out->span) {
		free(mark);
		return -ENOMEM;
	}
	span_all(mark, marks_of(f, from, to, mark, n), to, out);
	free(mark);
	return 0;
}

/* ---- entries of the watched one -------------------------------------------------------------- */

static const struct sd_marker_row *watched_row(const struct sd_marker_file *f)
{
	for (unsigned i = 0; i < SD_MARKER_ROWS; i++)
		if (f->row[i].state == SD_MARKER_READY && f->row[i].process &&
			f->row[i].marked == 2)
			return &f->row[i];
	return NULL;
}

static void take_entries(const struct sd_marker_file *f, size_t n, uint64_t from, uint64_t to,
	struct sd_region_run *out)
{
	for (size_t i = 0; i < n; i++) {
		const uint64_t since = f->mark[i].time;
		const int64_t ticks = (int64_t)f->mark[i].step - 2;
		const int tid = (int)f->mark[i].process;

		if (ticks < 0 || tid <= 0 || since < from || since > to ||
			(uint64_t)ticks * SD_MARKER_TICK > to - since)
			continue;
		out->entry[out->n_entry++] = (struct sd_request_entry){
			since, since + (uint64_t)ticks * SD_MARKER_TICK, tid};
	}
}

/* The time that a share of them stayed below, s. */
static double percentile(double *took, size_t n, double share)
{
	const size_t k = (size_t)ceil(share * (double)n);

	return n ? sd_statistics_select(took, n, k ? k - 1 : 0) : 0;
}

static int count_entries(struct sd_region_run *out)
{
	double *const took = calloc(out->n_entry + 1, sizeof *took);

	if (!took)
		return -ENOMEM;
	for (size_t i = 0; i < out->n_entry; i++)
		took[i] = S(out->entry[i].to - out->entry[i].from);
	out->requests->p50 = percentile(took, out->n_entry, .5);
	out->requests->p99 = percentile(took, out->n_entry, .99);
	out->requests->entries = (double)out->n_entry;
	free(took);
	return 0;
}

/* The watched region's entries, when the program was told to note them. */
static int add_entries(
	const struct sd_marker_file *f, uint64_t from, uint64_t to, struct sd_region_run *out)
{
	const size_t n = f->marks < SD_MARKER_MARKS ? f->marks : SD_MARKER_MARKS;
	const struct sd_marker_row *const row = watched_row(f);
	const struct sd_region_time *all;

	if (!row || out->requests)
		return 0;
	out->requests = calloc(1, sizeof *out->requests);
	out->entry = calloc(n + 1, sizeof *out->entry);
	if (!out->requests || !out->entry)
		return -ENOMEM;
	name_of(row, out->requests->name);
	take_entries(f, n, from, to, out);
	out->requests->state = SD_REQUESTS_UNSWITCHED; /* until these are known */
	all = sd_region_run_find(out, SD_REGION_MARKED, out->requests->name, 0);
	if (all && f->marks > SD_MARKER_MARKS)
		out->requests->beyond = fmax(0, all->entries - (double)out->n_entry);
	return count_entries(out);
}

int sd_marker_regions_add(const struct sd_marker_file *file, uint64_t from, uint64_t to,
	const char *judged, struct sd_region_run *out)
{
	const struct sd_region_time *found;
	int rc = 0;

	if (file->magic != SD_MARKER_MAGIC || to < from)
		return 0;
	for (unsigned i = 0; i < SD_MARKER_ROWS && !rc; i++) {
		const struct sd_marker_row *const row = &file->row[i];
		struct sd_region_time *r = NULL;

		if (row->state == SD_MARKER_READY && row->process)
			rc = add_row(row, from, to, out, &r);
	}
	out->no_row += file->no_row;
	out->too_deep += file->too_deep;
	rc = rc ? rc : add_entries(file, from, to, out);
	found = *judged ? sd_region_run_find(out, SD_REGION_MARKED, judged, 0) : NULL;
	if (rc || !found)
		return rc;
	memcpy(out->judged, found->name, sizeof out->judged);
	rc = find_spans(file, from, to, out);
	if (!out->n_span)
		out->judged_s = found->elapsed;
	return rc;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Opens a file that is this user's and begins as ours does: a descriptor, or -1 and errno. */
static int open_own(const char *path, struct stat *st)
{
	const int fd = sd_regular_file_open(path, O_NOFOLLOW, st);
	uint64_t magic = 0;

	if (fd < 0) {
		errno = -fd;
		return -1;
	}
	if (st->st_uid == geteuid() &&
		(st->st_size == 0 || (pread(fd, &magic, sizeof magic, 0) == sizeof magic &&
					     (magic == SD_MARKER_MAGIC || magic == 0))))
		return fd;
	close(fd);
	errno = EEXIST;
	return -1;
}

int sd_marker_regions_remove(const char *path)
{
	struct stat st;
	const int fd = open_own(path, &st);

	if (fd < 0)
		return errno == ENOENT ? 0 : -EEXIST;
	close(fd);
	return unlink(path) && errno != ENOENT ? -errno : 0;
}

int sd_marker_regions_take(
	const char *path, uint64_t from, uint64_t to, const char *judged, struct sd_region_run *out)
{
	struct stat st;
	const int fd = open_own(path, &st);
	struct sd_marker_file *copy;
	int rc = 0;

	if (fd < 0)
		return 0;
	/* a copy: what is left of the program may still write, or cut it */
	copy = malloc(sizeof *copy);
	if (!copy)
		rc = -ENOMEM;
	else if (sd_regular_file_bytes(fd, copy, offsetof(struct sd_marker_file, lasted), 0) ==
		 offsetof(struct sd_marker_file, lasted))
		rc = sd_marker_regions_add(copy, from, to, judged, out);
	free(copy);
	close(fd);
	unlink(path);
	return rc;
}
