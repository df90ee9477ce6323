#include "calibration/bench_sections.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibration/bench_table.h"
#include "page/plot.h"

#define MOST UINT_MAX /* the most cores that the kernel was measured on */
#define ITEMS 4
#define LABEL 22u

/* A number of the summary: where it stands, and the words around it. */
struct item {
	const char *kernel; /* NULL: any */
	const char *words, *unit;
	unsigned cores; /* 0: any, and not worth a word */
	enum sd_pick pick;
	enum sd_scale scale;
	const char *before, *after;
	const char *keys; /* the values of these keys of the variant are written behind it */
};

struct line {
	const char *label; /* "%" stands for the value of `each` */
	const char *each;  /* one line for each value of this key of the first item's kernel */
	int visible_llc;   /* what the machine shows is written behind it */
	struct item item[ITEMS];
	const char *means; /* for a program, on the first screen; NULL: the line is not on it */
};

#define BARE "inside=0ns outside=0ns"

/* clang-format off */
#define ALONE(k, w, s, before, after) {k, w, NULL, 0, SD_PICK_FIRST, s, before, after, NULL}
#define ON(n, k, w, s, before, after) {k, w, NULL, n, SD_PICK_FIRST, s, before, after, NULL}
#define LEVEL(name) {"latency", "level=" name, "ns", 0, SD_PICK_FIRST, 0, name " ", " ns", NULL}
#define BEST(n) {"ceiling", "", NULL, n, SD_PICK_FIRST, 0, NULL, " GB/s", "op stores"}
#define ALLOCATED(n) {NULL, "bytes=allocated", "GB/s", n, SD_PICK_MOST, 0, NULL, " GB/s", NULL}
#define PAIR(pick, name) {"transfer", "op=load-store line=median", NULL, 0, pick, 0, name, " ns", NULL}
#define TLB(w, s, before, after) ALONE("tlb", w, s, before, after)
static const struct line lines[] = {
	{"memory bandwidth", NULL, 0, {BEST(1), BEST(MOST)},
		"loops over arrays larger than the cache share it: cores beyond it bring nothing"},
	{"with write-allocate", NULL, 0, {ALLOCATED(1), ALLOCATED(MOST)}, NULL},
	{"latency, % pages", "pages", 0, {LEVEL("L1"), LEVEL("L2"), LEVEL("LLC"), LEVEL("DRAM")},
		"what a load costs whose address depends on the load before, as in lists and trees"},
	{"last-level cache", NULL, 1, {ALONE("latency", "effective=LLC", SD_SCALE_BYTES, "effective ", NULL)},
		"all cores together: data that is used again should fit into a core's share"},
	{"line round trip", NULL, 0, {PAIR(SD_PICK_LEAST, "near "), PAIR(SD_PICK_MOST, "far ")},
		"what each turn costs when two cores write one cache line"},
	{"data TLB, % pages", "pages", 0, {
		TLB("level=1 quantity=reach", SD_SCALE_WHOLE, NULL, " entries"),
		TLB("level=1 quantity=miss", 0, "a miss +", " ns"),
		TLB("level=2 quantity=reach", SD_SCALE_WHOLE, "then ", " entries"),
		TLB("level=2 quantity=miss", 0, "a miss +", " ns")}, NULL},
	{"mutex", NULL, 0, {
		ALONE("locks", "lock=mutex quantity=cost " BARE, 0, "alone ", " ns"),
		ON(MOST, "locks", "lock=mutex quantity=throughput " BARE, SD_SCALE_MEGA, NULL, " M/s")},
		"critical sections a second, of all cores together, if they were empty"},
	{"atomic add", NULL, 0, {
		ALONE("locks", "lock=atomic-add quantity=cost " BARE, 0, "alone ", " ns"),
		ON(MOST, "locks", "lock=atomic-add quantity=throughput " BARE, SD_SCALE_MEGA, NULL, " M/s")}, NULL},
	{"false sharing costs", NULL, 0, {
		ON(MOST, "sharing", "op=atomic-add layout=one-line/padded", 0, "atomic add ", "x"),
		ON(MOST, "sharing", "op=increment layout=one-line/padded", 0, "counter++ ", "x")},
		"how much longer counters take that lie in one line, not in lines of their own"},
	{"OpenMP barrier", NULL, 0, {
		ON(MOST, "openmp", "wait=default construct=barrier quantity=time", SD_SCALE_TIME, "", NULL),
		ON(MOST, "openmp", "wait=passive construct=barrier quantity=time", SD_SCALE_TIME,
			"waiting passively ", NULL)},
		"what each parallel loop costs beside its work: give it a hundred times that"},
	{"clock all / one busy", NULL, 0, {ON(MOST, "frequency", "quantity=clock/alone", 0, NULL, "x")}, NULL},
	{"clock_gettime", NULL, 0, {{"timers", "timer=clock_gettime clock=monotonic quantity=cost", NULL, 0,
		SD_PICK_FIRST, SD_SCALE_TIME, NULL, NULL, "source"}}, NULL},
	{"disk", NULL, 0, {
		ALONE("disk", "op=write", 0, "write ", " GB/s"),
		ALONE("disk", "op=read", 0, "read ", " GB/s"),
		ALONE("disk", "op=fsync", 0, "fsync ", " ms")}, NULL},
};
/* clang-format on */

