#include "run.h"

#include <stdlib.h>

const struct sd_metric_info sd_metric_info[SD_METRIC_COUNT] = {
#define X(id, n, u, m) [SD_METRIC_##id] = {.name = n, .unit = u, .meaning = m},
	SD_METRICS(X)
#undef X
};

const char *const sd_idle_name[SD_IDLE_COUNT] = {
#define X(id, name, meaning) [SD_IDLE_##id] = name,
	SD_IDLES(X)
#undef X
};

void sd_run_free(struct sd_run *r)
{
	free(r->concurrency);
	free(r->thread);
	*r = (struct sd_run){0};
}
