/*
 * Small text files of the kernel (/proc, /sys, cgroups), read whole into the caller's buffer.
 */
#ifndef SD_TEXTFILE_H
#define SD_TEXTFILE_H

#include <stddef.h>

/*
 * The first size-1 bytes of `root` + `path` (NULL root is ""), NUL-terminated, without the last
 * newline; a longer file is cut. 0; -ENAMETOOLONG or the -errno of open and read, *buf then "".
 * A NUL byte in the file ends the text.
 */
int sd_textfile_read(const char *root, const char *path, char *buf, size_t size);

/*
 * Copies a text made fit to print: control characters as '?', runs of blanks as one, none at either
 * end; cut at size-1 bytes. NULL is "".
 */
void sd_textfile_clean(char *to, size_t size, const char *from);

#endif
