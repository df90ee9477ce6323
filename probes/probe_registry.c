#include "probes/probes.h"

/* In this order: `cputime` reads what `counters` found, `tasks` what `throttle` did, `sampling`
 * replaces what `tasks` only saw at times and `cputime` in clock ticks. */
const struct sd_probe *const sd_probe_registry[] = {
	&sd_probe_counters,
	&sd_probe_roles,
	&sd_probe_throttle,
	&sd_probe_pressure,
	&sd_probe_cputime,
	&sd_probe_tasks,
	&sd_probe_sampling,
	&sd_probe_memory,
	&sd_probe_width,
	NULL,
};

const struct sd_probe *const sd_probe_simulated_registry[] = {
	&sd_probe_simulation,
	&sd_probe_totals,
	NULL,
};
