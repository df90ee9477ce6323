/*
 * A copy of a program's sources, without what is made from them: a build in it makes that anew, and
 * nothing in it stands for a program that was not built.
 */
#ifndef SD_SOURCE_COPY_H
#define SD_SOURCE_COPY_H

/*
 * Copies the folder `from` to `to`, which is made: files with their modes and times, links as
 * links. Left out are folders of version control and what git ignores; relocatable objects, and
 * `program`, by its path from `from` on, where it is ELF; and folders that CMake or Meson
 * configured or that are marked as a cache (CACHEDIR.TAG), which have the name of the old folder in
 * them. `to` may lie in `from`. 0 or -errno.
 */
int sd_source_copy(const char *from, const char *to, const char *program);

#endif
