/*
 * No report contradicts itself: over the fixtures, and over records that were invented; and what
 * finds it finds each kind of pair.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <cmocka.h>

#include "analyse/analyse.h"
#include "page/report_style.h"
#include "record/record_file.h"
#include "run/config_tables.h"
#include "support/contradictions.h"
#include "support/invent_record.h"

#define INVENTED 600

static struct sd_config_tables tables;

static int load(void **state)
{
	(void)state;
	return sd_config_tables_load(&tables, NULL) < 0 ? -1 : 0;
}

static int unload(void **state)
{
	(void)state;
	sd_config_tables_free(&tables);
	return 0;
}

/* ---- the pairs ------------------------------------------------------------------------------- */

#define POINTS                                                                                       \
	"'points':[{'n':1,'stack':[]},{'n':2,'stack':[{'component':'useful','cores':{'value':0.7}}," \
	"{'component':'growth','cores':{'value':1.3}}]}]"
#define FINDING(cause, rest) "'findings':[{'cause':'" cause "','verdict':'likely'," rest "}]"
#define PADDED(low, value, high, said)                                                            \
	"{" POINTS ",'experiments':[{'name':'padding','time_ratio':{'value':" value ",'low':" low \
	",'high':" high "},'seen':[]}]," FINDING("false-sharing", "'evidence':['" said "']") "}"
#define CONSTRUCTS(openmp, threads, processes) \
	"'constructs':{'openmp':" openmp ",'threads':" threads ",'processes':" processes "}"
#define ADVISED(constructs, cause, text) \
	"{" POINTS "," constructs "," FINDING(cause, "'advice':['" text "']") "}"
#define ROWS(f, g, gain)                                                                     \
	"{" POINTS ",'functions':[{'function':'" f "','file':'a.c','cores':{'value':0.82}}," \
	"{'function':'" g "','file':'a.c','cores':{'value':" gain "}}]}"

#define DOUBTED(amounts)                                                                        \
	"{" POINTS                                                                              \
	",'warnings':['whether it scales cannot be told: 0.95 of 2 cores are lost at 2 cores, " \
	"of which 0.00 at least are the program. Up to so many may be: " amounts "']}"

/* With ' for ". */
static size_t count_in(const char *text, char *out, size_t size)
{
	char *json = strdup(text);
	json_t *report;
	size_t n;

	assert_non_null(json);
	for (char *p = json; (p = strchr(p, '\''));)
		*p = '"';
	report = json_loads(json, 0, NULL);
	if (!report)
		fail_msg("not JSON: %s", json);
	n = contradictions_in(report, out, size);
	json_decref(report);
	free(json);
	return n;
}

