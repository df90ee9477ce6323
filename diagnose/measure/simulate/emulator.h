/*
 * The emulator of the software PMU: QEMU of user mode, with plugins.
 */
#ifndef SD_EMULATOR_H
#define SD_EMULATOR_H

#include "base/sink.h"

/*
 * The emulator of this name: in the folder of the file `plugin`, where the portable archive has the
 * one that the plugin was built for, else in envp's PATH. The caller frees *path. 0; -ENOEXEC with
 * a message: not installed, or without plugins; -ENOMEM.
 */
int sd_emulator_find(const char *name, const char *plugin, char *const *envp, char **path,
	const struct sd_sink *sink);

#endif
