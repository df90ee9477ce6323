#include "simfile/sim_file.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define HEAD                                                                 \
	"scalediag-sim 1\nprocess 7 6 x86_64\nprogram /bin/a b\nname host\n" \
	"machine 4 64 4096 1\nlevel l1 32768 8 1 0\nlevel llc 8388608 16 4 1\ntlb 64 4 1536 12\n"
#define THREAD "thread 9 1 100 50 40 5 4 3 2 1 6 7 8 9 10 11 12 13 14 15 16 4 1 3 2 0x10 0x20\n"
#define DISTANCE                                                                            \
	"distance 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 " \
	"28 29 30 31 32 33 34 35 36 37 38 39 40\n"
#define LINE "contested 3\nline 0x404040 1 10 20 30 40 5\n"
#define SHARER "sharer 0 0xff 0xff00 1 2 3 4\n"
#define SITES "site 0x404030 24 0x401000 0x402000\nsite 0x404048 8\n"
#define CODE "code 0x401000 100 30 1 0\n"
#define END "end complete\n"

static int parse(struct sd_sim_file *f, const char *text, char *why, size_t n)
{
	return sd_sim_file_parse(f, text, strlen(text), why, n);
}

static void what_was_written_is_read(void **state)
{
	static const char text[] = HEAD
		"brk 0x1000 0x2000\npart 500000 250000\ntotal 1000 2000 30 5\nsampled 250000 25 %, in parts\n" THREAD
			DISTANCE LINE SHARER SITES CODE
		"heap 3 0\nraces 2\nrace 0x404040 0x401000 0x401010 8\n"
		"loop 0x401000 0x401020 2 200 800 1600 6400\nblock 0x401000 0x401010 100 "
		"4\nconflict 0x401000 -4096 32\n"
		"map 0x400000 0x402000 0x0 1 /bin/a b\nend partial it crashed\n";
	struct sd_sim_file f;
	char why[160];

	(void)state;
	assert_int_equal(parse(&f, text, why, sizeof why), 0);
	assert_int_equal(f.pid, 7);
	assert_string_equal(f.program, "/bin/a b");
	assert_string_equal(f.machine.name, "host");
	assert_true(f.machine.cores == 4 && f.machine.adjacent && f.machine.llc.inclusive);
	assert_true(f.machine.l2.bytes == 0 && f.machine.stlb_entries == 1536);
	assert_true(f.from_s == 0.5 && f.for_s == 0.25 && f.instructions == 1000);
	assert_true(sd_has(f.cycles) && f.cycles.value == 2000 && f.transfers == 30);
	assert_true(f.n_thread == 1 && f.n_thread_seen == 5);
	assert_true(f.thread[0].tid == 9 && f.thread[0].loads == 50 && f.thread[0].upgrades == 10);
	assert_true(sd_has(f.sampled) && f.sampled.value == 0.25);
	assert_string_equal(f.precision, "25 %, in parts");
	assert_true(f.n_block == 1 && f.block[0].end == 0x401010);
	assert_true(f.block[0].runs == 100 && f.block[0].instructions == 4);
	assert_true(f.thread[0].contiguous == 0.75 && f.thread[0].shared_pages == 0.5);
	assert_true(f.thread[0].distance[39] == 40 && f.stack[0].high == 0x20);
	assert_true(f.n_contested == 1 && f.n_contested_seen == 3);
	assert_int_equal(f.contested[0].sharing, SD_SIM_FALSE);
	assert_true(sd_has(f.contested[0].separated) && f.contested[0].separated.value == 5);
	assert_true(f.contested[0].n_sharer == 1 && f.contested[0].sharer[0].written == 0xff00);
	assert_true(f.contested[0].n_code == 1 && f.contested[0].code[0].writes);
	assert_true(f.n_site == 2 && f.contested[0].site == 0 && f.contested[0].n_site == 2);
	assert_true(f.site[0].start == 0x404030 && f.site[0].bytes == 24);
	assert_true(f.site[0].n_pc == 2 && f.site[0].pc[1] == 0x402000 && f.site[1].n_pc == 0);
	assert_true(f.heap && f.heap_stacks == 3);
	assert_true(f.n_race == 1 && f.n_race_seen == 2 && f.race[0].bytes == 8);
	assert_true(f.n_loop == 1 && f.loop[0].iterations == 200);
	assert_true(f.n_conflict == 1 && f.conflict[0].stride == -4096);
	assert_true(f.n_map == 1 && f.map[0].executable);
	assert_string_equal(f.map[0].path, "/bin/a b");
	assert_true(f.partial);
	assert_string_equal(f.why, "it crashed");
	sd_sim_file_free(&f);
}

