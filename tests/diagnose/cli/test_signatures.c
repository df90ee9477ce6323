/*
 * The origin paper's signatures on every family of CPUs: what its map can count names the right
 * cause first, and what it cannot see is never ruled out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "import/import.h"
#include "support/signature.h"

/* On one core 1e10 instructions take 10 s at 3 GHz; on eight 2.5 s, of which half the CPU time is
 * growth: 3e10 cycles, four of the eight cores. */
#define ONE .wall = 10, .user = 10, .cycles = 30e9, .instructions = 10e9
#define EIGHT .wall = 2.5, .user = 20, .cycles = 60e9, .instructions = 10e9
/* Nothing but waiting: 12.5 s of 8 cores, of which 2.5 idle */
#define IDLE .wall = 2.5, .user = 10, .cycles = 30e9, .instructions = 10e9
/* Eight times the work in twice the time. */
#define WEAK .wall = 20, .user = 160, .cycles = 480e9, .instructions = 80e9

static const struct signature signatures[] = {
	{"bandwidth, strong", SD_CAUSE_MEMORY_BANDWIDTH, SD_COMPONENT_CPI_BANDWIDTH,
		.one = {ONE, .reads = 0.9e9, .writes = .27e9, .owned = .27e9, .saturated = 1e9,
			.stall = 1e9},
		.many = {EIGHT, .reads = 0.9e9, .writes = .27e9, .owned = .27e9, .latency = 620,
			.saturated = 31e9, .stall = 31e9}},
	{"bandwidth, weak", SD_CAUSE_MEMORY_BANDWIDTH, SD_COMPONENT_CPI_BANDWIDTH, .weak = 1,
		.one = {ONE, .reads = 0.9e9, .writes = .27e9, .owned = .27e9, .saturated = 1e9,
			.stall = 1e9},
		.many = {WEAK, .reads = 7.2e9, .writes = 2.16e9, .owned = 2.16e9, .latency = 620,
			.saturated = 248e9, .stall = 248e9}},
	/* 70 ns more than a hit are 210 cycles */
	{"cache, strong", SD_CAUSE_LLC_CAPACITY, SD_COMPONENT_CPI_LLC,
		.one = {ONE, .reads = 1e7, .stall = 3e9},
		.many = {EIGHT, .reads = 1.5e8, .stall = 33e9}},
	{"cache, weak", SD_CAUSE_LLC_CAPACITY, SD_COMPONENT_CPI_LLC, .weak = 1,
		.one = {ONE, .reads = 1e7, .stall = 3e9},
		.many = {WEAK, .reads = 1.2e9, .stall = 264e9}},
	{"DTLB", SD_CAUSE_DTLB, SD_COMPONENT_CPI_DTLB,
		.one = {ONE, .load_walks = 7e6, .store_walks = 3e6, .walk_cycles = 3e8},
		.many = {EIGHT, .load_walks = 7e8, .store_walks = 3e8, .walk_cycles = 30e9}},
	/* 60 ns are 180 cycles */
	{"false sharing", SD_CAUSE_FALSE_SHARING, SD_COMPONENT_CPI_SHARING, .unsteady = 1,
		.one = {ONE}, .many = {EIGHT, .moved = {{0}, {.6e8, 1e8}}}},
	{"true sharing", SD_CAUSE_TRUE_SHARING, SD_COMPONENT_CPI_SHARING, .unsteady = 1,
		.differs = 1, .one = {ONE}, .many = {EIGHT, .moved = {{0}, {.6e8, 1e8}}}},
	{"lock", SD_CAUSE_LOCK_CONTENTION, SD_COMPONENT_LOCK, .one = {ONE, .locks = 1e6},
		.many = {IDLE, .locks = 1e6, .idle[SD_IDLE_LOCK] = 10}},
	{"disk", SD_CAUSE_DISK, SD_COMPONENT_DISK, .one = {ONE},
		.many = {IDLE, .idle[SD_IDLE_DISK] = 10}},
	{"serial", SD_CAUSE_SERIAL_CODE, SD_COMPONENT_SERIAL, .one = {ONE},
		.many = {IDLE, .idle[SD_IDLE_SERIAL] = 10}},
};
#define N_SIGNATURES (sizeof signatures / sizeof *signatures)

enum { RUNS = 8 };

static struct sd_eventmaps maps;
static struct sd_formula_tables tables;

