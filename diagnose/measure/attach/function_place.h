/*
 * Where in an executable file a function begins.
 */
#ifndef SD_FUNCTION_PLACE_H
#define SD_FUNCTION_PLACE_H

#include <stdint.h>

/* The offset in the ELF file at `path` of the function that has this symbol, in .symtab or .dynsym.
 * 0; -ENOENT: it has none; -errno: it cannot be read; -ENOEXEC: it is no ELF file. */
int sd_function_place_find(const char *path, const char *symbol, uint64_t *offset);

#endif
