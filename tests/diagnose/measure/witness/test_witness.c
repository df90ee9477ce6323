/*
 * Whether a change reached the process that did the work: as real programs and made-up folders of
 * /proc show it.
 */
#include "diagnose/measure/launch/launch_fixture.h"
#include "witness/witness.h"

#define WORK "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"

static enum sd_witnessed run_seen(
	struct fixture *f, struct sd_witness *w, const char *script, char *why, size_t size)
{
	enum sd_witnessed seen;

	f->launch.look = sd_witness_look;
	f->launch.look_ctx = w;
	assert_int_equal(run_shell(f, script), 0);
	seen = sd_witness_judge(
		w, metric(f, SD_METRIC_USER) + metric(f, SD_METRIC_SYSTEM), why, size);
	sd_witness_free(w);
	return seen;
}

static void the_process_with_most_cpu_time_decides(void **state)
{
	static const struct {
		const char *script;
		enum sd_witnessed seen;
	} rows[] = {
		{WORK, SD_WITNESSED},
		/* a helper without it does not matter */
		{"env -u SD_MARK sh -c 'sleep .02'; " WORK, SD_WITNESSED},
		/* what does the work is started without, by a script that has it */
		{"env -u SD_MARK sh -c '" WORK "'", SD_WITNESSED_NOT},
		{"exec env SD_MARK=other sh -c '" WORK "'", SD_WITNESSED_NOT},
	};
	struct fixture *f = *state;
	struct sd_environment_setting variable[] = {{"SD_MARK", strchr(f->mark, '=') + 1, 0}, {0}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_witness w = {
			.ask = {.signs = SD_PROCESS_SIGN_VARIABLES, .variable = variable}};
		char why[300];
		enum sd_witnessed seen;

		print_message("%s\n", rows[i].script);
		seen = run_seen(f, &w, rows[i].script, why, sizeof why);
		/* where others have the CPUs, what works may have had none yet at the last look */
		if (seen == SD_WITNESSED_UNSEEN && rows[i].seen == SD_WITNESSED_NOT)
			continue;
		assert_int_equal(seen, rows[i].seen);
		if (seen == SD_WITNESSED_NOT)
			assert_non_null(strstr(
				why, "sh, which has most CPU time, does not have the environment"));
		else
			assert_string_equal(why, "");
	}
}

static void a_library_counts_where_it_is_mapped(void **state)
{
	static const char *const there[] = {"libc.so.6", NULL}, *const start[] = {"libc.", NULL},
				 *const dash[] = {"ld-", NULL},
				 *const two[] = {"libc.so.6", "libnowhere.so", NULL};
	static const struct {
		const char *const *library;
		enum sd_witnessed seen;
	} rows[] = {{there, SD_WITNESSED}, {dash, SD_WITNESSED}, {start, SD_WITNESSED_NOT},
		{two, SD_WITNESSED_NOT}};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_witness w = {
			.ask = {.signs = SD_PROCESS_SIGN_LIBRARY, .library = rows[i].library}};
		char why[300];

		assert_int_equal(run_seen(f, &w, WORK, why, sizeof why), rows[i].seen);
		if (rows[i].seen == SD_WITNESSED_NOT)
			assert_non_null(strstr(why, "did not load what was to be preloaded"));
	}
}

static void what_nobody_saw_is_not_taken_for_absent(void **state)
{
	struct fixture *f = *state;
	struct sd_witness w = {.ask = {.signs = SD_PROCESS_SIGN_OPENMP}};
	char why[300];

	/* nothing was ever looked at; and what was is a small part of the work */
	assert_int_equal(sd_witness_judge(&w, 1, why, sizeof why), SD_WITNESSED_UNSEEN);
	assert_non_null(strstr(why, "nobody saw whether it took place"));
	f->launch.look = sd_witness_look;
	f->launch.look_ctx = &w;
	assert_int_equal(run_shell(f, WORK), 0);
	assert_int_equal(sd_witness_judge(&w, 1e6, why, sizeof why), SD_WITNESSED_UNSEEN);
	assert_int_equal(sd_witness_judge(&w, 0, why, sizeof why), SD_WITNESSED_NOT);
	sd_witness_free(&w);
}

/* ---- made-up folders ------------------------------------------------------------------------- */

