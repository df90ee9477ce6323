/* Which CPU was counted, as the file says: by its numbers, or by what likwid calls it. */
#include "import/import.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The map of the file, unless somebody said which. All files must be of one CPU. */
static int take(struct sd_import *im, const struct sd_import_text *t, unsigned line,
	const struct sd_event_map *map)
{
	if (!map || map->architectural || im->cpu_said)
		return 0;
	if (im->cpu.map && im->cpu.map != map)
		return sd_import_bad(t, line,
			"is of another CPU (%.60s) than the files before it (%.60s)", map->title,
			im->cpu.map->title);
	if (!im->cpu.map)
		sd_say(t->sink, SD_LEVEL_NOTE, "%s: counted on %s", t->name, map->title);
	im->cpu.map = map;
	return 0;
}

/* " GenuineIntel,6,85,4" */
int sd_import_cpuid(
	struct sd_import *im, const struct sd_import_text *t, unsigned line, const char *text)
{
	static const struct sd_texts none = {0};
	struct sd_cpuid id = {.known = 1};
	const struct sd_event_map *map;

	if (!im->cpu.maps || sscanf(text, " %15[A-Za-z],%u,%u,%u", id.vendor, &id.family, &id.model,
				     &id.stepping) != 4)
		return 0;
	map = sd_event_map_set_select(im->cpu.maps, &none, &id);
	/* the last resort of the selection has no CPUs of its own */
	return take(im, t, line, map && map->n_cpus ? map : NULL);
}

void sd_import_cpu_name(struct sd_import *im, const char *name)
{
	size_t n;

	name += strspn(name, " \t");
	n = strcspn(name, ",\r\n");
	while (n && isspace((unsigned char)name[n - 1]))
		n--;
	if (!im->record.host.cpu[0] && n)
		snprintf(im->record.host.cpu, sizeof im->record.host.cpu, "%.*s",
			(int)(n < 120 ? n : 120), name);
}

/* ---- by name --------------------------------------------------------------------------------- */

enum { WORD = 24 };

/* The next word of letters and digits, in lower case; 0 at the end. */
static int next_word(const char **p, char out[WORD])
{
	size_t n = 0;

	while (**p && !isalnum((unsigned char)**p))
		++*p;
	for (; isalnum((unsigned char)**p); ++*p)
		if (n + 1 < WORD)
			out[n++] = (char)tolower((unsigned char)**p);
	out[n] = '\0';
	return n > 0;
}

static int is_one_of(const char *word, const char *const *list)
{
	while (*list && strcmp(*list, word) != 0)
		list++;
	return *list != NULL;
}

/* Words that say nothing of the family. */
static int is_idle(const char *word)
{
	static const char *const idle[] = {"intel", "amd", "arm", "core", "xeon", "processor",
		"architecture", "microarchitecture", "phi", "co", "r", "tm", "ibm", "fujitsu",
		NULL};
	const size_t digits = strspn(word + 1, "0123456789");

	/* AMD's K19, a process of 65nm */
	return is_one_of(word, idle) || (*word == 'k' && digits && !word[1 + digits]) ||
	       (isdigit((unsigned char)*word) && strstr(word, "nm"));
}

/* Is this word the kind of a CPU (SP, EP, EX), a word of its own in a title? */
static int is_kind(const char *word)
{
	static const char *const kinds[] = {"sp", "ep", "en", "ex", "x", "de", "d", NULL};

	return is_one_of(word, kinds);
}

static int has_word(const char *title, const char *word)
{
	char w[WORD];

	while (next_word(&title, w))
		if (strcmp(w, word) == 0)
			return 1;
	return 0;
}

/* "Ice Lake" is likwid's Icelake. */
static int has_letters(const char *title, const char *word)
{
	char all[256], w[WORD];
	size_t n = 0;

	while (next_word(&title, w) && n + WORD < sizeof all)
		n += (size_t)snprintf(all + n, sizeof all - n, "%s", w);
	all[n] = '\0';
	return strstr(all, word) != NULL;
}

/* Does every word stand in the title, and one of the kinds if there are any? A name without one is
 * the client's. */
static int fits(const struct sd_event_map *map, const char *name)
{
	int words = 0, kinds = 0, kind = 0;
	char w[WORD];

	while (next_word(&name, w)) {
		if (is_idle(w))
			continue;
		if (is_kind(w)) {
			kinds = 1;
			kind |= has_word(map->title, w);
			continue;
		}
		words++;
		if (!has_letters(map->title, w))
			return 0;
	}
	return words && (kind || !kinds);
}

int sd_import_cpu_type(
	struct sd_import *im, const struct sd_import_text *t, unsigned line, const char *text)
{
	const struct sd_event_map *found[2] = {NULL, NULL}; /* of all, of clients */
	size_t n[2] = {0, 0};

	for (size_t i = 0; im->cpu.maps && i < im->cpu.maps->n; i++) {
		const struct sd_event_map *const map = &im->cpu.maps->map[i];
		const int client = has_word(map->title, "client");

		if (!map->n_cpus || !fits(map, text))
			continue;
		n[0]++;
		found[0] = map;
		n[1] += client != 0;
		found[1] = client ? map : found[1];
	}
	return take(im, t, line, n[0] == 1 ? found[0] : n[1] == 1 ? found[1] : NULL);
}
