/* Results of the software PMU, in the record and back; and the refusals of damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "write/encode.h"
#include "support/make_simulated.h"
#include "record/record_file.h"

static char *encoded(const struct sd_record *r, size_t *size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size);

	assert_non_null(f);
	assert_int_equal(sd_encode(f, r), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

/* An array of structures that begins before the line. */
static void lay_out(struct sd_record *r, struct sd_sim_contested *to)
{
	struct sd_line_object *const o = make_zeroed(1, sizeof *o);

	*o = (struct sd_line_object){.begins = -128,
		.bytes = 16,
		.elements = 4096,
		.line = 7,
		.composed = 1,
		.language = SD_OBJECT_CXX,
		.storage = SD_OBJECT_HEAP,
		.n_member = 1};
	o->member = make_zeroed(1, sizeof *o->member);
	o->member[0] = (struct sd_line_member){.at = 8, .bytes = 8, .line = 9};
	if (sd_stacks_text(&r->stacks, "hits", &o->member[0].name))
		abort();
	to->object = o;
	to->n_object = 1;
}

/* A record with one of everything. */
static void make_full(struct sd_record *r)
{
	static const unsigned cores[] = {1, 2, 8};
	struct sd_simulated *s;
	struct sd_role_count *role;
	unsigned node, text;

	make_record(r, cores, 3);
	r->plan.point[2].simulated = 1;
	r->plan.simulation = make_zeroed(1, sizeof *r->plan.simulation);
	snprintf(r->plan.simulation->from, sizeof r->plan.simulation->from, "@main");
	make_run(r, 0, 2, 2, 0);
	s = make_simulated(r, 2);
	r->plan.simulation->tried = 1;
	r->plan.simulation->machine = s->machine;
	r->plan.simulation->costs = (struct sd_sim_costs){2e9, 10, 60, 200, 100, 30};
	make_false_line(r, s, 1000);
	node = make_place(&r->stacks, "sort", "sort.c", 30);
	assert_int_equal(sd_stacks_text(&r->stacks, "done", &text), 0);
	s->contested[0].site = node;
	s->partial = 1;
	snprintf(s->why, sizeof s->why, "exec'd processes were not simulated");
	s->cycles = SD_OK(1e9);
	s->whole = SD_OK(7e9);
	s->beside = SD_OK(2.5);
	s->loop = make_zeroed(1, sizeof *s->loop);
	s->block = make_zeroed(1, sizeof *s->block);
	s->block[s->n_block++] = (struct sd_sim_block){node, 1000, 12};
	s->loop[s->n_loop++] = (struct sd_sim_loop){node, 10, 1000, 1e6, 8000, 64000};
	s->race = make_zeroed(1, sizeof *s->race);
	s->race[s->n_race++] = (struct sd_sim_race){0x404100, text, node, node, 4};
	s->n_race_seen = 7;
	s->conflict = make_zeroed(1, sizeof *s->conflict);
	s->conflict[s->n_conflict++] = (struct sd_sim_conflict){node, -4096, 500};
	role = make_zeroed(1, sizeof *role);
	*role = (struct sd_role_count){.role = SD_ROLE_HITM_LOAD,
		.value = SD_OK(750),
		.running = 1,
		.quality = SD_QUALITY_SIMULATED,
		.source = "sim:host"};
	r->run[1].role = role;
	r->run[1].n_role = 1;
	make_memory(r, 1);
	make_events(r, 1,
		&(struct sd_event_period){.role = SD_ROLE_HITM_LOAD,
			.period = 20011,
			.weight = 1,
			.precise = 1,
			.samples = 40,
			.count = 800440,
			.running = .5},
		1,
		&(struct sd_event_place){
			.node = 1, .role = SD_ROLE_HITM_LOAD, .samples = 40, .events = 1600880},
		1);
	make_run(r, 1, 2, 4, 0);
	lay_out(r, &make_native(r, &r->run[r->n_run - 1])->line[0].line);
}

