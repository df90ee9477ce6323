/*
 * The files that `scalediag import` is given, and the core counts that their names say.
 */
#ifndef SD_IMPORT_FILES_H
#define SD_IMPORT_FILES_H

#include "commands/import_format.h"
#include "context/context.h"

/* FILE of "8=FILE". */
const char *sd_import_files_bare(const char *file);

/* Reads one of that format into the import. */
enum sd_exit sd_import_files_take(const struct sd_import_format *from, const char *file,
	const char *app, struct sd_import *im, const struct sd_sink *sink);

/* Contested lines of one of the runs that are imported; "8=FILE" says of which. */
enum sd_exit sd_import_files_lines(
	const char *file, struct sd_import *im, const struct sd_sink *sink);

#endif
