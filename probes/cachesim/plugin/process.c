#include "plugin/process.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "plugin/interface.h"

struct sim_process sim_process;

static struct sim_process *const S = &sim_process;

uint64_t sim_process_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void sim_process_retranslate(void)
{
	if ((sim_interface_retranslates() || S->wanted == SIM_MODE_REST ||
		    S->mode == SIM_MODE_REST) &&
		S->wanted != S->mode && !__atomic_exchange_n(&S->asked, 1, __ATOMIC_ACQ_REL))
		qemu_plugin_reset(S->id, S->instrument);
}

void sim_process_complain(const char *what, int rc)
{
	if (!S->complained)
		fprintf(stderr, "scalediag: simulation: %s%s%s\n", what, rc ? ": " : "",
			rc ? strerror(-rc) : "");
	S->complained = 1;
}
