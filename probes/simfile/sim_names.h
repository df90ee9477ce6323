/*
 * Names what the software PMU saw: converts the addresses in its file to functions, lines,
 * variables and allocation sites of the record's stacks.
 */
#ifndef SD_SIM_NAMES_H
#define SD_SIM_NAMES_H

#include "simfile/sim_file.h"
#include "record/simulated.h"
#include "record/stacks.h"

/*
 * Moves the file's contents into *out (zeroed), with indices into `stacks`, whose texts come from
 * this machine's files. `stacks` NULL: no names. 0 or -ENOMEM. Free both *out and the file, which
 * has lost what was moved, in every case.
 */
int sd_sim_names_fill(struct sd_sim_file *f, struct sd_stacks *stacks, struct sd_simulated *out);

#endif
