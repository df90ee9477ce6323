/*
 * Reads small kernel text files (/proc, /sys, cgroups) into the caller's buffer.
 */
#ifndef SD_TEXTFILE_H
#define SD_TEXTFILE_H

#include <stddef.h>

/*
 * Reads the first size-1 bytes of `root` + `path` (NULL root is ""), NUL-terminated, without the
 * last newline; longer files are truncated. 0; -ENAMETOOLONG or the -errno of open and read, *buf
 * then "". A NUL byte in the file ends the text.
 */
int sd_textfile_read(const char *root, const char *path, char *buf, size_t size);

/*
 * Copies a text in printable form: control characters become '?', runs of blanks one blank, leading
 * and trailing blanks are dropped; truncated to size-1 bytes. NULL is "".
 */
void sd_textfile_clean(char *to, size_t size, const char *from);

#endif