static void each_kind_of_pair_is_found(void **state)
{
	static const struct {
		const char *report;
		size_t n;
	} row[] = {
		{PADDED("1.60", "1.69", "1.75", "128 bytes between allocations change nothing"), 1},
		{PADDED("0.97", "1.01", "1.04", "128 bytes between allocations change nothing"), 0},
		{PADDED("0.60", "1.69", "2.75", "128 bytes between allocations change nothing"), 0},
		{"{" POINTS "," FINDING("false-sharing",
			 "'of_growth':true,'cores':{'value':1.26}") ",'undecided_cores':{'value':1.26}}",
			1},
		{"{" POINTS "," FINDING("false-sharing",
			 "'of_growth':true,'cores':{'value':0.9}") ",'undecided_cores':{'value':0.4}}",
			0},
		{"{" POINTS "," FINDING("serial-code", "'cores':{'value':1.5}") "}", 1},
		{ADVISED(CONSTRUCTS("false", "true", "false"), "load-imbalance",
			 "OpenMP: schedule(dynamic)"),
			1},
		{ADVISED(CONSTRUCTS("false", "false", "false"), "serial-code",
			 "no OpenMP runtime is loaded: if it has OpenMP directives, build it for them"),
			0},
		{ADVISED(CONSTRUCTS("true", "true", "false"), "load-imbalance",
			 "OpenMP: schedule(dynamic)"),
			0},
		{ADVISED(CONSTRUCTS("null", "null", "null"), "load-imbalance",
			 "OpenMP: schedule(dynamic)"),
			0},
		{ADVISED(CONSTRUCTS("false", "false", "true"), "lock-contention",
			 "give every thread its own data"),
			1},
		{ADVISED(CONSTRUCTS("false", "true", "false"), "lock-contention",
			 "give every thread its own data"),
			0},
		{"{" POINTS "," FINDING("serial-code",
			 "'where':[{'function':'solve._omp_fn.0'}],'advice':["
			 "'solve() runs while the others wait: make it parallel']") "}",
			1},
		{"{" POINTS "," FINDING("serial-code",
			 "'advice':['make it parallel']") ",'locks':[{'kind':'runtime-lock','waiters':[{'module':'/usr/bin/python3.11'}]}]}",
			1},
		{DOUBTED("0.23 waits for threads on slower CPUs, 0.05 the machine\\u0027s drift"),
			1},
		{DOUBTED("0.60 waits for a CPU, 0.05 drift, 0.32 how far runs differ"), 0},
		{ROWS("work", "work.constprop.0", "-0.89"), 1},
		{ROWS("work", "work.constprop.0", "0.10"), 0},
		{ROWS("work", "play", "-0.89"), 0},
		{"{" FINDING("false-sharing",
			 "'evidence':['1 thread write different bytes of it']") "}",
			2},
		{"{" FINDING("false-sharing",
			 "'evidence':['2 threads write the same bytes of it']") "}",
			0},
		{"{" FINDING("spinning", "'evidence':['in spinlock_pool()() a.h:3']") "}", 1},
		{"{" FINDING("spinning", "'evidence':['in less::operator()() a.h:3']") "}", 0},
	};
	char out[4096];

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const size_t n = count_in(row[i].report, out, sizeof out);

		if (n != row[i].n)
			fail_msg("row %zu: %zu, not %zu: %s", i, n, row[i].n, out);
	}
}

/* ---- the reports ----------------------------------------------------------------------------- */

static json_t *report_of(const struct sd_record *r)
{
	struct sd_analysis a;
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);
	json_t *out;

	assert_non_null(f);
	assert_int_equal(sd_analyse(r, &tables.formulas, &tables.advice, &a), 0);
	assert_int_equal(sd_report_json(f, r, &a), 0);
	assert_int_equal(fclose(f), 0);
	out = json_loadb(text, size, 0, NULL);
	assert_non_null(out);
	free(text);
	sd_analysis_free(&a);
	return out;
}

/* Takes the report; returns how often it contradicts itself, which is said. */
static size_t hold(json_t *report, const char *name)
{
	char out[8192];
	const size_t n = contradictions_in(report, out, sizeof out);

	if (n)
		print_error("%s:\n%s", name, out);
	json_decref(report);
	return n;
}

/* At least one report there, and none that contradicts itself. */
static void hold_folder(const char *folder)
{
	DIR *const d = opendir(folder);
	size_t n = 0, bad = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		struct sd_record r = {0};
		char path[512];

		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		if (strlen(e->d_name) < 6 || strcmp(path + strlen(path) - 5, ".json") != 0)
			continue;
		if (sd_record_read(path, &r, NULL) == 0) {
			bad += hold(report_of(&r), path);
			n++;
		} else {
			json_t *const report = json_load_file(path, 0, NULL);

			if (json_object_get(report, "findings")) {
				bad += hold(json_incref(report), path);
				n++;
			}
			json_decref(report);
		}
		sd_record_free(&r);
	}
	closedir(d);
	assert_true(n > 0);
	assert_int_equal(bad, 0);
}

static void no_fixture_contradicts_itself(void **state)
{
	(void)state;
	hold_folder("tests/fixtures/fuzz_record");
	hold_folder("tests/fixtures/fuzz_report");
	hold_folder("tests/fixtures/reports");
	hold_folder("tests/fixtures/reader");
}

static void no_invented_record_contradicts_itself(void **state)
{
	size_t bad = 0;

	(void)state;
	for (uint64_t seed = 0; seed < INVENTED; seed++) {
		struct sd_record r;
		char name[32];

		tell(&r, seed, &plainly);
		snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
		bad += hold(report_of(&r), name);
		sd_record_free(&r);
	}
	assert_int_equal(bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_pair_is_found),
		cmocka_unit_test(no_fixture_contradicts_itself),
		cmocka_unit_test(no_invented_record_contradicts_itself),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