static unsigned most_cores(const struct sd_profile *p, const char *kernel)
{
	unsigned most = 0;

	for (size_t i = 0; i < p->rows.n; i++)
		if (p->rows.row[i].cores > most && strcmp(p->rows.row[i].kernel, kernel) == 0)
			most = p->rows.row[i].cores;
	return most;
}

/* The row of an item; NULL when nobody tried, or when "all cores" is the one core again. */
static const struct sd_bench_row *pick(
	const struct sd_profile *p, const struct item *i, const char *each, int state)
{
	struct sd_pick_query q = {.kernel = i->kernel,
		.unit = i->unit,
		.cores = i->cores,
		.state = state,
		.pick = i->pick};
	char words[160];

	snprintf(words, sizeof words, "%s %s", i->words, each);
	q.words = words;
	if (i->cores == MOST) {
		q.cores = most_cores(p, i->kernel ? i->kernel : "ceiling");
		if (q.cores < 2)
			return NULL;
	}
	return sd_profile_pick(p, &q);
}

/* A line of the summary while it is put together. */
struct text {
	FILE *f;
	size_t items, numbers;
	unsigned cores;  /* said last */
	const char *why; /* the first reason for a missing number; NULL none */
};

static void put_keys(FILE *f, const struct sd_bench_row *r, const char *keys)
{
	char key[SD_BENCH_WORD], word[SD_BENCH_WORD];
	const char *between = " (";

	while (*keys) {
		const size_t n = strcspn(keys, " ");

		snprintf(key, sizeof key, "%.*s", (int)n, keys);
		if (sd_bench_row_key(r, key, word, sizeof word) == 0) {
			fprintf(f, "%s%s", between, word);
			between = " ";
		}
		keys += n + strspn(keys + n, " ");
	}
	if (between[1] == '\0')
		fputc(')', f);
}

static void put_item(
	struct text *t, const struct sd_bench_row *r, const struct item *i, const char *before)
{
	char number[SD_TABLE_TEXT], cores[24];

	fputs(t->items++ ? " · " : "", t->f);
	if (i->cores && t->cores != r->cores) {
		sd_bench_cores(r->cores, cores, sizeof cores);
		fprintf(t->f, "%s ", cores);
		t->cores = r->cores;
	}
	fputs(before ? before : "", t->f);
	if (!sd_bench_row_has(r)) {
		t->why = t->why ? t->why : r->why;
		fputs(r->status == SD_STATUS_NOISY ? "noisy" : "not known", t->f);
		return;
	}
	sd_bench_scaled(r->median, i->scale, number, sizeof number);
	fprintf(t->f, "%s%s%s", number, i->after ? i->after : "",
		r->status == SD_STATUS_NOISY ? "?" : "");
	if (i->keys)
		put_keys(t->f, r, i->keys);
	t->numbers++;
}

