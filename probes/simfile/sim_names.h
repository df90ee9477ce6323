/*
 * Names for what the software PMU saw: the addresses of its file become functions, lines, variables
 * and allocation sites of the record's stacks.
 */
#ifndef SD_SIM_NAMES_H
#define SD_SIM_NAMES_H

#include "simfile/sim_file.h"
#include "record/simulated.h"
#include "record/stacks.h"

/*
 * Moves what the file has into *out (zeroed), with numbers of `stacks`, whose texts are of this
 * machine's files. `stacks` NULL: no names. 0, or -ENOMEM; *out is to be freed in every case, and
 * the file too: what was moved is gone from it.
 */
int sd_sim_names_fill(struct sd_sim_file *f, struct sd_stacks *stacks, struct sd_simulated *out);

#endif
