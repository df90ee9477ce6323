/*
 * Finds CPython in a process: as its program, or as a library of any program.
 */
#ifndef SD_PYTHON_PROGRAM_H
#define SD_PYTHON_PROGRAM_H

#include <stdint.h>

#include "python/python_layout.h"

/* Addresses in the process. */
struct sd_python_program {
	const struct sd_python_layout *layout; /* borrowed */
	uint64_t runtime;                      /* _PyRuntime */
	uint64_t code, text, bytes;            /* the types of code objects, strings and bytes */
};

/*
 * `root` is the prefix of /proc. 0; -ENOENT: no CPython from 3.11 on is loaded, at least not yet;
 * -EOPNOTSUPP: one of an unknown version is; -errno: the process ended, or is not ours to look at.
 */
int sd_python_program_find(const char *root, int pid, const struct sd_python_layouts *layouts,
	struct sd_python_program *out);

/* Copies `size` bytes of another process's memory. 1: all of them; 0: not. */
int sd_python_program_read(int pid, uint64_t address, void *to, size_t size);

#endif
