/*
 * A machine that is modelled whole, with its times and its PMU: the group `model` of a file of
 * configs/machines.
 *
 *   model = {
 *       family = "core2"; mhz = 2400; cores = 4; sockets = 1;
 *       instructions = 96;       a core goes on behind a store that waits for its line, so far
 *       ahead = 8;               lines that a prefetcher runs ahead of a stream
 *       bus = 18.0;              cycles that a line takes the bus, or memory, which all cores share
 *       cycles = { l2 = 14; llc = 14; memory = 160; peer = 64; far = 200; walk = 20; };
 *       counts = ( { event = "BUS_TRANS_BRD:SELF"; sum = "load_far + load_memory"; }, ... );
 *   };
 *
 * `sum` adds counts of record/modelled_count.h, each with a factor if it has one ("2 * locked").
 */
#ifndef SD_MODELLED_MACHINE_H
#define SD_MODELLED_MACHINE_H

#include <libconfig.h>

#include "base/sink.h"
#include "probe/modelled_pmu.h"
#include "record/simulated.h"

struct sd_modelled_machine {
	struct sd_modelled_pmu pmu;
	char title[128];
	struct sd_sim_costs costs; /* hz is the machine's clock */
	unsigned cores, sockets, instructions, ahead, far;
	unsigned bus; /* hundredths of a cycle */
};

/* Reads the group; 0, -EINVAL after a message, or -ENOMEM. *out is to be freed either way. */
int sd_modelled_machine_read(struct sd_modelled_machine *out, const char *file,
	const config_setting_t *group, const struct sd_sink *sink);
void sd_modelled_machine_free(struct sd_modelled_machine *m); /* accepts the zeroed value */

#endif