static void all_of_a_simulation_is_read_back_to_the_same_bytes(void **state)
{
	struct sd_record r, back;
	const struct sd_simulated *s;
	const struct sd_native_lines *native;
	size_t n, m;
	char *once, *twice;

	(void)state;
	make_full(&r);
	once = encoded(&r, &n);
	assert_int_equal(sd_record_parse(once, n, "test", &back, NULL), 0);
	twice = encoded(&back, &m);
	assert_int_equal(n, m);
	assert_memory_equal(once, twice, n);
	assert_true(back.plan.point[2].simulated && !back.plan.point[1].simulated);
	assert_string_equal(back.plan.simulation->from, "@main");
	assert_int_equal(back.plan.simulation->tried, 1);
	assert_true(back.plan.simulation->costs.memory == 200);
	assert_int_equal(back.run[1].kind, SD_RUN_SIMULATED);
	s = back.run[1].simulated;
	assert_non_null(s);
	assert_int_equal(s->n_thread, 8);
	assert_true(s->whole.status == SD_STATUS_OK && s->whole.value == 7e9);
	assert_true(sd_has(s->beside) && s->beside.value == 2.5);
	assert_true(s->thread[3].distance[10] == 1e8 / 8);
	assert_int_equal(s->contested[0].sharer[7].written, UINT64_C(0xff) << 56);
	assert_int_equal(s->contested[0].code[0].writes, 1);
	assert_int_equal(s->conflict[0].stride, -4096);
	assert_int_equal(s->n_race_seen, 7);
	assert_int_equal(back.run[1].role[0].quality, SD_QUALITY_SIMULATED);
	assert_int_equal(back.run[2].kind, SD_RUN_MEMORY);
	assert_non_null(back.run[2].memory);
	assert_int_equal(back.run[2].memory->thread[1].tid, 101);
	assert_int_equal(back.run[2].memory->contested[0].remote, 60);
	assert_true(back.run[2].memory->contested[0].cycles.value == 180);
	assert_int_equal(back.run[2].memory->contested[0].line.n_sharer, 2);
	assert_int_equal(back.run[3].kind, SD_RUN_EVENTS);
	assert_non_null(back.run[3].events);
	assert_string_equal(back.run[3].events->source, "skx");
	assert_int_equal(back.run[3].events->n_period, 1);
	assert_int_equal(back.run[3].events->period[0].role, SD_ROLE_HITM_LOAD);
	assert_int_equal(back.run[3].events->period[0].precise, 1);
	assert_true(back.run[3].events->period[0].running == .5);
	assert_int_equal(back.run[3].events->place[0].node, 1);
	assert_true(back.run[3].events->place[0].events == 1600880);
	native = back.run[4].native;
	assert_non_null(native);
	assert_null(back.run[3].native);
	assert_int_equal(native->status, SD_STATUS_OK);
	assert_true(native->resolved == 780 && native->seconds == 2);
	assert_int_equal(native->thread[1].tid, 101);
	assert_true(native->line[0].contested == 1.8 && native->line[0].maybe == .05);
	assert_true(native->line[0].writes.value == 360);
	assert_int_equal(native->line[0].proven.status, SD_STATUS_ABSENT);
	assert_int_equal(native->line[0].line.sharer[1].written, UINT64_C(0xff) << 8);
	assert_int_equal(native->line[0].line.n_object, 1);
	assert_true(native->line[0].line.object[0].begins == -128);
	assert_int_equal(native->line[0].line.object[0].storage, SD_OBJECT_HEAP);
	assert_int_equal(native->line[0].line.object[0].member[0].at, 8);
	assert_true(native->loop[0].false_s == 1.8 && native->loop[0].unknown_s == .05);
	assert_int_equal(native->loop[0].line, 1);
	free(once);
	free(twice);
	sd_record_free(&r);
	sd_record_free(&back);
}

