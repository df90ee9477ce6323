/* Programs under QEMU with the plugin, and what its files say. Skipped without qemu-user. */
#include "simfile/sim_file.h"
#include "probes/instruction_totals.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

struct live {
	char folder[64], build[4000], qemu[128];
	struct sd_sim_file file;
};

/* The folder of the build: that of this program's folder. */
static int set_up(void **state)
{
	struct live *const l = calloc(1, sizeof *l);
	struct utsname u;
	ssize_t n;

	if (!l || uname(&u))
		return -1;
	*state = l;
	n = readlink("/proc/self/exe", l->build, sizeof l->build - 1);
	/* the test is BUILD/tests/probes/NAME */
	for (int up = 0; n > 0 && up < 3; up++)
		*strrchr(l->build, '/') = '\0';
	snprintf(l->qemu, sizeof l->qemu, "/usr/bin/qemu-%s", u.machine);
	strcpy(l->folder, "/tmp/simlive.XXXXXX");
	return n > 0 && mkdtemp(l->folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	struct live *const l = *state;
	DIR *const d = opendir(l->folder);
	const struct dirent *e;
	char path[512];

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof path, "%s/%s", l->folder, e->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
	rmdir(l->folder);
	sd_sim_file_free(&l->file);
	free(l);
	return 0;
}

/* Runs it and waits: its exit status, or 128 + signal. Its standard error is in FOLDER/err. */
static int run(struct live *l, const char *options, const char *program, const char *argument)
{
	char plugin[8192], path[8192], err[128];
	pid_t pid;
	int status;

	if (access(l->qemu, X_OK)) {
		printf("SKIP: %s is not installed (package qemu-user)\n", l->qemu);
		skip();
	}
	snprintf(plugin, sizeof plugin, "%s/scalediag-sim.so,out=%s/r,%s", l->build, l->folder,
		options);
	snprintf(path, sizeof path, "%s/tests/programs/%s", l->build, program);
	snprintf(err, sizeof err, "%s/err", l->folder);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		const int null = open("/dev/null", O_RDWR), to = creat(err, 0600);

		dup2(null, 0);
		dup2(null, 1);
		dup2(to, 2);
		execl(l->qemu, l->qemu, "-plugin", plugin, path, argument, (char *)NULL);
		_exit(126);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The results: how many files; the first is read. */
static int results(struct live *l)
{
	DIR *const d = opendir(l->folder);
	const struct dirent *e;
	char path[512], why[160];
	int n = 0;

	assert_non_null(d);
	while ((e = readdir(d))) {
		if (strncmp(e->d_name, "r.", 2) != 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", l->folder, e->d_name);
		sd_sim_file_free(&l->file);
		if (sd_sim_file_read(&l->file, path, why, sizeof why))
			fail_msg("%s: %s", path, why);
		n++;
	}
	closedir(d);
	return n;
}

/* A symbol's value in one of our programs, from nm; 0 when it is not known. */
static uint64_t symbol(const struct live *l, const char *program, const char *name)
{
	char line[8192], found[256], type;
	uint64_t value = 0, v;
	FILE *f;

	snprintf(line, sizeof line, "nm '%s/tests/programs/%s' 2>/dev/null", l->build, program);
	f = popen(line, "r");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "%lx %c %255s", &v, &type, found) == 3 && strcmp(found, name) == 0)
			value = v;
	if (f)
		pclose(f);
	return value;
}

/* Where the program's file is mapped from its beginning. */
static uint64_t base_of(const struct live *l, const char *program)
{
	for (size_t i = 0; i < l->file.n_map; i++) {
		const char *const slash = strrchr(l->file.map[i].path, '/');

		if (slash && strcmp(slash + 1, program) == 0 && l->file.map[i].offset == 0)
			return l->file.map[i].start;
	}
	return 0;
}

/* Of all transfers, those of the lines from a symbol's own, `bytes` long. */
static double transfers_of(
	const struct live *l, const char *program, const char *name, size_t bytes)
{
	const uint64_t at = base_of(l, program) + symbol(l, program, name);
	double sum = 0;

	for (size_t i = 0; i < l->file.n_contested; i++) {
		const struct sd_sim_file_contested *const c = &l->file.contested[i];

		if (c->address + 64 > at && c->address < at + bytes)
			sum += c->hitm_load + c->hitm_store;
	}
	return sum;
}

static void the_volatile_sum_shares_its_sums_falsely_and_padded_not(void **state)
{
	struct live *const l = *state;
	double narrow;

	assert_int_equal(run(l, "cores=8", "volatile_sum", NULL), 0);
	assert_int_equal(results(l), 1);
	assert_false(l->file.partial);
	assert_int_equal(l->file.n_thread, 5);
	assert_string_equal(
		strrchr(l->file.program[0] ? l->file.program : "/", '/') + 1, "volatile_sum");
	narrow = transfers_of(l, "volatile_sum", "sums", 64);
	/* nearly every one of 4 x 60000 steps reads the line from another core and takes it back;
	 * all data come from the main thread once */
	assert_true(narrow > 0.9 * 4 * 60000 && narrow > 0.95 * l->file.transfers - 4000);
	assert_int_equal(l->file.contested[0].sharing, SD_SIM_FALSE);
	assert_true(l->file.contested[0].n_sharer >= 4);
	assert_true(sd_has(l->file.contested[0].separated));
	assert_true(l->file.contested[0].separated.value < 0.01 * narrow);
	tear_down(state);
	set_up(state);
	assert_int_equal(run(*state, "cores=8", "volatile_sum", "padded"), 0);
	assert_int_equal(results(*state), 1);
	assert_true(transfers_of(*state, "volatile_sum", "sums", 256) < 0.001 * narrow);
}

static void trips_of_a_loop_are_exact(void **state)
{
	struct live *const l = *state;
	size_t n = 0;

	assert_int_equal(run(l, "cores=4", "volatile_sum", NULL), 0);
	assert_int_equal(results(l), 1);
	for (size_t i = 0; i < l->file.n_loop; i++) {
		const struct sd_sim_file_loop *const x = &l->file.loop[i];

		assert_true(x->entries > 0);
		if (x->iterations == 4 * 60000) { /* the sums */
			assert_true(x->entries == 4);
			n++;
		}
	}
	assert_int_equal(n, 1);
	n = 0;
	for (size_t i = 0; i < l->file.n_block; i++)
		n += l->file.block[i].runs == 4 * 60000;
	assert_true(n > 0); /* the body of that loop */
}

static void the_triple_loops_variables_are_named_and_padded_none(void **state)
{
	struct live *l = *state;
	static const char *const names[] = {"i", "j", "k", "n", "tmp"};
	double shared = 0, rest = 0;

	assert_int_equal(run(l, "cores=8", "triple_sort", NULL), 0);
	assert_int_equal(results(l), 1);
	for (size_t v = 0; v < 5; v++)
		shared += transfers_of(l, "triple_sort", names[v], 64);
	assert_true(shared > 0.99 * l->file.transfers && shared > 100000);
	for (size_t i = 0; i < l->file.n_contested; i++)
		if (l->file.contested[i].hitm_load > 1000)
			assert_int_equal(l->file.contested[i].sharing, SD_SIM_FALSE);
	tear_down(state);
	set_up(state);
	l = *state;
	assert_int_equal(run(l, "cores=8", "triple_sort", "padded"), 0);
	assert_int_equal(results(l), 1);
	for (size_t v = 0; v < 5; v++)
		rest += transfers_of(l, "triple_sort", names[v], 256);
	assert_true(rest < 0.001 * shared);
}

static void two_runs_count_the_same_transfers(void **state)
{
	struct live *l = *state;
	double first;

	assert_int_equal(run(l, "cores=8", "volatile_sum", NULL), 0);
	assert_int_equal(results(l), 1);
	first = l->file.transfers;
	tear_down(state);
	set_up(state);
	l = *state;
	assert_int_equal(run(l, "cores=8", "volatile_sum", NULL), 0);
	assert_int_equal(results(l), 1);
	assert_true(l->file.transfers > 0.95 * first && l->file.transfers < 1.05 * first);
}

/* Suspects among the bytes of a variable. */
static size_t suspects_in(const struct live *l, const char *program, const char *name, size_t bytes)
{
	const uint64_t at = base_of(l, program) + symbol(l, program, name);
	size_t n = 0;

	for (size_t i = 0; i < l->file.n_race; i++)
		n += l->file.race[i].address - at < bytes;
	return n;
}

static void what_a_mutex_guards_is_no_suspect_and_what_nothing_guards_is_one(void **state)
{
	struct live *const l = *state;
	uint64_t at;

	assert_int_equal(run(l, "cores=4", "races", NULL), 0);
	assert_int_equal(results(l), 1);
	assert_int_equal(suspects_in(l, "races", "guarded", 64), 0);
	assert_int_equal(suspects_in(l, "races", "mutex", 64), 0);
	assert_true(suspects_in(l, "races", "unguarded", 64) > 0);
	at = base_of(l, "races") + symbol(l, "races", "unguarded");
	for (size_t i = 0; i < l->file.n_race; i++)
		if (l->file.race[i].address - at < 64) {
			assert_int_equal(l->file.race[i].address - at, 16);
			assert_int_equal(l->file.race[i].bytes, 8);
		}
}

static void a_program_that_dies_keeps_its_status_and_leaves_no_false_end(void **state)
{
	struct live *const l = *state;

	assert_true(run(l, "cores=2", "crashes", NULL) > 128);
	if (results(l))
		assert_true(l->file.partial && l->file.why[0]);
}

static void all_that_was_done_before_a_fault_is_kept(void **state)
{
	struct live *const l = *state;
	double stores = 0;

	assert_int_equal(run(l, "cores=2", "faults", NULL), 128 + SIGSEGV);
	assert_int_equal(results(l), 1);
	assert_true(l->file.partial);
	assert_non_null(strstr(l->file.why, "signal 11"));
	for (size_t i = 0; i < l->file.n_thread; i++)
		stores += l->file.thread[i].stores;
	assert_true(stores > 2 * 20000);
	assert_true(transfers_of(l, "faults", "words", 64) > 20000);
}

static void a_wrong_option_is_said_and_nothing_runs(void **state)
{
	struct live *const l = *state;
	char path[128], text[512] = "";
	FILE *f;

	assert_int_equal(run(l, "cores=0", "volatile_sum", NULL), 1);
	assert_int_equal(results(l), 0);
	snprintf(path, sizeof path, "%s/err", l->folder);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof text, f));
	fclose(f);
	assert_non_null(strstr(text, "cores: \"0\""));
}

