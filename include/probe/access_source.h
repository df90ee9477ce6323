/*
 * How this machine samples the addresses of loads and stores: precise core events (Intel), IBS
 * (AMD) or SPE (ARM), as the CPU's event map says. Determined once, before the runs.
 */
#ifndef SD_ACCESS_SOURCE_H
#define SD_ACCESS_SOURCE_H

#include <stddef.h>

struct sd_memsource; /* opaque */

/*
 * Opens each event once on this process as a test and closes it. `root` is the prefix of /proc and
 * /sys, NULL or "" for this machine; `maps` the folder of event maps, NULL for the built-in ones.
 * 0; -ENODEV: no counters, no such event on this CPU, or no such PMU in this kernel; -EACCES:
 * forbidden; -ENOTSUP: refused by the kernel; -ENOMEM; another -errno for a broken map. On failure
 * *out is NULL and why[size] says what is missing.
 */
int sd_access_source_open(
	struct sd_memsource **out, const char *root, const char *maps, char *why, size_t size);
void sd_access_source_free(struct sd_memsource *s); /* accepts NULL */

/* "mem-loads, mem-stores", "ibs_op", "arm_spe". */
const char *sd_access_source_name(const struct sd_memsource *s);

#endif
