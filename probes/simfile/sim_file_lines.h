/*
 * The lines of the file that the software PMU's plugin writes (simfile.h): one keyword each, a
 * table of them.
 */
#ifndef SD_SIMLINES_H
#define SD_SIMLINES_H

#include "simfile/sim_file_words.h"

/* Takes one line into r->f. 0, -EBADMSG (said) or -ENOMEM. */
int sd_simlines_take(struct sd_simwords *r, const char *text);

#endif
