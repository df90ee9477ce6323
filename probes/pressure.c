/*
 * Pressure stall information: how long some task of the machine waited for a CPU, for I/O or for
 * memory while the program ran.
 */
#include "probes/probes.h"

#include <errno.h>
#include <stdlib.h>

#include "proc/proc_parse.h"
#include "proc/textfile.h"

struct row {
	enum sd_metric metric;
	const char *path;
};

static const struct row rows[] = {
	{SD_METRIC_PSI_CPU, "/proc/pressure/cpu"},
	{SD_METRIC_PSI_IO, "/proc/pressure/io"},
	{SD_METRIC_PSI_MEMORY, "/proc/pressure/memory"},
};

#define N_ROWS (sizeof rows / sizeof *rows)

struct pressure {
	const char *root;
	struct sd_value before[N_ROWS]; /* s */
};

/* Kernels without PSI have no file; those booted without it fail the reading. */
static struct sd_value read_total(const char *root, const char *path)
{
	char text[256];
	uint64_t us;
	const int rc = sd_textfile_read(root, path, text, sizeof text);

	if (rc == -EACCES || rc == -EPERM)
		return SD_NOT(DENIED);
	if (rc || sd_proc_parse_pressure(text, &us))
		return SD_NOT(UNSUPPORTED);
	return SD_OK((double)us * 1e-6);
}

static int pressure_open(void **state, const struct sd_probe_target *target)
{
	struct pressure *p = calloc(1, sizeof *p);

	*state = p;
	if (!p)
		return -ENOMEM;
	p->root = target->root;
	return 0;
}

static void pressure_start(void *state)
{
	struct pressure *const p = state;

	for (size_t i = 0; p && i < N_ROWS; i++)
		p->before[i] = read_total(p->root, rows[i].path);
}

static void pressure_stop(void *state, struct sd_run *run)
{
	const struct pressure *const p = state;

	for (size_t i = 0; p && i < N_ROWS; i++) {
		const struct sd_value now = read_total(p->root, rows[i].path);
		struct sd_value *const v = &run->metric[rows[i].metric];

		if (!sd_has(now) || !sd_has(p->before[i]))
			*v = sd_has(now) ? p->before[i] : now;
		else if (now.value < p->before[i].value)
			*v = SD_NOT(ABSENT); /* a counter that ran backwards measured nothing */
		else
			*v = SD_OK(now.value - p->before[i].value);
	}
}

static void pressure_fail(int error, struct sd_run *run)
{
	(void)error;
	for (size_t i = 0; i < N_ROWS; i++)
		run->metric[rows[i].metric] = SD_NOT(ABSENT);
}

const struct sd_probe sd_probe_pressure = {
	.name = "pressure",
	.open = pressure_open,
	.start = pressure_start,
	.stop = pressure_stop,
	.close = free,
	.fail = pressure_fail,
};
