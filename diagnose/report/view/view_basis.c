#include <stdio.h>
#include <stdlib.h>

#include "view/view_parts.h"

static int counted_cycles(const struct sd_record *r)
{
	for (size_t i = 0; i < r->n_run; i++)
		if (sd_has(r->run[i].metric[SD_METRIC_CYCLES]))
			return 1;
	return 0;
}

/* Writes the sources of the numbers, and why they are not a PMU's. */
static void events_text(const struct sd_record *r, char *out, size_t size)
{
	const struct sd_host *h = &r->host;

	if (counted_cycles(r))
		snprintf(out, size, "events: os, PMU");
	else if (h->pmu == SD_STATUS_OK)
		snprintf(out, size, "events: os (the PMU was not used)");
	else if (h->pmu == SD_STATUS_DENIED)
		snprintf(out, size, "events: os (PMU not permitted: perf_event_paranoid %d)",
			h->perf_paranoid);
	else if (h->pmu == SD_STATUS_UNSUPPORTED)
		snprintf(out, size, "events: os (no PMU%s)",
			h->hypervisor[0] ? ": virtual machine" : "");
	else
		snprintf(out, size, "events: os");
}

char *sd_view_basis(const struct sd_record *r)
{
	char events[128], granted[64] = "imported", *out = NULL;

	events_text(r, events, sizeof events);
	if (r->host.granted > 0) /* a record from elsewhere does not know */
		snprintf(granted, sizeof granted, "%u CPU%s granted", r->host.granted,
			r->host.granted == 1 ? "" : "s");
	if (r->program.attached) {
		if (asprintf(&out, "%s, while it runs%s · %s · %s", r->program.attached,
			    r->program.rate ? ", by its throughput" : "", granted, events) < 0)
			return NULL;
		return out;
	}
	if (asprintf(&out, "%s scaling%s · %s · %s",
		    r->program.scaling == SD_SCALING_WEAK ? "weak" : "strong",
		    r->program.rate ? " by the printed throughput" : "", granted, events) < 0)
		return NULL;
	return out;
}
