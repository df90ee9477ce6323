#include "run/leftovers.h"

#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "machine/cpuset_hold.h"
#include "profile/profile_file.h"
#include "run/experiment_plan.h"

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

void sd_leftovers_clean(const struct sd_sink *sink)
{
	sd_cpuset_hold_sweep();
	set_registers_back(sink);
}
