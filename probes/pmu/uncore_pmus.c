#include "probe/event_encode.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/one_more.h"
#include "proc/textfile.h"

static const char devices[] = "/sys/bus/event_source/devices";

void sd_uncore_pmus_free(struct sd_pmuboxes *boxes)
{
	for (size_t i = 0; i < boxes->n; i++)
		sd_cpulist_free(&boxes->box[i].cpus);
	free(boxes->box);
	*boxes = (struct sd_pmuboxes){0};
}

/* -1: not one of `pmu`; 0: the only one; n + 1: number n. */
static long place_of(const char *name, const char *pmu)
{
	const size_t n = strlen(pmu);
	uint64_t number;

	if (strncmp(name, pmu, n) != 0)
		return -1;
	if (!name[n])
		return 0;
	if (name[n] != '_' || sd_number_u64(name + n + 1, 0, 65535, &number) < 0)
		return -1;
	return (long)number + 1;
}

static int read_box(struct sd_pmubox *box, const char *root)
{
	char path[160], text[256];
	uint64_t type;

	snprintf(path, sizeof path, "%s/%s/type", devices, box->name);
	if (sd_textfile_read(root, path, text, sizeof text) < 0 ||
		sd_number_u64(text, 0, UINT32_MAX, &type) < 0)
		return -EINVAL;
	box->type = (uint32_t)type;
	snprintf(path, sizeof path, "%s/%s/cpumask", devices, box->name);
	if (sd_textfile_read(root, path, text, sizeof text) < 0)
		return 0;
	return sd_cpulist_parse(text, &box->cpus);
}

static int add_box(struct sd_pmuboxes *boxes, const char *name, const char *root)
{
	struct sd_pmubox box = {.type = 0};
	int rc;

	if (strlen(name) >= sizeof box.name)
		return 0;
	memcpy(box.name, name, strlen(name));
	rc = read_box(&box, root);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	if (SD_APPEND(boxes->box, boxes->n, &box)) {
		sd_cpulist_free(&box.cpus);
		return -ENOMEM;
	}
	return 0;
}

/* uncore_imc_2 before uncore_imc_10 */
static int compare(const void *a, const void *b)
{
	const struct sd_pmubox *const x = a, *const y = b;
	const size_t n = strlen(x->name), m = strlen(y->name);

	return n != m ? (n > m) - (n < m) : strcmp(x->name, y->name);
}

int sd_uncore_pmus_read(struct sd_pmuboxes *boxes, const char *pmu, const char *root)
{
	const struct dirent *e;
	char *path;
	DIR *dir;
	int rc = 0;

	*boxes = (struct sd_pmuboxes){0};
	if (asprintf(&path, "%s%s", root ? root : "", devices) < 0)
		return -ENOMEM;
	dir = opendir(path);
	free(path);
	if (!dir)
		return -ENOENT;
	while (rc == 0 && (e = readdir(dir)))
		if (place_of(e->d_name, pmu) >= 0)
			rc = add_box(boxes, e->d_name, root);
	closedir(dir);
	if (rc == 0 && boxes->n == 0)
		rc = -ENOENT;
	if (rc < 0)
		sd_uncore_pmus_free(boxes);
	else
		qsort(boxes->box, boxes->n, sizeof *boxes->box, compare);
	return rc;
}
