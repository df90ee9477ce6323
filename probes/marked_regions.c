/*
 * The regions that the program marks itself.
 */
#include "probes/probes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "regions/marker_regions.h"

struct marked {
	const char *path, *judged;
	uint64_t start;
};

static int marked_open(void **state, const struct sd_probe_target *target)
{
	struct marked *m;

	*state = NULL;
	if (!target->markers)
		return 0;
	/* one of another run is not this one's */
	if (sd_marker_regions_remove(target->markers))
		return -EEXIST;
	m = calloc(1, sizeof *m);
	if (!m)
		return -ENOMEM;
	*m = (struct marked){target->markers, target->region ? target->region : "", 0};
	*state = m;
	return 0;
}

static void marked_start(void *state)
{
	struct marked *const m = state;

	if (m)
		m->start = sd_clock_ns();
}

static void marked_stop(void *state, struct sd_run *run)
{
	const struct marked *const m = state;
	struct sd_region_run *const out = m ? calloc(1, sizeof *out) : NULL;

	if (!out)
		return;
	if (sd_marker_regions_take(m->path, m->start, sd_clock_ns(), m->judged, out) ||
		!out->n_row) {
		sd_region_run_free(out);
		return;
	}
	sd_region_run_sort(out);
	if (out->requests && out->requests->entries > 0) {
		run->metric[SD_METRIC_LATENCY_P50] = SD_OK(out->requests->p50);
		run->metric[SD_METRIC_LATENCY_P99] = SD_OK(out->requests->p99);
	}
	run->regions = out;
}

const struct sd_probe sd_probe_marked_regions = {
	.name = "regions",
	.open = marked_open,
	.start = marked_start,
	.stop = marked_stop,
	.close = free,
};