/* Lives and waits of a modelled machine, whose clock is the second of its events. */
static char *modelled(const char *lives)
{
	char *text = NULL;
	size_t size;
	FILE *const f = open_memstream(&text, &size);

	fputs(HEAD THREAD DISTANCE "events 1 900", f);
	for (int i = 2; i < SD_MODELLED_COUNT; i++)
		fputs(" 0", f);
	fprintf(f, "\n%s" END, lives);
	fclose(f);
	return text;
}

static void lives_and_waits_are_read_and_lie_in_the_run(void **state)
{
	static const struct {
		const char *lives, *why;
	} bad[] = {
		{"wait 0 100 200 0x10 0 2\n", "a wait of no thread"},
		{"life 300 200\n", "ends before it begins"},
		{"life 0 900\nlife 0 900\n", "more than 1 of its kind"},
		{"life 100 900\nwait 0 50 200 0x10 0 2\n", "outside its thread's life"},
		{"life 100 900\nwait 0 300 200 0x10 0 2\n", "outside its thread's life"},
		{"life 100 900\nwait 0 300 901 0x10 0 2\n", "outside its thread's life"},
		{"life 100 900\nwait 1 300 400 0x10 0 2\n", "is more than 0"},
		{"life 100 900\nwait 0 300 400 0x10 0 4294967296\n", "is more than 4294967295"},
	};
	struct sd_sim_file f;
	char *text = modelled("life 100 900\nwait 0 200 900 0x10 128 2\n"), why[160];

	(void)state;
	assert_int_equal(parse(&f, text, why, sizeof why), 0);
	assert_true(f.n_life == 1 && f.life[0].begun == 100 && f.life[0].ended == 900);
	assert_true(f.n_wait == 1 && f.wait[0].from == 200 && f.wait[0].to == 900);
	assert_true(f.wait[0].address == 16 && f.wait[0].operation == 128 && f.wait[0].value == 2);
	sd_sim_file_free(&f);
	free(text);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		text = modelled(bad[i].lives);
		assert_int_equal(parse(&f, text, why, sizeof why), -EBADMSG);
		if (!strstr(why, bad[i].why))
			fail_msg("\"%s\" instead of \"%s\"", why, bad[i].why);
		free(text);
	}
}

static void what_separation_would_save_is_not_said_of_true_sharing(void **state)
{
	struct sd_sim_file f;

	(void)state;
	assert_int_equal(parse(&f, HEAD "line 0x404040 0 10 20 30 40 5\n" END, NULL, 0), 0);
	assert_false(sd_has(f.contested[0].separated));
	sd_sim_file_free(&f);
}

/* The record's lines fall by their moves. Estimates are rounded after they were put in order. */
static void lines_that_rounding_put_out_of_order_are_put_in_order(void **state)
{
	struct sd_sim_file f;

	(void)state;
	assert_int_equal(
		parse(&f,
			HEAD THREAD DISTANCE
			"contested 3\nline 0x404040 1 767 0 30 40 5\n" SHARER CODE
			"line 0x404080 1 384 384 30 40 5\nline 0x404000 1 700 67 30 40 5\n" SITES
				END,
			NULL, 0),
		0);
	assert_int_equal(f.n_contested, 3);
	assert_true(f.contested[0].address == 0x404080 && f.contested[0].n_sharer == 0);
	assert_true(f.contested[1].address == 0x404000 && f.contested[1].n_site == 2);
	assert_true(f.contested[2].address == 0x404040 && f.contested[2].n_sharer == 1);
	sd_sim_file_free(&f);
}

