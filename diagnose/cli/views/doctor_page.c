#include "views/doctor_view.h"

#include <errno.h>
#include <stdlib.h>

#include "html/html_sections.h"
#include "render/render.h"
#include "views/doctor_causes.h"
#include "views/doctor_mends.h"

/* A cause, and how far it can be judged here. */
struct cause_row {
	const char *label, *reach;
	struct sd_doctor_judged judged;
};

/* A fact of the machine, or something that a run needs. */
struct fact_row {
	const char *label, *found, *fix;
};

#define AT(type, member) .at = offsetof(struct type, member)

static const struct sd_fact_column mend_columns[] = {
	{NULL, "missing", SD_CELL_TEXT, AT(sd_doctor_mend, label)},
	{NULL, "what mends it", SD_CELL_TEXT, AT(sd_doctor_mend, fix)},
	{NULL, "what that tells", SD_CELL_TEXT, AT(sd_doctor_mend, gives)},
};
static const struct sd_fact_table mend_table = SD_FACT_TABLE(mend_columns, struct sd_doctor_mend);

static const struct sd_fact_column cause_columns[] = {
	{NULL, "cause", SD_CELL_TEXT, AT(cause_row, label)},
	{NULL, "here", SD_CELL_TEXT, AT(cause_row, reach)},
	{NULL, "by", SD_CELL_CHARS, AT(cause_row, judged.by)},
	{NULL, "what would take it further", SD_CELL_CHARS, AT(cause_row, judged.change)},
};
static const struct sd_fact_table cause_table = SD_FACT_TABLE(cause_columns, struct cause_row);

static const struct sd_fact_column fact_columns[] = {
	{NULL, "what", SD_CELL_TEXT, AT(fact_row, label)},
	{NULL, "found", SD_CELL_TEXT, AT(fact_row, found)},
	{NULL, "what mends it", SD_CELL_TEXT, AT(fact_row, fix)},
};
static const struct sd_fact_table fact_table = SD_FACT_TABLE(fact_columns, struct fact_row);

static void put_mends(
	struct sd_document *b, const struct sd_doctor *d, const struct sd_readiness *ready)
{
	struct sd_doctor_mend m[SD_DOCTOR_MENDS];
	const struct sd_fact_rows rows = {
		.table = &mend_table, .row = m, .n = sd_doctor_mends(d, ready, m)};

	sd_document_title(b, "mend", "What to mend, the most telling first", NULL);
	if (!rows.n)
		sd_document_say(b, SD_BLOCK_SENTENCE, "Nothing is missing here.");
	sd_document_table(b, &rows);
	sd_document_end(b);
}

static void put_causes(
	struct sd_document *b, const struct sd_doctor *d, const struct sd_readiness *ready)
{
	struct cause_row *const row = calloc(SD_CAUSE_COUNT, sizeof *row);
	const struct sd_fact_rows rows = {.table = &cause_table, .row = row, .n = SD_CAUSE_COUNT};

	if (!row) {
		b->failed = 1;
		return;
	}
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		sd_doctor_judge(d, ready, i, &row[i].judged);
		row[i].label = sd_cause_info[i].label;
		row[i].reach = sd_doctor_reach[row[i].judged.reach];
	}
	sd_document_title(b, "causes", "What can be found out of each cause", "%s",
		"An experiment confirms a cause, evidence makes it likely.");
	sd_document_table(b, &rows);
	sd_document_end(b);
	free(row);
}

static void put_readiness(struct sd_document *b, const struct sd_readiness *ready)
{
	struct fact_row row[SD_READY_COUNT];
	const struct sd_fact_rows rows = {.table = &fact_table, .row = row, .n = SD_READY_COUNT};

	for (int i = 0; i < SD_READY_COUNT; i++)
		row[i] = (struct fact_row){
			sd_doctor_ready_label[i], ready->ready[i].found, ready->ready[i].fix};
	sd_document_title(b, "readiness", "What a run would miss", NULL);
	sd_document_table(b, &rows);
	sd_document_end(b);
}

static void put_facts(struct sd_document *b, const struct sd_doctor *d)
{
	struct fact_row row[SD_FACT_COUNT];
	const struct sd_fact_rows rows = {.table = &fact_table, .row = row, .n = SD_FACT_COUNT};

	for (int i = 0; i < SD_FACT_COUNT; i++)
		row[i] = (struct fact_row){sd_fact_label[i], d->fact[i].found, d->fact[i].enable};
	sd_document_title(b, "facts", "What can be measured", NULL);
	sd_document_table(b, &rows);
	sd_document_end(b);
}

int sd_doctor_html(FILE *f, const struct sd_doctor *d, const struct sd_readiness *ready)
{
	struct sd_document b = sd_render_html(f);

	sd_html_head(f, "doctor");
	fputs("<header><h1>scalediag doctor</h1></header>\n<main>\n", f);
	fprintf(f, "<p class=\"answer %s\">", sd_doctor_counts(d) ? "good" : "");
	sd_html_around(f, "", sd_doctor_answer(d), "</p>\n");
	put_mends(&b, d, ready);
	put_causes(&b, d, ready);
	put_readiness(&b, ready);
	put_facts(&b, d);
	fputs("</main>\n</body>\n</html>\n", f);
	return b.failed ? -ENOMEM : fflush(f) != 0 || ferror(f) ? -EIO : 0;
}
