#include "calibration/bench_sections.h"

#include <stdio.h>
#include <string.h>

#include "calibration/bench_table.h"

#define FIXED 8u
#define COLUMNS 5u

/* A line of a table, and what is asked of its rows: words of the variant, and cores. */
struct line {
	const char *words, *name;
	enum sd_scale scale; /* instead of the columns' */
};

enum counts {
	ANY,    /* the count of the line, or any */
	ALONE,  /* one core */
	EACH,   /* a column each count */
	LARGEST /* the largest count, where it is more than one */
};

struct column {
	const char *over, *head; /* `head` NULL: the count, in words where nothing stands over it */
	const char *key;   /* the word of the line's rows; "unit": their unit; NULL: a number */
	const char *words; /* of the number, beside those of the line */
	const char *each;  /* a column each value of this key */
	enum counts counts;
	enum sd_scale scale;
};

/* Lines that have no number at all are left out; these have to have more to be a line. */
enum need { NOTHING, ROW, NUMBER /* in the first column of numbers */ };

struct table {
	const char *kernel, *title;
	/* a line each value of `each`, of `within` in each of them, with these words; then the
	 * fixed ones: one each, or one each count of cores */
	const char *each, *within, *words;
	struct line line[FIXED];
	int by_counts, stateless;
	enum need need;
	struct column column[COLUMNS];
	const char *heading; /* where no line is printed but some were tried */
	const char *note;    /* below all tables of the kernel */
	void (*after)(struct sd_page *g, const struct sd_profile *p, int state, size_t shown);
};

static void put_rates(struct sd_page *g, const struct sd_profile *p, int state, size_t shown)
{
	char timer[SD_BENCH_WORDS][SD_BENCH_WORD], rate[SD_TABLE_TEXT];
	const size_t n = sd_bench_words(p, "timers", "timer", timer, SD_BENCH_WORDS);

	(void)shown;
	for (size_t i = 0; i < n; i++) {
		const struct sd_bench_row *const r =
			sd_bench_row_of(p, "timers", 0, state, "timer=%s quantity=rate", timer[i]);

		sd_bench_cell(r, SD_SCALE_RATE, rate, sizeof rate);
		if (r && sd_bench_row_has(r))
			sd_page_wrap_tone(
				g, SD_TONE_DIM, "  ", 2, "%s counts at %s", timer[i], rate);
	}
}

/* Puts the way that the data took to the disk. */
static void put_path(struct sd_page *g, const struct sd_profile *p, int state, size_t shown)
{
	static const struct line path[] = {
		{"path=direct", "past the page cache", 0},
		{"path=page-cache", "through the page cache", 0},
		{"path=memory", "a file system in memory: no disk", 0},
	};

	for (size_t i = 0; shown && i < sizeof path / sizeof *path; i++) {
		const struct sd_bench_row *const r =
			sd_bench_row_of(p, "disk", 0, state, "%s", path[i].words);

		if (r && sd_bench_row_has(r))
			sd_page_put(g, SD_TONE_DIM, "  %s\n", path[i].name);
	}
}

#define LOCKS "Locks: million acquisitions a second over threads, "

