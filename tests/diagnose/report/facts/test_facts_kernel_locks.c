/* Waits for the kernel's own locks, as a report says them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "facts/facts.h"

/* A run at 2 cores that waited in munmap at work() main.c:12. */
struct world {
	struct sd_plan_point point[1];
	struct sd_kernel_lock row[2];
	struct sd_kernel_locks locks;
	struct sd_run run;
	struct sd_frame frame[2];
	struct sd_node node[2];
	char *text[6];
	struct sd_record r;
};

static void make_world(struct world *w)
{
	static char texts[][12] = {"", "mmap_lock", "munmap", "work", "main.c", "page fault"};

	*w = (struct world){.point = {{.cores = 2}}};
	for (int i = 0; i < 6; i++)
		w->text[i] = texts[i];
	w->frame[1] = (struct sd_frame){.function = 3, .file = 4, .line = 12};
	w->node[1].frame = 1;
	w->row[0] = (struct sd_kernel_lock){
		.name = 1, .call = 2, .held = 5, .node = 1, .waits = 10, .wait_s = 1};
	w->row[1] = (struct sd_kernel_lock){.name = 1, .waits = 1, .wait_s = .001};
	w->locks = (struct sd_kernel_locks){
		.status = SD_STATUS_OK, .row = w->row, .n_row = 2, .n_row_seen = 2};
	w->run = (struct sd_run){
		.kind = SD_RUN_BLOCK, .end = SD_END_EXITED, .kernel_locks = &w->locks};
	w->run.metric[SD_METRIC_WALL] = SD_OK(2);
	w->r = (struct sd_record){.plan = {.point = w->point, .n_point = 1},
		.run = &w->run,
		.n_run = 1,
		.stacks = {.text = w->text,
			.n_text = 6,
			.frame = w->frame,
			.n_frame = 2,
			.node = w->node,
			.n_node = 2}};
}

/* The cell of what people read, by its head. */
static struct sd_cell cell(const struct sd_fact_rows *rows, size_t i, const char *head)
{
	const struct sd_fact_column *c = rows->table->column;
	struct sd_cell out;

	while (!c->head || strcmp(c->head, head) != 0)
		c++;
	sd_fact_read(rows, c, i, &out);
	return out;
}

static void a_wait_says_its_lock_its_call_its_place_and_its_holder(void **state)
{
	static struct sd_kernel_lock_means m;
	static struct world w;
	struct sd_fact_rows rows;

	(void)state;
	make_world(&w);
	sd_kernel_lock_means_of(&w.r, &m);
	rows = sd_facts_kernel_lock_table(&w.r, &m);
	assert_int_equal(rows.n, 2);
	assert_string_equal(cell(&rows, 0, "kernel lock").text, "mmap_lock");
	assert_string_equal(cell(&rows, 0, "waiter").made, "waits in munmap, at work() main.c:12");
	assert_string_equal(cell(&rows, 0, "holder").made, "held meanwhile in page fault");
	assert_true(cell(&rows, 0, "threads").number.value == .5);
	assert_string_equal(cell(&rows, 1, "waiter").made, "waits in an unknown call");
	assert_non_null(strstr(cell(&rows, 1, "holder").text, "not seen"));
}

/* A document as plain text; its tables as numbers of rows. */
static char said[1024];

static void put(struct sd_document *b, enum sd_block block, const char *id, const char *text,
	const char *more)
{
	const size_t n = strlen(said);

	(void)b;
	(void)block;
	(void)id;
	snprintf(said + n, sizeof said - n, "%s|%s\n", text ? text : "", more ? more : "");
}

static void put_table(struct sd_document *b, enum sd_block block, const struct sd_fact_rows *rows)
{
	const size_t n = strlen(said);

	(void)b;
	(void)block;
	snprintf(said + n, sizeof said - n, "%zu rows\n", rows->n);
}

static const char *section(const struct sd_record *r, int all)
{
	struct sd_document b = {.put = put, .table = put_table, .all = all};

	*said = '\0';
	sd_facts_kernel_locks(&b, r);
	return said;
}

static void a_short_report_leaves_out_what_prints_as_0(void **state)
{
	static struct world w;

	(void)state;
	make_world(&w);
	assert_non_null(strstr(section(&w.r, 0), "a run at 2 cores"));
	assert_non_null(strstr(said, "1 rows"));
	assert_non_null(strstr(said, "1 more, each for less"));
	assert_non_null(strstr(section(&w.r, 1), "2 rows"));
	w.locks.n_row = w.locks.n_row_seen = 0;
	assert_string_equal(section(&w.r, 1), "");
}

/* In full alone: on most machines it is denied. */
static void a_full_report_says_why_it_was_not_measured(void **state)
{
	static struct world w;

	(void)state;
	make_world(&w);
	w.locks = (struct sd_kernel_locks){.status = SD_STATUS_DENIED};
	assert_non_null(strstr(section(&w.r, 1), "Not measured (denied)"));
	assert_string_equal(section(&w.r, 0), "");
	w.run.kernel_locks = NULL;
	assert_string_equal(section(&w.r, 1), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_says_its_lock_its_call_its_place_and_its_holder),
		cmocka_unit_test(a_short_report_leaves_out_what_prints_as_0),
		cmocka_unit_test(a_full_report_says_why_it_was_not_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
