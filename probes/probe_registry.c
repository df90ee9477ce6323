#include "probes/probes.h"

/* In this order: `cputime` reads what `counters` found, `tasks` what `throttle` did, `sampling`
 * keeps to the parts that `regions` and `mpi-launch` found, and replaces what `tasks` only saw at
 * times and `cputime` in clock ticks; `kernel-locks` finds in its stacks where the program waits;
 * `neighbours` asks what these found others to have taken. */
const struct sd_probe *const sd_probe_registry[] = {
	&sd_probe_task_counters,
	&sd_probe_hardware_counters,
	&sd_probe_cpu_quota,
	&sd_probe_pressure,
	&sd_probe_steal_time,
	&sd_probe_thread_states,
	&sd_probe_marked_regions,
	&sd_probe_openmp_regions,
	&sd_probe_mpi_launch,
	&sd_probe_sampling,
	&sd_probe_kernel_locks,
	&sd_probe_memory_access,
	&sd_probe_core_sharing,
	&sd_probe_mpi_calls,
	&sd_probe_neighbours,
	NULL,
};

const struct sd_probe *const sd_probe_simulated_registry[] = {
	&sd_probe_simulation,
	&sd_probe_instruction_totals,
	NULL,
};
