/*
 * The lines of the file that the software PMU's plugin writes (sim_file.h): one keyword each, a
 * table of them.
 */
#ifndef SD_SIM_FILE_LINES_H
#define SD_SIM_FILE_LINES_H

#include "simfile/sim_file_words.h"

/* Takes one line into r->f. 0, -EBADMSG (said) or -ENOMEM. */
int sd_sim_file_lines_take(struct sd_sim_file_words *r, const char *text);

#endif
