/*
 * The function of another file that a call goes to, through a stub of the procedure linkage table
 * or through the global offset table. What that function jumps to instead of calling (a tail call)
 * stands on the stack in its place: then nothing but the call site knows it. A stub itself has no
 * symbol: what it jumps to is its name.
 */
#ifndef SD_PLT_STUBS_H
#define SD_PLT_STUBS_H

#include "symbols/elf_file.h"

/*
 * Writes the name of the function (as in the dynamic symbols, not demangled) that the call before
 * `after`, an address of the file, goes to. 1; 0 when it is another kind of call, or of a function
 * in the same file. x86-64 (System V ABI, with and without CET) and aarch64 (AAELF64).
 */
int sd_plt_stubs_called(const struct sd_elf_file *f, uint64_t after, char *name, size_t size);

/* The same of the stub that holds vaddr, also of a function in the same file, and where the jump
 * begins. 1; 0 when vaddr is not in a stub of a function. */
int sd_plt_stubs_at(
	const struct sd_elf_file *f, uint64_t vaddr, uint64_t *start, char *name, size_t size);

#endif
