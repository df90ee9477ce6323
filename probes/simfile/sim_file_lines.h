/*
 * Parses the lines of the software PMU plugin's file (sim_file.h): a table of keywords, one a line.
 */
#ifndef SD_SIM_FILE_LINES_H
#define SD_SIM_FILE_LINES_H

#include "simfile/sim_file_words.h"

/* Parses one line into r->f. 0, -EBADMSG after a message, or -ENOMEM. */
int sd_sim_file_lines_take(struct sd_sim_file_words *r, const char *text);

#endif
