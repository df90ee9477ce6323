#include "import/csv_columns.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "import/quantities.h"

static const char *const cores_names[] = {"cores", "threads", "procs", "processes", "ranks", "cpus",
	"n", "nproc", "nprocs", "np", "nthreads", "num_threads", "omp_num_threads", "gomaxprocs",
	"jobs", "workers", NULL};
static const char *const output_names[] = {"output", "digest", "stdout", NULL};
static const char *const program_names[] = {"app", "program", "set", "benchmark", NULL};
static const char *const unit_names[] = {"time_unit", "unit", NULL};
static const char *const rate_names[] = {"throughput", "rate", "score", "ops", "ops/s", "ops_per_s",
	"ops_per_sec", "ops_per_second", "qps", "tps", "req/s", "requests/s", "requests_per_sec",
	"items/s", "items_per_second", "bytes_per_second", "mops", "mops/s", "mflops", "mflop/s",
	"gflops", "gflop/s", "mb/s", "gb/s", NULL};

static const struct {
	const char *const *names;
	enum sd_csv_kind kind;
} kinds[] = {
	{cores_names, SD_CSV_CORES},
	{program_names, SD_CSV_PROGRAM},
	{output_names, SD_CSV_OUTPUT},
	{unit_names, SD_CSV_UNIT},
	{rate_names, SD_CSV_RATE},
};

static const struct {
	const char *name;
	enum sd_csv_time time;
} times[] = {
	{"seconds", SD_CSV_WALL},
	{"wall", SD_CSV_WALL},
	{"wall time", SD_CSV_WALL},
	{"wall clock time", SD_CSV_WALL},
	{"time", SD_CSV_WALL},
	{"runtime", SD_CSV_WALL},
	{"elapsed", SD_CSV_WALL},
	{"elapsed time", SD_CSV_WALL},
	{"real", SD_CSV_WALL}, /* time(1) */
	{"real_time", SD_CSV_WALL},
	{"mean", SD_CSV_WALL}, /* hyperfine --export-csv */
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

static const struct {
	const char *name;
	double s;
} units[] = {{"us", 1e-6}, {"ms", 1e-3}, {"ns", 1e-9}, {"s", 1}, {"sec", 1}, {"seconds", 1}};

double sd_csv_column_unit(const char *name)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcasecmp(units[i].name, name) == 0)
			return units[i].s;
	return 0;
}

/* Cuts the unit off a time's name: "wall_ms", "wall (ms)", "wall [ms]". s; 1 without. */
static double cut_unit(char *name, int *is_said)
{
	const size_t n = strlen(name);
	const char *const at = n ? strpbrk(name, "([") : NULL;
	char unit[16] = "";
	size_t cut = 0;
	double s;

	if (at && strchr(")]", name[n - 1])) {
		snprintf(unit, sizeof unit, "%.*s", (int)(name + n - 2 - at), at + 1);
		cut = (size_t)(at - name);
	} else if (strrchr(name, '_')) {
		snprintf(unit, sizeof unit, "%s", strrchr(name, '_') + 1);
		cut = (size_t)(strrchr(name, '_') - name);
	}
	s = cut ? sd_csv_column_unit(unit) : 0;
	if (!(s > 0))
		return 1;
	while (cut > 1 && name[cut - 1] == ' ')
		cut--;
	name[cut] = '\0';
	*is_said = 1;
	return s;
}

/* "triad", "Triad (MB/s)", "triad_gb/s": the rate that STREAM prints, in MB/s unless it says else.
 */
static int name_stream(const char *name, struct sd_csv_column *c)
{
	static const char first[] = "triad";

	if (strncasecmp(name, first, sizeof first - 1) != 0)
		return 0;
	name += sizeof first - 1;
	name += strspn(name, " _-([");
	if (!*name || strncasecmp(name, "mb", 2) == 0)
		c->bytes = 1e6;
	else if (strncasecmp(name, "gb", 2) == 0)
		c->bytes = 1e9;
	else
		return 0;
	c->kind = SD_CSV_RATE;
	return 1;
}

static int name_time(const char *name, struct sd_csv_column *c)
{
	char bare[sizeof c->name];

	snprintf(bare, sizeof bare, "%s", name);
	c->unit = cut_unit(bare, &c->has_unit);
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
	if (strncasecmp(name, "parameter_", 10) == 0) /* hyperfine's */
		name += 10;
	if (strncasecmp(name, "param:", 6) == 0) /* pytest-benchmark's */
		name += 6;
	snprintf(c->name, sizeof c->name, "%.63s", name);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (is_one_of(c->name, kinds[i].names)) {
			c->kind = kinds[i].kind;
			return;
		}
	if (name_stream(c->name, c) || name_time(c->name, c))
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

int sd_csv_column_number(struct sd_csv_column *c, const struct sd_import_text *t, unsigned line,
	const char *cell, double *v)
{
	if (c->kind == SD_CSV_TIME && sd_quantities_time(cell, v) == 0) {
		c->unit = 1;
		c->has_unit = 1;
		return 1;
	}
	if (c->kind == SD_CSV_RATE && sd_quantities_rate(cell, v) == 0)
		return 1;
	return sd_import_number(t, line, c->name, cell, v);
}
