/*
 * A contested cache line by the members of what lies in it: who reads and writes each, how much of
 * the line's contention is theirs, and which change of the layout would end it. A pure function of
 * the record.
 */
#ifndef SD_LINE_LAYOUT_H
#define SD_LINE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/contested_lines.h"

#define SD_LAYOUT_ROWS 64

/* A member, an element, or a variable without parts, of which a byte is in the line. */
struct sd_layout_row {
	const struct sd_line_object *object; /* borrowed from the record */
	const struct sd_line_member *member; /* likewise; NULL: the element, or the variable */
	uint64_t element;                    /* of an array, else 0 */
	uint64_t mask;                       /* its bytes of the line: bit i = byte i */
	unsigned readers, writers;           /* threads that contend for the line */
	unsigned thread; /* the only one that touches it; SD_LAYOUT_THREADS: several, or none */
	struct sd_value share; /* of the accesses that met another thread's, about: those of a code
				  line are divided by its bytes; absent: the bytes of code are not
				  known */
	unsigned writer, reader; /* nodes that write and read it most; 0: none */
};
#define SD_LAYOUT_THREADS UINT32_MAX

/*
 * The change of the layout that would end a line's false sharing. ELEMENTS: each thread has
 * elements of its own of an array, which get lines of their own. MEMBERS: threads have members of
 * one structure, which are parted. VARIABLES: they have variables that lie side by side.
 */
enum sd_layout_change {
	SD_LAYOUT_NONE,
	SD_LAYOUT_ELEMENTS,
	SD_LAYOUT_MEMBERS,
	SD_LAYOUT_VARIABLES
};

struct sd_line_layout {
	struct sd_layout_row row[SD_LAYOUT_ROWS]; /* by their place in the line */
	size_t n_row;
	int cut; /* there are more */
	enum sd_layout_change change;
	const struct sd_line_object *of; /* whose layout changes; of VARIABLES the first */
	unsigned apart; /* bytes from the part of one thread to the next, at least */
};

/* `bytes`: of a cache line. Nothing is known of a line without objects: n_row 0. */
void sd_line_layout_make(const struct sd_line_view *v, unsigned bytes, struct sd_line_layout *out);

/* Does the row begin a group of members that another thread, or none, uses? The rows of a MEMBERS
 * change before which an edge of a line has to be. */
int sd_line_layout_parts(const struct sd_line_layout *l, size_t row);

/* "count[3].found", "done"; of what a pointer leads to "struct shop.opened", "struct cell[2].mask".
 * Unsanitized. */
void sd_line_layout_name(
	const struct sd_stacks *s, const struct sd_layout_row *row, char *out, size_t size);

/* "thread 1", "3 threads"; "" for none. */
void sd_line_layout_threads(const struct sd_layout_row *row, char *out, size_t size);

/* "struct count of 16 bytes, 64 of them, FILE:13": the type of the object. Unsanitized. */
void sd_line_layout_type(
	const struct sd_stacks *s, const struct sd_line_object *o, char *out, size_t size);

/* The size of an element after an ELEMENTS change, bytes. Variables are aligned; what an allocator
 * gave begins at any multiple of 16, so that elements are that much further apart. */
uint64_t sd_line_layout_element(const struct sd_line_layout *l);

/* The layout after the change in a sentence; "" for SD_LAYOUT_NONE. Unsanitized. */
void sd_line_layout_after(
	const struct sd_stacks *s, const struct sd_line_layout *l, char *out, size_t size);

#endif
