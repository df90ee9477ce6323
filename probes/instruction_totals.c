#include "probes/instruction_totals.h"

#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "output/output_file.h"
#include "proc/glob_pattern.h"
#include "probes/probes.h"
#include "proc/textfile.h"

uint64_t sd_instruction_totals_parse(const char *text)
{
	static const char ended[] = "ended ";
	uint64_t n;

	if (strncmp(text, ended, sizeof ended - 1) != 0 ||
		sd_number_u64(text + sizeof ended - 1, 1, UINT64_MAX / 4096, &n))
		return 0;
	return n;
}

static uint64_t read_one(const char *path)
{
	char text[64];

	return sd_textfile_read("", path, text, sizeof text) ? 0
							     : sd_instruction_totals_parse(text);
}

struct sd_value sd_instruction_totals_take(const char *prefix)
{
	char *const pattern = sd_glob_pattern_of(prefix, ".*.total");
	double sum = 0;
	glob_t g = {0};
	int all = 1;

	if (!pattern)
		return SD_NOT(ABSENT);
	if (glob(pattern, GLOB_NOSORT, NULL, &g) != 0)
		g.gl_pathc = 0;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct stat st;
		uint64_t n;

		/* what is there under such a name and no plugin has written stays, unread */
		if (sd_output_file_look(g.gl_pathv[i], SD_OUTPUT_COUNTED, &st) != SD_OUTPUT_OURS)
			continue;
		n = read_one(g.gl_pathv[i]);
		all &= n > 0;
		sum += (double)n;
		unlink(g.gl_pathv[i]);
	}
	globfree(&g);
	free(pattern);
	return all && sum > 0 ? SD_OK(sum) : SD_NOT(ABSENT);
}

/* ---- the probe ------------------------------------------------------------------------------- */

static int totals_open(void **state, const struct sd_probe_target *target)
{
	*state = NULL;
	if (!target->simulation || !target->simulation->total)
		return -1;
	*state = strdup(target->simulation->path);
	return *state ? 0 : -1;
}

/* Removes what a killed scalediag has left behind: it is not this run's. */
static void totals_start(void *state)
{
	sd_instruction_totals_take(state);
}

static void totals_stop(void *state, struct sd_run *run)
{
	run->simulated = calloc(1, sizeof *run->simulated);
	if (run->simulated)
		run->simulated->whole = sd_instruction_totals_take(state);
}

const struct sd_probe sd_probe_instruction_totals = {.name = "totals",
	.open = totals_open,
	.start = totals_start,
	.stop = totals_stop,
	.close = free};
