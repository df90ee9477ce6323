/*
 * Names as the linker knows them to names as the programmer wrote them: C++ and Rust.
 */
#ifndef SD_DEMANGLE_H
#define SD_DEMANGLE_H

#include "symbols/string_pool.h"

/* Kept in the pool: demangled, or as it is, without a symbol version. NULL: no memory. */
const char *sd_demangle(struct sd_string_pool *pool, const char *name);

#endif
