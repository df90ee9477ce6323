#include "comparison/comparison_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "facts/fact_table.h"
#include "page/interval_text.h"

/* An interval of ratios, its ends this far apart, says nothing of a small change. */
#define WIDE 1.2

char *sd_comparison_sentence(const struct sd_comparison *c)
{
	const struct sd_compared_point *p = c->n_point ? &c->point[c->n_point - 1] : NULL;
	const char *const plural = p && p->cores == 1 ? "" : "s";
	const char *const by = c->work > 0 ? ", by throughput" : "";
	char *out = NULL;
	int n;

	if (!p || !sd_status_measured(p->gain))
		n = asprintf(&out, "No core count was timed in both records");
	else if (c->same_runs)
		n = asprintf(&out, "No difference: both records hold the same runs");
	else if (p->time == SD_CHANGE_UNKNOWN)
		n = asprintf(&out,
			"%.3fx at %u core%s, but one run has no interval: nothing can be said",
			p->gain.value, p->cores, plural);
	else if (p->time == SD_CHANGE_NOISE && p->gain.high > WIDE * p->gain.low)
		n = asprintf(&out,
			"Inconclusive at %u core%s: %.2fx %s, but the runs vary too much to tell (95 "
			"%%: %.2f to %.2f)%s",
			p->cores, plural, p->gain.value < 1 ? 1 / p->gain.value : p->gain.value,
			p->gain.value < 1 ? "slower" : "faster", p->gain.low, p->gain.high, by);
	else if (p->time == SD_CHANGE_NOISE)
		n = asprintf(&out,
			"No difference beyond noise at %u core%s: %.3fx (95 %%: %.3f to %.3f)%s",
			p->cores, plural, p->gain.value, p->gain.low, p->gain.high, by);
	else if (p->time == SD_CHANGE_LESS)
		n = asprintf(&out, "%.2fx faster at %u core%s (95 %%: %.2f to %.2f)%s",
			p->gain.value, p->cores, plural, p->gain.low, p->gain.high, by);
	else
		n = asprintf(&out, "%.2fx slower at %u core%s (95 %%: %.2f to %.2f)%s",
			1 / p->gain.value, p->cores, plural, 1 / p->gain.high, 1 / p->gain.low, by);
	return n < 0 ? NULL : out;
}

/* "Gone: serial code. " */
static void put_fate(FILE *f, const struct sd_comparison *c, enum sd_fate fate, const char *head)
{
	int n = 0;

	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		/* what others did on the machine is nothing that the change did */
		if (c->cause[i].fate == fate && c->cause[i].cause != SD_CAUSE_NOISE)
			fprintf(f, "%s%s", n++ ? ", " : head,
				sd_cause_info[c->cause[i].cause].label);
	fputs(n ? ". " : "", f);
}

