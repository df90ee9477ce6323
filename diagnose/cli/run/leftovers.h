/*
 * What a scalediag that was killed outright has left: not longer than to the next start of any
 * command.
 */
#ifndef SD_LEFTOVERS_H
#define SD_LEFTOVERS_H

#include "base/sink.h"

/*
 * Removes files, folders and cgroups of this user's scalediags that are no more, and sets registers
 * back that one has left changed. Quick where there is nothing; what may not be mended stays, said
 * where it matters.
 */
void sd_leftovers_clean(const struct sd_sink *sink);

#endif