/* clang-format off */
#define UNIT {.head = "unit", .key = "unit"}
static const struct table tables[] = {
	{.kernel = "sharing", .title = "False sharing: an increment of the thread's own counter",
		.line = {
			{"op=increment layout=one-line", "counter++, on one line", 0},
			{"op=increment layout=neighbour-lines", "on neighbouring lines", 0},
			{"op=increment layout=padded", "padded", 0},
			{"op=increment layout=one-line/padded", "one line / padded", 0},
			{"op=atomic-add layout=one-line", "atomic add, on one line", 0},
			{"op=atomic-add layout=neighbour-lines", "on neighbouring lines", 0},
			{"op=atomic-add layout=padded", "padded", 0},
			{"op=atomic-add layout=one-line/padded", "one line / padded", 0}},
		.column = {{.head = "counters"}, UNIT, {.words = "", .counts = EACH}}},
	{.kernel = "locks", .title = LOCKS "nothing inside or outside",
		.each = "lock", .words = "inside=0ns outside=0ns",
		.column = {{.head = ""}, {.over = "alone", .head = "ns", .words = "quantity=cost", .counts = ALONE},
			{.over = "threads", .words = "quantity=throughput", .counts = EACH, .scale = SD_SCALE_MEGA},
			{.over = "min/max", .words = "quantity=min/max", .counts = LARGEST}},
		.note = "min/max: the slowest thread's share of the fastest one's; 1 is fair"},
	{.kernel = "locks", .title = LOCKS "100 ns inside, 400 ns outside",
		.each = "lock", .words = "inside=100ns outside=400ns",
		.column = {{.head = ""},
			{.over = "threads", .words = "quantity=throughput", .counts = EACH, .scale = SD_SCALE_MEGA},
			{.over = "min/max", .words = "quantity=min/max", .counts = LARGEST}}},
	{.kernel = "tlb", .title = "Data TLB: entries of each level, and ns that a miss of it adds",
		.each = "pages", .within = "level", .words = "", .stateless = 1, .need = NUMBER,
		.column = {{.head = "pages"}, {.head = "level", .key = "level"},
			{.head = "entries", .words = "quantity=reach", .scale = SD_SCALE_WHOLE},
			{.head = "miss, ns", .words = "quantity=miss"}},
		.heading = "Data TLB", .after = sd_bench_plot_tlb},
	{.kernel = "pages", .title = "Pages: one load of a line in each 4 KiB of 16 MiB",
		.each = "pages", .words = "access=line-a-4KiB",
		.line = {{"quantity=extra/first-cache", "huge, 64 KiB apart", 0}},
		.column = {{.head = "pages"}, UNIT, {.head = "median", .words = ""}},
		.note = "64 KiB apart: in loads of the first cache; 1 when a TLB entry holds a huge page whole, "
			"more when the hypervisor put it on small ones"},
	{.kernel = "openmp", .title = "OpenMP: us a construct, by how threads wait", .by_counts = 1,
		.line = {
			{"construct=barrier quantity=time", "barrier", SD_SCALE_MICRO},
			{"construct=parallel-for quantity=time", "parallel for", SD_SCALE_MICRO},
			{"construct=reduction quantity=time", "reduction", SD_SCALE_MICRO},
			{"construct=barrier quantity=sleeps", "sleeps a barrier", 0}},
		.column = {{.head = ""}, {.words = "", .each = "wait"}}},
	{.kernel = "frequency", .title = "Clock: a chain of additions, one core cycle each", .by_counts = 1,
		.line = {{"", "", 0}},
		.column = {{.head = "busy"}, {.head = "ns an add", .words = "quantity=time"},
			{.over = "clock, by that of", .head = "one core alone", .words = "quantity=clock/alone"}}},
	{.kernel = "timers", .title = "Timers: what a call costs, and the smallest step it shows",
		.each = "timer", .within = "clock", .words = "", .need = ROW,
		.column = {{.head = "call"}, {.head = "clock", .key = "clock"}, {.head = "source", .key = "source"},
			{.head = "cost", .words = "quantity=cost", .scale = SD_SCALE_TIME},
			{.head = "resolution", .words = "quantity=resolution", .scale = SD_SCALE_TIME}},
		.after = put_rates},
	{.kernel = "disk", .title = "Disk: sequential transfer, and how long data take to be safe",
		.each = "op", .words = "", .stateless = 1, .need = NUMBER,
		.column = {{.head = ""}, {.head = "block", .key = "block"}, UNIT,
			{.head = "median", .words = ""}},
		.heading = "Disk", .after = put_path},
};
/* clang-format on */

/* A column that stands in the table. */
struct asked {
	const struct column *column;
	char head[SD_TABLE_TEXT], words[96];
	unsigned cores;
};

static void ask(struct asked *to, size_t *n, const struct column *c, const char *key,
	const char *value, unsigned cores)
{
	struct asked *const a = &to[*n];

	if (*n == SD_TABLE_COLUMNS)
		return;
	*a = (struct asked){.column = c, .cores = cores};
	snprintf(a->words, sizeof a->words, "%s%s%s %s", key, *key ? "=" : "", value,
		c->words ? c->words : "");
	if (*key || c->head)
		snprintf(a->head, sizeof a->head, "%s", *key ? value : c->head);
	else if (c->over)
		snprintf(a->head, sizeof a->head, "%u", cores);
	else
		sd_bench_cores(cores, a->head, sizeof a->head);
	++*n;
}

static size_t ask_all(const struct sd_profile *p, const struct table *x, struct asked *to)
{
	char value[SD_BENCH_WORDS][SD_BENCH_WORD];
	unsigned count[SD_BENCH_COUNTS];
	const size_t n_count = sd_profile_counts(p, x->kernel, count, SD_BENCH_COUNTS);
	size_t n = 0, n_value;

	for (const struct column *c = x->column; c < x->column + COLUMNS; c++) {
		n_value =
			c->each ? sd_bench_words(p, x->kernel, c->each, value, SD_BENCH_WORDS) : 0;
		for (size_t i = 0; i < n_value; i++)
			ask(to, &n, c, c->each, value[i], 0);
		for (size_t i = 0; c->counts == EACH && i < n_count; i++)
			ask(to, &n, c, "", "", count[i]);
		if (c->counts == LARGEST && n_count && count[n_count - 1] > 1)
			ask(to, &n, c, "", "", count[n_count - 1]);
		if (!c->each && c->counts <= ALONE && (c->head || c->words))
			ask(to, &n, c, "", "", c->counts == ALONE);
	}
	return n;
}

/* A table while it is filled. */
struct filled {
	struct sd_table t;
	const struct sd_profile *p;
	const struct table *of;
	struct asked asked[SD_TABLE_COLUMNS];
	size_t n_asked;
	int state;
};

