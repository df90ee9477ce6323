/*
 * Analyses built by hand, for the tests of reports: what a report prints is decided here, number by
 * number.
 */
#ifndef SD_MAKE_ANALYSIS_H
#define SD_MAKE_ANALYSIS_H

#include "analysis/analysis.h"
#include "support/make_record.h"

static inline struct sd_interval make_interval(double value, double low, double high)
{
	return (struct sd_interval){value, low, high, SD_STATUS_OK};
}

/* value ± half */
static inline struct sd_interval make_half(double value, double half)
{
	return make_interval(value, value - half, value + half);
}

static inline struct sd_point make_point(unsigned cores, double wall, double half, double reference)
{
	struct sd_point p = {.cores = cores, .n = cores, .runs = 5};
	const double s = reference / wall;

	p.wall = make_half(wall, half);
	p.speedup = make_half(s, s * half / wall);
	p.efficiency = make_half(s / cores, s / cores * half / wall);
	p.parallelism = make_half(cores * 0.9, 0.01);
	return p;
}

/* Every cause once, in the order of the table, with one verdict. */
static inline void make_findings(struct sd_analysis *a, enum sd_verdict verdict)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		a->finding[i] = (struct sd_finding){.cause = (enum sd_cause)i, .verdict = verdict};
}

/* Moves a cause to the front, at place `i`, keeping the order of the rest. */
static inline struct sd_finding *make_first(
	struct sd_analysis *a, int i, enum sd_cause cause, enum sd_verdict verdict)
{
	int at = 0;
	struct sd_finding f;

	while (a->finding[at].cause != cause)
		at++;
	f = a->finding[at];
	memmove(&a->finding[i + 1], &a->finding[i], (size_t)(at - i) * sizeof f);
	f.verdict = verdict;
	a->finding[i] = f;
	return &a->finding[i];
}

/* The stencil of the manual: bandwidth and serial code on 8 cores. */
static inline void make_stencil(struct sd_record *r, struct sd_analysis *a)
{
	static const unsigned cores[] = {1, 2, 4, 8};
	static const double wall[] = {10.42, 5.61, 3.97, 3.88}, half[] = {0.03, 0.04, 0.05, 0.05};
	struct sd_interval *stack;
	struct sd_finding *f;

	make_record(r, cores, 4);
	free(r->program.argv.text[0]);
	r->program.argv.text[0] = strdup("./stencil");
	strcpy(r->host.hypervisor, "kvm");
	for (size_t i = 0; i < 4; i++)
		for (int k = 0; k < 5; k++)
			make_run(r, i, wall[i], wall[i] * cores[i] * 0.9, 0.1);
	*a = (struct sd_analysis){.n_point = 4, .scales = SD_SCALES_NO, .states = 1};
	a->point = make_zeroed(4, sizeof *a->point);
	for (size_t i = 0; i < 4; i++) {
		a->point[i] = make_point(cores[i], wall[i], half[i], wall[0]);
		a->point[i].stack[SD_COMPONENT_USEFUL] = a->point[i].speedup;
		a->point[i].stack[SD_COMPONENT_UNACCOUNTED] =
			make_half(cores[i] - a->point[i].speedup.value, 0.02);
	}
	stack = a->point[3].stack;
	stack[SD_COMPONENT_CPI_BANDWIDTH] = make_interval(3.72, 3.55, 3.86);
	stack[SD_COMPONENT_SERIAL] = make_half(1.21, 0.06);
	stack[SD_COMPONENT_DISK] = make_interval(0, 0, 0);
	stack[SD_COMPONENT_LOCK] = make_interval(0.001, 0, 0.002);
	stack[SD_COMPONENT_SYSTEM] = make_half(-0.11, 0.02);
	stack[SD_COMPONENT_UNACCOUNTED] = make_half(0.49, 0.2);
	stack[SD_COMPONENT_UNACCOUNTED].value =
		8 - stack[SD_COMPONENT_USEFUL].value - stack[SD_COMPONENT_CPI_BANDWIDTH].value -
		stack[SD_COMPONENT_SERIAL].value - stack[SD_COMPONENT_LOCK].value -
		stack[SD_COMPONENT_SYSTEM].value;
	a->point[3].shown = make_zeroed(1, sizeof *a->point[3].shown);
	a->point[3].n_shown = 1;
	a->point[3].shown[0] = (struct sd_shown){.name = "bandwidth",
		.unit = "GB/s",
		.value = make_interval(38.2, 37.9, 38.4),
		.source = "derived"};
	a->point[1].karp_flatt = make_half(0.0764, 0.01);
	make_findings(a, SD_VERDICT_RULED_OUT);
	f = make_first(a, 0, SD_CAUSE_MEMORY_BANDWIDTH, SD_VERDICT_CONFIRMED);
	f->cores = stack[SD_COMPONENT_CPI_BANDWIDTH];
	f->share = make_interval(0.465, 0.44, 0.48);
	f->worth = make_half(2.1, 0.1);
	sd_texts_add(&f->evidence, "8 cores ask for 61 GB/s and get 38.2 GB/s; this node's ceiling "
				   "is 38.9 GB/s (triad). 4 cores already fill it.");
	sd_texts_add(&f->evidence,
		"8 independent copies slow down as much (R = 0.39 ±0.01): shared "
		"hardware, not shared data.");
	sd_texts_add(&f->advice, "block the loop for the LLC; non-temporal stores in relax(): it "
				 "reads every line it only writes");
	f->where = make_zeroed(1, sizeof *f->where);
	f->n_where = 1;
	f->where[0] = (struct sd_where){.function = strdup("relax()"),
		.file = strdup("stencil.c"),
		.line = 88,
		.share = 0.71};
	f = make_first(a, 1, SD_CAUSE_SERIAL_CODE, SD_VERDICT_LIKELY);
	f->cores = stack[SD_COMPONENT_SERIAL];
	f->share = make_interval(0.151, 0.14, 0.16);
	sd_texts_add(&f->evidence, "one thread ran alone for 0.67 s (±0.03 s) of 3.88 s");
	f->next = strdup("scalediag report --format json");
	f = make_first(a, 2, SD_CAUSE_NUMA, SD_VERDICT_NOT_MEASURABLE);
	sd_texts_add(&f->evidence, "no PMU");
	f->next = strdup("scalediag doctor");
	f = make_first(a, 3, SD_CAUSE_DTLB, SD_VERDICT_NOT_MEASURABLE);
	sd_texts_add(&f->evidence, "no PMU");
	f->next = strdup("scalediag doctor");
	f = make_first(a, 4, SD_CAUSE_MPI, SD_VERDICT_NOT_MEASURABLE);
	sd_texts_add(&f->evidence, "the program does not use MPI here");
	a->fits.amdahl_serial = SD_OK(0.23);
	a->outlook = (struct sd_outlook){.last = 8,
		.points = 4,
		.stops = 4,
		.stops_low = 4,
		.stops_high = 8,
		.stops_known = 8,
		.n_count = 1};
	a->outlook.count = make_zeroed(1, sizeof *a->outlook.count);
	a->outlook.count[0] = (struct sd_predicted){
		.cores = 16, .speedup = make_interval(2.7, 2.6, 2.9), .beyond = 1};
	sd_texts_add(&a->outlook.basis, "no more memory bandwidth than the calibrated ceiling");
	a->lost = make_half(8 - a->point[3].speedup.value, 0.05);
	a->bootstraps = 2000;
	a->smallest = SD_OK(0.021);
	a->drift = SD_OK(-0.004);
	a->noise = SD_OK(0.003);
}

