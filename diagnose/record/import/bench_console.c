#include "import/bench_console.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "import/table_cells.h"

enum { NAME, TIME, UNIT, CPU, CPU_UNIT, ITERATIONS, CELLS };

/* "BM_A/8/threads:4_mean": of repetitions, and no run. */
static int is_aggregate(const char *name)
{
	static const char *const end[] = {"_mean", "_median", "_stddev", "_cv", "_min", "_max"};
	const char *const last = strrchr(name, '_');

	for (size_t i = 0; last && i < sizeof end / sizeof *end; i++)
		if (strcmp(last, end[i]) == 0)
			return 1;
	return 0;
}

static json_int_t threads_of(const char *name)
{
	const char *const at = strstr(name, "/threads:");
	char digits[16];
	uint64_t n;

	if (!at)
		return 1;
	snprintf(digits, sizeof digits, "%.*s", (int)strspn(at + 9, "0123456789"), at + 9);
	return sd_number_u64(digits, 1, SD_CPU_MAX, &n) == 0 ? (json_int_t)n : 0;
}

/* The cells of a line; 0: it is none of a benchmark. */
static int split(const char *p, const char *end, char cell[CELLS][SD_TABLE_CELL])
{
	const struct sd_import_text quiet = {.name = ""};

	for (int i = 0; i < CELLS; i++)
		if (sd_table_cells_next(&quiet, 0, ' ', &p, end, cell[i]) <= 0)
			return 0;
	return strcmp(cell[UNIT], cell[CPU_UNIT]) == 0 && !is_aggregate(cell[NAME]);
}

/* The benchmark of a line; NULL: it is none. */
static json_t *benchmark_of(const char *p, const char *end)
{
	char cell[CELLS][SD_TABLE_CELL];
	double time, cpu, iterations;

	if (!split(p, end, cell) || sd_number_double(cell[TIME], 0, 1e18, &time) ||
		sd_number_double(cell[CPU], 0, 1e18, &cpu) ||
		sd_number_double(cell[ITERATIONS], 1, 1e18, &iterations))
		return NULL;
	return json_pack("{s:s, s:I, s:f, s:f, s:f, s:s}", "name", cell[NAME], "threads",
		threads_of(cell[NAME]), "iterations", iterations, "real_time", time, "cpu_time",
		cpu, "time_unit", cell[UNIT]);
}

json_t *sd_bench_console_read(const struct sd_import_text *t)
{
	json_t *const all = json_array();
	size_t at = 0, length;
	unsigned line = 0;
	const char *p;

	while (all && (p = sd_import_line(t, &at, &length, &line))) {
		json_t *const one = benchmark_of(p, p + length);

		if (one && json_array_append_new(all, one) < 0)
			break;
	}
	if (json_array_size(all) == 0) {
		json_decref(all);
		return NULL;
	}
	return json_pack("{s:{s:s}, s:o}", "context", "library_version", "?", "benchmarks", all);
}
