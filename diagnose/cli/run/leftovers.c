#include "run/leftovers.h"

#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "attach/cpu_guard.h"
#include "machine/private_cgroup.h"
#include "output/folder_removal.h"
#include "output/output_aside.h"
#include "profile/profile_file.h"
#include "record/record_lock.h"
#include "run/experiment_plan.h"
#include "trial/trial.h"

static void set_registers_back(const struct sd_sink *sink)
{
	struct sd_experiment_plan x;
	struct utsname u;
	char *const note =
		uname(&u) == 0 ? sd_profile_neighbour(u.nodename, "prefetchers", 0) : NULL;

	if (note && access(note, F_OK) == 0) {
		if (sd_experiment_plan_open(&x, sink) == 0)
			sd_prefetchers_recover(&x.prefetchers, sink);
		sd_experiment_plan_close(&x);
	}
	free(note);
}

/* For what the sweep finds: it is done once, before anything else. */
static const struct sd_sink *told;

static int put_cpus_back(int fd, const char *folder, const char *name)
{
	(void)folder;
	return sd_cpu_guard_noted(fd, name, told);
}

/* clang-format off */
static sd_leftover_remove *const remover[SD_LEFTOVER_KINDS] = {
	[SD_LEFTOVER_ASIDE]     = sd_output_aside_noted,
	[SD_LEFTOVER_FOLDER]    = sd_folder_removal_noted,
	[SD_LEFTOVER_COPY]      = sd_trial_copies_noted,
	[SD_LEFTOVER_SIMULATED] = sd_trial_simulated_noted,
	[SD_LEFTOVER_CGROUP]    = sd_private_cgroup_noted,
	[SD_LEFTOVER_LOCK]      = sd_record_lock_noted,
	[SD_LEFTOVER_CPUS]      = put_cpus_back,
};
/* clang-format on */

void sd_leftovers_clean(const struct sd_sink *sink)
{
	told = sink;
	sd_leftover_note_sweep(remover);
	sd_private_cgroup_sweep();
	set_registers_back(sink);
}