/* A program that scales, on two CPUs. */
static inline void make_scaling(struct sd_record *r, struct sd_analysis *a)
{
	static const unsigned cores[] = {1, 2};

	make_record(r, cores, 2);
	r->host.pmu = SD_STATUS_DENIED;
	make_run(r, 0, 0.0201, 0.02, 0);
	make_run(r, 1, 0.01015, 0.02, 0);
	*a = (struct sd_analysis){.n_point = 2, .scales = SD_SCALES_YES, .states = 1};
	a->point = make_zeroed(2, sizeof *a->point);
	a->point[0] = make_point(1, 0.0201, 0.0001, 0.0201);
	a->point[1] = make_point(2, 0.01015, 0.0001, 0.0201);
	a->point[1].stack[SD_COMPONENT_USEFUL] = a->point[1].speedup;
	a->point[1].stack[SD_COMPONENT_UNACCOUNTED] =
		make_half(2 - a->point[1].speedup.value, 0.005);
	make_findings(a, SD_VERDICT_RULED_OUT);
	a->bootstraps = 2000;
	a->smallest = SD_OK(0.01);
}

/* Everything at once that a reader must be told, in strings that try to harm the terminal. */
static inline void make_hostile(struct sd_record *r, struct sd_analysis *a)
{
	struct sd_finding *f;

	make_stencil(r, a);
	r->complete = 0;
	sd_texts_add(&r->program.argv, "\033]0;owned\007\033[2J");
	sd_texts_add(&r->program.argv, "caf\xe9 \xc2\x9b"
				       "31m \xe2\x80\xae"
				       "txt.exe");
	sd_texts_add(&r->warnings, "a thread left its CPUs\nWarning: forged");
	sd_texts_add(&a->warnings, "only 1 run at 8 cores: no interval, no verdict");
	sd_texts_add(&a->warnings, "a thread left its CPUs\nWarning: forged");
	f = &a->finding[0];
	free(f->where[0].function);
	f->where[0].function = strdup("evil\033[31m()\r");
	f->next = strdup("echo '\033[8m'");
	a->point[3].runs = 1;
	a->point[2].runs_other = 2;
	a->states = 2;
	a->state_line[0] = SD_OK(55e-9);
	a->state_line[1] = SD_OK(250e-9);
	a->point[3].stack[SD_COMPONENT_GROWTH] = a->point[3].stack[SD_COMPONENT_CPI_BANDWIDTH];
	a->point[3].stack[SD_COMPONENT_CPI_BANDWIDTH] =
		(struct sd_interval){.status = SD_STATUS_ABSENT};
	a->point[1].speedup = (struct sd_interval){
		.status = SD_STATUS_NOISY, .value = 1.86, .low = 1.8, .high = 1.9};
	a->point[1].parallelism = (struct sd_interval){.status = SD_STATUS_DENIED};
	f = make_first(a, 2, SD_CAUSE_LLC_CAPACITY, SD_VERDICT_POSSIBLE);
	sd_texts_add(&f->evidence, "user time grows by 28.3 %%: undecided");
	f->next = strdup("run 8 copies at once");
	f = make_first(a, 3, SD_CAUSE_FALSE_SHARING, SD_VERDICT_POSSIBLE);
	sd_texts_add(&f->evidence, "user time grows by 28.3 %%: undecided");
	f->next = strdup("run 8 copies at once");
	f = make_first(a, 4, SD_CAUSE_ALLOCATOR, SD_VERDICT_POSSIBLE);
	sd_texts_add(&f->evidence, "user time grows by 28.3 %%: undecided");
	f->next = strdup("measure with another allocator");
	a->undecided = SD_OK(3.72);
	a->fits = (struct sd_fits){.usl_alpha = SD_OK(0.0277285),
		.usl_beta = SD_OK(0.000104365),
		.usl_gamma = SD_OK(0.99),
		.usl_peak = SD_OK(96.52),
		.usl_limit = SD_OK(35.7)};
	a->scales = SD_SCALES_UNKNOWN;
}

