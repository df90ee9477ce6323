/*
 * Patterns for glob(3).
 */
#ifndef SD_GLOB_PATTERN_H
#define SD_GLOB_PATTERN_H

/* What matches PREFIX as it is, also when it looks like a pattern, followed by what `suffix`, a
 * pattern, matches. Owned by the caller; NULL without memory. */
char *sd_glob_pattern_of(const char *prefix, const char *suffix);

#endif
