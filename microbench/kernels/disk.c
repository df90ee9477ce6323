/*
 * The file system of one directory: sequential writing and reading, and how long data take to be
 * safe. Past the page cache where the file system allows it. The file has no name, so nothing is
 * left behind whatever happens.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "kernels/kernels.h"
#include "harness/kernel_steps.h"
#include "base/clock.h"

#define BLOCK ((size_t)1 << 20)
#define SMALL ((size_t)4096) /* what is written before each fsync; direct I/O wants it aligned */
#define BYTES ((uint64_t)512 << 20)
#define BYTES_QUICK ((uint64_t)64 << 20)
#define PARTS 8u       /* of a transfer, for its quartiles */
#define FREE_SHARE 10u /* at most a tenth of what is free */
#define SYNCS 200u
#define SYNCS_QUICK 20u
#define SYNCS_WARM 1u /* the first one also writes the file's allocation */
#define BUDGET_S 20.0 /* when none was given */

enum quantity { WRITE, READ, FSYNC, FDATASYNC, QUANTITY_COUNT };
static const struct {
	const char *name, *unit, *block;
	double share; /* of the budget */
} quantities[QUANTITY_COUNT] = {
	[WRITE] = {"write", "GB/s", "1MiB", 0.35},
	[READ] = {"read", "GB/s", "1MiB", 0.25},
	[FSYNC] = {"fsync", "ms", "4KiB", 0.2},
	[FDATASYNC] = {"fdatasync", "ms", "4KiB", 0.2},
};

/* The way of the data to the disk. */
enum path { DIRECT, PAGE_CACHE, MEMORY };
static const char *const path_name[] = {
	[DIRECT] = "direct", [PAGE_CACHE] = "page-cache", [MEMORY] = "memory"};

struct disk {
	const struct sd_kernel_env *env;
	int fd;
	enum path path;
	unsigned char *block;
	uint64_t part;       /* bytes */
	unsigned parts;      /* to write; then, that were written */
	double value[SYNCS]; /* GB/s of the parts, or ms */
	size_t n;
};

