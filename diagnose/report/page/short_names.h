/*
 * Shortens names of functions and files for tables. JSON has the full names.
 */
#ifndef SD_SHORT_NAMES_H
#define SD_SHORT_NAMES_H

#include "analysis/analysis.h"
#include "page/function_names.h"

/* "f() a.c:12"; without a symbol what is known: "?? in libx.so". The folder of a file is left out.
 * At most `columns` columns: a longer name is cut and ends in "…". A fresh string or NULL. */
char *sd_name_place(const struct sd_where *w, size_t columns);

/* The place with who called it and what it called: "main() -> step() a.c:4 -> sin()"; of them
 * the place has at most so many columns. A fresh string or NULL. */
char *sd_name_chain(const struct sd_where *w, size_t columns);

/* The text behind the last '/'; all of it when that is empty. */
const char *sd_name_base(const char *path);

#endif
