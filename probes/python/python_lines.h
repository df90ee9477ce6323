/*
 * CPython's tables of lines, from 3.11 on (Objects/locations.md): which line an instruction is of.
 */
#ifndef SD_PYTHON_LINES_H
#define SD_PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

/* The line of the instruction `offset` bytes behind the first one, `first` being the line where the
 * function begins; 0: the table does not say. Any bytes may be in the table. */
unsigned sd_python_lines_at(
	const unsigned char *table, size_t size, unsigned first, uint64_t offset);

#endif
