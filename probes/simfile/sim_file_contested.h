/*
 * The lines of the simulator's file that tell of a contested cache line: the line itself, then who
 * shares it, what code touched it, which heap blocks or stack frame hold it. Each takes the rest of
 * its line behind the keyword: 0, -EBADMSG with the reason in *r, or -ENOMEM.
 */
#ifndef SD_SIM_FILE_CONTESTED_H
#define SD_SIM_FILE_CONTESTED_H

#include "simfile/sim_file_words.h"

int sd_sim_file_contested_line(struct sd_sim_file_words *r);
int sd_sim_file_contested_sharer(struct sd_sim_file_words *r);
int sd_sim_file_contested_code(struct sd_sim_file_words *r);
int sd_sim_file_contested_site(struct sd_sim_file_words *r);
int sd_sim_file_contested_frame(struct sd_sim_file_words *r);

#endif