/* Races that Valgrind found: both accesses, which of them writes, and how many there were. */
static void races_of_an_experiment_are_read_back(void **state)
{
	static const unsigned cores[] = {1, 2};
	struct sd_record r, back;
	struct sd_experiment_run *tried;
	const struct sd_race *race;
	unsigned name, reads, writes;
	struct sd_run *run;
	char *once, *twice;
	size_t n, m;

	(void)state;
	make_record(&r, cores, 2);
	r.plan.experiment = make_zeroed(1, sizeof *r.plan.experiment);
	r.plan.experiment[r.plan.n_experiment++] =
		(struct sd_plan_experiment){.experiment = SD_EXPERIMENT_RACE_CHECK, .point = 1};
	run = make_run(&r, 1, 60, 60, 0);
	run->kind = SD_RUN_EXPERIMENT;
	run->tried = tried = make_zeroed(1, sizeof *tried);
	tried->arm = SD_ARM_CHANGED;
	for (size_t i = 0; i < SD_SIDE_COUNT; i++)
		tried->side[i] = SD_NOT(ABSENT);
	reads = make_place(&r.stacks, "sum", "sum.c", 9);
	writes = make_place(&r.stacks, "add", "sum.c", 5);
	assert_int_equal(sd_stacks_text(&r.stacks, "total+0x10", &name), 0);
	tried->race = make_zeroed(2, sizeof *tried->race);
	tried->race[0] = (struct sd_race){UINT64_C(0x7ffff0c054), name, 8, {reads, writes}, {0, 1}};
	tried->race[1] = (struct sd_race){0x404000, 0, 4, {writes, 0}, {1, 0}};
	tried->n_race = 2;
	tried->n_race_seen = 5;
	once = encoded(&r, &n);
	assert_int_equal(sd_record_parse(once, n, "test", &back, NULL), 0);
	twice = encoded(&back, &m);
	assert_int_equal(n, m);
	assert_memory_equal(once, twice, n);
	assert_non_null(back.run[0].tried);
	assert_int_equal(back.run[0].tried->n_race, 2);
	assert_int_equal(back.run[0].tried->n_race_seen, 5);
	race = back.run[0].tried->race;
	assert_true(race[0].address == UINT64_C(0x7ffff0c054));
	assert_string_equal(back.stacks.text[race[0].name], "total+0x10");
	assert_int_equal(race[0].bytes, 8);
	assert_int_equal(race[0].node[0], reads);
	assert_int_equal(race[0].node[1], writes);
	assert_true(!race[0].write[0] && race[0].write[1]);
	assert_true(race[1].write[0] && !race[1].write[1]);
	assert_int_equal(race[1].node[1], 0);
	free(once);
	free(twice);
	sd_record_free(&r);
	sd_record_free(&back);
}

/* The text with the first `what` replaced. */
static char *replaced(const char *text, const char *what, const char *by)
{
	const char *const at = strstr(text, what);
	char *out = NULL;

	assert_non_null(at);
	assert_true(asprintf(&out, "%.*s%s%s", (int)(at - text), text, by, at + strlen(what)) > 0);
	return out;
}

struct heard {
	char text[512];
};

static void hear(void *ctx, enum sd_level level, const char *text)
{
	struct heard *h = ctx;

	(void)level;
	snprintf(h->text, sizeof h->text, "%s", text);
}

static void what_refers_to_nothing_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *what, *by, *said;
	} rows[] = {
		{"\"sharers\":[{\"thread\":0", "\"sharers\":[{\"thread\":8", "sharers[0].thread"},
		{"\"codes\":[{\"node\":1", "\"codes\":[{\"node\":99", "codes[0].node"},
		{"\"threads_seen\":8", "\"threads_seen\":7", "only 7 were seen"},
		{"\"sharing\":\"false\"", "\"sharing\":\"none\"", "sharing"},
		{"\"share\":1", "\"share\":1.5", "share"},
		{"\"cores\":8,\"cpus\":\"0-7\",\"simulated\":true",
			"\"cores\":8,\"cpus\":\"0-7\",\"simulated\":1", "simulated"},
		{"\"l1_bytes\":32768", "\"l1_bytes\":-1", "l1_bytes"},
		{"\"loads\":1000", "\"loads\":-1", "loads"},
		{"\"moves\":{\"local\":200", "\"moves\":{\"local\":-1", "moves"},
		{"\"stride\":-4096", "\"stride\":\"x\"", "stride"},
		{"\"false\":1.8", "\"false\":2.1", "native.loops[0]: has parts of"},
		{"\"line\":1,\"bytes\":8", "\"line\":2,\"bytes\":8", "name line 2 of 1"},
	};
	struct sd_record r, back;
	size_t n;
	char *text;

	(void)state;
	make_full(&r);
	text = encoded(&r, &n);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct heard h = {""};
		const struct sd_sink sink = {.emit = hear, .ctx = &h};
		char *const bad = replaced(text, rows[i].what, rows[i].by);

		assert_int_equal(sd_record_parse(bad, strlen(bad), "test", &back, &sink), -EINVAL);
		if (!strstr(h.text, rows[i].said))
			fail_msg("'%s' does not name %s", h.text, rows[i].said);
		free(bad);
	}
	free(text);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_a_simulation_is_read_back_to_the_same_bytes),
		cmocka_unit_test(races_of_an_experiment_are_read_back),
		cmocka_unit_test(what_refers_to_nothing_is_refused_with_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
