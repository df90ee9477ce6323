/*
 * The commands by which a site reaches its nodes: srun, clush, pdsh, ssh.
 */
#ifndef SD_SWEEP_ENGINE_H
#define SD_SWEEP_ENGINE_H

#include "base/sink.h"
#include "base/texts.h"

enum sd_sweep_engine {
	SD_SWEEP_SRUN,
	SD_SWEEP_CLUSH,
	SD_SWEEP_PDSH,
	SD_SWEEP_SSH,
	SD_SWEEP_ENGINES
};

extern const char *const sd_sweep_engine_name[SD_SWEEP_ENGINES + 1]; /* ends with NULL */

/* Is that command in one of the folders of PATH? */
int sd_sweep_engine_installed(const char *command);

/* The first engine for named nodes that is installed: clush, pdsh, ssh. -ENOENT: none. */
int sd_sweep_engine_find(void);

/*
 * Appends the command that runs `words` on one node and hands on what they print, with nothing
 * added to it. A node of srun is taken whole, and its CPUs are not bound: the calibration binds its
 * own threads. `partition` is srun's, or NULL. 0 or -ENOMEM.
 */
int sd_sweep_engine_command(enum sd_sweep_engine engine, const char *host, const char *partition,
	const struct sd_texts *words, struct sd_texts *out);

/* Appends the command that lists the nodes of a group, "compute" or "@compute": nodeset, or pdsh.
 * 0; -ENOENT: neither is installed; -ENOMEM. */
int sd_sweep_engine_group(const char *group, struct sd_texts *out);

#endif
