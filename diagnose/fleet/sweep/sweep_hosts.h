/*
 * The names of nodes, from a file or from what a resource manager prints.
 */
#ifndef SD_SWEEP_HOSTS_H
#define SD_SWEEP_HOSTS_H

#include <stddef.h>

#include "base/sink.h"
#include "base/texts.h"

/* May this stand as a node's name in a command line? Letters, digits, '.', '_', '-', '@', ':', none
 * of the last four in front. */
int sd_sweep_hosts_is_name(const char *name);

/*
 * Appends the first word of each line to *out, each name once: the rest of the line, such as an MPI
 * host file's slots, and what follows '#' are left out. 0; -EINVAL after a message that names the
 * line; -ENOMEM.
 */
int sd_sweep_hosts_parse(const char *text, size_t size, const char *name, struct sd_texts *out,
	const struct sd_sink *sink);

/* As above, of a file of at most 16 MiB. 0 or -errno after a message. */
int sd_sweep_hosts_read(const char *path, struct sd_texts *out, const struct sd_sink *sink);

/*
 * Appends the nodes of `sinfo -N -h -o '%N %T'` that can run a job to *out; the others, which are
 * down or drained, to *unfit. 0, -EINVAL after a message, -ENOMEM.
 */
int sd_sweep_hosts_slurm(const char *text, size_t size, struct sd_texts *out,
	struct sd_texts *unfit, const struct sd_sink *sink);

#endif
