/*
 * Whether a library built for this machine's C library can be preloaded into a program, from the
 * program's ELF file.
 */
#ifndef SD_PRELOAD_H
#define SD_PRELOAD_H

/* NULL: it can; else why not, as a clause: "the program is static". Never fails: a file that cannot
 * be read is one more reason. */
const char *sd_preload_refused(const char *program);

/* LD_PRELOAD=LIBRARY, before what envp has there already. A fresh string; NULL without memory. */
char *sd_preload_word(const char *library, char *const *envp);

#endif
