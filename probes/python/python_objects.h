/*
 * CPython's objects in another process's memory: the functions that its threads run, and in which
 * line. Whatever does not have the type that it must have is refused.
 */
#ifndef SD_PYTHON_OBJECTS_H
#define SD_PYTHON_OBJECTS_H

#include "python/python_program.h"

#define SD_PYTHON_LINES_MOST 8192u /* bytes of a table of lines; a longer one tells no lines */

/* A function, by its code object. */
struct sd_python_code {
	int pid;
	uint64_t address;                    /* of the object */
	uint64_t file_at, name_at, lines_at; /* of what it refers to */
	uint64_t checked;                    /* ns, when it was last seen to be there */
	unsigned first_line;
	char *name, *file;    /* owned: "py::Model.step:/app.py", as CPython names it to profilers;
				 "/app.py" */
	unsigned char *lines; /* owned; its table; NULL none */
	size_t n_lines;
};

/*
 * Reads the parts of a code object that tell whether it is one that is known: the address must be
 * that of a code object. 1; 0: it is none, or is gone.
 */
int sd_python_objects_code(
	const struct sd_python_program *p, int pid, uint64_t address, struct sd_python_code *out);

/* Reads its texts and its table. 0; -ENOENT: it has no names; -ENOMEM. */
int sd_python_objects_name(const struct sd_python_program *p, struct sd_python_code *code);

void sd_python_objects_free(struct sd_python_code *code); /* accepts the zeroed value */

#endif