#define TUNED "glibc.malloc.arena_max=1:glibc.malloc.tcache_count=0"

static void each_file_of_proc_shows_its_sign(void **state)
{
	static const struct {
		unsigned sign;
		const char *file, *has, *lacks;
		size_t n_has, n_lacks;
	} rows[] = {
#define ROW(sign, file, has, lacks) {sign, file, has, lacks, sizeof(has) - 1, sizeof(lacks) - 1}
		ROW(SD_PROCESS_SIGN_BASE_PAGES, "status", "Name:\tx\nTHP_enabled:\t0\n",
			"THP_enabled:\t1\n"),
		ROW(SD_PROCESS_SIGN_CPUS, "status", "Cpus_allowed_list:\t1-2\n",
			"Cpus_allowed_list:\t1-3\n"),
		ROW(SD_PROCESS_SIGN_CPUS, "status", "Cpus_allowed_list:\t2\n", "Name:\tx\n"),
		ROW(SD_PROCESS_SIGN_HUGE_PAGES, "smaps_rollup",
			"Rss: 9 kB\nAnonHugePages:  2048 kB\n", "AnonHugePages:         0 kB\n"),
		ROW(SD_PROCESS_SIGN_NODES, "numa_maps", "55f4ad20f000 interleave:0-1 file=/x\n",
			"55f4ad20f000 default file=/x\n7f00 interleave:0-1\n"),
		ROW(SD_PROCESS_SIGN_OPENMP, "maps",
			"7f-80 r-xp 00000000 00:1f 77  /usr/lib/libgomp.so.1.0.0\n",
			"7f-80 r-xp 00000000 00:1f 77  /libgomp/other.so\n"),
		ROW(SD_PROCESS_SIGN_GLIBC, "maps", "7f-80 r-xp 0 00:1f 77  /usr/lib/libc.so.6\n",
			"7f-80 r-xp 0 00:1f 77  /lib/ld-musl-x86_64.so.1\n"),
		/* as it was set, behind the user's, and cut at the colons by glibc */
		ROW(SD_PROCESS_SIGN_VARIABLES, "environ", "A=1\0GLIBC_TUNABLES=" TUNED "\0B=2\0",
			"A=1\0B=2\0"),
		ROW(SD_PROCESS_SIGN_VARIABLES, "environ", "GLIBC_TUNABLES=a.b=1:" TUNED "\0",
			"GLIBC_TUNABLES=glibc.malloc.arena_max=1\0"),
		ROW(SD_PROCESS_SIGN_VARIABLES, "environ",
			"GLIBC_TUNABLES=a.b=1\0glibc.malloc.arena_max=1\0glibc.malloc.tcache_count=0\0",
			"GLIBC_TUNABLES=glibc.malloc.arena_max=10:glibc.malloc.tcache_count=0\0"),
#undef ROW
	};
	static const struct sd_environment_setting variable[] = {{"GLIBC_TUNABLES", TUNED, 1}, {0}};
	unsigned cpu[] = {2, 1};
	const struct sd_cpulist cpus = {cpu, 2};
	const struct fixture *f = *state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct sd_process_sign w = {
			.signs = rows[i].sign, .variable = variable, .cpus = &cpus};
		char path[400];
		int unreadable;

		snprintf(path, sizeof path, "%s/%s", f->folder, rows[i].file);
		for (int lacks = 0; lacks < 2; lacks++) {
			FILE *const out = fopen(path, "we");
			const size_t n = lacks ? rows[i].n_lacks : rows[i].n_has;

			assert_non_null(out);
			assert_int_equal(fwrite(lacks ? rows[i].lacks : rows[i].has, 1, n, out), n);
			assert_int_equal(fclose(out), 0);
			assert_int_equal(sd_process_sign_lacks(&w, f->folder, &unreadable),
				lacks ? rows[i].sign : 0);
			assert_int_equal(unreadable, 0);
		}
		assert_int_equal(unlink(path), 0);
		assert_int_equal(sd_process_sign_lacks(&w, f->folder, &unreadable), rows[i].sign);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_process_with_most_cpu_time_decides),
		TEST(a_library_counts_where_it_is_mapped),
		TEST(what_nobody_saw_is_not_taken_for_absent),
		TEST(each_file_of_proc_shows_its_sign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
