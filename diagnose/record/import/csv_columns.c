#include "import/csv_columns.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"

static const char *const cores_names[] = {
	"cores", "threads", "procs", "processes", "ranks", "cpus", "n", NULL};
static const char *const output_names[] = {"output", "digest", "stdout", NULL};
static const char *const program_names[] = {"app", "program", "set", "benchmark", NULL};

static const struct {
	const char *name;
	enum sd_csv_time time;
} times[] = {
	{"seconds", SD_CSV_WALL},
	{"wall", SD_CSV_WALL},
	{"time", SD_CSV_WALL},
	{"runtime", SD_CSV_WALL},
	{"elapsed", SD_CSV_WALL},
	{"user", SD_CSV_USER},
	{"system", SD_CSV_SYSTEM},
	{"sys", SD_CSV_SYSTEM},
	{"cpu", SD_CSV_CPU},
	{"cpu_time", SD_CSV_CPU},
	{"task_clock", SD_CSV_CPU},
	{"runtime_ideal", SD_CSV_IDEAL},
	{"useful_avg", SD_CSV_USEFUL_AVG},
	{"useful_max", SD_CSV_USEFUL_MAX},
	{"useful_total", SD_CSV_USEFUL_TOTAL},
};

/* Names in use for counts, and what they are. A demand miss of the last-level cache is no line from
 * memory: prefetched lines are not in it. */
static const struct {
	const char *name;
	enum sd_role role;
	enum sd_quality quality;
} counts[] = {
	{"l1miss", SD_ROLE_L1D_MISSES, SD_QUALITY_PROXY},
	{"l2miss", SD_ROLE_L2_MISSES, SD_QUALITY_PROXY},
	{"l3miss", SD_ROLE_LLC_MISSES, SD_QUALITY_PROXY},
	{"llcmiss", SD_ROLE_LLC_MISSES, SD_QUALITY_PROXY},
	{"useful_instr", SD_ROLE_INSTRUCTIONS, SD_QUALITY_EXACT},
	{"useful_cycles", SD_ROLE_CYCLES, SD_QUALITY_EXACT},
};

static int is_one_of(const char *name, const char *const *list)
{
	while (*list && strcasecmp(*list, name) != 0)
		list++;
	return *list != NULL;
}

/* A time's name without its unit. */
static double unit_of(char *name)
{
	static const struct {
		const char *end;
		double unit;
	} units[] = {{"_us", 1e-6}, {"_ms", 1e-3}, {"_ns", 1e-9}, {"_s", 1}};
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		size_t k = strlen(units[i].end);

		if (n > k && strcasecmp(name + n - k, units[i].end) == 0) {
			name[n - k] = '\0';
			return units[i].unit;
		}
	}
	return 1;
}

static int name_time(const char *name, struct sd_csv_column *c)
{
	char bare[sizeof c->name];

	snprintf(bare, sizeof bare, "%s", name);
	c->unit = unit_of(bare);
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		if (strcasecmp(times[i].name, bare) == 0) {
			c->kind = SD_CSV_TIME;
			c->time = times[i].time;
			return 1;
		}
	if (strncasecmp(bare, "wait_", 5) == 0)
		for (int i = 0; i < SD_IDLE_COUNT; i++)
			if (strcasecmp(sd_idle_name[i], bare + 5) == 0) {
				c->kind = SD_CSV_WAIT;
				c->idle = (enum sd_idle)i;
				return 1;
			}
	if (strncasecmp(bare, "thread", 6) == 0 && bare[6]) {
		uint64_t n;

		if (sd_number_u64(bare + 6 + (bare[6] == '_'), 0, SD_RUN_THREADS - 1, &n) == 0) {
			c->kind = SD_CSV_THREAD;
			c->thread = (unsigned)n;
			return 1;
		}
	}
	return 0;
}

void sd_csv_column_make(const char *name, struct sd_csv_column *c)
{
	*c = (struct sd_csv_column){.unit = 1};
	snprintf(c->name, sizeof c->name, "%.63s", name);
	if (is_one_of(c->name, cores_names)) {
		c->kind = SD_CSV_CORES;
		return;
	}
	if (is_one_of(c->name, program_names)) {
		c->kind = SD_CSV_PROGRAM;
		return;
	}
	if (is_one_of(c->name, output_names)) {
		c->kind = SD_CSV_OUTPUT;
		return;
	}
	if (name_time(c->name, c))
		return;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (strcasecmp(counts[i].name, c->name) == 0) {
			c->kind = SD_CSV_ROLE;
			c->role = counts[i].role;
			c->quality = counts[i].quality;
			return;
		}
	if (sd_role_parse(c->name, &c->role) == 0)
		c->kind = SD_CSV_ROLE;
}

int sd_csv_column_same(const struct sd_csv_column *a, const struct sd_csv_column *b)
{
	if (a->kind != b->kind)
		return 0;
	switch (a->kind) {
	case SD_CSV_UNKNOWN:
		return 0;
	case SD_CSV_ROLE:
		return a->role == b->role;
	case SD_CSV_TIME:
		return a->time == b->time;
	case SD_CSV_WAIT:
		return a->idle == b->idle;
	case SD_CSV_THREAD:
		return a->thread == b->thread;
	default:
		return 1;
	}
}
