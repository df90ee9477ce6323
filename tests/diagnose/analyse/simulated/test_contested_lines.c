/*
 * The contested lines that `scalediag lines` shows, simulated or sampled.
 */
#include "diagnose/analyse/simulated/simulated_record.h"
#include "analysis/contested_lines.h"
#include "simulated/line_idiom.h"
#include "simulated/line_words.h"
#include "support/make_samples.h"

static void advice_has_the_numbers_of_the_line(void **state)
{
	struct sd_record r;
	struct sd_simulated *one, *eight;
	struct sd_contested_lines l;

	(void)state;
	make(&r, &one, &eight);
	set_hitm(eight, 50e6);
	make_false_line(&r, eight, 50e6);
	eight->machine.adjacent = 1;
	assert_int_equal(sd_contested_line_list_make(&r, 0, 0, &l), 0);
	assert_int_equal(l.cores, EIGHT);
	assert_int_equal(l.n_line, 1);
	assert_int_equal(l.n_matter, 1);
	assert_int_equal(l.line[0].writers, 8);
	assert_true(l.line[0].shared == 0);
	assert_true(l.line[0].touched == UINT64_MAX);
	assert_non_null(strstr(l.line[0].advice.text[0], "keep the values in locals"));
	assert_non_null(strstr(l.line[0].advice.text[1],
		"align their parts of up to 8 bytes to 128 (alignas(128), or padding of 120 bytes "
		"after each): 1024 bytes instead of 64"));
	assert_near(l.line[0].saved.value, 50e6, 1);
	sd_contested_lines_free(&l);
	assert_int_equal(sd_contested_line_list_make(&r, 1, 0, &l), 0);
	assert_int_equal(l.cores, 1);
	assert_int_equal(l.n_line, 0);
	sd_contested_lines_free(&l);
	assert_int_equal(sd_contested_line_list_make(&r, 3, 0, &l), -ENOENT);
	sd_contested_lines_free(&l);
	sd_record_free(&r);
}

static void each_language_parts_lines_by_its_own_idiom(void **state)
{
	static const struct {
		const char *file;
		enum sd_object_language language;
		unsigned bytes;
		const char *text;
	} row[] = {
		{"a.c", SD_OBJECT_C, 8, "alignas(64), or padding of 56 bytes after each"},
		{"a.cpp", SD_OBJECT_CXX, 0, "alignas(64)"},
		{"lib.rs", SD_OBJECT_RUST, 8, "#[repr(align(64))]"},
		{"count.go", SD_OBJECT_GO, 16, "a field _ [48]byte after each"},
		/* the types of the heap are not told: by the file of the code */
		{"count.go", SD_OBJECT_OTHER, 0, "a field _ [64]byte after each"},
		{"Count.java", SD_OBJECT_OTHER, 8, "@Contended, with -XX:-RestrictContended"},
		{"", SD_OBJECT_OTHER, 64, "alignas(64), or padding of 64 bytes after each"},
	};
	char none[] = "", file[32], *texts[] = {none, file}, text[96];
	struct sd_frame frame = {.file = 1, .line = 3};
	struct sd_node node[2] = {{0, 0}, {0, 0}};
	const struct sd_stacks s = {.text = texts,
		.n_text = 2,
		.frame = &frame,
		.n_frame = 1,
		.node = node,
		.n_node = 2};
	struct sd_sim_code code = {.node = 1};
	struct sd_line_object object = {.bytes = 8};
	struct sd_sim_contested line = {
		.code = &code, .n_code = 1, .object = &object, .n_object = 1};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		snprintf(file, sizeof file, "%s", row[i].file);
		object.language = row[i].language;
		assert_string_equal(
			sd_line_idiom_text(&s, &line, row[i].bytes, 64, text, sizeof text),
			row[i].text);
	}
}

static void a_few_moves_at_start_up_do_not_matter(void **state)
{
	struct sd_record r;
	struct sd_simulated *one, *eight;
	struct sd_contested_lines l;

	(void)state;
	make(&r, &one, &eight);
	make_false_line(&r, eight, 100); /* of 1e9 instructions */
	assert_int_equal(sd_contested_line_list_make(&r, 8, 0, &l), 0);
	assert_int_equal(l.n_line, 1);
	assert_int_equal(l.n_matter, 0);
	sd_contested_lines_free(&l);
	sd_record_free(&r);
}

static void misses_of_any_llc_follow_from_the_distances(void **state)
{
	struct sd_record r;
	struct sd_simulated *one, *eight;
	struct sd_contested_lines l;
	struct sd_sim_thread *t;

	(void)state;
	make(&r, &one, &eight);
	t = &one->thread[0];
	for (int i = 0; i < SD_SIM_DISTANCES; i++)
		t->distance[i] = 0;
	/* used again after 2^15 to 2^16 lines: 2 to 4 MiB; and once each, never before */
	t->distance[16] = 1000;
	t->distance[SD_SIM_DISTANCES - 1] = 10;
	one->machine.llc = (struct sd_sim_level){16 << 20, 16, 1, 0};
	assert_int_equal(sd_contested_line_list_make(&r, 1, 0, &l), 0);
	assert_true(l.share == 16 << 20);
	for (size_t i = 0; i < l.n_llc; i++) {
		const double b = l.llc[i].bytes;

		if (b <= 2 << 20)
			assert_near(l.llc[i].misses, 1010, 1e-9);
		if (b >= 4 << 20)
			assert_near(l.llc[i].misses, 10, 1e-9);
		assert_int_equal(l.llc[i].is_share, b == 16 << 20);
	}
	assert_int_equal(l.set[0].n_shoulder, 1);
	assert_true(l.set[0].shoulder[0].bytes == 4 << 20);
	assert_true(l.set[0].fits);
	sd_contested_lines_free(&l);
	sd_record_free(&r);
}