static void a_damaged_file_is_refused_with_the_line_and_leaves_nothing(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{"", "line 0: it is cut off"},
		{"scalediag-sim 2\n", "line 1: "},
		{HEAD, "it is cut off"},
		{"scalediag-sim 1\n" END, "it is cut off"},
		{HEAD "end complete", "line 9: it is cut off"},
		{HEAD "end perhaps\n", "line 9: an end"},
		{HEAD END "name x\n", "line 10: a line after the end"},
		{HEAD "what 1\n" END, "line 9: \"what 1\" is not known"},
		{HEAD "brk 5 3\n" END, "a heap that ends"},
		{HEAD "brk 5 3x\n" END, "is not a number"},
		{HEAD "brk 5\n" END, "a number is missing"},
		{HEAD "brk 5 7 9\n" END, "is too much"},
		{HEAD "brk 5 18446744073709551616\n" END, "is not a number"},
		{HEAD "brk -1 5\n" END, "is not a number"},
		{HEAD "races 9000000000000000000\n" END, "too large"},
		{HEAD SHARER END, "a sharer of no line"},
		{HEAD LINE SHARER END, "a sharer that is no thread"},
		{HEAD CODE END, "code of no line"},
		{HEAD SITES END, "a block of no line"},
		{HEAD LINE "site 0x10 18446744073709551615\n" END, "a block that ends"},
		{HEAD LINE "site 0x10 4 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n" END,
			"is too much"},
		{HEAD "heap 3 2\n" END, "is more than 1"},
		{HEAD DISTANCE END, "distances of no thread"},
		{HEAD "line 0x40 3 1 1 1 1 1\n" END, "is more than 2"},
		{HEAD "map 0x2000 0x1000 0 1 /x\n" END, "a mapping that ends"},
		{HEAD "machine 0 64 4096 0\n" END, "without cores"},
		{HEAD "level l9 1 1 1 0\n" END, "an unknown level"},
		{HEAD "race 0 0 0 65\n" END, "is more than 64"},
		{HEAD "thread 9 1 100 50 40 5 4 3 2 1 6 7 8 9 10 11 12 13 14 15 16 4 1 5 2 0 0\n" END,
			"more pages of a kind"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_sim_file f;
		char why[160];

		if (parse(&f, rows[i].text, why, sizeof why) != -EBADMSG)
			fail_msg("row %zu was taken", i);
		if (!strstr(why, rows[i].why))
			fail_msg("row %zu says \"%s\"", i, why);
		assert_true(f.n_thread == 0 && !f.thread && f.n_map == 0 && !f.contested);
	}
}

static void more_than_there_is_room_for_is_refused(void **state)
{
	const size_t room = 1u << 20;
	char *const text = malloc(room);
	struct sd_sim_file f;
	char why[160];
	size_t at;

	(void)state;
	assert_non_null(text);
	at = (size_t)sprintf(text, "%s", HEAD);
	for (int i = 0; i <= SD_SIM_LINES; i++)
		at += (size_t)sprintf(text + at, "line 0x%x 1 1 1 1 1 1\n", i * 64);
	sprintf(text + at, "%s", END);
	assert_int_equal(parse(&f, text, why, sizeof why), -EBADMSG);
	assert_non_null(strstr(why, "more than 64 of its kind"));
	free(text);
}

static void a_file_that_is_not_there_or_no_file_is_said(void **state)
{
	struct sd_sim_file f;
	char why[160];

	(void)state;
	assert_int_equal(sd_sim_file_read(&f, "/nonexistent/x.sim", why, sizeof why), -ENOENT);
	assert_int_equal(sd_sim_file_read(&f, "/dev/zero", why, sizeof why), -EBADMSG);
	assert_int_equal(sd_sim_file_read(&f, "/tmp", why, sizeof why), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(lives_and_waits_are_read_and_lie_in_the_run),
		cmocka_unit_test(what_separation_would_save_is_not_said_of_true_sharing),
		cmocka_unit_test(lines_that_rounding_put_out_of_order_are_put_in_order),
		cmocka_unit_test(a_damaged_file_is_refused_with_the_line_and_leaves_nothing),
		cmocka_unit_test(more_than_there_is_room_for_is_refused),
		cmocka_unit_test(a_file_that_is_not_there_or_no_file_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