static void describe(struct sd_record *r)
{
	r->host.numa = 2;
	r->host.packages = 2;
	r->host.cores = r->host.allowed = SIGNATURE_CORES;
	r->calibration.llc = SD_OK(20e-9);
	r->calibration.dram = SD_OK(90e-9);
	r->calibration.line = SD_OK(60e-9);
	r->calibration.remote = SD_OK(150e-9);
	r->calibration.walk = SD_OK(10e-9);
	assert_int_equal(sd_calibration_add(&r->calibration, 1, 12e9), 0);
	assert_int_equal(sd_calibration_add(&r->calibration, SIGNATURE_CORES, 30e9), 0);
}

static void make(struct sd_record *r, const struct signature *s, const struct sd_event_map *map)
{
	static const unsigned cores[] = {1, SIGNATURE_CORES};

	record_make(r, cores, 2);
	describe(r);
	r->program.scaling = s->weak ? SD_SCALING_WEAK : SD_SCALING_STRONG;
	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < RUNS; j++) {
			const double noise = i && s->unsteady ? .03 : .002;
			const double f = 1 + noise * ((double)j - 3.5);
			struct amounts a = i ? s->many : s->one;
			struct sample t = {.wall = a.wall, .user = a.user};
			struct sd_run *run;

			memcpy(t.idle, a.idle, sizeof t.idle);
			run = record_sample(r, i, &t, f);
			a.cycles *= f;
			run->stdout_bytes = 20;
			run->stdout_digest = i && s->differs ? j : 7;
			if (a.idle[SD_IDLE_DISK] > 0)
				run->metric[SD_METRIC_BLOCK_READ] = SD_OK(1e9);
			signature_roles(&maps, map, &a, run);
		}
}

/* The cause that is named first; SD_CAUSE_COUNT: none is. */
static enum sd_cause first_of(const struct sd_analysis *a)
{
	return a->finding[0].verdict <= SD_VERDICT_POSSIBLE ? a->finding[0].cause : SD_CAUSE_COUNT;
}

static void complain(
	const struct signature *s, const struct sd_event_map *map, const struct sd_analysis *a)
{
	print_error("%s, %s:", map->family, s->name);
	for (size_t i = 0; i < 4; i++)
		print_error(" %s %s %.2f;", sd_cause_info[a->finding[i].cause].name,
			sd_verdict_name[a->finding[i].verdict], a->finding[i].cores.value);
	print_error("\n");
}

/* Did the counts fill the mechanism's component with half the loss at least? */
static int is_counted(const struct signature *s, const struct sd_analysis *a)
{
	const struct sd_interval v = a->point[1].stack[s->component];

	return v.status == SD_STATUS_OK && v.value >= 2;
}

static void every_family_names_what_it_counts_and_rules_out_nothing_else(void **state)
{
	size_t counted[N_SIGNATURES] = {0}, bad = 0;
	/* most of the families count most of it: no map that counts nothing passes for one */
	static const size_t least[N_SIGNATURES] = {20, 20, 40, 40, 40, 30, 30, 60, 60, 60};

	(void)state;
	for (size_t m = 0; m < maps.n; m++)
		for (size_t i = 0; i < N_SIGNATURES; i++) {
			const struct signature *const s = &signatures[i];
			struct sd_analysis a;
			struct sd_record r;
			int is, ok;

			make(&r, s, &maps.map[m]);
			assert_int_equal(sd_analyse(&r, &tables, NULL, &a), 0);
			is = is_counted(s, &a);
			counted[i] += is != 0;
			ok = is ? first_of(&a) == s->cause
				: finding_of(&a, s->cause)->verdict != SD_VERDICT_RULED_OUT;
			if (!ok) {
				complain(s, &maps.map[m], &a);
				bad++;
			}
			sd_analysis_free(&a);
			sd_record_free(&r);
		}
	assert_int_equal(bad, 0);
	for (size_t i = 0; i < N_SIGNATURES; i++)
		if (counted[i] < least[i])
			fail_msg("%s: %zu families count it", signatures[i].name, counted[i]);
}

/* Every place and every access. */
static int sees_all(unsigned sees)
{
	return (sees & SD_SIGHT_PLACES) == SD_SIGHT_PLACES &&
	       ((sees & SD_SIGHT_ACCESSES) == 0 || (sees & SD_SIGHT_ACCESSES) == SD_SIGHT_ACCESSES);
}