static void sampled_lines_are_shown_where_nothing_was_simulated(void **state)
{
	static const unsigned cores[] = {1, 2};
	struct sd_memory_sampled *m;
	struct sd_record r;
	struct sd_contested_lines l;

	(void)state;
	make_record(&r, cores, 2);
	assert_int_equal(sd_contested_line_list_make(&r, 0, 0, &l), -ENOENT);
	m = make_memory(&r, 1);
	assert_int_equal(sd_contested_line_list_make(&r, 0, 0, &l), 0);
	assert_true(l.sampled == m && !l.simulated);
	assert_int_equal(l.cores, 2);
	assert_int_equal(l.n_matter, 1);
	assert_int_equal(l.line[0].writers, 2);
	assert_non_null(strstr(l.line[0].advice.text[0], "alignas(64)"));
	sd_contested_lines_free(&l);
	m->contested[0].line.hitm_load = 4; /* may be chance */
	assert_int_equal(sd_contested_line_list_make(&r, 2, 1, &l), 0);
	assert_int_equal(l.n_matter, 0);
	sd_contested_lines_free(&l);
	assert_int_equal(sd_contested_line_list_make(&r, 1, 1, &l), -ENOENT);
	m->status = SD_STATUS_DENIED;
	assert_int_equal(sd_contested_line_list_make(&r, 2, 1, &l), -ENOENT);
	sd_record_free(&r);
}

static void sharing_nobody_measured_is_named_by_the_sampled_line(void **state)
{
	static const unsigned cores[] = {1, 2};
	struct sd_analysis a;
	struct sd_finding *const f = &a.finding[0], *const other = &a.finding[1];
	struct sd_record r;

	(void)state;
	memset(&a, 0, sizeof a);
	make_record(&r, cores, 2);
	make_memory(&r, 1);
	for (int i = 0; i < 2; i++) {
		a.finding[i].cause = i ? SD_CAUSE_TRUE_SHARING : SD_CAUSE_FALSE_SHARING;
		a.finding[i].verdict = SD_VERDICT_NOT_MEASURABLE;
		assert_int_equal(sd_texts_add(&a.finding[i].evidence, "no counters"), 0);
	}
	assert_int_equal(sd_line_words_fill(&r, &a), 0);
	assert_int_equal(f->verdict, SD_VERDICT_NOT_MEASURABLE);
	assert_true(f->evidence.n >= 3);
	assert_non_null(strstr(f->evidence.text[1], "sampled by ibs_op at 2 cores"));
	assert_non_null(strstr(f->evidence.text[2], "counters+0x40"));
	assert_true(f->n_where > 0);
	assert_string_equal(f->where[0].function, "increment");
	assert_int_equal(other->evidence.n, 1); /* the line is not of true sharing */
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void what_moves_apart_is_told_from_what_is_only_read(void **state)
{
	struct sd_record r;
	struct sd_simulated *one, *eight;
	struct sd_sim_contested *line;
	struct sd_contested_lines l = {0};

	(void)state;
	make(&r, &one, &eight);
	line = make_false_line(&r, eight, 50e6);
	line->sharing = SD_SIM_MIXED;
	for (size_t i = 0; i < line->n_sharer; i++) { /* a counter, a constant, a byte of its own */
		line->sharer[i].written = 0xff | UINT64_C(0x10000) << i;
		line->sharer[i].read = 0xffff | UINT64_C(0x10000) << i;
	}
	assert_int_equal(sd_contested_line_list_make(&r, 0, 0, &l), 0);
	assert_true(l.n_line == 1 && l.line[0].advice.n > 0);
	assert_string_equal(l.line[0].advice.text[0],
		"8 of its bytes are shared, 8 belong to one thread each, 8 are only read: move "
		"those apart");
	sd_contested_lines_free(&l);
	sd_record_free(&r);
}

/* The part of a lock's own line that a program shares is the lock. */
static void the_bytes_of_a_lock_are_not_to_be_moved_apart(void **state)
{
	struct sd_record r;
	struct sd_simulated *one, *eight;
	struct sd_sim_contested *line;
	struct sd_contested_lines l = {0};

	(void)state;
	make(&r, &one, &eight);
	line = make_false_line(&r, eight, 50e6);
	line->sharing = SD_SIM_MIXED;
	line->code[0].node = make_call(&r, line->code[0].node, "__pthread_mutex_lock", NULL, 0,
		"/usr/lib/x86_64-linux-gnu/libc.so.6");
	for (size_t i = 0; i < line->n_sharer; i++) {
		line->sharer[i].written = 0xff;
		line->sharer[i].read = 0xf00ff;
	}
	assert_int_equal(sd_contested_line_list_make(&r, 0, 0, &l), 0);
	assert_int_equal(l.line[0].advice.n, 1);
	assert_non_null(strstr(l.line[0].advice.text[0], "take it less often"));
	sd_contested_lines_free(&l);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_bytes_of_a_lock_are_not_to_be_moved_apart),
		cmocka_unit_test(what_moves_apart_is_told_from_what_is_only_read),
		cmocka_unit_test(advice_has_the_numbers_of_the_line),
		cmocka_unit_test(each_language_parts_lines_by_its_own_idiom),
		cmocka_unit_test(a_few_moves_at_start_up_do_not_matter),
		cmocka_unit_test(misses_of_any_llc_follow_from_the_distances),
		cmocka_unit_test(sampled_lines_are_shown_where_nothing_was_simulated),
		cmocka_unit_test(sharing_nobody_measured_is_named_by_the_sampled_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
