#include "facts/facts.h"

#include <stdio.h>

SD_FACT_ROW(struct sd_step_row, row_of)

static const char *const kind[] = {
	[SD_RUN_WARMUP] = "warm-up",
	[SD_RUN_BLOCK] = "runs of the counts",
	[SD_RUN_DRIFT] = "drift check",
	[SD_RUN_EXPERIMENT] = "experiment",
	[SD_RUN_SIMULATED] = "simulated",
	[SD_RUN_MEMORY] = "sampled loads and stores",
	[SD_RUN_EVENTS] = "sampled events",
	[SD_RUN_COST] = "costs of probes",
};

static void make_what(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_step_row *const s = row_of(rows, i);

	out->text = s->rests                              ? "a rest"
		    : s->experiment < SD_EXPERIMENT_COUNT ? sd_experiment_info[s->experiment].name
							  : kind[s->kind];
}

static void make_why(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_step_row *const s = row_of(rows, i);

	out->text = out->made;
	if (s->rests)
		out->text = "until the CPUs were in the compared placement again: sooner than as "
			    "many runs in the other";
	else if (!s->chosen)
		out->text = "due in any case";
	else if (!(s->choice.narrows > 0))
		out->text = s->kind != SD_RUN_BLOCK ? "asked for, or begun"
			    : rows->a->n_point < 2  ? "where its cores go"
						    : "whether it scales";
	else
		snprintf(out->made, sizeof out->made,
			"%s: %.2f cores closer, expected in %.2g s%s%s",
			s->choice.of < SD_CAUSE_COUNT ? sd_cause_info[s->choice.of].label
			: rows->a->n_point < 2        ? "where its cores go"
						      : "the loss, and whether it scales",
			s->choice.narrows, s->planned,
			s->choice.look != SD_LOOK_TIMES ? ", by " : "",
			sd_look_words[s->choice.look]);
}

#define AT(member) .at = offsetof(struct sd_step_row, member)

/* clang-format off */
static const struct sd_fact_column columns[] = {
	{"at_s", "after s", SD_CELL_VALUE, AT(at), .decimals = 1, .width = 9},
	{"took_s", "took s", SD_CELL_VALUE, AT(took), .decimals = 2, .width = 8},
	{"runs", "runs", SD_CELL_SIZE, AT(runs), .width = 5},
	{"what", "what", SD_CELL_TEXT, .make = make_what},
	{"why", "for", SD_CELL_TEXT, .make = make_why, .layout = SD_LAYOUT_TAIL},
};
/* clang-format on */
static const struct sd_fact_table table = SD_FACT_TABLE(columns, struct sd_step_row, );

struct sd_fact_rows sd_facts_step_table(const struct sd_analysis *a)
{
	return (struct sd_fact_rows){
		.table = &table, .row = a->step, .n = a->n_step, .runs = 1, .a = a};
}

static const char *const stop[] = {
	[SD_STOP_NOT] = NULL,
	[SD_STOP_SHORT] =
		"Then it stopped: the program takes too short a time for more to be told.",
	[SD_STOP_DECIDED] =
		"Then it stopped: no more can change the answer (nothing is lost, or the "
		"causes found have most of what is lost).",
	[SD_STOP_NOTHING] =
		"Then it stopped: nothing that can be run here was expected to bring the "
		"bounds of an open cause closer.",
	[SD_STOP_BUDGET] = "Then it stopped: what would bring the bounds of open causes closer did "
			   "not fit into the time there was (--budget).",
	[SD_STOP_KNOWN] = "Then it stopped: another window was not expected to change the answer.",
	[SD_STOP_WINDOWS] =
		"Then it stopped: as many windows as were asked for, or the most that are made; "
		"more of them would bring the answer closer (--window, --repeats).",
};

void sd_facts_steps(struct sd_document *b, const struct sd_analysis *a)
{
	const struct sd_fact_rows rows = sd_facts_step_table(a);

	if (!a->n_step)
		return;
	sd_document_title(b, "steps", "How the time was spent", "%s",
		"each step was chosen as the one that narrows most for each second");
	sd_document_table(b, &rows);
	if (stop[a->stop])
		sd_document_say(b, SD_BLOCK_NOTE, "%s", stop[a->stop]);
	sd_document_end(b);
}