/* Modified lines that move where this count does not look. */
static void what_one_count_of_sharing_cannot_see_is_never_ruled_out(void **state)
{
	size_t n = 0;

	(void)state;
	for (size_t m = 0; m < maps.n; m++)
		for (unsigned r = 0; r < SD_ROLE_COUNT; r++) {
			const struct sd_map_role *const role = &maps.map[m].roles[r];
			struct signature s = signatures[5];
			struct sd_analysis a;
			struct sd_record record;

			if (role->n == 0 || !(role->sees & SD_SIGHT_PLACES) ||
				sees_all(sd_event_map_sees(&maps.map[m], role)))
				continue;
			make(&record, &s, &maps.map[m]);
			for (size_t i = 0; i < record.n_run; i++) {
				struct sd_run *const run = &record.run[i];

				run->n_role = 0;
				count(run, maps.map[m].family, SD_ROLE_CYCLES,
					run->metric[SD_METRIC_USER].value * 3e9);
				count(run, maps.map[m].family, SD_ROLE_INSTRUCTIONS, 10e9);
				count(run, maps.map[m].family, (enum sd_role)r, 0);
				run->role[2].sees = sd_event_map_sees(&maps.map[m], role);
			}
			assert_int_equal(sd_analyse(&record, &tables, NULL, &a), 0);
			if (finding_of(&a, s.cause)->verdict == SD_VERDICT_RULED_OUT)
				fail_msg("%s: %s", maps.map[m].family,
					sd_role_name((enum sd_role)r));
			n++;
			sd_analysis_free(&a);
			sd_record_free(&record);
		}
	assert_true(n > 150);
}

/* 1e9 of any one of them is seen, whichever it is. */
static void a_billion_lines_of_any_count_are_not_ruled_out(void **state)
{
	static const struct {
		const char *family;
		enum sd_role role;
	} rows[] = {
		{"spr", SD_ROLE_HITM_ANY},
		{"skx", SD_ROLE_HITM_LOAD_REMOTE},
		{"skx", SD_ROLE_HITM_STORE_REMOTE},
		{"spr", SD_ROLE_HITM_ANY_CLUSTER},
		{"knl", SD_ROLE_HITM_TILE},
		{"core2", SD_ROLE_SIBLING_SNOOPS},
	};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const struct sd_event_map *const map = sd_event_map_set_find(&maps, rows[k].family);
		const struct signature *const s = &signatures[5];
		struct sd_analysis a;
		struct sd_record record;

		make(&record, s, map);
		for (size_t i = 0; i < record.n_run; i++) {
			struct sd_run *const run = &record.run[i];

			run->n_role = 0;
			count(run, map->family, SD_ROLE_CYCLES,
				run->metric[SD_METRIC_USER].value * 3e9);
			count(run, map->family, SD_ROLE_INSTRUCTIONS, 10e9);
			count(run, map->family, rows[k].role, run->point ? 1e9 : 0);
		}
		assert_int_equal(sd_analyse(&record, &tables, NULL, &a), 0);
		if (first_of(&a) != SD_CAUSE_FALSE_SHARING)
			complain(s, map, &a);
		assert_int_equal(first_of(&a), SD_CAUSE_FALSE_SHARING);
		sd_analysis_free(&a);
		sd_record_free(&record);
	}
}

/* The count that a column of this role has; 0: it has none. */
static int column_of(const struct sd_event_map *map, const struct amounts *a, unsigned r, double *v)
{
	const struct sd_map_role *const role = &map->roles[r];
	const unsigned sees = sd_event_map_sees(map, role);

	return role->n == 1 && role->events[0].event && !sd_role_is_sampled((enum sd_role)r) &&
	       signature_count(a, (enum sd_role)r, sees ? sees : sd_role_sees((enum sd_role)r), v);
}

