#include "pmu/arm_common_events.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc/textfile.h"

static const char devices[] = "/sys/bus/event_source/devices";

/* The numbers that a bit of PMCEID0 or PMCEID1 stands for. */
static int is_common(uint64_t code)
{
	return code < 0x40 || (code >= 0x4000 && code < 0x4040);
}

/* The kernel's name of the PMU of ARM cores, whatever its model. */
static int is_arm_core(const char *name)
{
	return strncmp(name, "armv8_", 6) == 0 || strncmp(name, "armv9_", 6) == 0;
}

/* Whether the file says "event=0x0011", this code. */
static int file_has(const char *root, const char *pmu, const char *event, uint64_t code)
{
	char path[768], text[64];

	snprintf(path, sizeof path, "%s/%s/events/%s", devices, pmu, event);
	return !sd_textfile_read(root, path, text, sizeof text) &&
	       strncmp(text, "event=0x", 8) == 0 && strtoull(text + 8, NULL, 16) == code;
}

/* 1 listed, 0 not, -1: the PMU lists nothing. */
static int is_listed(const char *root, const char *pmu, uint64_t code)
{
	char path[512];
	struct dirent *e;
	int found = -1;
	DIR *d;

	snprintf(path, sizeof path, "%s%s/%s/events", root, devices, pmu);
	d = opendir(path);
	while (d && found < 1 && (e = readdir(d)))
		if (*e->d_name != '.')
			found = file_has(root, pmu, e->d_name, code);
	if (d)
		closedir(d);
	return found;
}

int sd_arm_common_events_lack(const char *root, uint64_t code)
{
	char path[512];
	struct dirent *e;
	int lack = 0;
	DIR *d;

	if (!is_common(code))
		return 0;
	snprintf(path, sizeof path, "%s%s", root ? root : "", devices);
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (is_arm_core(e->d_name))
			lack |= is_listed(root ? root : "", e->d_name, code) == 0;
	if (d)
		closedir(d);
	return lack;
}
