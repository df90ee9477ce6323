/*
 * Resolves calls to functions of other files, through stubs of the procedure linkage table or
 * through the global offset table. If the called function ends in a tail call, its target replaces
 * it on the stack, and only the call site still identifies it. A stub has no symbol of its own and
 * is named by its target.
 */
#ifndef SD_PLT_STUBS_H
#define SD_PLT_STUBS_H

#include "symbols/elf_file.h"

/*
 * Stores the name (as in the dynamic symbols, not demangled) of the function called by the call
 * that ends at file address `after`. 1; 0: another kind of call, or of a function in the same file.
 * x86-64 (System V ABI, with and without CET) and aarch64 (AAELF64).
 */
int sd_plt_stubs_called(const struct sd_elf_file *f, uint64_t after, char *name, size_t size);

/* Likewise for the stub containing vaddr, even of a function in the same file; *start is the
 * address of its jump. 1; 0: vaddr is not in a stub of a function. */
int sd_plt_stubs_at(
	const struct sd_elf_file *f, uint64_t vaddr, uint64_t *start, char *name, size_t size);

#endif
