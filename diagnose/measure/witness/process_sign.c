#include "witness/process_sign.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_in(const char *folder, const char *name)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path
		       ? fopen(path, "re")
		       : NULL;
}

static int is_named(const char *base, const char *name)
{
	const size_t n = strlen(name);

	return n && name[n - 1] == '-' ? strncmp(base, name, n) == 0 : strcmp(base, name) == 0;
}

static unsigned signs_of_file(const char *base)
{
	static const struct {
		const char *start;
		unsigned sign;
	} known[] = {{"libc.so.6", SD_PROCESS_SIGN_GLIBC}, {"libc-2.", SD_PROCESS_SIGN_GLIBC},
		{"libgomp", SD_PROCESS_SIGN_OPENMP}, {"libomp", SD_PROCESS_SIGN_OPENMP},
		{"libiomp5", SD_PROCESS_SIGN_OPENMP}};
	unsigned has = 0;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strncmp(base, known[i].start, strlen(known[i].start)) == 0)
			has |= known[i].sign;
	return has;
}

/* Lines "from-to perms offset dev inode   path". */
static unsigned signs_mapped(const struct sd_process_sign *w, FILE *maps)
{
	unsigned has = 0, found = 0, wanted = 0;
	char *line = NULL;
	size_t room = 0;

	for (size_t i = 0; w->library && w->library[i]; i++)
		wanted |= 1u << i;
	while (getline(&line, &room, maps) > 0) {
		char *const slash = strrchr(line, '/');

		if (!slash)
			continue;
		slash[strcspn(slash, "\n")] = '\0';
		has |= signs_of_file(slash + 1);
		for (size_t i = 0; w->library && w->library[i]; i++)
			if (is_named(slash + 1, w->library[i]))
				found |= 1u << i;
	}
	free(line);
	return found == wanted ? has | SD_PROCESS_SIGN_LIBRARY : has;
}

/* Is `part` of n bytes one of those that colons separate in `text`? */
static int has_part(const char *text, const char *part, size_t n)
{
	for (;; text++) {
		const size_t length = strcspn(text, ":");

		if (length == n && strncmp(text, part, n) == 0)
			return 1;
		text += length;
		if (!*text)
			return 0;
	}
}

/*
 * The parts of a value that this entry shows, a bit each; *parts is how many there are. glibc cuts
 * its tunables at their colons where they stand (elf/dl-tunables.c): what was behind a colon is an
 * entry of its own in the kernel's eyes.
 */
static unsigned parts_in(
	const char *entry, const struct sd_environment_setting *wanted, unsigned *parts)
{
	const size_t n = strlen(wanted->name);
	const int named = strncmp(entry, wanted->name, n) == 0 && entry[n] == '=';
	const char *part = wanted->value, *const text = named ? entry + n + 1 : entry;
	unsigned has = 0;

	*parts = 1;
	if (!wanted->join)
		return named && strcmp(text, part) == 0;
	for (*parts = 0;; part++) {
		const size_t length = strcspn(part, ":");

		has |= (unsigned)has_part(text, part, length) << (*parts)++;
		part += length;
		if (!*part)
			return has;
	}
}

/* Does the environment, NAME=VALUE with a zero behind each, have all of the value? */
static int has_variable(FILE *environment, const struct sd_environment_setting *wanted)
{
	unsigned has = 0, parts = 1;
	char *entry = NULL;
	size_t room = 0;

	rewind(environment);
	while (getdelim(&entry, &room, '\0', environment) > 0)
		has |= parts_in(entry, wanted, &parts);
	free(entry);
	return has == (1u << parts) - 1;
}

static unsigned signs_environment(const struct sd_process_sign *w, FILE *environment)
{
	for (size_t i = 0; w->variable && w->variable[i].name; i++)
		if (!has_variable(environment, &w->variable[i]))
			return 0;
	return SD_PROCESS_SIGN_VARIABLES;
}

/* AT_SECURE: the program's file gave it other rights. */
static unsigned signs_auxiliary(const struct sd_process_sign *w, FILE *auxv)
{
	unsigned long pair[2];

	(void)w;
	while (fread(pair, sizeof pair, 1, auxv) == 1)
		if (pair[0] == AT_SECURE)
			return pair[1] ? 0 : SD_PROCESS_SIGN_RIGHTS;
	return 0;
}

static int is_within(const char *list, const struct sd_cpulist *cpus)
{
	struct sd_cpulist allowed = {0};
	int all = sd_cpulist_parse(list, &allowed) == 0 && allowed.n > 0;

	for (size_t i = 0; i < allowed.n; i++)
		all &= sd_cpulist_has(cpus, allowed.cpu[i]);
	sd_cpulist_free(&allowed);
	return all;
}

static unsigned signs_status(const struct sd_process_sign *w, FILE *status)
{
	static const char thp[] = "THP_enabled:", cpus[] = "Cpus_allowed_list:";
	unsigned has = 0;
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, status) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, thp, sizeof thp - 1) == 0 && atoi(line + sizeof thp - 1) == 0)
			has |= SD_PROCESS_SIGN_BASE_PAGES;
		if (w->cpus && strncmp(line, cpus, sizeof cpus - 1) == 0 &&
			is_within(line + sizeof cpus - 1 + strspn(line + sizeof cpus - 1, " \t"),
				w->cpus))
			has |= SD_PROCESS_SIGN_CPUS;
	}
	free(line);
	return has;
}

static unsigned signs_pages(const struct sd_process_sign *w, FILE *rollup)
{
	unsigned has = 0;
	char *line = NULL;
	size_t room = 0;

	(void)w;
	while (getline(&line, &room, rollup) > 0)
		if (strncmp(line, "AnonHugePages:", 14) == 0 && strtoul(line + 14, NULL, 10) > 0)
			has = SD_PROCESS_SIGN_HUGE_PAGES;
	free(line);
	return has;
}

/* "address policy ...": the policy of its first mapping is the one of its threads. */
static unsigned signs_nodes(const struct sd_process_sign *w, FILE *numa)
{
	char line[256];

	(void)w;
	return fgets(line, sizeof line, numa) && strstr(line, " interleave") ? SD_PROCESS_SIGN_NODES
									     : 0;
}

/* Which file shows which signs. */
static const struct {
	const char *name;
	unsigned signs;
	unsigned (*look)(const struct sd_process_sign *w, FILE *f);
} files[] = {
	{"maps", SD_PROCESS_SIGN_LIBRARY | SD_PROCESS_SIGN_GLIBC | SD_PROCESS_SIGN_OPENMP,
		signs_mapped},
	{"environ", SD_PROCESS_SIGN_VARIABLES, signs_environment},
	{"auxv", SD_PROCESS_SIGN_RIGHTS, signs_auxiliary},
	{"status", SD_PROCESS_SIGN_BASE_PAGES | SD_PROCESS_SIGN_CPUS, signs_status},
	{"smaps_rollup", SD_PROCESS_SIGN_HUGE_PAGES, signs_pages},
	{"numa_maps", SD_PROCESS_SIGN_NODES, signs_nodes},
};

unsigned sd_process_sign_lacks(const struct sd_process_sign *w, const char *folder, int *unreadable)
{
	unsigned lacks = w->signs & ~(unsigned)SD_PROCESS_SIGN_MALLOC;

	*unreadable = 0;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		FILE *f;

		if (!(files[i].signs & lacks))
			continue;
		f = open_in(folder, files[i].name);
		*unreadable |= !f && (errno == EACCES || errno == EPERM);
		if (f) {
			lacks &= ~files[i].look(w, f);
			fclose(f);
		}
	}
	return lacks;
}