char *sd_comparison_moved(const struct sd_comparison *c)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	put_fate(f, c, SD_FATE_WENT, "Gone: ");
	put_fate(f, c, SD_FATE_SHRANK, "Less: ");
	put_fate(f, c, SD_FATE_CAME, "New: ");
	if (fclose(f) == 0) {
		if (size)
			text[size - 1] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

void sd_comparison_verdicts(const struct sd_compared_cause *x, char out[SD_COMPARISON_VERDICTS])
{
	if (x->fate == SD_FATE_SHRANK && sd_status_measured(x->cores_before))
		snprintf(out, SD_COMPARISON_VERDICTS, "%s before, %.2f cores; at most %.2f now",
			sd_verdict_label[x->before], x->cores_before.value, x->most_after);
	else if (x->before == x->after)
		snprintf(out, SD_COMPARISON_VERDICTS, "%s before and now",
			sd_verdict_label[x->after]);
	else
		snprintf(out, SD_COMPARISON_VERDICTS, "%s before, %s now",
			sd_verdict_label[x->before], sd_verdict_label[x->after]);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Bits of `kind`: what runs are compared by. */
#define TIMES 1u
#define RATES 2u

#define RUNS 2 /* a side without an interval has none in the analysis either */

static const char *const fate_words[] = {
	[SD_FATE_NEVER] = "never",
	[SD_FATE_WENT] = "gone",
	[SD_FATE_CAME] = "new",
	[SD_FATE_STAYED] = "stays",
	[SD_FATE_SHRANK] = "less",
	[SD_FATE_UNKNOWN] = "open",
};

const char *sd_comparison_fate(enum sd_fate fate)
{
	return fate_words[fate];
}

#define PART(member) .at = offsetof(struct sd_compared_part, member)
#define POINT(member) .at = offsetof(struct sd_compared_point, member)
#define CAUSE(member) .at = offsetof(struct sd_compared_cause, member)
#define COMPONENT(member) .names = &sd_component_info[0].member, .stride = sizeof *sd_component_info
#define NAMED(member) .names = &sd_cause_info[0].member, .stride = sizeof *sd_cause_info

/* clang-format off */
static const struct sd_fact_column part_columns[] = {
	{"component", NULL, SD_CELL_NAME, PART(component), COMPONENT(name), .attribute = "data-component"},
	{NULL, "core-seconds", SD_CELL_NAME, PART(component), COMPONENT(label), .attribute = "data-label"},
	{"before_core_s", "before", SD_CELL_INTERVAL, PART(before), .decimals = 3},
	{"after_core_s", "after", SD_CELL_INTERVAL, PART(after), .decimals = 3},
	{"difference_core_s", "difference", SD_CELL_INTERVAL, PART(difference), .decimals = 3},
	{"change", "change", SD_CELL_NAME, PART(change), .names = sd_change_name},
};
/* clang-format on */
static const struct sd_fact_table part_table =
	SD_FACT_TABLE(part_columns, struct sd_compared_part, );

/* Prints as 0.000: a row of noughts tells nothing. */
static int is_nothing(struct sd_interval v)
{
	return sd_status_measured(v) && fabs(v.value) < .0005;
}

static int is_something(const struct sd_fact_rows *rows, size_t i)
{
	const struct sd_compared_part *const p = sd_fact_row(rows, i);

	return !is_nothing(p->before) || !is_nothing(p->after);
}

struct sd_fact_rows sd_comparison_parts(const struct sd_compared_point *p)
{
	return (struct sd_fact_rows){.table = &part_table,
		.row = p->part,
		.n = p->n_part,
		.runs = RUNS,
		.wanted = is_something};
}

static void make_parts(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	out->table = sd_comparison_parts(sd_fact_row(rows, i));
}

struct sd_interval sd_comparison_amount(const struct sd_comparison *c, struct sd_interval time)
{
	return c->work > 0 ? sd_analysis_inverse(c->work, time) : time;
}

static void make_before(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_compared_point *const p = sd_fact_row(rows, i);

	out->number = sd_comparison_amount(rows->whole, p->wall_before);
}

static void make_after(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_compared_point *const p = sd_fact_row(rows, i);

	out->number = sd_comparison_amount(rows->whole, p->wall_after);
}

/* "1.86x slower", as in the sentence. */
static void make_change(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_compared_point *const p = sd_fact_row(rows, i);

	out->number = p->time == SD_CHANGE_MORE ? sd_analysis_inverse(1, p->gain) : p->gain;
}

static void make_word(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	static const char *const words[] = {
		[SD_CHANGE_UNKNOWN] = "one run has no interval",
		[SD_CHANGE_NOISE] = "within noise",
		[SD_CHANGE_LESS] = "faster",
		[SD_CHANGE_MORE] = "slower",
	};
	const enum sd_change time = ((const struct sd_compared_point *)sd_fact_row(rows, i))->time;

	out->text = words[time];
	out->tone = time == SD_CHANGE_LESS   ? SD_CELL_GOOD
		    : time == SD_CHANGE_MORE ? SD_CELL_BAD
					     : SD_CELL_NEUTRAL;
}

#define AMOUNT \
	SD_CELL_INTERVAL, .decimals = SD_FACT_OF_ROWS, .width = 10, .half = 9, .half_head = "±95 %"
#define SHARE SD_CELL_INTERVAL, .factor = 100, .unit = " %", .not_in = SD_IN_TEXT | SD_IN_MARKDOWN

/* clang-format off */
static const struct sd_fact_column point_columns[] = {
	{"cores", "cores", SD_CELL_COUNT, POINT(cores), .width = 7},
	{"wall_before_s", NULL, SD_CELL_INTERVAL, POINT(wall_before)},
	{"wall_after_s", NULL, SD_CELL_INTERVAL, POINT(wall_after)},
	{NULL, "before s", AMOUNT, .make = make_before, .kind = TIMES},
	{NULL, "before /s", AMOUNT, .make = make_before, .kind = RATES},
	{NULL, "after s", AMOUNT, .make = make_after, .kind = TIMES},
	{NULL, "after /s", AMOUNT, .make = make_after, .kind = RATES},
	{"gain", NULL, SD_CELL_INTERVAL, POINT(gain)},
	{NULL, "change", SD_CELL_INTERVAL, .make = make_change, .unit = "x", .decimals = 3, .width = 9},
	{"efficiency_before", "efficiency before", SHARE, POINT(efficiency_before)},
	{"efficiency_after", "after", SHARE, POINT(efficiency_after)},
	{"time", NULL, SD_CELL_NAME, POINT(time), .names = sd_change_name},
	{NULL, "", SD_CELL_TEXT, .make = make_word},
	{"stack", NULL, SD_CELL_ROWS, .make = make_parts},
};
/* clang-format on */
static const struct sd_fact_table point_table =
	SD_FACT_TABLE(point_columns, struct sd_compared_point, );

struct sd_fact_rows sd_comparison_points(const struct sd_comparison *c)
{
	double least = INFINITY;

	for (size_t i = 0; i < c->n_point; i++)
		for (int after = 0; after < 2; after++) {
			const struct sd_interval v = sd_comparison_amount(
				c, after ? c->point[i].wall_after : c->point[i].wall_before);

			if (sd_status_measured(v) && v.value > 0)
				least = fmin(least, v.value);
		}
	return (struct sd_fact_rows){.table = &point_table,
		.row = c->point,
		.n = c->n_point,
		.runs = RUNS,
		.kind = c->work > 0 ? RATES : TIMES,
		.whole = c,
		.decimals = sd_interval_text_places(least, c->work > 0)};
}

/* clang-format off */
static const struct sd_fact_column cause_columns[] = {
	{"cause", NULL, SD_CELL_NAME, CAUSE(cause), NAMED(name)},
	{NULL, "cause", SD_CELL_NAME, CAUSE(cause), NAMED(label)},
	{"fate", NULL, SD_CELL_NAME, CAUSE(fate), .names = sd_fate_name},
	{NULL, "fate", SD_CELL_NAME, CAUSE(fate), .names = fate_words},
	{"before", NULL, SD_CELL_NAME, CAUSE(before), .names = sd_verdict_name},
	{NULL, "before", SD_CELL_NAME, CAUSE(before), .names = sd_verdict_label},
	{"after", NULL, SD_CELL_NAME, CAUSE(after), .names = sd_verdict_name},
	{NULL, "after", SD_CELL_NAME, CAUSE(after), .names = sd_verdict_label},
	{"cores_before", "cores before", SD_CELL_INTERVAL, CAUSE(cores_before), .decimals = 2},
	{"cores_after", "after", SD_CELL_INTERVAL, CAUSE(cores_after), .decimals = 2},
};
/* clang-format on */
static const struct sd_fact_table cause_table =
	SD_FACT_TABLE(cause_columns, struct sd_compared_cause, );

static int is_named(const struct sd_fact_rows *rows, size_t i)
{
	return ((const struct sd_compared_cause *)sd_fact_row(rows, i))->fate != SD_FATE_NEVER;
}

struct sd_fact_rows sd_comparison_causes(const struct sd_comparison *c)
{
	return (struct sd_fact_rows){.table = &cause_table,
		.row = c->cause,
		.n = SD_CAUSE_COUNT,
		.runs = RUNS,
		.wanted = is_named};
}
