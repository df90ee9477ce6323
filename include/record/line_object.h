/*
 * Objects that lie in a contested cache line: a variable or a structure that a pointer leads to,
 * how its type is laid out, and where the program's sources declare it, as its debugging
 * information says. A layout picture and a change of the sources need no more than this.
 */
#ifndef SD_LINE_OBJECT_H
#define SD_LINE_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#define SD_LINE_OBJECTS 4u  /* kept of a line */
#define SD_LINE_MEMBERS 48u /* kept of a type: of a large one those near the line */
#define SD_OBJECT_BYTES ((uint64_t)1 << 48)

enum sd_object_language {
	SD_OBJECT_OTHER,
	SD_OBJECT_C,
	SD_OBJECT_CXX,
	SD_OBJECT_RUST,
	SD_OBJECT_GO
};
/* "other", "c", "c++", "rust", "go" */
extern const char *const sd_object_language_name[SD_OBJECT_GO + 1];

/* The memory that an object lies in. */
enum sd_object_storage { SD_OBJECT_STATIC, SD_OBJECT_STACK, SD_OBJECT_HEAP };
/* "static", "stack", "heap" */
extern const char *const sd_object_storage_name[SD_OBJECT_HEAP + 1];

/* As debugging information has it. Texts are "" where it has none. */
struct sd_object_layout {
	char variable[128]; /* "count"; "" for what a pointer leads to */
	char type[128];     /* of an element: "struct count", "long"; "struct": it has no name */
	char file[512], at_file[512]; /* of the type's declaration, of the variable's */
	unsigned line, at_line;       /* likewise; 0 unknown */
	uint64_t bytes;               /* of an element */
	uint64_t elements;            /* 1: no array; 0 unknown */
	int composed;                 /* it is a structure, class or union */
	enum sd_object_language language;
	struct sd_object_member {
		char name[96];      /* "till[0].sold" */
		uint64_t at, bytes; /* in the element */
		unsigned line; /* where the element's own member, "till", is declared; 0 unknown */
	} member[SD_LINE_MEMBERS];
	unsigned n_member;
	int cut; /* there are more */
};

/* The same in a record, where texts are numbers of its stacks' texts. */
struct sd_line_member {
	unsigned name;
	uint64_t at, bytes;
	unsigned line;
};
struct sd_line_object {
	unsigned variable, type, file, at_file;
	unsigned line, at_line;
	int64_t begins; /* its first byte, from the first byte of the cache line on: bytes */
	uint64_t bytes, elements;
	int composed, cut;
	enum sd_object_language language;
	enum sd_object_storage storage;
	struct sd_line_member *member; /* owned */
	size_t n_member;
};

#endif