/* Opens a file without a name; the older way has one for the time of two system calls. */
static int open_nameless(const char *directory, int flags)
{
	char path[4096];
	int fd = open(directory, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC | flags, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
		return fd < 0 ? -errno : fd;
	if (snprintf(path, sizeof(path), "%s/.scalediag-XXXXXX", directory) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC | flags);
	if (fd < 0)
		return -errno;
	return unlink(path) == 0 ? fd : (close(fd), -errno);
}

static int open_disk(struct disk *d)
{
	struct statfs fs;

	d->path = DIRECT;
	d->fd = open_nameless(d->env->directory, O_DIRECT);
	if (d->fd == -EINVAL || d->fd == -EOPNOTSUPP) {
		d->path = PAGE_CACHE;
		d->fd = open_nameless(d->env->directory, 0);
	}
	if (d->fd < 0)
		return d->fd;
	/* They take direct I/O and have no disk. */
	if (fstatfs(d->fd, &fs) == 0 &&
		(fs.f_type == TMPFS_MAGIC || (unsigned long)fs.f_type == RAMFS_MAGIC))
		d->path = MEMORY;
	return 0;
}

/* How much to write: bounded, and never the last free space of somebody else's disk. */
static int plan(struct disk *d)
{
	uint64_t bytes = d->env->quick ? BYTES_QUICK : BYTES, share;
	struct statvfs v;

	if (fstatvfs(d->fd, &v))
		return -errno;
	share = (uint64_t)v.f_bavail * v.f_frsize / FREE_SHARE;
	d->part = (share < bytes ? share : bytes) / PARTS / BLOCK * BLOCK;
	d->parts = PARTS;
	return d->part ? 0 : -ENOSPC;
}

static int stopped(const struct disk *d)
{
	return d->env->stop && *d->env->stop;
}

/* A whole block at `at`; file systems may do less at once, never nothing without a reason. */
static int transfer(const struct disk *d, enum quantity q, size_t bytes, uint64_t at)
{
	ssize_t n;

	do {
		n = q == READ ? pread(d->fd, d->block, bytes, (off_t)at)
			      : pwrite(d->fd, d->block, bytes, (off_t)at);
	} while (n < 0 && errno == EINTR && !stopped(d));
	if (n < 0)
		return -errno;
	return (size_t)n == bytes ? 0 : q == READ ? -EIO : -ENOSPC;
}

/* Parts of the file one after the other. Cached writing counts until the data are on the disk. */
static int sequential(struct disk *d, enum quantity q, double end)
{
	int rc = d->parts ? 0 : -ENODATA;
	uint64_t at = 0;

	for (unsigned i = 0; i < d->parts && !rc && (i == 0 || sd_clock_s() < end); i++) {
		double start = sd_clock_s();

		for (uint64_t last = at + d->part; at < last && !rc; at += BLOCK)
			rc = stopped(d) ? -EINTR : transfer(d, q, BLOCK, at);
		if (!rc && q == WRITE && d->path == PAGE_CACHE && fdatasync(d->fd))
			rc = -errno;
		if (!rc)
			d->value[d->n++] = (double)d->part / (sd_clock_s() - start) * 1e-9;
	}
	return rc;
}

static int syncs(struct disk *d, enum quantity q, double end)
{
	const unsigned wanted = d->env->quick ? SYNCS_QUICK : SYNCS;
	int rc = 0;

	for (unsigned i = 0; d->n < wanted && !rc && (i <= SYNCS_WARM || sd_clock_s() < end); i++) {
		double start = sd_clock_s();

		rc = stopped(d) ? -EINTR : transfer(d, q, SMALL, (uint64_t)i * SMALL);
		if (!rc && (q == FSYNC ? fsync(d->fd) : fdatasync(d->fd)))
			rc = -errno;
		if (!rc && i >= SYNCS_WARM)
			d->value[d->n++] = (sd_clock_s() - start) * 1e3;
	}
	return rc;
}

static struct sd_bench_row row_of(
	const struct sd_kernel_steps *steps, const struct disk *d, enum quantity q)
{
	return sd_kernel_steps_row(steps, NULL, quantities[q].unit, "op=%s block=%s path=%s",
		quantities[q].name, quantities[q].block, path_name[d->path]);
}

static int fill(struct sd_bench_rows *rows, struct sd_bench_row *row, const struct disk *d)
{
	struct sd_samples_quartiles q = sd_samples_quartiles(d->value, d->n);

	row->n = d->n;
	row->low = q.min;
	row->q1 = q.q1;
	row->median = q.median;
	row->q3 = q.q3;
	row->high = q.max;
	row->status = SD_STATUS_OK;
	return sd_bench_rows_add(rows, row);
}

static int missing(struct sd_bench_rows *rows, const struct sd_bench_row *row,
	const char *directory, int error)
{
	const int denied = error == -EACCES || error == -EPERM || error == -EROFS;

	if (error == -EINTR || error == -ENOMEM)
		return error;
	return sd_rows_missing(rows, row, denied ? SD_STATUS_DENIED : SD_STATUS_ABSENT, "%.60s: %s",
		directory, strerror(-error));
}

/* Reading from the page cache is not the disk: what was written is pushed out, as far as the kernel
 * agrees. */
static int one(
	struct sd_kernel_steps *steps, struct disk *d, enum quantity q, struct sd_bench_rows *rows)
{
	const double budget = d->env->budget_s > 0 ? d->env->budget_s : BUDGET_S;
	const double end = sd_clock_s() + quantities[q].share * budget;
	struct sd_bench_row row = row_of(steps, d, q);
	int rc;

	d->n = 0;
	if (q == READ)
		posix_fadvise(d->fd, 0, 0, POSIX_FADV_DONTNEED);
	rc = q == WRITE || q == READ ? sequential(d, q, end) : syncs(d, q, end);
	if (q == WRITE)
		d->parts = (unsigned)d->n;
	row.parameter = q == WRITE || q == READ ? (double)(d->n * d->part) : (double)SMALL;
	row.parameter_unit = "bytes";
	if (d->n == 0)
		return missing(rows, &row, d->env->directory, rc ? rc : -ENODATA);
	rc = rc == -EINTR ? rc : 0;
	return fill(rows, &row, d) ? -ENOMEM : rc;
}

static int all(struct sd_kernel_steps *steps, struct disk *d, struct sd_bench_rows *rows)
{
	int rc = posix_memalign((void **)&d->block, 4096, BLOCK) ? -ENOMEM : 0;

	if (rc)
		return rc;
	/* Not zeros: some devices and file systems store those for nothing. */
	for (size_t i = 0; i < BLOCK; i++)
		d->block[i] = (unsigned char)(i * 2654435761u >> 13);
	for (int q = 0; q < QUANTITY_COUNT && !rc; q++) {
		rc = one(steps, d, q, rows);
		if (d->env->progress)
			d->env->progress(
				d->env->progress_ctx, steps->kernel, (q + 1.0) / QUANTITY_COUNT);
	}
	free(d->block);
	return rc;
}

static int run(const struct sd_kernel_env *env, struct sd_bench_rows *rows)
{
	struct sd_kernel_steps steps = {.env = env, .kernel = sd_kernel_disk.name};
	struct disk d = {.env = env, .fd = -1};
	struct sd_bench_row row = sd_kernel_steps_row(&steps, NULL, "GB/s", "op=all");
	int rc = sd_kernel_steps_stopped(&steps);

	if (rc)
		return rc;
	if (!env->directory)
		return sd_rows_missing(rows, &row, SD_STATUS_ABSENT, "no directory was given");
	if (sd_samples_late(env))
		return sd_rows_missing(rows, &row, SD_STATUS_ABSENT, "%s", SD_LATE_WHY);
	rc = open_disk(&d);
	if (!rc)
		rc = plan(&d);
	rc = rc ? missing(rows, &row, env->directory, rc) : all(&steps, &d, rows);
	if (d.fd >= 0)
		close(d.fd);
	return rc;
}

const struct sd_kernel sd_kernel_disk = {
	.name = "disk",
	.summary = "sequential writing and reading, fsync latency, in a given directory",
	.weight = 2,
	.directory = 1,
	.run = run,
};
