/*
 * The maps of events that are built in, for the tests of a program.
 */
#ifndef SD_TESTS_LOADED_MAPS_H
#define SD_TESTS_LOADED_MAPS_H

#include "probe/event_map.h"

static struct sd_eventmaps maps;

static int load_maps(void **state)
{
	(void)state;
	return sd_event_map_set_load(&maps, NULL, NULL);
}

static int free_maps(void **state)
{
	(void)state;
	sd_event_map_set_free(&maps);
	return 0;
}

#endif
