/*
 * The emulator of the software PMU: QEMU of user mode, with plugins.
 */
#ifndef SD_EMULATOR_H
#define SD_EMULATOR_H

#include "base/sink.h"

/* The emulator of this name in envp's PATH; the caller frees it. 0; -ENOEXEC with a message: not
 * installed, or without plugins; -ENOMEM. */
int sd_emulator_find(const char *name, char *const *envp, char **path, const struct sd_sink *sink);

#endif
