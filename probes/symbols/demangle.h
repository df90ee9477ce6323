/*
 * Demangles C++ and Rust symbol names.
 */
#ifndef SD_DEMANGLE_H
#define SD_DEMANGLE_H

#include "symbols/string_pool.h"

/* The demangled name, or the name as it is without symbol version; owned by the pool. NULL: out of
 * memory. */
const char *sd_demangle(struct sd_string_pool *pool, const char *name);

#endif
