/*
 * Output of `scalediag events`, as text and as JSON.
 */
#ifndef SD_EVENTS_VIEW_H
#define SD_EVENTS_VIEW_H

#include <stdio.h>

#include "probe/event_encode.h"
#include "probe/event_map.h"
#include "page/report_style.h"
#include "base/status.h"

struct sd_events_view {
	struct sd_eventmaps maps;
	const struct sd_event_map *map; /* of maps; NULL: every map */
	enum sd_role role;              /* SD_ROLE_COUNT: every role */
	/* the roles that the family's metrics use, the most telling first; none: all are shown,
	 * with all that the map says */
	enum sd_role order[SD_ROLE_COUNT];
	size_t n_order;
	/* of this machine; not filled if a CPU was named */
	int here;             /* the map is this machine's */
	struct sd_texts pmus; /* detected by libpfm4 */
	char cpu[128], hypervisor[32];
	enum sd_status pmu; /* ok: a hardware counter opens and counts */
};

void sd_events_view_free(struct sd_events_view *v);

/* One event as passed to the kernel. by_libpfm 0: the map's own code, because libpfm4 does not know
 * the CPU or the event is raw. */
struct sd_events_code {
	struct sd_event_code code;
	int by_libpfm;
};
struct sd_events_code sd_events_code_of(
	const struct sd_event_map *map, const struct sd_map_event *event);

/* "raw", "hardware", "hw-cache", or the PMU's name. */
const char *sd_events_type(const struct sd_map_event *event, const struct sd_event_code *code);

/* 0, -EIO or -ENOMEM. */
int sd_events_text(FILE *f, const struct sd_events_view *v, const struct sd_report_style *style);
int sd_events_json(FILE *f, const struct sd_events_view *v);

#endif