/* A table as somebody would write it: the vendor's names of events, waits, what was printed. */
static void write_table(
	FILE *f, const struct signature *s, const struct sd_event_map *map, int cpu_times)
{
	double v;

	fputs("cores,seconds,wait_lock,wait_disk,wait_serial,output", f);
	if (cpu_times)
		fputs(",user,system", f);
	for (unsigned r = 0; r < SD_ROLE_COUNT; r++)
		if (column_of(map, &s->one, r, &v) && r != SD_ROLE_L1D_REQUESTS) {
			fputc(',', f);
			for (const char *c = map->roles[r].events[0].event; *c; c++)
				fputc(*c == ':' ? '.' : *c, f);
		}
	fputc('\n', f);
	for (int i = 0; i < 2 * RUNS; i++) {
		const struct amounts *const a = i < RUNS ? &s->one : &s->many;
		const double x = i % RUNS - 3.5;
		const double noise = 1 + x * (i >= RUNS && s->unsteady ? .03 : .002);

		fprintf(f, "%d,%.9g,%.9g,%.9g,%.9g,%d", i < RUNS ? 1 : SIGNATURE_CORES,
			a->wall * noise, a->idle[SD_IDLE_LOCK] * noise,
			a->idle[SD_IDLE_DISK] * noise, a->idle[SD_IDLE_SERIAL] * noise,
			i >= RUNS && s->differs ? i : 7);
		if (cpu_times)
			fprintf(f, ",%.9g,0", a->user * noise);
		for (unsigned r = 0; r < SD_ROLE_COUNT; r++)
			if (column_of(map, a, r, &v) && r != SD_ROLE_L1D_REQUESTS)
				fprintf(f, ",%.0f", r == SD_ROLE_CYCLES ? v * noise : v);
		fputc('\n', f);
	}
}

static int says(const struct sd_analysis *a, enum sd_cause cause, const char *what)
{
	const struct sd_texts *const t = &finding_of(a, cause)->evidence;
	int found = 0;

	for (size_t i = 0; i < t->n; i++)
		found |= strstr(t->text[i], what) != NULL;
	return found;
}

/* Imports the table of a scenario on the paper's CPU; the cause that is named first. */
static enum sd_cause first_of_table(const struct signature *s, int cpu_times)
{
	const struct sd_event_map *const map = sd_event_map_set_find(&maps, "core2");
	struct sd_import im = {.cpu = {&maps, map}};
	struct sd_import_text t = {.name = "t"};
	enum sd_cause first;
	struct sd_analysis a;
	char *text = NULL;
	FILE *f = open_memstream(&text, &t.size);

	write_table(f, s, map, cpu_times);
	fclose(f);
	t.text = text;
	assert_int_equal(sd_import_csv(&im, &t, NULL), 0);
	assert_int_equal(im.unknown.n, 0);
	assert_int_equal(sd_import_costs(&im, "llc=20ns,dram=90ns,line=60ns,walk=10ns", NULL), 0);
	assert_int_equal(sd_import_ceilings(&im, "1=12,8=30", NULL), 0);
	assert_int_equal(sd_import_finish(&im, s->name, NULL), 0);
	im.record.program.scaling = s->weak ? SD_SCALING_WEAK : SD_SCALING_STRONG;
	assert_int_equal(sd_analyse(&im.record, &tables, NULL, &a), 0);
	first = first_of(&a);
	/* cycles say nothing of the clock that they were made at */
	if (!cpu_times && im.record.run[0].flags & SD_RUN_BY_CYCLES)
		assert_int_equal(
			finding_of(&a, SD_CAUSE_FREQUENCY)->verdict, SD_VERDICT_NOT_MEASURABLE);
	if (first != s->cause)
		complain(s, map, &a);
	/* the states that locked accesses found their lines in are evidence */
	if (s->cause == SD_CAUSE_LOCK_CONTENTION && s->one.locks > 0) {
		assert_true(says(&a, s->cause, "found the line exclusive"));
		assert_true(says(&a, s->cause, "found the lock written"));
	}
	sd_analysis_free(&a);
	sd_import_free(&im);
	free(text);
	return first;
}

/* The paper's scenarios on the paper's CPU, by its names of events, with CPU times and without. */
static void the_paper_s_scenarios_imported_give_its_causes_first(void **state)
{
	size_t bad = 0;

	(void)state;
	for (size_t i = 0; i < N_SIGNATURES; i++)
		for (int cpu_times = 0; cpu_times < 2; cpu_times++)
			bad += first_of_table(&signatures[i], cpu_times) != signatures[i].cause;
	assert_int_equal(bad, 0);
}

static int load(void **state)
{
	(void)state;
	load_tables(&tables);
	return sd_event_map_set_load(&maps, NULL, NULL);
}

static int unload(void **state)
{
	(void)state;
	sd_formula_tables_free(&tables);
	sd_event_map_set_free(&maps);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_family_names_what_it_counts_and_rules_out_nothing_else),
		cmocka_unit_test(what_one_count_of_sharing_cannot_see_is_never_ruled_out),
		cmocka_unit_test(the_paper_s_scenarios_imported_give_its_causes_first),
		cmocka_unit_test(a_billion_lines_of_any_count_are_not_ruled_out),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
