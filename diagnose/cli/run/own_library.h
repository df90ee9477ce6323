/*
 * The libraries that this program preloads into others.
 */
#ifndef SD_OWN_LIBRARY_H
#define SD_OWN_LIBRARY_H

#include "base/sink.h"
#include "record/record.h"

/* Beside this program (as built), or in ../lib/scalediag (as installed), by a name that LD_PRELOAD
 * can hold (launch/preload.h). A fresh string or NULL. */
char *sd_own_library_find(const char *name);

/* The one for the ranks of an MPI program: one that a launcher starts, or that was asked for by
 * ranks. A fresh string; NULL: it is none, or the library is missing (said). */
char *sd_own_library_for_ranks(const struct sd_record *record, const struct sd_sink *sink);

/* The one for OpenMP programs: a word of the command names a file that is linked with GCC's
 * runtime or LLVM's. A fresh string; NULL: there is none, it is to be left alone, or the library is
 * missing (said). */
char *sd_own_library_for_openmp(const struct sd_record *record, const struct sd_sink *sink);

/* The one for programs with markers of other tools, whose functions a word of the command names
 * in its file. A fresh string; NULL: there is none. */
char *sd_own_library_for_markers(const struct sd_record *record);

/* The one for runs that ask who asked for heap blocks. A fresh string; NULL: the program is one
 * that it cannot, or should not, be preloaded into, *why says which as a clause: "the program is
 * static". */
char *sd_own_library_for_heap(const struct sd_record *record, const char **why);

#endif
