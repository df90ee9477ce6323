/* Kind of time of a component: pages give each kind one hue, the same in every report. */
#ifndef SD_VIEW_FAMILY_H
#define SD_VIEW_FAMILY_H

#include "record/core_time.h"

/* "work", "growth", "waiting", "kernel", "machine" or "unknown"; static. */
const char *sd_view_family(enum sd_component k);

#endif
