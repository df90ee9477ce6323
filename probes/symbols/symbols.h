/*
 * Resolves addresses to functions and lines, and stack copies to callers, for running and ended
 * processes of a tree. Uses elfutils on ELF symbols, DWARF, unwind tables, build-ids and JIT maps.
 */
#ifndef SD_SYMBOLS_H
#define SD_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "record/line_object.h"
#include "trace/event.h"

struct sd_symbols;
struct sd_unwound;

/* `root` is a prefix of mapped paths ("" on this machine). 0 or -ENOMEM. */
int sd_symbols_open(struct sd_symbols **out, const char *root);
void sd_symbols_close(struct sd_symbols *s); /* accepts NULL */

/*
 * Call before another run: forgets processes, JIT maps and open files. Symbols already read stay as
 * long as the file at their path is unchanged; otherwise they are read again when needed. Places
 * returned earlier stay valid.
 */
void sd_symbols_again(struct sd_symbols *s);

/* Reads the kernel's symbols now, and not when the first is asked for. */
void sd_symbols_read_kernel(struct sd_symbols *s);

/* Drops kernel names: what follows was recorded under another or an unknown boot. */
void sd_symbols_without_kernel(struct sd_symbols *s);

/* Updates address spaces from MAP, EXEC, FORK and EXIT events; ignores others. 0 or -ENOMEM. */
int sd_symbols_event(struct sd_symbols *s, const struct sd_event *event);

/*
 * While pid still runs, opens what may be unavailable later (deleted or replaced files, files of
 * another mount namespace, /tmp/perf-PID.map). Cheap if nothing is new. Best effort.
 */
void sd_symbols_visit(struct sd_symbols *s, int pid);

/* The executable mappings of a process that runs, each as a MAP event for `each`, and as above.
 * 0; -errno: no such process; or what `each` returned. */
int sd_symbols_mapped(struct sd_symbols *s, int pid,
	int (*each)(void *ctx, const struct sd_event *map), void *ctx);

/*
 * Unwinds a sample, or a switch: pc[0] is its instruction, pc[i] the return address in caller i
 * (for a frame interrupted by a signal the interrupted address + 1, so that it can be treated as a
 * return address). Returns the number found, at most `max`; *how as sd_unwind() (unwind.h).
 */
size_t sd_symbols_unwind(struct sd_symbols *s, const struct sd_event *e, uint64_t *pc, size_t max,
	struct sd_unwound *how);

/*
 * Code that is in no file, as copied: up to max bytes, of which `code` returns how many are known;
 * NULL: there are no copies (any more). With them the callers of code that a JIT compiler wrote
 * without frame pointers are found by its way to its return (unwind/code_rows.h).
 */
void sd_symbols_copies(struct sd_symbols *s,
	size_t (*code)(const void *copies, int pid, uint64_t pc, unsigned char *out, size_t max),
	const void *copies);

/* The frame of a copied stack that holds an address. 0, or -ENOENT: none does, or its end is not in
 * the copy. */
struct sd_symbols_frame {
	uint64_t pc;      /* as of sd_symbols_unwind() */
	int caller;       /* pc is a return address */
	uint64_t sp, cfa; /* the frame's stack pointer and its caller's, between which it lies */
};
int sd_symbols_frame_at(struct sd_symbols *s, const struct sd_event *e, uint64_t address,
	struct sd_symbols_frame *out);

/* The code at an address. Texts are borrowed from the symbols and live as long as they do; NULL
 * unknown. */
struct sd_placement_of {
	const char *function; /* demangled */
	const char *file;     /* from DWARF, absolute if possible */
	const char *module;   /* path; "[kernel]", "[vdso]", "[jit]" */
	unsigned line;
	uint64_t offset; /* in the module's file addresses; for JIT code the address; for a caller
			    within its call instruction */
	uint64_t start;  /* of the function, likewise; 0 unknown */
	uint64_t end;    /* behind the function, as its symbol has it; 0 unknown */
	int inlined;     /* into the next place */
};

/*
 * The functions inlined at pc, innermost first, then the function that contains it. `caller`: pc is
 * a return address, which may be past the end of its call's line. Returns how many, from 1 to max;
 * without a symbol a single place with only module and offset.
 */
size_t sd_symbols_at(struct sd_symbols *s, int pid, uint64_t pc, int caller,
	struct sd_placement_of *out, size_t max);

/* Likewise for a kernel address; function is NULL if /proc/kallsyms hides addresses. */
void sd_symbols_kernel(struct sd_symbols *s, uint64_t pc, struct sd_placement_of *out);

/* The name and start of the variable at an address. 0, or -ENOENT (heap, stack, no symbol). */
int sd_symbols_data(
	struct sd_symbols *s, int pid, uint64_t address, const char **name, uint64_t *start);

/* A variable, or the part of it that its type tells by DWARF: "counters[3].hits", else
 * "counters+0x40"; cut where it is long. */
struct sd_symbols_part {
	char name[256];
	uint64_t variable; /* the same for all parts of one; 0: it is none */
	int typed;         /* its type tells */
	/* where its layout is found, by sd_symbols_layout() alone; module NULL: nowhere */
	void *module;
	uint64_t entry, into; /* `into`: bytes from the beginning of the variable, or of what a
				 pointer leads to */
	int pointed;          /* it is a pointer that led there */
};

/* Lays out the object that a part lies in, before anything else is asked. 0, or -ENOENT: its type
 * does not say. */
int sd_symbols_layout(
	struct sd_symbols *s, const struct sd_symbols_part *part, struct sd_object_layout *out);

/* The part at an address of a global variable. 0, or -ENOENT (heap, stack, no symbol). */
int sd_symbols_variable(
	struct sd_symbols *s, int pid, uint64_t address, struct sd_symbols_part *out);

/* That of a frame's local variable. Returns how many functions further out than the innermost one
 * inlined at the frame's pc (as places of sd_symbols_at() are) it is in; -ENOENT: not known. */
int sd_symbols_local(struct sd_symbols *s, int pid, const struct sd_symbols_frame *f,
	uint64_t address, struct sd_symbols_part *out);

/* Names what lies `offset` bytes behind where a register (perf's number) points at pc, by the type
 * of the variable that it is there: "struct part.hits". `indexed`: an index is added, too, which
 * leads to another element of a slice; of pointers nothing is told then. 0, or -ENOENT: not known.
 */
int sd_symbols_pointed(struct sd_symbols *s, int pid, uint64_t pc, unsigned reg, int indexed,
	uint64_t offset, struct sd_symbols_part *out);

/* For data without a name: the file mapped at an address, and the file address. 0, or -ENOENT
 * (heap, stack). */
int sd_symbols_file(
	struct sd_symbols *s, int pid, uint64_t address, const char **module, uint64_t *offset);

/* 1: the file mapped at pc contains a runtime that schedules its own tasks. */
int sd_symbols_schedules(struct sd_symbols *s, int pid, uint64_t pc);

/*
 * The demangled name of the function in another file that the call before return address pc goes to
 * (plt_stubs.h); NULL: another kind of call. Borrowed from the symbols.
 */
const char *sd_symbols_called(struct sd_symbols *s, int pid, uint64_t pc);

/* Copies up to `max` bytes of code at pc from the file. Returns how many. */
size_t sd_symbols_code(struct sd_symbols *s, int pid, uint64_t pc, unsigned char *out, size_t max);

#endif