static const struct sd_bench_row *row_of(
	const struct filled *f, const struct asked *a, const char *words, unsigned cores)
{
	return sd_bench_row_of(f->p, f->of->kernel, a && a->cores ? a->cores : cores, f->state,
		"%s %s", words, a ? a->words : "");
}

static int is_line(const struct filled *f, const char *words)
{
	const struct sd_bench_row *r = row_of(f, NULL, words, 0);

	for (size_t i = 0; f->of->need == NUMBER && i < f->n_asked; i++)
		if (f->asked[i].column->words) {
			r = row_of(f, &f->asked[i], words, 0);
			return r && sd_bench_row_has(r);
		}
	return f->of->need == NOTHING || r;
}

static void put_line(
	struct filled *f, const char *words, const char *name, unsigned cores, enum sd_scale scale)
{
	const struct sd_bench_row *const any = row_of(f, NULL, words, 0);

	if (!is_line(f, words))
		return;
	sd_table_line(&f->t, "%s", name);
	for (size_t i = 1; i < f->n_asked; i++) {
		const struct column *const c = f->asked[i].column;
		char text[SD_BENCH_WORD] = "";

		if (!c->key) {
			sd_table_value(&f->t, row_of(f, &f->asked[i], words, cores),
				scale ? scale : c->scale);
			continue;
		}
		if (any && strcmp(c->key, "unit") != 0)
			sd_bench_row_key(any, c->key, text, sizeof text);
		sd_table_text(&f->t, "%s", any && !*text ? any->unit : text);
	}
}

/* Puts each value of a key, and in it each value of the second one; 1 when there is any. */
static int put_each(struct filled *f)
{
	const struct table *const x = f->of;
	char value[SD_BENCH_WORDS][SD_BENCH_WORD], within[SD_BENCH_WORDS][SD_BENCH_WORD] = {""};
	const size_t n = x->each ? sd_bench_words(f->p, x->kernel, x->each, value, SD_BENCH_WORDS)
				 : 0,
		     n_within = x->within ? sd_bench_words(f->p, x->kernel, x->within, within,
						    SD_BENCH_WORDS)
					  : 1;
	char words[160];

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n_within; k++) {
			snprintf(words, sizeof words, "%s=%s %s%s%s %s", x->each, value[i],
				x->within ? x->within : "", x->within ? "=" : "", within[k],
				x->words);
			put_line(f, words, value[i], 0, 0);
		}
	return n > 0;
}

static void put_fixed(struct filled *f)
{
	const struct line *const line = f->of->line;
	unsigned count[SD_BENCH_COUNTS] = {0};
	const size_t n = f->of->by_counts
				 ? sd_profile_counts(f->p, f->of->kernel, count, SD_BENCH_COUNTS)
				 : 1;
	char cores[24] = "", name[64];

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < FIXED && line[k].name; k++) {
			if (count[i])
				sd_bench_cores(count[i], cores, sizeof cores);
			snprintf(name, sizeof name, "%s%s%s", line[k].name,
				*cores && *line[k].name ? ", " : "", cores);
			put_line(f, line[k].words, name, count[i], line[k].scale);
		}
}

/* The lines that are printed. */
static size_t put_table(
	struct sd_page *g, const struct sd_profile *p, const struct table *x, unsigned s)
{
	struct filled f = {
		.p = p, .of = x, .state = x->stateless ? SD_PICK_ANY_STATE : sd_bench_state(p, s)};
	const struct column *last = NULL;
	size_t shown;
	int tried;

	sd_table_begin(&f.t, g, "%s%s", x->title, x->stateless ? "" : sd_bench_state_title(p, s));
	f.n_asked = ask_all(p, x, f.asked);
	for (size_t i = 0; i < f.n_asked; last = f.asked[i++].column) {
		const char *const over = f.asked[i].column->over;

		sd_table_column(
			&f.t, over && f.asked[i].column != last ? over : "", "%s", f.asked[i].head);
	}
	tried = put_each(&f);
	put_fixed(&f);
	shown = sd_table_end(&f.t);
	if (!shown && tried && x->heading)
		sd_page_put(g, SD_TONE_BOLD, "\n%s\n", x->heading);
	if (x->after)
		x->after(g, p, f.state, shown);
	return shown;
}

void sd_bench_section_tables(
	struct sd_page *g, const struct sd_profile *p, const char *kernel, int all)
{
	const char *note = NULL;
	size_t shown = 0;

	for (unsigned s = 0; s < sd_bench_states(p); s++)
		for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
			if (strcmp(tables[i].kernel, kernel) == 0 && (!s || !tables[i].stateless)) {
				shown += put_table(g, p, &tables[i], s);
				note = note ? note : tables[i].note;
			}
	if (shown && note)
		sd_page_wrap_tone(g, SD_TONE_DIM, "  ", 2, "%s", note);
	sd_bench_section_end(g, p, kernel, all);
}
