/*
 * Asks git about sources. Of the repository nothing is run but the filters of files that its
 * configuration names, and no lock of the index is taken that a commit would meet.
 */
#ifndef SD_GIT_ANSWER_H
#define SD_GIT_ANSWER_H

#include <stddef.h>

#define SD_GIT_WORDS 12

/* Asks in `folder` by these words, which end with NULL; the caller frees *out, which ends with a
 * zero. 0; -ENOENT: there is no git, or it knows no repository there; -errno. */
int sd_git_answer(const char *folder, const char *const *words, char **out, size_t *size);

#endif
