/*
 * The one function that makes a file name of text that somebody else wrote: a program's argv[0], a
 * host's name.
 */
#ifndef SD_OUTPUT_NAME_H
#define SD_OUTPUT_NAME_H

#define SD_OUTPUT_NAME_BYTES 200u /* a file system's 255, less what is added */

/*
 * A fresh name for a file of the current folder, never empty: slashes, control characters of ASCII
 * and Unicode, those that turn the direction of writing, and bytes that are no UTF-8 become '_', so
 * do a leading '-', which would be an option, and a leading '.', which would be hidden; what is
 * longer than SD_OUTPUT_NAME_BYTES is cut. NULL: out of memory.
 */
char *sd_output_name(const char *text);

#endif
