/*
 * The machine of the runs, in plan and record: this one, or that which --events model models.
 */
#ifndef SD_RUN_HOST_H
#define SD_RUN_HOST_H

#include "context/context.h"
#include "machine/topology.h"
#include "record/options.h"
#include "record/record.h"
#include "simulate/modelled_machine.h"

struct sd_run_host {
	struct sd_sim_machine machine;    /* its caches; empty: this machine */
	struct sd_modelled_machine model; /* owned; cores 0: this machine */
};

/* The topology of this machine, or of the modelled one, whose runs allow no experiments.
 * SD_EXIT_DONE, or another status after a message. */
enum sd_exit sd_run_host_open(const struct sd_cli *cli, struct sd_options *o,
	struct sd_run_host *host, struct sd_topology *t);

/* Fills the record's description of the host, and its costs and ceilings. 0 or -ENOMEM. */
int sd_run_host_describe(struct sd_record *record, const struct sd_topology *t,
	const struct sd_run_host *host, const struct sd_sink *sink);

#endif
