/*
 * Events by the names that other tools print, looked up backwards in a CPU's map: vendors' names
 * ("MEM_LOAD_RETIRED.L2_MISS"), libpfm4's ("MEM_LOAD_RETIRED:L2_MISS"), likwid's
 * ("MEM_LOAD_RETIRED_L2_MISS", "L2_LINES_IN_THIS_CORE_ALL"), and raw codes ("r4d2",
 * "cpu/event=0xd1,umask=0x04/").
 */
#ifndef SD_EVENT_NAMES_H
#define SD_EVENT_NAMES_H

#include "probe/event_map.h"

/* The CPU that was counted; map NULL: nobody said which. Borrowed. */
struct sd_import_cpu {
	const struct sd_eventmaps *maps;
	const struct sd_event_map *map;
};

/* Is `name` this event of a map, written in whatever way? `generic` events of the kernel are not
 * looked for. */
int sd_event_names_is(const char *name, const struct sd_map_event *e);

/* The words that tell an event from others, sorted, with _ between them: "BUS_HITM_TRANS". */
void sd_event_names_words(const char *name, char *out, size_t size);

/* The role that an event of every CPU has by a name that no map need have (INST_RETIRED.ANY);
 * SD_ROLE_COUNT: none. */
enum sd_role sd_event_names_common(const char *name);

#endif
