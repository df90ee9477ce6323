/*
 * Patterns for glob(3).
 */
#ifndef SD_PATTERN_H
#define SD_PATTERN_H

/* What matches PREFIX as it is, also when it looks like a pattern, followed by what `suffix`, a
 * pattern, matches. Owned by the caller; NULL without memory. */
char *sd_pattern_of(const char *prefix, const char *suffix);

#endif
