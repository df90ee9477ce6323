/*
 * Which scalediag this is: for whoever reports a fault, or compares two records.
 */
#ifndef SD_VERSION_TEXT_H
#define SD_VERSION_TEXT_H

#include <stdio.h>

/* Version; commit; compiler and machine; libraries as they are loaded; what is built in. */
void sd_version_text(FILE *f);

/*
 * The commit that the build's sources are of, "unknown" when nothing tells; and the day of that
 * commit, "2026-11-25", which is the manual pages' date. Never empty.
 */
extern const char sd_version_commit[], sd_version_date[];

#endif
