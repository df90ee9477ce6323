#include "attach/request_latency.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#define SD_MARKER_LAYOUT_ONLY
#include "markers/scalediag.h"

#define SLICE_NS 100000000 /* between looks at the stop flag */

_Static_assert(SD_LATENCY_LASTS == SD_MARKER_LASTS, "the markers' own");

/* 1: the file has a region of that name. Its entries are added to `to`. */
static int add_file(struct sd_latency *l, size_t number, uint32_t *to)
{
	const struct sd_marker_file *const file = sd_marker_files_rows(&l->files, number);
	uint32_t lasted[SD_MARKER_SLOTS][SD_MARKER_LASTS];
	int found = 0;

	l->lost |= !file;
	if (!file || __atomic_load_n(&file->magic, __ATOMIC_ACQUIRE) != SD_MARKER_MAGIC)
		return 0;
	for (unsigned i = 0; i < SD_MARKER_ROWS; i++) {
		const struct sd_marker_row *const row = &file->row[i];

		if (__atomic_load_n(&row->state, __ATOMIC_ACQUIRE) != SD_MARKER_READY ||
			!row->process || strncmp(row->name, l->name, SD_MARKER_NAME - 1) != 0)
			continue;
		found = 1;
		if (sd_marker_files_lasted(&l->files, number, i, lasted)) {
			l->lost = 1;
			break;
		}
		for (unsigned s = 0; s < SD_MARKER_SLOTS; s++)
			for (unsigned k = 0; k < SD_MARKER_LASTS; k++)
				to[k] += lasted[s][k];
	}
	return found;
}

/* They come round at 2^32, and so do their differences. */
static int add_all(struct sd_latency *l, uint32_t to[SD_LATENCY_LASTS])
{
	int found = 0;

	memset(to, 0, SD_LATENCY_LASTS * sizeof *to);
	for (size_t i = 0; i < l->files.n; i++)
		found |= add_file(l, i, to);
	return found;
}

int sd_latency_open(struct sd_latency *l, const struct sd_attached *program, const char *name,
	const struct sd_sink *sink)
{
	int rc;

	*l = (struct sd_latency){.name = name};
	rc = sd_marker_files_open(&l->files, program);
	if (rc || add_all(l, l->before))
		return rc;
	if (!l->files.n)
		sd_say(sink, SD_LEVEL_ERROR,
			"--latency: %s was not started with SCALEDIAG_MARKERS=/path in its "
			"environment, or has marked no region yet",
			program->label);
	else
		sd_say(sink, SD_LEVEL_ERROR, "--latency: %s has no region '%s' yet", program->label,
			name);
	return -ENOENT;
}

void sd_latency_close(struct sd_latency *l)
{
	sd_marker_files_close(&l->files);
	*l = (struct sd_latency){0};
}

/* The shortest that is counted as the k-th, ns: sd_region_last() the other way round. */
static double least_of(unsigned k)
{
	return k ? ldexp(4 + k % 4, (int)(8 + k / 4)) : 0;
}

struct sd_value sd_latency_percentile(const uint32_t lasted[SD_LATENCY_LASTS], double share)
{
	double all = 0, below = 0;

	for (unsigned k = 0; k < SD_LATENCY_LASTS; k++)
		all += lasted[k];
	for (unsigned k = 0; k < SD_LATENCY_LASTS && all > 0; k++) {
		const double least = least_of(k), most = least_of(k + 1);

		if (lasted[k] && below + lasted[k] >= share * all)
			return SD_OK((least + (most - least) * (share * all - below) / lasted[k]) *
				     1e-9);
		below += lasted[k];
	}
	return SD_NOT(ABSENT);
}

void sd_latency_begin(struct sd_latency *l)
{
	(void)add_all(l, l->before);
}

struct sd_latency_seen sd_latency_end(struct sd_latency *l)
{
	uint32_t lasted[SD_LATENCY_LASTS];

	(void)add_all(l, lasted);
	if (l->lost)
		return (struct sd_latency_seen){SD_NOT(ABSENT), SD_NOT(ABSENT)};
	for (unsigned k = 0; k < SD_LATENCY_LASTS; k++)
		lasted[k] -= l->before[k];
	return (struct sd_latency_seen){
		sd_latency_percentile(lasted, .5), sd_latency_percentile(lasted, .99)};
}

struct sd_latency_seen sd_latency_watch(
	struct sd_latency *l, double seconds, const volatile sig_atomic_t *stop)
{
	const struct timespec slice = {.tv_nsec = SLICE_NS};
	const uint64_t slices = seconds > 0 ? (uint64_t)ceil(seconds / (SLICE_NS * 1e-9)) : 0;

	sd_latency_begin(l);
	for (uint64_t i = 0; i < slices; i++) {
		if (stop && *stop)
			return (struct sd_latency_seen){SD_NOT(ABSENT), SD_NOT(ABSENT)};
		nanosleep(&slice, NULL);
	}
	return sd_latency_end(l);
}
