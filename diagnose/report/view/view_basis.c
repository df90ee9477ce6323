#include <math.h>
#include <stdio.h>
#include <time.h>

#include "page/page.h"
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

time_t sd_view_measured_at(const struct sd_record *r)
{
	double first = INFINITY;

	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].start > 0)
			first = fmin(first, r->run[i].start);
	return first < 1e11 ? (time_t)first : 0;
}

/* " · 2026-11-29 00:12 UTC on node7 · commit 1a2b3c4d main", as far as it is known. */
static void put_whose(FILE *f, const struct sd_record *r)
{
	const struct sd_source_commit *const c = &r->program.source;
	const time_t at = sd_view_measured_at(r);
	struct tm tm;
	char text[32];

	if (at && gmtime_r(&at, &tm) && strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &tm))
		fprintf(f, " · %s", text);
	if (r->host.name[0])
		fprintf(f, "%s%s", at ? " on " : " · on ", r->host.name);
	if (c->commit[0])
		fprintf(f, " · commit %.8s%s%s", c->commit, c->branch[0] ? " " : "", c->branch);
}

char *sd_view_basis(const struct sd_record *r)
{
	char events[128], granted[64] = "imported", *out = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&out, &size);

	if (!f)
		return NULL;
	events_text(r, events, sizeof events);
	if (r->host.granted > 0) /* a record from elsewhere does not know */
		snprintf(granted, sizeof granted, "%u CPU%s granted", r->host.granted,
			r->host.granted == 1 ? "" : "s");
	if (r->program.attached)
		fprintf(f, "%s, while it runs%s", r->program.attached,
			r->program.rate ? ", by its throughput" : "");
	else
		fprintf(f, "%s scaling%s",
			r->program.scaling == SD_SCALING_WEAK ? "weak" : "strong",
			r->program.rate ? " by the printed throughput" : "");
	fprintf(f, " · %s · %s", granted, events);
	put_whose(f, r);
	return sd_page_written(f, &out);
}
