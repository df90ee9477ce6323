/*
 * How this machine samples loads and stores with their addresses: precise events of the core
 * (Intel), IBS (AMD), SPE (ARM), as the CPU's event map says. Looked up once, before the runs.
 */
#ifndef SD_ACCESS_SOURCE_H
#define SD_ACCESS_SOURCE_H

#include <stddef.h>

struct sd_memsource; /* opaque */

/*
 * Opens each event once, on this process, and closes it again. `root` is the prefix of /proc and
 * /sys, NULL or "" this machine; `maps` the folder of the event maps, NULL those built in.
 * 0; -ENODEV: no counters, no such event of this CPU, or no such PMU in its kernel; -EACCES:
 * forbidden; -ENOTSUP: the kernel refuses it; -ENOMEM; another -errno of a broken map. *why then
 * says in words what is missing (`size` bytes). *out is NULL on failure.
 */
int sd_access_source_open(
	struct sd_memsource **out, const char *root, const char *maps, char *why, size_t size);
void sd_access_source_free(struct sd_memsource *s); /* accepts NULL */

/* "mem-loads, mem-stores", "ibs_op", "arm_spe". */
const char *sd_access_source_name(const struct sd_memsource *s);

#endif