/* The text that sd_report_* wrote; a fresh string. */
#define make_report(call)                                   \
	__extension__({                                     \
		char *text_ = NULL;                         \
		size_t size_ = 0;                           \
		FILE *out = open_memstream(&text_, &size_); \
		assert_int_equal((call), 0);                \
		fclose(out);                                \
		text_;                                      \
	})

/*
 * Compares with tests/fixtures/reports/NAME. With SD_GOLDEN=write in the environment the file is
 * written instead: look at the difference before it is committed.
 */
static inline void check_golden(const char *name, const char *text)
{
	const char *const write = getenv("SD_GOLDEN");
	char path[128], *wanted;
	size_t n;
	FILE *f;

	snprintf(path, sizeof path, "tests/fixtures/reports/%s", name);
	if (write && strcmp(write, "write") == 0) {
		f = fopen(path, "w");
		assert_non_null(f);
		assert_true(fputs(text, f) >= 0);
		assert_int_equal(fclose(f), 0);
		return;
	}
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s is not there; run the tests from the top folder", path);
	wanted = make_zeroed(1 << 20, 1);
	n = fread(wanted, 1, (1 << 20) - 1, f);
	fclose(f);
	if (strlen(text) != n || memcmp(wanted, text, n) != 0)
		fail_msg("%s differs from this:\n%s", path, text);
	free(wanted);
}

/* Two metrics in two functions; the second metric's samples have skid unless it is precise. */
static inline void make_events(struct sd_analysis *a, int precise)
{
	struct sd_event_hotspots *const h = &a->events;

	*h = (struct sd_event_hotspots){.cores = 8,
		.why = "",
		.metric = calloc(2, sizeof *h->metric),
		.n_metric = 2,
		.row = calloc(2, sizeof *h->row),
		.n_row = 2};
	assert_true(h->metric && h->row);
	h->metric[0] = (struct sd_event_metric){
		"cpi", "cycles/instruction", "cycles of an instruction", 1000, 2000003, 1};
	h->metric[1] = (struct sd_event_metric){
		"hitm-per-1000", "1/1000 instructions", "lines", 50, 20011, precise};
	for (size_t i = 0; i < 2; i++) {
		struct sd_event_row *const r = &h->row[i];

		r->at = calloc(1, sizeof *r->at);
		r->cell = calloc(2, sizeof *r->cell);
		assert_true(r->at && r->cell);
		r->at->function = strdup(i ? "reduce()" : "increment()");
		r->at->file = strdup("/src/count.c");
		r->at->line = i ? 30 : 12;
		r->cell[0] = (struct sd_event_cell){
			i ? 80 : 920, i ? .08 : .92, make_half(i ? .5 : 4.25, .2), i == 0};
		r->cell[1] = (struct sd_event_cell){
			i ? 5 : 45, i ? .1 : .9, {.status = SD_STATUS_ABSENT}, 0};
	}
}

#endif
