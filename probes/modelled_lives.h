/*
 * When the threads of a modelled machine ran and what they waited for, as its run's account of idle
 * cores: the same one that the poller's looks make on a machine, of every moment instead of some.
 */
#ifndef SD_MODELLED_LIVES_H
#define SD_MODELLED_LIVES_H

#include "probe/accountant.h"
#include "simfile/sim_file.h"

/* Fills run->idle, concurrency and threads; a file without lives leaves them. `hz`: of its clock. 0
 * or -ENOMEM. */
int sd_modelled_lives_account(const struct sd_sim_file *f, double hz, unsigned cores,
	const struct sd_accountant *accountant, struct sd_run *run);

#endif
