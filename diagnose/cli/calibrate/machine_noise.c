#include "calibrate/machine_noise.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/number.h"

#define STEAL_FIELD 8 /* "cpu" is field 0: user nice system idle iowait irq softirq steal */

static int first_line(const char *root, const char *path, char *line, size_t size)
{
	char full[4096];
	FILE *f;
	int ok;

	snprintf(full, sizeof full, "%s%s", root, path);
	f = fopen(full, "re");
	if (!f)
		return 0;
	ok = fgets(line, (int)size, f) != NULL;
	fclose(f);
	line[ok ? strcspn(line, "\n") : 0] = '\0';
	return ok;
}

/* guest time is part of user time: only the fields up to steal add up. */
static void read_stat(struct sd_machine_noise_mark *m, const char *root)
{
	char line[512], *rest = line, *word;
	double total = 0;
	uint64_t v;
	int field = 0;

	if (!first_line(root, "/proc/stat", line, sizeof line))
		return;
	while ((word = strtok_r(field == 0 ? line : NULL, " ", &rest)) && field <= STEAL_FIELD) {
		if (field == 0 ? strcmp(word, "cpu") != 0
			       : sd_number_u64(word, 0, UINT64_MAX, &v) != 0)
			return;
		if (field > 0)
			total += (double)v;
		if (field == STEAL_FIELD) {
			m->steal = SD_OK((double)v);
			m->total = SD_OK(total);
		}
		field++;
	}
}

static void read_psi(struct sd_machine_noise_mark *m, const char *root)
{
	char line[256];
	const char *total;
	uint64_t us;

	if (!first_line(root, "/proc/pressure/cpu", line, sizeof line) ||
		strncmp(line, "some ", 5) != 0 || !(total = strstr(line, "total=")))
		return;
	if (sd_number_u64(total + strlen("total="), 0, UINT64_MAX, &us) == 0)
		m->psi_cpu = SD_OK(1e-6 * (double)us);
}

void sd_machine_noise_read(struct sd_machine_noise_mark *m, const char *root)
{
	struct timespec t;

	*m = (struct sd_machine_noise_mark){.steal = SD_NOT(ABSENT)};
	if (clock_gettime(CLOCK_MONOTONIC, &t) == 0)
		m->at = SD_OK((double)t.tv_sec + 1e-9 * (double)t.tv_nsec);
	read_stat(m, root);
	read_psi(m, root);
}

static struct sd_value part(
	struct sd_value from, struct sd_value to, struct sd_value all_from, struct sd_value all_to)
{
	double all, v;

	if (!sd_has(from) || !sd_has(to) || !sd_has(all_from) || !sd_has(all_to))
		return SD_NOT(ABSENT);
	all = all_to.value - all_from.value;
	v = to.value - from.value;
	if (!(all > 0) || v < 0)
		return SD_NOT(ABSENT);
	return SD_OK(v < all ? v / all : 1);
}

struct sd_value sd_machine_noise_steal(
	const struct sd_machine_noise_mark *from, const struct sd_machine_noise_mark *to)
{
	return part(from->steal, to->steal, from->total, to->total);
}

struct sd_value sd_machine_noise_psi(
	const struct sd_machine_noise_mark *from, const struct sd_machine_noise_mark *to)
{
	return part(from->psi_cpu, to->psi_cpu, from->at, to->at);
}
