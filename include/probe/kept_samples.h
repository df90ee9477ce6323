/*
 * The raw samples of runs that are over (--keep-samples), read again and accounted for by the rules
 * of today.
 */
#ifndef SD_KEPT_SAMPLES_H
#define SD_KEPT_SAMPLES_H

#include "record/run.h"

struct sd_accountant;
struct sd_kept_samples;
struct sd_sink;
struct sd_stacks;

/* `stacks` are those of the runs' record, borrowed: they get what is named. 0; -ENOMEM; -EINVAL the
 * rules of configs/waits are broken (said). */
int sd_kept_samples_open(
	struct sd_kept_samples **out, struct sd_stacks *stacks, const struct sd_sink *sink);

/*
 * Makes run->sampled anew from the file at `path` and, where the file knows every switch, idle[],
 * concurrency[] and the foreign CPU time. `cores`: the N of the run's stack. Functions are named
 * from the files that the program was made of, where these are still what they were.
 *
 * 0; -ENOENT: there is no such file; -ESTALE: it is another run's; -EINVAL: it is no file of raw
 * samples, or cut; -ENOEXEC: of another kind of machine; -EFBIG: of more than 4 GiB; any other
 * -errno of reading it; -ENOMEM. *run is then as it was.
 */
int sd_kept_samples_account(struct sd_kept_samples *k, const char *path,
	const struct sd_accountant *rules, unsigned cores, struct sd_run *run);

/* Files so far whose kernel was booted since, or is not known: its functions have no names. */
unsigned sd_kept_samples_other_boots(const struct sd_kept_samples *k);

void sd_kept_samples_close(struct sd_kept_samples *k); /* accepts NULL */

#endif
