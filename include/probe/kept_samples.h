/*
 * Raw samples of earlier runs (--keep-samples), read again and attributed by the current rules.
 */
#ifndef SD_KEPT_SAMPLES_H
#define SD_KEPT_SAMPLES_H

#include "record/run.h"

struct sd_accountant;
struct sd_kept_samples;
struct sd_sink;
struct sd_stacks;
struct sd_timeline;

/* `stacks` are those of the runs' record, borrowed; resolved names are added to them. 0; -ENOMEM;
 * -EINVAL after a message: the rules of configs/waits are broken. */
int sd_kept_samples_open(
	struct sd_kept_samples **out, struct sd_stacks *stacks, const struct sd_sink *sink);

/*
 * Recomputes run->sampled and its lanes (of at most `lane_steps`; 0: none) from the file at `path`
 * and, if it holds every switch, idle[], concurrency[] and the foreign CPU time. `cores`: the N of
 * the run's stack. Functions are named from the program's files if these have not changed since.
 *
 * 0; -ENOENT: there is no such file; -ESTALE: it is another run's; -EINVAL: not a file of raw
 * samples, or truncated; -ENOEXEC: from another architecture; -EFBIG: over 4 GiB; -ENOMEM; any
 * other -errno from reading. *run is then unchanged.
 */
int sd_kept_samples_account(struct sd_kept_samples *k, const char *path,
	const struct sd_accountant *rules, unsigned cores, unsigned lane_steps, struct sd_run *run);

/* The same file as a bounded timeline, whose nodes are of the stacks given at opening; errors as
 * above. *out starts as zero and is to be freed in every case. */
int sd_kept_samples_timeline(struct sd_kept_samples *k, const char *path, const struct sd_run *run,
	struct sd_timeline *out);

/* Number of files so far from another or an unknown boot of the kernel, whose kernel functions
 * therefore have no names. */
unsigned sd_kept_samples_other_boots(const struct sd_kept_samples *k);

void sd_kept_samples_close(struct sd_kept_samples *k); /* accepts NULL */

#endif
