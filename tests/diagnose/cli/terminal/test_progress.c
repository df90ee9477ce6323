#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fcntl.h>
#include <sys/ioctl.h>

#include <cmocka.h>

#include "terminal/live_table.h"
#include "support/make_record.h"
#include "terminal/progress.h"

static void the_line_says_run_cores_reason_and_time_left(void **state)
{
	static const struct {
		struct sd_progress p;
		const char *text;
	} row[] = {
		{{.done = 6,
			 .planned = 21,
			 .cores = 2,
			 .run_s = 1.25,
			 .left_s = 12.4,
			 .why = "block 3 of 5"},
			"run 7 of 21 · 2 cores, 1.2 s · block 3 of 5 · about 12 s left"},
		{{.done = 0, .planned = 3, .cores = 1, .left_s = -1, .why = "warm-up"},
			"run 1 of 3 · 1 core, 0.0 s · warm-up · time left after this run"},
		{{.done = 3, .planned = 3, .left_s = 0}, "run 3 of 3 · about 0 s left"},
		{{.done = 5, .planned = 3, .left_s = 0}, "run 5 of 5 · about 0 s left"},
		{{.done = 1, .planned = 9, .left_s = 61}, "run 2 of 9 · about 1 min 01 s left"},
		{{.done = 1, .planned = 9, .left_s = 28, .spare_s = 20},
			"run 2 of 9 · 8 to 28 s left"},
		{{.done = 1, .planned = 9, .left_s = 20, .spare_s = 20},
			"run 2 of 9 · up to 20 s left"},
		{{.done = 1, .planned = 9, .left_s = 65, .spare_s = 20},
			"run 2 of 9 · 45 s to 1 min 05 s left"},
		{{.done = 1, .planned = 9, .left_s = 8, .spare_s = .2},
			"run 2 of 9 · about 8 s left"},
		{{.done = 1, .planned = 9, .left_s = 7500}, "run 2 of 9 · about 2 h 05 min left"},
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		sd_progress_format(&row[i].p, text, sizeof text);
		assert_string_equal(text, row[i].text);
	}
}

static void a_line_is_cut_between_characters(void **state)
{
	static const struct {
		const char *text;
		size_t width, size;
		int ascii;
		const char *fitted;
	} row[] = {
		{"abc", 10, 64, 0, "abc"},
		{"abc", 2, 64, 0, "ab"},
		{"abc", 0, 64, 0, ""},
		{"±2 % · x", 3, 64, 0, "±2 "},
		{"a±b", 2, 64, 0, "a±"},
		{"a±b", 10, 3, 0, "a"},
		{"a±b · c", 10, 64, 1, "a+-b | c"},
		{"a±b", 2, 64, 1, "a"},
		{"a\xff\xc3", 10, 64, 1, "a??"},
		{"█x", 10, 64, 1, "?x"},
	};
	char fitted[64];

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		sd_progress_fit(row[i].text, row[i].width, row[i].ascii, fitted, row[i].size);
		assert_string_equal(fitted, row[i].fitted);
	}
}

static void nothing_is_written_to_a_pipe(void **state)
{
	struct sd_progress_line line;
	int fd[2];
	char byte;

	(void)state;
	setenv("TERM", "xterm", 1);
	assert_int_equal(pipe(fd), 0);
	sd_progress_line_open(&line, fd[1], 0);
	sd_progress_line_show(&line, &(struct sd_progress){.planned = 1});
	sd_progress_line_clear(&line);
	close(fd[1]);
	assert_int_equal(read(fd[0], &byte, 1), 0);
	close(fd[0]);
}

static int open_terminal(int *terminal)
{
	const int master = posix_openpt(O_RDWR | O_NOCTTY);
	const struct winsize w = {.ws_row = 24, .ws_col = 20};

	assert_true(master >= 0);
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	*terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(*terminal >= 0);
	assert_int_equal(ioctl(*terminal, TIOCSWINSZ, &w), 0);
	assert_int_equal(fcntl(master, F_SETFL, O_NONBLOCK), 0);
	return master;
}

static void expect(int master, const char *text)
{
	char got[256] = "";
	const ssize_t n = read(master, got, sizeof got - 1);

	assert_int_equal(n < 0 ? 0 : n, strlen(text));
	assert_memory_equal(got, text, strlen(text));
}

static void a_terminal_gets_one_line_that_fits_and_is_erased(void **state)
{
	struct sd_progress_line line;
	int terminal;
	const int master = open_terminal(&terminal);

	(void)state;
	setenv("TERM", "xterm", 1);
	sd_progress_line_open(&line, terminal, 0);
	sd_progress_line_clear(&line);
	expect(master, "");
	sd_progress_line_text(&line, "0123456789012345678901234567890");
	expect(master, "\r0123456789012345678\033[K");
	sd_progress_line_text(&line, "0123456789012345678 and more");
	expect(master, "");
	sd_progress_line_clear(&line);
	expect(master, "\r\033[K");
	sd_progress_line_clear(&line);
	expect(master, "");
	close(terminal);
	close(master);
}

