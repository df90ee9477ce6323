/*
 * Which commit a program was measured at: what a Git repository says that the working folder lies
 * in. Nothing is executed, and of its files only HEAD and what HEAD names is read.
 */
#ifndef SD_SOURCE_COMMIT_H
#define SD_SOURCE_COMMIT_H

#include "record/record.h"

/*
 * Reads the commit of the first folder, from `folder` upwards, with a .git (a folder, or a file of
 * a worktree or a submodule that names one). *out is empty where there is none, or HEAD leads to no
 * commit: a name outside of refs/, a file that is not regular or too long, or no number of a
 * commit. `folder` is absolute. 0 or -ENOMEM. Files of other repositories are data: no
 * configuration, hook or object of one is looked at.
 */
int sd_source_commit_read(const char *folder, struct sd_source_commit *out);

#endif
