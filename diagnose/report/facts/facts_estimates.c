#include "facts/facts.h"

#include <math.h>
#include <stdio.h>

#include "page/interval_text.h"

/* An estimate that is off by more than half says nothing. */
#define USELESS .5

/* Share of the count; a smaller loss is not told. */
#define TOLD .05

/* "false sharing 14.9, DTLB 0.1": what the lost cores went to. */
static void say_costs(const void *row, char *out)
{
	const struct sd_estimate *const e = row;
	const size_t size = sizeof((struct sd_cell *)0)->made;
	double rest = e->lost;
	size_t n = 0;

	*out = '\0';
	if (!(e->lost >= TOLD * e->cores) || e->partial)
		return;
	for (int i = 0; i < SD_CAUSE_COUNT && n < size; i++) {
		if (!sd_has(e->cost[i]) || e->cost[i].value < TOLD * e->cores)
			continue;
		n += (size_t)snprintf(out + n, size - n, "%s%s %.1f", n ? ", " : "",
			i == SD_CAUSE_EXTRA_WORK ? "more instructions" : sd_cause_info[i].label,
			e->cost[i].value);
		rest -= e->cost[i].value;
	}
	if (rest >= TOLD * e->cores && n < size)
		snprintf(out + n, size - n, "%swaits and uneven shares %.1f", n ? ", " : "", rest);
}

/* Nothing of a part: its costs are not known. */
static void make_lost(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_estimate *const e = sd_fact_row(rows, i);

	out->number = sd_fact_exact(e->partial ? NAN : e->lost);
}

#define AT(member) .at = offsetof(struct sd_estimate, member)

/* clang-format off */
static const struct sd_fact_column columns[] = {
	{"cores", "cores", SD_CELL_COUNT, AT(cores), .width = 7},
	{"wall_s", "time s", SD_CELL_REAL, AT(wall), .decimals = 3, .width = 10},
	{"speedup", "speedup about", SD_CELL_REAL, AT(speedup), .decimals = 2, .unit = "x", .width = 15},
	{"measured_too", NULL, SD_CELL_FLAG, AT(timed)},
	{"error", NULL, SD_CELL_VALUE, AT(error)},
	{"lost_cores", NULL, SD_CELL_REAL, AT(lost)},
	{NULL, "lost", SD_CELL_REAL, .make = make_lost, .decimals = 1, .width = 7},
	{NULL, "to", SD_CELL_TEXT, .say = say_costs, .layout = SD_LAYOUT_TAIL},
};
/* clang-format on */
static const struct sd_fact_table table = SD_FACT_TABLE(columns, struct sd_estimate, );

static int is_new(const struct sd_fact_rows *rows, size_t i)
{
	return !((const struct sd_estimate *)sd_fact_row(rows, i))->timed;
}

struct sd_fact_rows sd_facts_estimate_table(const struct sd_analysis *a)
{
	return (struct sd_fact_rows){.table = &table,
		.row = a->estimate,
		.n = a->n_estimate,
		.runs = SD_INTERVAL_TEXT_EXACT,
		.wanted = is_new};
}

void sd_facts_estimates(struct sd_document *b, const struct sd_analysis *a)
{
	const struct sd_fact_rows rows = sd_facts_estimate_table(a);
	double worst = 0;
	size_t checked = 0;
	int partial = 0;

	if (!sd_fact_any(&rows))
		return;
	for (size_t i = 0; i < a->n_estimate; i++) {
		partial |= a->estimate[i].partial;
		checked += sd_has(a->estimate[i].error);
		if (sd_has(a->estimate[i].error))
			worst = fmax(worst, fabs(a->estimate[i].error.value));
	}
	sd_document_title(b, "estimates", "Estimated by the simulated runs, not measured", NULL);
	if (worst > USELESS)
		sd_document_say(b, SD_BLOCK_DOUBT,
			"None of the counts that were only simulated: where it was measured too, "
			"the latency model is off by %.0f %%",
			100 * worst);
	else {
		sd_document_table(b, &rows);
		if (checked)
			sd_document_say(b, SD_BLOCK_NOTE,
				"at %zu count%s that %s measured too, the estimated time was off "
				"by up to %.0f %%",
				checked, checked == 1 ? "" : "s", checked == 1 ? "was" : "were",
				100 * worst);
		else
			sd_document_say(b, SD_BLOCK_NOTE,
				"at no other count was it measured: its error is unknown");
		if (a->estimate[0].usual)
			sd_document_say(b, SD_BLOCK_NOTE,
				"by what misses and moves of lines usually cost: %s",
				isfinite(a->estimate[0].wall) ? "this node is not calibrated"
							      : "this is another machine");
		if (partial)
			sd_document_say(
				b, SD_BLOCK_NOTE, "only a part of the program was simulated");
	}
	sd_document_end(b);
}