static void put_items(struct text *t, const struct sd_profile *p, const struct line *l,
	const char *each, int state)
{
	const struct sd_bench_row *before = NULL;
	char llc[32];

	for (int i = 0; i < ITEMS && l->item[i].words; i++) {
		const struct item *const item = &l->item[i];
		const struct sd_bench_row *r = pick(p, item, each, state);
		/* near and far are one where there is one distance */
		const int is_only = item->pick == SD_PICK_LEAST && i + 1 < ITEMS &&
				    pick(p, item + 1, each, state) == r;

		if (r && r != before)
			put_item(t, r, item, is_only ? NULL : item->before);
		before = r;
	}
	if (l->visible_llc && t->items > 0 && sd_has(p->visible_llc)) {
		sd_plot_bytes(p->visible_llc.value, llc, sizeof llc);
		fprintf(t->f, "%s%s visible", t->items++ ? " · " : "", llc);
		t->numbers++;
	}
}

static void put_text(struct sd_page *g, const struct text *t, const char *label, const char *text)
{
	char first[80];

	snprintf(first, sizeof first, "  %-*s", (int)LABEL, label);
	if (t->numbers > 0)
		sd_page_wrap(g, first, LABEL + 2, "%s", text);
	else if (t->items > 0)
		sd_page_wrap_tone(g, SD_TONE_DOUBT, first, LABEL + 2, "not known: %s",
			t->why && t->why[0] ? t->why : text);
}

/* 1, or 0 when nobody tried. */
static size_t put_line(struct sd_page *g, const struct sd_profile *p, const struct line *l,
	const char *value, int state)
{
	const int head = (int)strcspn(l->label, "%");
	char label[64], each[80] = "", *text = NULL;
	size_t size = 0;
	struct text t = {.f = open_memstream(&text, &size)};

	if (!t.f) {
		g->failed = 1;
		return 0;
	}
	if (l->each)
		snprintf(each, sizeof each, "%s=%s", l->each, value);
	snprintf(label, sizeof label, "%.*s%s%s", head, l->label, value,
		l->label[head] ? l->label + head + 1 : "");
	put_items(&t, p, l, each, state);
	if (fclose(t.f) != 0)
		g->failed = 1;
	else
		put_text(g, &t, label, text);
	free(text);
	return t.items > 0;
}

/* A core's TLB and a disk know nothing of the machine's state. */
static int is_stateless(const char *kernel)
{
	return kernel && (strcmp(kernel, "tlb") == 0 || strcmp(kernel, "disk") == 0);
}

/* How many lines. `brief`: those of the first screen, with what they mean. */
static size_t put_lines(
	struct sd_page *g, const struct sd_profile *p, int state, int is_main, int brief)
{
	size_t put = 0;

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		char value[SD_BENCH_WORDS][SD_BENCH_WORD];
		const size_t n = lines[i].each ? sd_bench_words(p, lines[i].item[0].kernel,
							 lines[i].each, value, SD_BENCH_WORDS)
					       : 0;
		const int stateless = is_stateless(lines[i].item[0].kernel),
			  at = stateless ? SD_PICK_ANY_STATE : state;

		size_t here = 0;

		if ((stateless && !is_main) || (brief && !lines[i].means))
			continue;
		if (!lines[i].each)
			here += put_line(g, p, &lines[i], "", at);
		for (size_t k = 0; k < n; k++)
			here += put_line(g, p, &lines[i], value[k], at);
		if (brief && here)
			sd_page_wrap_tone(g, SD_TONE_DIM, "    ", 4, "%s", lines[i].means);
		put += here;
	}
	return put;
}

void sd_bench_section_first_screen(struct sd_page *g, const struct sd_profile *p)
{
	const unsigned s = sd_profile_main_state(p);

	if (put_lines(g, p, sd_bench_state(p, s), 1, 1) == 0)
		sd_page_wrap_tone(g, SD_TONE_DOUBT, "  ", 2, "none of the usual ceilings came out");
}

void sd_bench_section_summary(struct sd_page *g, const struct sd_profile *p)
{
	for (unsigned s = 0; p->rows.n > 0 && s < sd_bench_states(p); s++) {
		sd_page_put(g, SD_TONE_BOLD, "\nIn short%s\n", sd_bench_state_title(p, s));
		if (put_lines(g, p, sd_bench_state(p, s), s == sd_profile_main_state(p), 0) == 0)
			sd_page_wrap_tone(g, SD_TONE_DOUBT, "  ", 2,
				"no such number came out in this state: it did not last long enough");
	}
}
