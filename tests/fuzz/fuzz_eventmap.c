/*
 * Any text as a file of configs/events: no crash, no leak; a map that is taken whole is taken
 * without its roles as well, and is for the same CPUs.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe/event_map.h"
#include "eventmaps/map_cpus.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libconfig 1.5 loses what it has read of a string that is never closed. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig.so\n";
}

static int same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_event_map whole = {0}, head = {0};
	char *const text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	if (sd_event_map_parse(&whole, "fuzz", text, size, NULL) == 0) {
		if (sd_map_cpus_parse(&head, "fuzz", text, size, NULL) ||
			!same(head.family, whole.family) || !same(head.fallback, whole.fallback) ||
			head.fallback_line != whole.fallback_line || head.n_cpus != whole.n_cpus ||
			head.libpfm.n != whole.libpfm.n)
			abort();
	} else {
		sd_map_cpus_parse(&head, "fuzz", text, size, NULL);
	}
	sd_event_map_free(&whole);
	sd_event_map_free(&head);
	free(text);
	return 0;
}
