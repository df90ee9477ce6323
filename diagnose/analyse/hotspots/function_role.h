/*
 * The purpose of a library's function, by its name: it takes a lock, it hands out tasks, it makes
 * messages. That it allocates: allocator_names.h.
 */
#ifndef SD_FUNCTION_ROLE_H
#define SD_FUNCTION_ROLE_H

#include <stddef.h>

/* Takes or releases a lock for whoever calls it. */
int sd_function_role_locks(const char *name);

/* So does it for a lock that several readers have at a time. */
int sd_function_role_locks_shared(const char *name);

/* Makes tasks, hands them or a loop's pieces out, or looks for one. */
int sd_function_role_hands_out(const char *name);

/* Makes a message of objects for another process or thread, sends it, or makes objects of one.
 * `file` and `module`: "" unknown. */
int sd_function_role_packs(const char *name, const char *file, const char *module);

/* A part of a lock itself: the above, and what those call. */
int sd_function_role_is_lock(const char *name);

/* Was this code compiled while the program ran? It then comes with the runtime, and is not the
 * user's. */
int sd_function_role_is_runtimes(const char *name);

/* The length of the name without what compilers add for copies that they make of a function for
 * some of its callers: "work.constprop.0", "work.isra.0.cold". */
size_t sd_function_role_stem(const char *name);

#endif
