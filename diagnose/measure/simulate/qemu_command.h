/*
 * The command that runs a program under the software PMU: which QEMU user-mode emulator its file
 * needs, and the plugin with its options.
 */
#ifndef SD_QEMU_COMMAND_H
#define SD_QEMU_COMMAND_H

#include <stddef.h>

#include "record/plan.h"
#include "base/sink.h"

struct sd_qemu_command {
	const char *plugin; /* path of the shared object */
	const char *output; /* file that the plugin writes */
	const struct sd_plan_simulation *simulation;
	unsigned cores;     /* simulated */
	int total;          /* only the instructions of all of it are counted */
	const char *cwd;    /* of the program; NULL = ours */
	const char **blind; /* why its allocations are not followed, NULL: they are; may be NULL */
	int *elevated;      /* the file gives its user rights that the emulated program has not; may
			       be NULL */
};

/*
 * argv for sd_command_words_free(): the emulator of the PATH in envp, the plugin, the program's own
 * file (of a script its interpreter) and its arguments. 0; -ENOEXEC, said with what to do: no such
 * emulator installed, a file for a machine it has none for, not a program; -ENOMEM.
 */
int sd_qemu_command_argv(const struct sd_qemu_command *e, char *const *argv, char *const *envp,
	char ***out, const struct sd_sink *sink);

/* The plugin in a folder (its name ends in '/'; "": the current one): the one built for AVX2 on a
 * host that has it. A fresh string; NULL when there is none or without memory. */
char *sd_qemu_command_plugin_in(const char *folder);

/*
 * The plugin: SCALEDIAG_SIM_PLUGIN, else the one beside this executable, in the lib folder next to
 * it, or where `make install` puts it. A fresh string; NULL when it is nowhere (said) or
 * without memory.
 */
char *sd_qemu_command_plugin(const struct sd_sink *sink);

#endif