static void results_that_cannot_be_written_do_not_stop_the_program(void **state)
{
	struct live *const l = *state;
	char path[128], text[512] = "";
	FILE *f;

	/* the last "out" counts */
	assert_int_equal(run(l, "out=/nonexistent/r", "volatile_sum", NULL), 0);
	snprintf(path, sizeof path, "%s/err", l->folder);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof text, f));
	assert_non_null(strstr(text, "cannot be written: No such file"));
	assert_null(fgets(text, sizeof text, f));
	fclose(f);
}

static void only_the_part_asked_for_is_simulated_and_that_is_said(void **state)
{
	struct live *l = *state;
	double all;

	assert_int_equal(run(l, "cores=8", "volatile_sum", "padded"), 0);
	assert_int_equal(results(l), 1);
	all = l->file.instructions;
	tear_down(state);
	set_up(state);
	l = *state;
	assert_int_equal(run(l, "cores=8,from=500000,for=500000", "volatile_sum", "padded"), 0);
	assert_int_equal(results(l), 1);
	assert_true(l->file.partial && l->file.for_s > 0);
	assert_true(l->file.instructions > 300000 && l->file.instructions < 0.6 * all);
}

static struct sd_value total(struct live *l, const char *program, const char *argument, int *status)
{
	char prefix[80];

