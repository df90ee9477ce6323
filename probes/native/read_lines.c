#include "native/read_lines.h"

void sd_read_lines_clear(struct sd_sample_touches *t, size_t n, const struct sd_timeline *timeline,
	const struct sd_data_maps *m)
{
	const struct sd_touch *known = NULL;
	int may_write = 1;

	for (size_t i = 0; i < n; i++) {
		struct sd_touch *const e = &t->touch[i];

		if (e->met != SD_TOUCH_READ)
			continue;
		/* they are by line */
		if (!known || known->line != e->line || known->space != e->space)
			may_write = sd_data_maps_may_write(
				m, timeline->thread[t->sample[e->sample].thread].pid, e->line);
		known = e;
		if (!may_write)
			e->met = SD_TOUCH_ALONE;
	}
}
