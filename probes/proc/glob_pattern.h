/*
 * Patterns for glob(3).
 */
#ifndef SD_GLOB_PATTERN_H
#define SD_GLOB_PATTERN_H

/* A pattern that matches `prefix` literally, even if it contains wildcards, followed by the pattern
 * `suffix`. Owned by the caller; NULL: out of memory. */
char *sd_glob_pattern_of(const char *prefix, const char *suffix);

#endif
