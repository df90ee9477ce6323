/*
 * Any bytes as an event map: no crash, no leak, no endless loop; and what is taken holds together:
 * every role has events or a reason, every number is within its range.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "eventcode.h"
#include "eventmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libconfig 1.5 does not free the string it is in when a text ends inside one. */
const char *__lsan_default_suppressions(void)
{
	return "leak:strbuf_append\n";
}

static void check_role(const struct sd_map_role *role)
{
	if (!role->present)
		return;
	if (!role->none == !role->n || role->quality >= SD_QUALITY_COUNT ||
		role->scope >= SD_SCOPE_COUNT || role->leader > SD_ROLE_COUNT || role->n > 16 ||
		role->fixed < -1 || role->fixed > 31)
		abort();
	for (size_t i = 0; i < role->n; i++)
		if ((!role->events[i].event && !role->events[i].name) ||
			!isfinite(role->events[i].weight) || role->events[i].weight == 0)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_eventmap map;
	struct sd_cpuid id;
	char *text;

	/* the parser of /proc/cpuinfo, which wants a text */
	text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	sd_cpuid_parse(&id, text);
	if (strlen(id.vendor) >= sizeof id.vendor)
		abort();
	free(text);
	if (sd_eventmap_parse(&map, "fuzz", (const char *)data, size, NULL) != 0)
		return 0;
	if (!map.family || !map.title || !map.source)
		abort();
	for (size_t i = 0; i < SD_ROLE_COUNT; i++)
		check_role(&map.roles[i]);
	if (sd_eventcode_open() == 0)
		sd_eventcode_check(&map, NULL, NULL);
	sd_eventmap_free(&map);
	return 0;
}
