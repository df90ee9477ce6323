/*
 * Arms that change the machine, around a program that shows what it finds: prefetchers in files
 * that stand for registers, and the page cache.
 */
#include "support/measure_fakes.h"

#include <signal.h>
#include <sys/stat.h>

#include "experiment/experiments.h"
#include "experiment/input_files.h"
#include "experiment/page_cache.h"
#include "experiment/prefetchers.h"

#define MSR 420u
#define INPUT_BYTES ((size_t)4 << 20)

struct world {
	char folder[128], record_path[200], input[200], old_bits[200];
	char *argv[5];
	struct sd_options options;
	struct sd_record record;
	struct sd_measure measure;
	struct sd_trial trial;
	struct sd_experiments experiments;
	struct sd_prefetchers_of prefetchers;
	struct sd_input_files inputs;
	struct said said;
	struct sd_sink sink;
	volatile sig_atomic_t stop;
	/* of the runs that were kept */
	char text[2][64]; /* what the program printed, by arm */
	unsigned kept[2];
	struct sd_value cached[2];
};

static void evict(const char *path)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
}

static double resident(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct sd_value v;

	assert_true(fd >= 0);
	v = sd_page_cache_bytes(fd, INPUT_BYTES);
	close(fd);
	return sd_has(v) ? v.value / INPUT_BYTES : -1;
}

static int keep(void *ctx, struct sd_run *run)
{
	struct world *w = ctx;
	const enum sd_arm arm = run->tried->arm;

	read_file(w->trial.stdout_path, w->text[arm], sizeof w->text[arm]);
	w->cached[arm] = run->tried->side[SD_SIDE_CACHED];
	w->kept[arm]++;
	evict(w->input);
	sd_run_free(run);
	return 0;
}

/* A plan of two points on the CPUs there are, and the one experiment. */
static void plan(struct world *w, enum sd_experiment e)
{
	struct sd_plan *p = &w->record.plan;
	cpu_set_t set;
	unsigned cpu = 0;

	sched_getaffinity(0, sizeof set, &set);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	p->point = calloc(2, sizeof *p->point);
	p->n_point = 2;
	for (unsigned i = 0; i < 2; i++) {
		p->point[i].cores = i + 1;
		assert_int_equal(sd_cpulist_add(&p->point[i].cpus, cpu), 0);
	}
	p->experiment = calloc(1, sizeof *p->experiment);
	p->n_experiment = 1;
	p->experiment[0] = (struct sd_plan_experiment){.experiment = e, .point = 1};
}

static void make_world(struct world *w, enum sd_experiment e, const char *script)
{
	static const struct sd_probe *const none[] = {NULL};
	char path[400], *bytes = calloc(1, INPUT_BYTES + 1);

	*w = (struct world){.sink = {.emit = hear_said, .ctx = &w->said}};
	make_folder(w->folder, sizeof w->folder);
	snprintf(w->record_path, sizeof w->record_path, "%s/r.json", w->folder);
	snprintf(w->input, sizeof w->input, "%s/input", w->folder);
	snprintf(w->old_bits, sizeof w->old_bits, "%s/old-bits", w->folder);
	memset(bytes, 'x', INPUT_BYTES);
	write_file(w->input, bytes, 0600);
	free(bytes);
	evict(w->input);
	snprintf(path, sizeof path, "mkdir -p '%s/dev/cpu/0' '%s/dev/cpu/1'", w->folder, w->folder);
	assert_int_equal(system(path), 0);
	w->argv[0] = strdup("/bin/sh");
	w->argv[1] = strdup("-c");
	w->argv[2] = strdup(script);
	w->options = (struct sd_options){.argv = w->argv, .argc = 3, .cwd = w->folder, .no_env = 1};
	w->measure = (struct sd_measure){.options = &w->options,
		.probes = none,
		.os_only = 1,
		.record_path = w->record_path,
		.stop = &w->stop};
	w->prefetchers = (struct sd_prefetchers_of){.msr = sd_msr_of(w->folder),
		.bits = {.msr = MSR, .off = 0xf, .source = "test"},
		.file = w->old_bits};
	w->experiments = (struct sd_experiments){
		.prefetchers = &w->prefetchers, .inputs = &w->inputs, .keep = keep, .keep_ctx = w};
	plan(w, e);
	assert_int_equal(sd_trial_open(&w->trial, &w->measure, &w->record, &w->sink), 0);
}

