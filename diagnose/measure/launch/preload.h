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

#endif
