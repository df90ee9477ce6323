#include "import/event_hints.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "import/event_names.h"

#define LONGEST 96
#define SHORTEST 8
#define FARTHEST 2       /* of the names as they are written */
#define FARTHEST_WORDS 3 /* of their words, in the same order and without the usual ones */

static int letter(char c)
{
	return isalnum((unsigned char)c) ? toupper((unsigned char)c) : '_';
}

/* Insertions, deletions and replacements that make b of a; most + 1 if more. */
static unsigned distance(const char *a, const char *b, unsigned most)
{
	const size_t n = strlen(a), m = strlen(b);
	unsigned row[LONGEST + 1], least;

	if (n > LONGEST || m > LONGEST || n > m + most || m > n + most)
		return most + 1;
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
		if (least > most)
			return most + 1;
	}
	return row[m];
}

/* The nearest of the map within `most`; NULL: none. */
static const char *nearest(
	const struct sd_event_map *map, const char *name, int by_words, unsigned most)
{
	char words[LONGEST + 1], its_words[LONGEST + 1];
	unsigned best = most + 1;
	const char *found = NULL;

	sd_event_names_words(name, words, sizeof words);
	if (strlen(by_words ? words : name) < SHORTEST)
		return NULL;
	for (int r = 0; r < SD_ROLE_COUNT; r++)
		for (size_t e = 0; e < map->roles[r].n; e++) {
			const struct sd_map_event *const event = &map->roles[r].events[e];
			const char *const its = event->event ? event->event : event->name;
			unsigned d = best;

			if (its && by_words) {
				sd_event_names_words(its, its_words, sizeof its_words);
				d = distance(words, its_words, most);
			} else if (its) {
				d = distance(name, its, most);
			}
			if (d < best) {
				best = d;
				found = its;
			}
		}
	return found;
}

const char *sd_event_hint(const struct sd_event_map *map, const char *name)
{
	const char *const found = nearest(map, name, 0, FARTHEST);

	return found ? found : nearest(map, name, 1, FARTHEST_WORDS);
}

void sd_event_hint_text(const struct sd_event_map *map, const char *name, char *out, size_t size)
{
	const char *const near = sd_event_hint(map, name);
	size_t n = 0;

	*out = '\0';
	for (int r = 0; r < SD_ROLE_COUNT; r++) {
		const struct sd_map_role *const role = &map->roles[r];
		size_t own = 0;

		while (own < role->n && !sd_event_names_is(name, &role->events[own]))
			own++;
		if (own == role->n || role->n < 2)
			continue;
		for (size_t e = 0; e < role->n && n < size; e++) {
			const char *const its = role->events[e].event ? role->events[e].event
								      : role->events[e].name;

			if (e != own && its)
				n += (size_t)snprintf(out + n, size - n, "%s%s",
					n ? ", " : " (only together with ", its);
		}
		if (n && n + 2 < size)
			strcpy(out + n, ")");
		return;
	}
	if (near)
		snprintf(out, size, " (%s?)", near);
}
