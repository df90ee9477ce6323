/*
 * The lines on when the threads of a modelled machine lived, and waited (sim_file.h).
 */
#ifndef SD_SIM_FILE_LIVES_H
#define SD_SIM_FILE_LIVES_H

#include "simfile/sim_file_words.h"

/* 0, -EBADMSG or -ENOMEM. */
int sd_sim_file_lives_life(struct sd_sim_file_words *r);
int sd_sim_file_lives_wait(struct sd_sim_file_words *r);

#endif
