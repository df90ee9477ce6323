#include "views/events_view.h"

#include <linux/perf_event.h>

void sd_events_view_free(struct sd_events_view *v)
{
	sd_event_map_set_free(&v->maps);
	sd_texts_free(&v->pmus);
	v->map = NULL;
}

struct sd_events_code sd_events_code_of(
	const struct sd_event_map *map, const struct sd_map_event *event)
{
	struct sd_events_code c;
	const int rc = sd_event_encode(map, event, &c.code);

	c.by_libpfm = rc == 0 && event->event;
	return c;
}

const char *sd_events_type(const struct sd_map_event *event, const struct sd_event_code *code)
{
	if (event->pmu)
		return event->pmu;
	switch (code->type) {
	case PERF_TYPE_HARDWARE:
		return "hardware";
	case PERF_TYPE_HW_CACHE:
		return "hw-cache";
	default:
		return "raw";
	}
}
