/*
 * Lines of two sources side by side: those of one object stand together, in the same columns.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "facts/facts_lines.h"
#include "support/make_simulated.h"

struct scene {
	struct sd_record r;
	struct sd_native_lines native;
	struct sd_simulated simulated;
	struct sd_sim_contested line[4];
	struct sd_sim_code code;
	struct sd_line_view own[2], other[2];
	struct sd_contested_lines seen, modelled;
	struct sd_line_rows rows;
};

static unsigned name_of(struct sd_record *r, const char *text)
{
	unsigned out = 0;

	assert_int_equal(sd_stacks_text(&r->stacks, text, &out), 0);
	return out;
}

/* Two lines of each source; the first of one is the second of the other. */
static struct scene *begin(void)
{
	static const unsigned cores[] = {2};
	static const struct sd_run run = {.point = 0};
	static struct scene s;
	static struct sd_sim_sharer sharer[2] = {
		{.thread = 0, .written = 0xff}, {.thread = 1, .written = 0xff00}};

	s = (struct scene){.code = {.hitm = 1}};
	make_record(&s.r, cores, 1);
	s.code.node = make_place(&s.r.stacks, "increment", "count.c", 12);
	for (size_t i = 0; i < 4; i++) {
		s.line[i] = (struct sd_sim_contested){.address = 0x1000 + 64 * i,
			.sharing = SD_SIM_FALSE,
			.share = .5,
			.sharer = sharer,
			.n_sharer = 2,
			.code = &s.code,
			.n_code = 1};
		*(i < 2 ? &s.own[i] : &s.other[i - 2]) = (struct sd_line_view){
			.line = &s.line[i], .readers = 2, .writers = 2, .matters = 1};
	}
	s.seen = (struct sd_contested_lines){.run = &run,
		.native = &s.native,
		.cores = 2,
		.bytes = 64,
		.line = s.own,
		.n_line = 2,
		.n_matter = 2};
	s.modelled = (struct sd_contested_lines){.run = &run,
		.simulated = &s.simulated,
		.cores = 2,
		.bytes = 64,
		.line = s.other,
		.n_line = 2,
		.n_matter = 2};
	return &s;
}

static void end(struct scene *s)
{
	sd_facts_lines_free(&s->rows);
	sd_record_free(&s->r);
}

static void lines_of_one_variable_stand_together(void **state)
{
	struct scene *const s = begin();

	(void)state;
	s->line[0].name = name_of(&s->r, "counters+0x40");
	s->line[1].name = name_of(&s->r, "flag");
	s->line[2].name = name_of(&s->r, "other");
	s->line[3].name = name_of(&s->r, "counters+0x80");
	assert_int_equal(sd_facts_lines_make(&s->r, &s->seen, &s->modelled, &s->rows), 0);
	assert_int_equal(s->rows.n, 4);
	assert_string_equal(s->rows.row[0].memory, "counters+0x40");
	assert_string_equal(s->rows.row[0].from, "own samples");
	assert_string_equal(s->rows.row[0].bytes, "0: 0-7; 1: 8-15");
	assert_string_equal(s->rows.row[0].code, "increment() count.c:12");
	assert_string_equal(s->rows.row[1].memory, "counters+0x80");
	assert_string_equal(s->rows.row[1].from, "simulation");
	assert_string_equal(s->rows.row[2].memory, "flag");
	assert_string_equal(s->rows.row[3].memory, "other");
	end(s);
}

static void blocks_of_one_allocation_site_stand_together(void **state)
{
	struct scene *const s = begin();

	(void)state;
	s->line[0].name = name_of(&s->r, "[heap]+0x280");
	s->line[0].site = s->line[3].site = s->code.node;
	s->line[3].name = name_of(&s->r, "heap block of 16 bytes at +0");
	s->line[1].site = make_place(&s->r.stacks, "make", "count.c", 5);
	assert_int_equal(sd_facts_lines_make(&s->r, &s->seen, &s->modelled, &s->rows), 0);
	assert_string_equal(
		s->rows.row[0].memory, "[heap]+0x280, allocated in increment() count.c:12");
	assert_string_equal(s->rows.row[1].memory,
		"heap block of 16 bytes at +0, allocated in increment() count.c:12");
	assert_string_equal(s->rows.row[2].memory, "memory allocated in make() count.c:5");
	assert_string_equal(s->rows.row[3].memory, "line 0x1080");
	end(s);
}

static void one_source_alone_has_nothing_beside_it(void **state)
{
	struct scene *const s = begin();
	const struct sd_contested_lines none = {0};

	(void)state;
	assert_int_equal(sd_facts_lines_make(&s->r, &s->seen, &none, &s->rows), 0);
	assert_int_equal(s->rows.n, 0);
	assert_int_equal(sd_facts_lines_make(&s->r, &none, &s->modelled, &s->rows), 0);
	assert_int_equal(s->rows.n, 0);
	assert_int_equal(sd_facts_lines_make(&s->r, NULL, NULL, &s->rows), 0);
	assert_int_equal(s->rows.n, 0);
	end(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(lines_of_one_variable_stand_together),
		cmocka_unit_test(blocks_of_one_allocation_site_stand_together),
		cmocka_unit_test(one_source_alone_has_nothing_beside_it)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