static void drop_world(struct world *w)
{
	char command[200];

	assert_no_children();
	sd_trial_close(&w->trial);
	sd_record_free(&w->record);
	sd_input_files_free(&w->inputs);
	for (int i = 0; i < 3; i++)
		free(w->argv[i]);
	snprintf(command, sizeof command, "rm -r '%s'", w->folder);
	assert_int_equal(system(command), 0);
}

static int round_of(struct world *w)
{
	return sd_experiments_round(&w->experiments, &w->trial, &w->record.plan, 0, 0);
}

static const char *skipped(const struct world *w)
{
	const char *why = w->record.plan.experiment[0].skipped;

	return why ? why : "";
}

/* ---- prefetchers ---- */

static unsigned first_cpu(const struct world *w)
{
	return w->record.plan.point[0].cpus.cpu[0];
}

/* The program prints the register of its CPU. */
static void with_registers(struct world *w)
{
	char path[300];

	make_world(w, SD_EXPERIMENT_PREFETCHERS, "od -An -tu1 -j420 -N1 dev/cpu/*/msr");
	snprintf(path, sizeof path, "%s/dev/cpu/%u/msr", w->folder, first_cpu(w));
	write_file(path, "", 0600);
	assert_int_equal(w->prefetchers.msr.write(&w->prefetchers.msr, first_cpu(w), MSR, 0x20), 0);
}

static uint64_t register_now(const struct world *w)
{
	uint64_t value = 0;

	assert_int_equal(
		w->prefetchers.msr.read(&w->prefetchers.msr, first_cpu(w), MSR, &value), 0);
	return value;
}

static void the_changed_program_finds_its_prefetchers_off_and_the_plain_one_on(void **state)
{
	struct world w;

	(void)state;
	with_registers(&w);
	assert_int_equal(round_of(&w), 0);
	assert_string_equal(skipped(&w), "");
	assert_int_equal(w.kept[SD_ARM_CHANGED], 2); /* at both points */
	assert_int_equal(atoi(w.text[SD_ARM_PLAIN]), 0x20);
	assert_int_equal(atoi(w.text[SD_ARM_CHANGED]), 0x2f);
	assert_int_equal(register_now(&w), 0x20);
	assert_int_equal(w.said.n, 0);
	drop_world(&w);
}

static void a_program_that_fails_or_hangs_finds_them_on_again(void **state)
{
	static const char *const scripts[] = {"exit 3", "kill -9 $$", "sleep 100"};

	(void)state;
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		struct world w;
		char script[200];

		with_registers(&w);
		free(w.argv[2]);
		snprintf(script, sizeof script,
			"[ $(od -An -tu1 -j420 -N1 dev/cpu/*/msr) = 47 ] || exit 0; %s",
			scripts[i]);
		w.argv[2] = strdup(script);
		w.options.timeout_s = .5;
		assert_int_equal(round_of(&w), 0);
		assert_string_not_equal(skipped(&w), "");
		assert_int_equal(w.kept[SD_ARM_CHANGED], 0);
		assert_int_equal(register_now(&w), 0x20);
		drop_world(&w);
	}
}

static void an_interrupt_ends_the_run_with_them_on_again(void **state)
{
	struct world w;

	(void)state;
	with_registers(&w);
	w.stop = 1;
	assert_int_equal(round_of(&w), -EINTR);
	assert_int_equal(register_now(&w), 0x20);
	assert_int_equal(access(w.old_bits, F_OK), -1);
	drop_world(&w);
}

static void without_registers_the_experiment_is_given_up_with_the_reason(void **state)
{
	struct world w;

	(void)state;
	make_world(&w, SD_EXPERIMENT_PREFETCHERS, "true");
	assert_int_equal(round_of(&w), 0);
	assert_non_null(strstr(skipped(&w), "modprobe msr"));
	assert_int_equal(w.kept[SD_ARM_CHANGED], 0);
	drop_world(&w);
}

/* ---- copies, and work that differs ---- */

