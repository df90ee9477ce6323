/*
 * Which languages' runtimes run the code of a program, by the files and functions that its stacks
 * went through: advice is in the words of the language, and what a runtime does by itself is the
 * runtime's.
 */
#ifndef SD_RUNTIMES_H
#define SD_RUNTIMES_H

#include "record/stacks.h"

enum sd_runtime {
	SD_RUNTIME_GO,
	SD_RUNTIME_JAVA,
	SD_RUNTIME_NODE,
	SD_RUNTIME_PYTHON,
	SD_RUNTIME_R,
	SD_RUNTIME_PERL,
	SD_RUNTIME_RUST,
	SD_RUNTIME_DOTNET,
	SD_RUNTIME_COUNT
};

#define SD_RUNTIME_BIT(name) (1u << SD_RUNTIME_##name)

/* Bits of those that made or run the code of this file. One that belongs to the system, and code
 * that was made while the program ran ("[jit]"), may be any of the program's: all are given. NULL
 * or "": all. */
unsigned sd_runtimes_of(const struct sd_stacks *s, const char *module);

/* Is it the file of an interpreter, whose own functions stand for the user's? */
int sd_runtimes_interprets(const char *module);

/*
 * The way to make such a runtime tell the names of the code that it makes or interprets: a variable
 * of the program's environment, or a command for a process that runs already.
 */
struct sd_runtime_names {
	const char *asked;    /* a part of any option that asks for it, in any case of letters */
	const char *variable; /* NULL: this version of the runtime tells none */
	const char *command;  /* NULL: nothing that is known */
	const char *what;
};

/* How a runtime would name the code in this file, which it made or interprets: 1 and *out; 0: no
 * such code, or it has its names. */
int sd_runtimes_names(const struct sd_stacks *s, const char *module, struct sd_runtime_names *out);

/* Collectors of garbage of which a runtime takes one or another: its number;
 * SD_RUNTIMES_COLLECTORS: the frame is in none. */
#define SD_RUNTIMES_COLLECTORS 5
size_t sd_runtimes_collector(const struct sd_stacks *s, const struct sd_frame *frame);
const char *sd_runtimes_collector_name(size_t collector);

#endif
