#include "import/event_hints.h"

#include <ctype.h>
#include <string.h>

#define LONGEST 96
#define SHORTEST 8
#define FARTHEST 2

static int letter(char c)
{
	return isalnum((unsigned char)c) ? toupper((unsigned char)c) : '_';
}

/* Insertions, deletions and replacements that make b of a; FARTHEST + 1 if more. */
static unsigned distance(const char *a, const char *b)
{
	const size_t n = strlen(a), m = strlen(b);
	unsigned row[LONGEST + 1], least;

	if (n > LONGEST || m > LONGEST || n > m + FARTHEST || m > n + FARTHEST)
		return FARTHEST + 1;
	for (size_t j = 0; j <= m; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned diagonal = row[0];

		least = row[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			const unsigned replaced = diagonal + (letter(a[i - 1]) != letter(b[j - 1]));
			const unsigned other = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);

			diagonal = row[j];
			row[j] = replaced < other ? replaced : other;
			least = row[j] < least ? row[j] : least;
		}
		if (least > FARTHEST)
			return FARTHEST + 1;
	}
	return row[m];
}

const char *sd_event_hint(const struct sd_event_map *map, const char *name)
{
	unsigned best = FARTHEST + 1;
	const char *found = NULL;

	if (strlen(name) < SHORTEST)
		return NULL;
	for (int r = 0; r < SD_ROLE_COUNT; r++)
		for (size_t e = 0; e < map->roles[r].n; e++) {
			const struct sd_map_event *const event = &map->roles[r].events[e];
			const char *const its = event->event ? event->event : event->name;
			const unsigned d = its ? distance(name, its) : best;

			if (d < best) {
				best = d;
				found = its;
			}
		}
	return found;
}