	*status = run(l, "cores=8,total=1", program, argument);
	snprintf(prefix, sizeof prefix, "%s/r", l->folder);
	return sd_instruction_totals_take(prefix);
}

static void the_count_of_all_is_that_of_the_simulation(void **state)
{
	struct live *const l = *state;
	struct sd_value v;
	int status;

	v = total(l, "volatile_sum", "padded", &status);
	assert_int_equal(status, 0);
	assert_int_equal(results(l), 0); /* nothing is simulated */
	assert_int_equal(run(l, "cores=8", "volatile_sum", "padded"), 0);
	assert_int_equal(results(l), 1);
	assert_true(sd_has(v));
	assert_true(v.value > 0.99 * l->file.instructions);
	assert_true(v.value < 1.01 * l->file.instructions);
}

static void what_has_not_ended_by_itself_has_no_count(void **state)
{
	struct live *const l = *state;
	int status;

	assert_false(sd_has(total(l, "crashes", NULL, &status)));
	assert_true(status > 128);
	assert_false(sd_has(total(l, "execs", NULL, &status)));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(the_volatile_sum_shares_its_sums_falsely_and_padded_not),
		T(the_triple_loops_variables_are_named_and_padded_none),
		T(two_runs_count_the_same_transfers),
		T(trips_of_a_loop_are_exact),
		T(what_a_mutex_guards_is_no_suspect_and_what_nothing_guards_is_one),
		T(a_program_that_dies_keeps_its_status_and_leaves_no_false_end),
		T(all_that_was_done_before_a_fault_is_kept),
		T(a_wrong_option_is_said_and_nothing_runs),
		T(results_that_cannot_be_written_do_not_stop_the_program),
		T(only_the_part_asked_for_is_simulated_and_that_is_said),
		T(the_count_of_all_is_that_of_the_simulation),
		T(what_has_not_ended_by_itself_has_no_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
