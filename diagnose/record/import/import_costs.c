/* Takes the machine's numbers that a user gives: ceilings of its memory, and costs of transfers. */
#include "import/import.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/* "16=164.2", "16T 164.2", "16: 164.2" */
static int one_ceiling(struct sd_import *im, const char *item)
{
	char number[24];
	size_t n = strspn(item, "0123456789");
	double rate;
	uint64_t cores;

	if (n == 0 || n >= sizeof number)
		return -EINVAL;
	snprintf(number, sizeof number, "%.*s", (int)n, item);
	if (sd_number_u64(number, 1, SD_CPU_MAX, &cores) < 0)
		return -EINVAL;
	item += n;
	item += strspn(item, "Tt");
	item += strspn(item, " \t");
	item += strspn(item, "=:");
	item += strspn(item, " \t");
	if (sd_number_double(item, 1e-6, 1e9, &rate) < 0)
		return -EINVAL;
	return sd_calibration_add(&im->record.calibration, (unsigned)cores, rate * 1e9);
}

int sd_import_ceilings(struct sd_import *im, const char *list, const struct sd_sink *sink)
{
	char *copy = strdup(list), *save = NULL;
	int rc = copy ? 0 : -ENOMEM;

	for (char *item = copy ? strtok_r(copy, ",;", &save) : NULL; item && rc == 0;
		item = strtok_r(NULL, ",;", &save)) {
		char *end = item + strlen(item);

		item += strspn(item, " \t");
		while (end > item && isspace((unsigned char)end[-1]))
			*--end = '\0';
		rc = one_ceiling(im, item);
		if (rc == -EEXIST)
			sd_say(sink, SD_LEVEL_ERROR, "ceiling '%.40s': that count has one already",
				item);
		else if (rc == -EINVAL)
			sd_say(sink, SD_LEVEL_ERROR,
				"ceiling '%.40s': must be cores and GB/s, such as 16=164.2", item);
		rc = rc == -EEXIST ? -EINVAL : rc;
	}
	free(copy);
	if (rc == 0 && im->record.calibration.n_ceiling == 0) {
		sd_say(sink, SD_LEVEL_ERROR, "ceiling '%.40s': names no core count", list);
		rc = -EINVAL;
	}
	if (rc == 0 && !im->record.calibration.statement) {
		im->record.calibration.statement = strdup("memory bandwidth of the node: as given");
		rc = im->record.calibration.statement ? 0 : -ENOMEM;
	}
	return rc;
}

/* "line=60ns" */
static int one_cost(struct sd_calibration *k, const char *item)
{
	static const struct {
		const char *name;
		size_t at;
	} costs[] = {
		{"line", offsetof(struct sd_calibration, line)},
		{"dram", offsetof(struct sd_calibration, dram)},
		{"llc", offsetof(struct sd_calibration, llc)},
		{"l2", offsetof(struct sd_calibration, l2)},
		{"remote", offsetof(struct sd_calibration, remote)},
		{"walk", offsetof(struct sd_calibration, walk)},
	};
	static const struct {
		const char *end;
		double unit;
	} units[] = {{"ns", 1e-9}, {"us", 1e-6}};
	const size_t n = strcspn(item, "=");
	char number[24];
	double v, unit = 0;
	size_t digits;

	if (!item[n])
		return -EINVAL;
	digits = strspn(item + n + 1, "0123456789.");
	snprintf(number, sizeof number, "%.*s", digits < 23 ? (int)digits : 23, item + n + 1);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(item + n + 1 + digits, units[i].end) == 0)
			unit = units[i].unit;
	if (!(unit > 0) || sd_number_double(number, 1e-3, 1e6, &v) < 0)
		return -EINVAL;
	for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
		if (strlen(costs[i].name) == n && strncmp(costs[i].name, item, n) == 0) {
			*(struct sd_value *)(void *)((char *)k + costs[i].at) = SD_OK(v * unit);
			return 0;
		}
	return -EINVAL;
}

int sd_import_costs(struct sd_import *im, const char *list, const struct sd_sink *sink)
{
	char *copy = strdup(list), *save = NULL;
	int rc = copy ? 0 : -ENOMEM;

	for (char *item = copy ? strtok_r(copy, ",; ", &save) : NULL; item && rc == 0;
		item = strtok_r(NULL, ",; ", &save)) {
		rc = one_cost(&im->record.calibration, item);
		if (rc)
			sd_say(sink, SD_LEVEL_ERROR,
				"cost '%.40s': must be line, dram, llc, l2, remote or walk, and a time "
				"such as line=120ns",
				item);
	}
	free(copy);
	if (rc == 0 && !im->record.calibration.statement) {
		im->record.calibration.statement = strdup("costs of the node: as given");
		rc = im->record.calibration.statement ? 0 : -ENOMEM;
	}
	return rc;
}
