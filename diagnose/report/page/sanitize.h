/*
 * Strings that come from a record, a program or a file name, made safe for a terminal.
 */
#ifndef SD_SANITIZE_H
#define SD_SANITIZE_H

/*
 * The text with everything that could move the cursor, change colours or reorder letters shown as
 * an escape: control characters, C1 controls, bytes that are not UTF-8 as \xNN; direction marks and
 * invisible letters as \uNNNN. A fresh string, or NULL without memory.
 */
char *sd_sanitize(const char *text);

/* As above, and all in ASCII: the few signs that reports use become their ASCII likeness, other
 * letters are escaped. */
char *sd_sanitize_ascii(const char *text);

#endif