static void add_run(struct world *w, double cpu_s, uint64_t digest)
{
	struct sd_record *r = &w->record;
	struct sd_run *run;

	r->run = realloc(r->run, (r->n_run + 1) * sizeof *r->run);
	assert_non_null(r->run);
	run = &r->run[r->n_run++];
	*run = (struct sd_run){.kind = SD_RUN_BLOCK, .stdout_digest = digest};
	run->metric[SD_METRIC_USER] = SD_OK(cpu_s);
	run->metric[SD_METRIC_SYSTEM] = SD_OK(0);
	run->metric[SD_METRIC_WALL] = SD_OK(cpu_s);
	run->metric[SD_METRIC_MAX_RSS] = SD_OK(6e9);
}

static void copies_that_do_not_fit_into_memory_are_not_started(void **state)
{
	struct world w;

	(void)state;
	make_world(&w, SD_EXPERIMENT_REPLICAS, "true");
	w.record.plan.experiment[0].point = 0;
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(sd_cpulist_add(&w.record.plan.experiment[0].cpus, i), 0);
	w.record.host.memory_bytes = SD_OK(8e9);
	for (int i = 0; i < 3; i++)
		add_run(&w, 1, 1);
	for (int i = 0; i < 8 && !*skipped(&w); i++, w.record.plan.seed++)
		assert_int_equal(round_of(&w), 0);
	assert_non_null(strstr(skipped(&w), "2 copies of 6.0 GB do not fit"));
	assert_int_equal(w.kept[SD_ARM_CHANGED], 0);
	drop_world(&w);
}

static void work_that_differs_from_run_to_run_makes_no_pairs(void **state)
{
	static const struct {
		double cpu[4];
		uint64_t digest[4];
		const char *rate;
		int erratic;
	} rows[] = {
		{{1, 3, .5, 2}, {1, 2, 3, 4}, NULL, 1},
		{{1, 3, .5, 2}, {1, 1, 1, 1}, NULL, 0},    /* the same result: the machine */
		{{1, 1.1, 1, 1.2}, {1, 2, 3, 4}, NULL, 0}, /* it prints a time */
		{{1, 9, 1, 1}, {1, 2, 3, 4}, NULL, 0},     /* one was disturbed */
		{{1, 3, .5, 2}, {1, 2, 3, 4}, "x", 0},     /* its throughput counts */
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world w;

		make_world(&w, SD_EXPERIMENT_PASSIVE_WAIT, "true");
		for (int k = 0; k < 4; k++)
			add_run(&w, rows[i].cpu[k], rows[i].digest[k]);
		w.record.program.rate = rows[i].rate ? strdup(rows[i].rate) : NULL;
		assert_int_equal(round_of(&w), 0);
		assert_int_equal(
			strstr(skipped(&w), "differs from run to run") != NULL, rows[i].erratic);
		assert_int_equal(w.kept[SD_ARM_CHANGED], !rows[i].erratic);
		drop_world(&w);
	}
}

/* ---- the page cache ---- */

/* 0: this folder's file system keeps every page whatever it is told, or does not tell. */
static int can_evict(const struct world *w, const char *name)
{
	if (resident(w->input) == 0)
		return 1;
	print_message("SKIP %s: this folder's files cannot be dropped from the page cache\n", name);
	return 0;
}

static void what_the_program_was_seen_to_read_is_cached_before_a_warm_run(void **state)
{
	struct world w;

	(void)state;
	/* it holds the file open, and reads none of it */
	make_world(&w, SD_EXPERIMENT_WARM_CACHE, "exec 5<input; sleep 0.4");
	if (can_evict(&w, __func__)) {
		for (unsigned pair = 0; pair < 2; pair++) {
			assert_int_equal(round_of(&w), 0);
			assert_string_equal(skipped(&w), "");
			assert_int_equal(w.kept[SD_ARM_PLAIN], pair + 1);
			assert_int_equal(w.kept[SD_ARM_CHANGED], pair + 1);
			w.record.plan.seed++;
		}
		assert_int_equal(w.inputs.path.n, 1);
		assert_string_equal(strrchr(w.inputs.path.text[0], '/'), "/input");
		assert_true(sd_has(w.cached[SD_ARM_CHANGED]));
		assert_true(w.cached[SD_ARM_CHANGED].value > .95);
		assert_true(sd_has(w.cached[SD_ARM_PLAIN]));
		assert_true(w.cached[SD_ARM_PLAIN].value < .05);
	}
	drop_world(&w);
}

