/*
 * Makes strings from a record, a program or a file name safe for a terminal.
 */
#ifndef SD_SANITIZE_H
#define SD_SANITIZE_H

/*
 * Escapes everything that could move the cursor, change colours or reorder text: control
 * characters, C1 controls and invalid UTF-8 as \xNN, direction marks and invisible characters as
 * \uNNNN. The caller frees it; NULL: out of memory.
 */
char *sd_sanitize(const char *text);

/* As above, in ASCII only: the symbols that reports use get ASCII replacements, other characters
 * are escaped. */
char *sd_sanitize_ascii(const char *text);

#endif
