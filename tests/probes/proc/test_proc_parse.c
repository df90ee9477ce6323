#include "proc/proc_parse.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define TAIL                                                                      \
	" 1 4711 4711 0 -1 4194304 100 0 0 0 11 22 33 44 20 0 1 0 5555 1000 100 " \
	"18446744073709551615 "                                                   \
	"1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 77 0 0 0 0 0 0 0 0 0 0\n"

static void a_stat_line_is_read_behind_its_name(void **state)
{
	static const struct {
		const char *text, *comm;
	} rows[] = {
		{"4711 (cat) S" TAIL, "cat"},
		{"4711 (a b) S" TAIL, "a b"},
		{"4711 (a) S 9 (b) S" TAIL, "a) S 9 (b"},
		{"4711 (() S" TAIL, "("},
		{"4711 ()) S" TAIL, ")"},
		{"4711 () S" TAIL, ""},
		{"4711 (two\nlines\x7f) S" TAIL, "two?lines?"},
		{"4711 (0123456789abcdefgh) S" TAIL, "0123456789abcde"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_proc_stat s;

		assert_int_equal(sd_proc_parse_stat(rows[i].text, &s), 0);
		assert_string_equal(s.comm, rows[i].comm);
		assert_int_equal(s.pid, 4711);
		assert_int_equal(s.ppid, 1);
		assert_int_equal(s.state, 'S');
		assert_true(s.utime == 11 && s.stime == 22 && s.cutime == 33 && s.cstime == 44);
		assert_true(s.start == 5555 && s.has_blkio && s.blkio == 77);
		assert_int_equal(s.processor, 1);
	}
}

static void a_damaged_stat_line_is_refused(void **state)
{
	static const char *const rows[] = {"", "\n", "4711", "4711 (", "4711 )(", "4711 (cat)",
		"4711 (cat) ", "4711 (cat) S", "4711 (cat) S ", "x (cat) S" TAIL,
		"99999999999 (cat) S" TAIL, "-1 (cat) S" TAIL, "4711 (cat) 1" TAIL,
		"4711 (cat) SS" TAIL, "4711 (cat) S 1 2 3 4 5 6 7 8 9",
		"4711 (cat) S 1 1 1 0 -1 0 1 0 0 0 18446744073709551616 0 0 0 0 0 0 0 0"};
	struct sd_proc_stat s;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (sd_proc_parse_stat(rows[i], &s) != -EINVAL)
			fail_msg("row %zu was taken", i);
}

static void an_old_kernels_stat_line_has_no_block_io_delay(void **state)
{
	struct sd_proc_stat s;

	(void)state;
	assert_int_equal(
		sd_proc_parse_stat("1 (init) R 0 1 1 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0 9 0 0", &s),
		0);
	assert_int_equal(s.has_blkio, 0);
	assert_int_equal(s.processor, -1);
}

static void schedstat_is_three_numbers(void **state)
{
	struct sd_proc_sched s;

	(void)state;
	assert_int_equal(sd_proc_parse_schedstat("123 45 6", &s), 0);
	assert_true(s.run_ns == 123 && s.delay_ns == 45 && s.slices == 6);
	assert_int_equal(sd_proc_parse_schedstat("123 45", &s), -EINVAL);
	assert_int_equal(sd_proc_parse_schedstat("", &s), -EINVAL);
	assert_int_equal(sd_proc_parse_schedstat("-1 0 0", &s), -EINVAL);
	assert_int_equal(sd_proc_parse_schedstat("18446744073709551615 0 0", &s), 0);
	assert_int_equal(sd_proc_parse_schedstat("18446744073709551616 0 0", &s), -EINVAL);
}

static void a_system_call_line_says_where_a_thread_is(void **state)
{
	struct sd_proc_syscall s;

	(void)state;
	assert_int_equal(sd_proc_parse_syscall("running", &s), 0);
	assert_int_equal(s.where, SD_PROC_RUNNING);
	assert_int_equal(sd_proc_parse_syscall("-1 0x7ffc 0x5555", &s), 0);
	assert_int_equal(s.where, SD_PROC_BLOCKED);
	assert_int_equal(sd_proc_parse_syscall("202 0x55d0 0x80 0x2 0x0 0x0 "
					       "0xffffffffffffffff 0x7ffc 0x7f12",
				 &s),
		0);
	assert_int_equal(s.where, SD_PROC_SYSCALL);
	assert_int_equal(s.nr, 202);
	assert_true(s.arg[0] == 0x55d0 && s.arg[2] == 2 && s.arg[5] == UINT64_MAX);
	assert_true(s.sp == 0x7ffc && s.pc == 0x7f12);
	assert_int_equal(sd_proc_parse_syscall("", &s), -EINVAL);
	assert_int_equal(sd_proc_parse_syscall("202 0x1 0x2 0x3 0x4 0x5", &s), -EINVAL);
	assert_int_equal(sd_proc_parse_syscall("202 1 2 3 4 5 6", &s), -EINVAL);
	assert_int_equal(sd_proc_parse_syscall("202 0x 0x 0x 0x 0x 0x", &s), -EINVAL);
	assert_int_equal(
		sd_proc_parse_syscall("0 0x10000000000000000 0x0 0x0 0x0 0x0 0x0", &s), -EINVAL);
}

static void a_list_of_numbers_ends_at_its_end_or_at_nonsense(void **state)
{
	const char *at = " 12 345\n6 ";

	(void)state;
	assert_int_equal(sd_proc_parse_next_pid(&at), 12);
	assert_int_equal(sd_proc_parse_next_pid(&at), 345);
	assert_int_equal(sd_proc_parse_next_pid(&at), 6);
	assert_int_equal(sd_proc_parse_next_pid(&at), 0);
	at = "0";
	assert_int_equal(sd_proc_parse_next_pid(&at), -1);
	at = "4294967296";
	assert_int_equal(sd_proc_parse_next_pid(&at), -1);
	at = "x";
	assert_int_equal(sd_proc_parse_next_pid(&at), -1);
}

static void keys_are_whole_words_at_a_lines_beginning(void **state)
{
	char buf[16];
	uint64_t v;

	(void)state;
	assert_int_equal(sd_proc_parse_key("A:\t1\nCpus_allowed_list:\t0-3 \n",
				 "Cpus_allowed_list:", buf, sizeof buf),
		0);
	assert_string_equal(buf, "0-3");
	assert_int_equal(sd_proc_parse_key("x A: 1", "A:", buf, sizeof buf), -ENOENT);
	assert_int_equal(sd_proc_parse_key("A: 0123456789abcdef", "A:", buf, sizeof buf), -ERANGE);
	assert_int_equal(sd_proc_parse_flat("nr_periods_x 1\nnr_periods 7\n", "nr_periods", &v), 0);
	assert_true(v == 7);
	assert_int_equal(sd_proc_parse_flat("nr_periods x", "nr_periods", &v), -EINVAL);
	assert_int_equal(sd_proc_parse_flat("", "nr_periods", &v), -ENOENT);
}

static void pressure_is_the_total_of_some(void **state)
{
	uint64_t v;

	(void)state;
	assert_int_equal(sd_proc_parse_pressure("some avg10=0.42 avg60=0.66 avg300=0.21 total=219\n"
						"full avg10=0.00 avg60=0.00 avg300=0.00 total=5\n",
				 &v),
		0);
	assert_true(v == 219);
	assert_int_equal(sd_proc_parse_pressure("some avg10=0.42\nfull total=5", &v), -EINVAL);
	assert_int_equal(sd_proc_parse_pressure("full total=5", &v), -EINVAL);
}

static void a_cpus_line_is_its_own(void **state)
{
	static const char text[] = "cpu  9 9 9 9 9 9 9 9 0 0\n"
				   "cpu1 1 2 4 8 16 32 64 128 0 0\n"
				   "cpu10 9 9 9 9 9 9 9 9 0 0\n"
				   "cpu3 1 2\n"
				   "intr 5\n";
	struct sd_proc_cpu c;

	(void)state;
	assert_int_equal(sd_proc_parse_cpu(text, 1, &c), 0);
	assert_true(c.busy == 1 + 2 + 4 + 32 + 64 && c.steal == 128);
	assert_int_equal(sd_proc_parse_cpu(text, 10, &c), 0);
	assert_int_equal(sd_proc_parse_cpu(text, 2, &c), -ENOENT);
	assert_int_equal(sd_proc_parse_cpu(text, 3, &c), -EINVAL);
	assert_int_equal(sd_proc_parse_cpus(text, &c), 0);
	assert_true(c.busy == 5 * 9 && c.steal == 9);
	assert_int_equal(sd_proc_parse_cpus("cpu1 1 2 4 8 16 32 64 128 0 0\n", &c), -ENOENT);
}

static void a_line_of_maps_is_whole_or_none(void **state)
{
	static const char *const none[] = {"", "\n", "1000-2000 rwx 0 8:1 7 /a",
		"2000-1000 rwxp 0 8:1 7 /a", "1000-2000 rwxp 0 8:1", "1000 2000 rwxp 0 8:1 7 /a"};
	char file[] = "7f00000-7f01000 r-xp 00003000 103:02 98765      /usr/lib/a b.so (deleted)\n";
	char anonymous[] = "1000-1000 rw-s 0 00:00 0 \n";
	struct sd_proc_map m;

	(void)state;
	assert_int_equal(sd_proc_parse_map(file, &m), 0);
	assert_true(m.start == 0x7f00000 && m.end == 0x7f01000 && m.offset == 0x3000);
	assert_true(m.major == 0x103 && m.minor == 2 && m.inode == 98765);
	assert_string_equal(m.perms, "r-xp");
	assert_string_equal(m.name, "/usr/lib/a b.so (deleted)");
	assert_int_equal(sd_proc_parse_map(anonymous, &m), 0);
	assert_string_equal(m.name, "");
	assert_true(m.inode == 0 && m.perms[3] == 's');
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		char line[80];

		strcpy(line, none[i]);
		assert_int_equal(sd_proc_parse_map(line, &m), -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stat_line_is_read_behind_its_name),
		cmocka_unit_test(a_damaged_stat_line_is_refused),
		cmocka_unit_test(an_old_kernels_stat_line_has_no_block_io_delay),
		cmocka_unit_test(schedstat_is_three_numbers),
		cmocka_unit_test(a_system_call_line_says_where_a_thread_is),
		cmocka_unit_test(a_list_of_numbers_ends_at_its_end_or_at_nonsense),
		cmocka_unit_test(keys_are_whole_words_at_a_lines_beginning),
		cmocka_unit_test(pressure_is_the_total_of_some),
		cmocka_unit_test(a_cpus_line_is_its_own),
		cmocka_unit_test(a_line_of_maps_is_whole_or_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
