/*
 * The sources that a program was built from: the MD5 of each source, which compilers may write into
 * the table of files of DWARF 5 (.debug_line, 6.2.4.1 of the standard). clang does, GCC 14 does
 * not.
 */
#ifndef SD_SOURCE_DIGESTS_H
#define SD_SOURCE_DIGESTS_H

#include <stddef.h>

enum sd_source_digest {
	SD_SOURCE_DIGEST_NONE, /* the program has none of a file of that name */
	SD_SOURCE_DIGEST_SAME,
	SD_SOURCE_DIGEST_OTHER
};

/* The two sections of a program that have the tables. */
struct sd_source_digests {
	const unsigned char *line, *text; /* .debug_line; .debug_line_str, NULL: none */
	size_t line_size, text_size;
};

/*
 * Compares a source of `size` bytes with the files of the tables whose last part of the name is
 * that of `name`: SAME if one of them has its digest. Any bytes may be in the sections.
 */
enum sd_source_digest sd_source_digests_look(
	const struct sd_source_digests *d, const char *name, const char *source, size_t size);

/* The same of an ELF file, if it is the one of that build-id (hexadecimal). NONE also where it
 * cannot be read or is another. */
enum sd_source_digest sd_source_digests_file(
	const char *path, const char *build_id, const char *name, const char *source, size_t size);

#endif
