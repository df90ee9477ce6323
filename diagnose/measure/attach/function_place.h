/*
 * Finds the place in an executable file at which a function begins.
 */
#ifndef SD_FUNCTION_PLACE_H
#define SD_FUNCTION_PLACE_H

#include <stdint.h>

/* The offset in an opened ELF file of the function that has this symbol, in .symtab or .dynsym.
 * 0; -ENOENT: it has none; -ENOEXEC: it is no ELF file, or cannot be read. */
int sd_function_place_find(int fd, const char *symbol, uint64_t *offset);

#endif
