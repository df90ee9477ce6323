/*
 * Builds the command that runs a program under the software PMU: the QEMU user-mode emulator for
 * its file, and the plugin with options.
 */
#ifndef SD_QEMU_COMMAND_H
#define SD_QEMU_COMMAND_H

#include <stddef.h>

#include "record/plan.h"
#include "base/sink.h"
#include "simulate/modelled_machine.h"

struct sd_qemu_command {
	const char *plugin; /* path of the shared object */
	const char *output; /* file that the plugin writes */
	const struct sd_plan_simulation *simulation;
	const struct sd_modelled_machine *model; /* modelled whole; NULL: its caches are */
	unsigned cores;                          /* simulated */
	int total;                               /* only count all instructions */
	const char *cwd;                         /* of the program; NULL = ours */
	const char **
		blind; /* set to why its allocations are not tracked, NULL: they are; may be NULL */
	int *heap;     /* set to what has to be open while the program starts, or -1: the caller
			  closes it; NULL: it is not started */
	int *elevated; /* set if the file grants privileges that the emulated program lacks; may be
			  NULL */
};

/*
 * Makes argv (free it by sd_command_words_free()): the emulator beside the plugin or in envp's
 * PATH, the plugin, the program's file (for a script its interpreter) and arguments. 0; -ENOEXEC
 * with a message that says what to do: emulator not installed, no emulator for the file's
 * architecture, or not a program; -ENOMEM.
 */
int sd_qemu_command_argv(const struct sd_qemu_command *e, char *const *argv, char *const *envp,
	char ***out, const struct sd_sink *sink);

/* The plugin in a folder (ending in '/'; "": the current one), the AVX2 build on a host that has
 * AVX2. The caller frees it; NULL: none, or out of memory. */
char *sd_qemu_command_plugin_in(const char *folder);

/*
 * The plugin: SCALEDIAG_SIM_PLUGIN, else the one beside this executable, in the lib folder next to
 * it, or where `make install` puts it. The caller frees it; NULL: not found (with a message), or
 * out of memory.
 */
char *sd_qemu_command_plugin(const struct sd_sink *sink);

#endif