static void a_pipe_gets_a_plain_line_now_and_then(void **state)
{
	static const char first[] = "scalediag: run 2 of 9 · about 0 s left\n";
	struct sd_progress p = {.done = 1, .planned = 9};
	struct sd_progress_line line;
	char got[256] = "";
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	sd_progress_line_open(&line, fd[1], 0);
	for (p.elapsed_s = 0; p.elapsed_s < 45; p.elapsed_s += 1)
		sd_progress_line_show(&line, &p);
	close(fd[1]);
	assert_int_equal(read(fd[0], got, sizeof got - 1), sizeof first - 1);
	assert_string_equal(got, first);
	close(fd[0]);
}

/* A user who has to wait for long is told so as soon as that is known, and once. */
static void a_pipe_hears_at_once_how_long_it_takes(void **state)
{
	static const char said[] = "scalediag: run 2 of 9 · 20 to 40 s left\n";
	struct sd_progress p = {.planned = 9, .left_s = -1};
	struct sd_progress_line line;
	char got[256] = "";
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	sd_progress_line_open(&line, fd[1], 0);
	sd_progress_line_show(&line, &p); /* not known yet */
	p.done = 1;
	p.left_s = 40;
	p.spare_s = 20;
	for (p.elapsed_s = 1; p.elapsed_s < 20; p.elapsed_s += 1)
		sd_progress_line_show(&line, &p);
	close(fd[1]);
	assert_int_equal(read(fd[0], got, sizeof got - 1), sizeof said - 1);
	assert_string_equal(got, said);
	close(fd[0]);
}

/* Three points; the first two have runs. */
static void make_points(struct sd_record *r)
{
	static const unsigned cores[] = {1, 2, 4};

	make_record(r, cores, 3);
	for (int i = 0; i < 5; i++) {
		make_run(r, 0, 2, 2, 0);
		make_run(r, 1, 1.25, 2, 0);
	}
}

static void the_table_has_a_line_for_each_count_that_ran(void **state)
{
	struct sd_record r;
	char *text;

	(void)state;
	make_points(&r);
	text = sd_live_table(&r, 2, 10);
	assert_string_equal(text, "     1 core     5 runs     2.000 s\n"
				  ">    2 cores    5 runs     1.250 s   efficiency 80 % ±0.0\n");
	free(text);
	text = sd_live_table(&r, 2, 1);
	assert_string_equal(text, "     1 core     5 runs     2.000 s\n");
	free(text);
	text = sd_live_table(&r, 2, 0);
	assert_string_equal(text, "");
	free(text);
	sd_record_free(&r);
}

static void what_the_warm_up_took_is_the_first_number(void **state)
{
	struct sd_record r;
	char *text;

	(void)state;
	make_points(&r);
	for (size_t i = 0; i < r.n_run; i++)
		r.run[i].kind = SD_RUN_WARMUP;
	r.run[r.n_run - 1].point = 0;
	r.run[r.n_run - 1].metric[SD_METRIC_WALL].value = 1.5;
	text = sd_live_table(&r, 1, 10);
	assert_string_equal(text, "     1 core    warm-up     1.500 s\n");
	free(text);
	text = sd_live_table(&r, 1, 0);
	assert_string_equal(text, "");
	free(text);
	sd_record_free(&r);
}

/* Below the table, where there is room for both. */
static void what_is_suspected_stands_above_the_line(void **state)
{
	struct sd_progress p = {.done = 1, .planned = 2, .glance = "suspect: a lock\n"};
	struct winsize low = {.ws_row = 4, .ws_col = 20};
	struct sd_progress_line line;
	struct sd_record r;
	int terminal;
	const int master = open_terminal(&terminal);

	(void)state;
	setenv("TERM", "xterm", 1);
	make_points(&r);
	p.record = &r;
	sd_progress_line_open(&line, terminal, 0);
	sd_progress_line_show(&line, &p);
	assert_int_equal(line.n_above, 3);
	assert_non_null(strstr(line.above, "\nsuspect: a lock\n"));
	sd_progress_line_clear(&line);
	assert_int_equal(ioctl(terminal, TIOCSWINSZ, &low), 0);
	sd_progress_line_show(&line, &p);
	assert_null(strstr(line.above, "suspect"));
	sd_progress_line_clear(&line);
	sd_record_free(&r);
	close(terminal);
	close(master);
}

static void a_terminal_that_cannot_erase_gets_nothing(void **state)
{
	struct sd_progress_line line;
	int terminal;
	const int master = open_terminal(&terminal);

	(void)state;
	setenv("TERM", "dumb", 1);
	sd_progress_line_open(&line, terminal, 0);
	sd_progress_line_text(&line, "text");
	expect(master, "");
	close(terminal);
	close(master);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_says_run_cores_reason_and_time_left),
		cmocka_unit_test(a_line_is_cut_between_characters),
		cmocka_unit_test(nothing_is_written_to_a_pipe),
		cmocka_unit_test(a_pipe_gets_a_plain_line_now_and_then),
		cmocka_unit_test(a_pipe_hears_at_once_how_long_it_takes),
		cmocka_unit_test(the_table_has_a_line_for_each_count_that_ran),
		cmocka_unit_test(a_terminal_gets_one_line_that_fits_and_is_erased),
		cmocka_unit_test(what_the_warm_up_took_is_the_first_number),
		cmocka_unit_test(what_is_suspected_stands_above_the_line),
		cmocka_unit_test(a_terminal_that_cannot_erase_gets_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