static void files_that_are_cached_anyway_make_no_experiment(void **state)
{
	struct world w;

	(void)state;
	/* its first run shows which file it reads, and leaves it in the cache */
	make_world(&w, SD_EXPERIMENT_WARM_CACHE,
		"exec 5<input; cat input input >/dev/null; sleep 0.3; cat input >/dev/null");
	assert_int_equal(sd_input_files_named(&w.inputs, (char *[]){NULL, w.input}, 2, NULL), 0);
	assert_int_equal(sd_input_files_read(&w.inputs, NULL), 0);
	w.inputs.looked = 1;
	w.record.plan.seed = 1;
	for (int i = 0; i < 3 && !*skipped(&w); i++) {
		assert_int_equal(sd_input_files_read(&w.inputs, NULL), 0);
		assert_int_equal(round_of(&w), 0);
		w.record.plan.seed++;
	}
	if (resident(w.input) >= 0 && w.kept[SD_ARM_CHANGED] == 0)
		assert_non_null(strstr(skipped(&w), "in the page cache before it starts"));
	drop_world(&w);
}

static void a_program_that_reads_no_file_is_skipped(void **state)
{
	struct world w;

	(void)state;
	make_world(&w, SD_EXPERIMENT_WARM_CACHE, "sleep 0.3");
	assert_int_equal(round_of(&w), 0);
	assert_non_null(strstr(skipped(&w), "was not seen to read any file"));
	drop_world(&w);
}

static void files_that_do_not_fit_into_memory_are_not_read(void **state)
{
	struct world w;

	(void)state;
	make_world(&w, SD_EXPERIMENT_WARM_CACHE, "exec 5<input; sleep 0.3");
	w.record.host.memory_bytes = SD_OK(1e6);
	if (can_evict(&w, __func__)) {
		assert_int_equal(round_of(&w), 0);
		assert_non_null(strstr(skipped(&w), "do not fit into the memory"));
		assert_true(resident(w.input) < .05);
	}
	drop_world(&w);
}

static void arguments_name_files_by_themselves_or_behind_an_equals_sign(void **state)
{
	char *argv[] = {NULL, (char[]){"input"}, (char[]){"--from=input"}, (char[]){"if=other"},
		(char[]){"/proc/cpuinfo"}, (char[]){"."}, (char[]){""}, (char[]){"="}, NULL};
	struct sd_input_files in = {0};
	char folder[128], path[200];

	(void)state;
	make_folder(folder, sizeof folder);
	snprintf(path, sizeof path, "%s/input", folder);
	write_file(path, "1", 0600);
	snprintf(path, sizeof path, "%s/other", folder);
	write_file(path, "2", 0600);
	assert_int_equal(sd_input_files_named(&in, argv, 8, folder), 0);
	assert_int_equal(in.path.n, 2);
	assert_false(in.looked);
	sd_input_files_free(&in);
	remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_changed_program_finds_its_prefetchers_off_and_the_plain_one_on),
		cmocka_unit_test(a_program_that_fails_or_hangs_finds_them_on_again),
		cmocka_unit_test(an_interrupt_ends_the_run_with_them_on_again),
		cmocka_unit_test(without_registers_the_experiment_is_given_up_with_the_reason),
		cmocka_unit_test(copies_that_do_not_fit_into_memory_are_not_started),
		cmocka_unit_test(work_that_differs_from_run_to_run_makes_no_pairs),
		cmocka_unit_test(what_the_program_was_seen_to_read_is_cached_before_a_warm_run),
		cmocka_unit_test(files_that_are_cached_anyway_make_no_experiment),
		cmocka_unit_test(a_program_that_reads_no_file_is_skipped),
		cmocka_unit_test(files_that_do_not_fit_into_memory_are_not_read),
		cmocka_unit_test(arguments_name_files_by_themselves_or_behind_an_equals_sign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
