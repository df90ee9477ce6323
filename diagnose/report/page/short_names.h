/*
 * Shortens names of functions and files for tables. JSON has the full names.
 */
#ifndef SD_SHORT_NAMES_H
#define SD_SHORT_NAMES_H

#include "analysis/analysis.h"

/*
 * The function without template arguments and parameters, "a::f<…>()": a fresh string or NULL.
 * Operators keep their signs; a name that is no C or C++ gets "()" like any other. Of Go the path
 * of the package is left out: "yaml.v3.(*decoder).mapping()". The body of an OpenMP region is named
 * by the function it stands in: "parallel region in solve()".
 */
char *sd_name_function(const char *function);

/* "f() a.c:12"; without a symbol what is known: "?? in libx.so". The folder of a file is left out.
 * At most `columns` columns: a longer name is cut and ends in "…". A fresh string or NULL. */
char *sd_name_place(const struct sd_where *w, size_t columns);

/* A file's name from this folder on, within `file`: "src/work" of "/home/me/app/src/work" in
 * "/home/me/app". As it is where it lies elsewhere, or the folder is NULL, "" or "/". */
const char *sd_name_from_folder(const char *file, const char *folder);

/* What follows the last '/'. */
const char *sd_name_base(const char *path);

#endif
