/*
 * Cleans up after scalediag processes that were killed, at the next start of any command.
 */
#ifndef SD_LEFTOVERS_H
#define SD_LEFTOVERS_H

#include "base/sink.h"

/*
 * Removes files, folders and cgroups of this user's dead scalediag processes, and restores
 * registers and the CPUs of programs that they left changed, and says so. Fast if there is nothing
 * to do. What it may not repair stays, with a message if it matters.
 */
void sd_leftovers_clean(const struct sd_sink *sink);

#endif
