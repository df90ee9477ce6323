/*
 * Signs of a change in a process that /proc shows, or shows to be missing.
 */
#ifndef SD_PROCESS_SIGN_H
#define SD_PROCESS_SIGN_H

#include "base/cpulist.h"
#include "launch/environment.h"

/* Signs that the process is to have, a bit each (enum sd_process_sign_bit), and what is said of one
 * without: a clause after its name. */
#define SD_PROCESS_SIGNS(X)                                                                      \
	X(VARIABLES,                                                                             \
		"does not have the environment that was set: a script or a launcher changed it") \
	X(RIGHTS, "changed its user or group: the loader ignores what is preloaded and tuned")   \
	X(LIBRARY,                                                                               \
		"did not load what was to be preloaded: it is static, or its loader ignored it") \
	X(GLIBC, "does not use glibc")                                                           \
	X(OPENMP, "has no OpenMP runtime that is known")                                         \
	X(MALLOC, "brings its own allocator")                                                    \
	X(HUGE_PAGES, "was not seen with a huge page")                                           \
	X(BASE_PAGES, "may have huge pages all the same")                                        \
	X(CPUS, "set other CPUs for itself")                                                     \
	X(NODES, "set another memory policy for itself")

enum sd_process_sign_index {
#define X(id, says) SD_PROCESS_SIGN_INDEX_##id,
	SD_PROCESS_SIGNS(X)
#undef X
		SD_PROCESS_SIGN_INDEX_COUNT
};
enum sd_process_sign_bit {
#define X(id, says) SD_PROCESS_SIGN_##id = 1 << SD_PROCESS_SIGN_INDEX_##id,
	SD_PROCESS_SIGNS(X)
#undef X
};

struct sd_process_sign {
	unsigned signs;
	const char *const *library; /* base names, NULL-terminated; each is to be mapped; one that
				       ends in '-' is the start of a name */
	const struct sd_environment_setting *variable; /* ends at name NULL */
	const struct sd_cpulist *cpus;                 /* those it may use at most */
};

/* The signs that a process lacks, from its folder in /proc: 0 none, all of them if it cannot be
 * read (*unreadable set). MALLOC, and OPENMP in the program's own file, are only judged later. */
unsigned sd_process_sign_lacks(
	const struct sd_process_sign *w, const char *folder, int *unreadable);

#endif
