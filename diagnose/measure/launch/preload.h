/*
 * Can a library built for this machine's C library be preloaded into a program? Determined from the
 * program's ELF file.
 */
#ifndef SD_PRELOAD_H
#define SD_PRELOAD_H

/* NULL: it can; else why not, as a clause: "the program is static". Never fails: an unreadable file
 * is just another reason. */
const char *sd_preload_refused(const char *program);

/* "LD_PRELOAD=LIBRARY", prepended to the value in envp. The caller frees it; NULL: out of memory.
 */
char *sd_preload_word(const char *library, char *const *envp);

/*
 * Gives the name by which LD_PRELOAD can hold a library's absolute path. The loader takes blanks
 * and colons for separators and $ for the start of a token (ld.so(8)), and QEMU's -E separates at
 * commas: a path with one of them is named by a descriptor of this process, as /proc/PID/fd/N,
 * through which the program's loader opens it. *fd is that descriptor, to be kept open as long as
 * programs start; -1: none was needed. The caller frees the name; NULL: no memory, or the file
 * cannot be opened.
 */
char *sd_preload_name(const char *path, int *fd);

#endif
