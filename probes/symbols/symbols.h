/*
 * Addresses to functions and lines, and copies of stacks to callers, for the processes of a tree,
 * alive or gone: by elfutils, from ELF symbols, DWARF, unwind tables, build-ids and JIT maps.
 */
#ifndef SD_SYMBOLS_H
#define SD_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

struct sd_symbols;

/* `root` is put before the paths of maps ("" on this machine). 0 or -ENOMEM. */
int sd_symbols_open(struct sd_symbols **out, const char *root);
void sd_symbols_close(struct sd_symbols *s); /* accepts NULL */

/*
 * Before another run: processes, JIT maps and files kept open are forgotten. Files whose symbols
 * were read stay as they are while the file at their path is the same, unchanged; others are read
 * again when they are met again. Places given before stay valid.
 */
void sd_symbols_again(struct sd_symbols *s);

/* What follows was recorded under another boot of the kernel, or under one nobody knows: its
 * addresses have no names. */
void sd_symbols_without_kernel(struct sd_symbols *s);

/* Address spaces follow the events MAP, EXEC, FORK and EXIT; others are ignored. 0 or -ENOMEM. */
int sd_symbols_event(struct sd_symbols *s, const struct sd_event *event);

/*
 * While pid still runs: keeps open what may be gone later (deleted or replaced files, files of
 * another mount namespace, /tmp/perf-PID.map). Cheap when nothing is new. Best effort.
 */
void sd_symbols_visit(struct sd_symbols *s, int pid);

/*
 * The callers of a sample: pc[0] is where it was, pc[i] the address to return to of caller i (one
 * past the instruction that a signal interrupted, so that "caller" is right of it too).
 * Returns how many were found, at most `max`; *whole is 1 when the outermost frame was reached.
 */
size_t sd_symbols_unwind(struct sd_symbols *s, int pid, const struct sd_regs *regs,
	const unsigned char *stack, size_t size, uint64_t stack_at, uint64_t *pc, size_t max,
	int *whole);

/* What stands at an address. Texts are borrowed from the symbols and live as long as they; NULL
 * unknown. */
struct sd_placement_of {
	const char *function; /* demangled */
	const char *file;     /* as DWARF says, absolute where it can be */
	const char *module;   /* path; "[kernel]", "[vdso]", "[jit]" */
	unsigned line;
	uint64_t offset; /* in the module's file addresses; of a JIT the address; of a caller of a
			    byte of its call */
	uint64_t start;  /* of the function, the same way; 0 unknown */
	int inlined;     /* into the next place */
};

/*
 * Innermost first: the functions inlined at pc, then the one that holds it. `caller` says that pc
 * is a return address, which may be past the end of its call's line. Returns how many, at least 1,
 * at most max: without a symbol one place with the module and the offset only.
 */
size_t sd_symbols_at(struct sd_symbols *s, int pid, uint64_t pc, int caller,
	struct sd_placement_of *out, size_t max);

/* The same for a kernel address; function NULL when /proc/kallsyms hides its addresses. */
void sd_symbols_kernel(struct sd_symbols *s, uint64_t pc, struct sd_placement_of *out);

/* A variable at an address: its name and its start; 0, or -ENOENT (heap, stack, no symbol). */
int sd_symbols_data(
	struct sd_symbols *s, int pid, uint64_t address, const char **name, uint64_t *start);

/* The file that was loaded at an address, and where in it, in its own addresses: of data without a
 * name. 0, or -ENOENT (heap, stack). */
int sd_symbols_file(
	struct sd_symbols *s, int pid, uint64_t address, const char **module, uint64_t *offset);

/* 1: the file that is mapped at pc has a runtime in it that schedules its own tasks. */
int sd_symbols_schedules(struct sd_symbols *s, int pid, uint64_t pc);

/*
 * The function of another file that the call before pc, a return address, goes to (plt_stubs.h),
 * demangled; NULL: it is another kind of call. Borrowed from the symbols.
 */
const char *sd_symbols_called(struct sd_symbols *s, int pid, uint64_t pc);

/* Up to `max` bytes of code at pc, read from the file: how many. */
size_t sd_symbols_code(struct sd_symbols *s, int pid, uint64_t pc, unsigned char *out, size_t max);

#endif
