/*
 * What experiments the machine and the program allow, copies at once, files written by two, and
 * folders of their own: with small programs of the system.
 */
#include "support/measure_fakes.h"

#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "launch/binary_facts.h"
#include "trial/copies.h"
#include "launch/environment.h"
#include "experiment/experiments.h"
#include "trial/private_folder.h"
#include "launch/keeper.h"
#include "experiment/thief_process.h"
#include "trial/shared_output.h"
#include "launch/command_words.h"

/* ---- the plan ---- */

static struct sd_pu pu[8];
static char program[] = "/bin/true";
static char *argv[] = {program, NULL};
static char *no_environment[] = {NULL};

static struct sd_topology machine(unsigned n)
{
	for (unsigned i = 0; i < 8; i++)
		pu[i] = (struct sd_pu){.os = i, .core = i};
	return (struct sd_topology){.pu = pu,
		.n_pu = n,
		.n_core = n,
		.n_llc = 1,
		.n_numa = 1,
		.n_package = 1,
		.n_kind = 1,
		.granted = n,
		.llc_bytes = SD_OK(32e6)};
}

/* Points of 1 and `most` cores. */
static struct sd_plan points(unsigned most)
{
	struct sd_plan p = {.n_point = most > 1 ? 2 : 1};

	p.point = calloc(2, sizeof *p.point);
	for (size_t i = 0; i < p.n_point; i++) {
		p.point[i].cores = i ? most : 1;
		for (unsigned c = 0; c < p.point[i].cores; c++)
			assert_int_equal(sd_cpulist_add(&p.point[i].cpus, c), 0);
	}
	return p;
}

static const char *why(const struct sd_plan *p, enum sd_experiment e)
{
	for (size_t i = 0; i < p->n_experiment; i++)
		if (p->experiment[i].experiment == e)
			return p->experiment[i].skipped ? p->experiment[i].skipped : "";
	return "not in the plan";
}

static void a_machine_that_lacks_what_an_experiment_changes_says_so(void **state)
{
	struct sd_options o = {.argv = argv, .argc = 1};
	struct sd_topology t = machine(2);
	const struct sd_experiments_world w = {
		.options = &o, .topology = &t, .envp = no_environment, .root = ""};
	struct sd_plan p = points(2);

	(void)state;
	assert_int_equal(sd_experiments_plan(&w, &p), 0);
	assert_int_equal(p.n_experiment, SD_EXPERIMENT_COUNT);
	assert_string_equal(why(&p, SD_EXPERIMENT_REPLICAS), "");
	assert_string_equal(why(&p, SD_EXPERIMENT_BANDWIDTH_THIEF), "");
	assert_non_null(strstr(why(&p, SD_EXPERIMENT_SPREAD), "one shared cache"));
	assert_non_null(strstr(why(&p, SD_EXPERIMENT_SIBLINGS), "a core of its own"));
	assert_non_null(strstr(why(&p, SD_EXPERIMENT_INTERLEAVE), "one memory node"));
	assert_non_null(strstr(why(&p, SD_EXPERIMENT_PADDING), "scalediag-pad.so"));
	assert_non_null(strstr(why(&p, SD_EXPERIMENT_ALLOCATOR), "libjemalloc2"));
	assert_non_null(strstr(why(&p, SD_EXPERIMENT_PREFETCHERS), "not known how"));
	assert_string_equal(why(&p, SD_EXPERIMENT_WARM_CACHE), "");
	sd_plan_free(&p);
}

static void one_core_has_nothing_to_explain(void **state)
{
	struct sd_options o = {.argv = argv, .argc = 1};
	struct sd_topology t = machine(1);
	const struct sd_experiments_world w = {
		.options = &o, .topology = &t, .envp = no_environment, .root = ""};
	struct sd_plan p = points(1);

	(void)state;
	assert_int_equal(sd_experiments_plan(&w, &p), 0);
	for (size_t i = 0; i < p.n_experiment; i++)
		assert_non_null(p.experiment[i].skipped);
	sd_plan_free(&p);
}

static void none_plans_none_and_a_list_plans_what_it_names(void **state)
{
	struct sd_options o = {.argv = argv, .argc = 1, .experiments = SD_EXPERIMENTS_NONE};
	struct sd_topology t = machine(2);
	const struct sd_experiments_world w = {
		.options = &o, .topology = &t, .envp = no_environment, .root = ""};
	struct sd_plan p = points(2);

	(void)state;
	assert_int_equal(sd_experiments_plan(&w, &p), 0);
	assert_int_equal(p.n_experiment, 0);
	o.experiments = SD_EXPERIMENTS_LIST;
	o.experiment = 1ul << SD_EXPERIMENT_REPLICAS;
	assert_int_equal(sd_experiments_plan(&w, &p), 0);
	assert_int_equal(p.n_experiment, 1);
	assert_true(p.experiment[0].asked);
	assert_int_equal(p.experiment[0].cpus.n, 2);
	sd_plan_free(&p);
}

static void caches_sockets_and_siblings_give_other_placements(void **state)
{
	struct sd_options o = {.argv = argv, .argc = 1};
	struct sd_topology t = machine(8);
	const struct sd_experiments_world w = {
		.options = &o, .topology = &t, .envp = no_environment, .root = ""};
	struct sd_plan p = points(2);

	(void)state;
	/* two caches of two cores of two threads; the plan has one thread of each of the first */
	for (unsigned i = 0; i < 8; i++) {
		pu[i].llc = i / 4;
		pu[i].core = i / 2;
		pu[i].smt_rank = i % 2;
	}
	t.n_llc = 2;
	t.n_core = 4;
	p.point[1].cpus.cpu[1] = 2;
	assert_int_equal(sd_experiments_plan(&w, &p), 0);
	assert_string_equal(why(&p, SD_EXPERIMENT_SIBLINGS), "");
	assert_string_equal(why(&p, SD_EXPERIMENT_SPREAD), "");
	assert_int_equal(p.experiment[SD_EXPERIMENT_SIBLINGS].cpus.cpu[1], 1);
	assert_int_equal(p.experiment[SD_EXPERIMENT_SPREAD].cpus.cpu[1], 4);
	sd_plan_free(&p);
}

/* ---- the program's file ---- */

static void a_file_tells_its_loader_and_its_openmp(void **state)
{
	static const unsigned char script[] = "#!/bin/sh\n";
	struct sd_binary_facts b;

	(void)state;
	sd_binary_facts_parse(script, sizeof script, &b);
	assert_false(b.elf);
	assert_int_equal(b.openmp, -1);
	assert_int_equal(sd_binary_facts_look("/proc/self/exe", &b), 0);
	assert_true(b.elf && b.dynamic);
	assert_int_equal(sd_binary_facts_look("/no/such/file", &b), -ENOENT);
}

static void a_privileged_program_cannot_be_preloaded(void **state)
{
	struct sd_binary_facts b;
	char folder[128], path[200];

	(void)state;
	make_folder(folder, sizeof folder);
	snprintf(path, sizeof path, "%s/suid", folder);
	write_file(path, "\177ELF and more", 0700);
	assert_int_equal(chmod(path, 04755), 0);
	assert_int_equal(sd_binary_facts_look(path, &b), 0);
	assert_true(b.elf);
	assert_true(b.privileged);
	remove_folder(folder);
}

static void a_variable_is_set_or_joined(void **state)
{
	char *base[] = {(char[]){"A=1"}, (char[]){"LD_PRELOAD=/x.so"}, NULL};
	struct sd_options o = {.no_env = 1};
	char **envp;

	(void)state;
	assert_int_equal(sd_environment_envp(base, &o, 1, NULL, &envp), 0);
	assert_int_equal(sd_environment_set(&envp, "A", "2", 0), 0);
	assert_int_equal(sd_environment_set(&envp, "LD_PRELOAD", "/y.so", 1), 0);
	assert_int_equal(sd_environment_set(&envp, "GLIBC_TUNABLES", "t=1", 1), 0);
	assert_string_equal(envp[0], "A=2");
	assert_string_equal(envp[1], "LD_PRELOAD=/x.so:/y.so");
	assert_string_equal(envp[2], "GLIBC_TUNABLES=t=1");
	assert_null(envp[3]);
	sd_command_words_free(envp);
}

/* ---- copies ---- */

#define COPIES 3

struct trio {
	char folder[128], out[COPIES][200], err[COPIES][200], shared[200];
	struct sd_copies_one one[COPIES];
	struct sd_copy copy[COPIES];
	struct sd_run run;
	struct said said;
};

static int run_trio(struct trio *w, const char *script, double timeout_s)
{
	char *sh[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, strdup(script), NULL};
	const struct sd_sink sink = {.emit = hear_said, .ctx = &w->said};
	static unsigned cpu[1];
	const struct sd_copies c = {
		.argv = sh, .envp = environ, .one = w->one, .n = COPIES, .timeout_s = timeout_s};
	cpu_set_t set;
	int rc;

	sched_getaffinity(0, sizeof set, &set);
	while (!CPU_ISSET(cpu[0], &set))
		cpu[0]++;
	make_folder(w->folder, sizeof w->folder);
	for (int i = 0; i < COPIES; i++) {
		snprintf(w->out[i], sizeof w->out[i], "%s/%d.out", w->folder, i);
		snprintf(w->err[i], sizeof w->err[i], "%s/%d.err", w->folder, i);
		w->one[i] = (struct sd_copies_one){.cpus = {.cpu = cpu, .n = 1},
			.cwd = w->folder,
			.out_path = w->out[i],
			.err_path = w->err[i]};
	}
	rc = sd_copies_run(&c, w->copy, &w->run, w->shared, sizeof w->shared, &sink);
	free(sh[2]);
	assert_no_children();
	return rc;
}

static void copies_run_at_once_with_outputs_of_their_own(void **state)
{
	struct trio w = {.shared = ""};
	char text[64];
	int same;

	(void)state;
	assert_int_equal(setenv("MARK", "scalediag-copies", 1), 0);
	assert_int_equal(run_trio(&w, "echo $$; sleep 0.2 & wait", 0), 0);
	assert_int_equal(w.run.end, SD_END_EXITED);
	assert_int_equal(w.run.code, 0);
	for (int i = 0; i < COPIES; i++) {
		assert_true(sd_has(w.copy[i].wall) && w.copy[i].wall.value >= .2);
		assert_true(sd_has(w.copy[i].cpu_s));
		assert_true(atoi(read_file(w.out[i], text, sizeof text)) > 0);
	}
	/* one after the other would take the sum */
	assert_true(w.run.metric[SD_METRIC_WALL].value <
		    w.copy[0].wall.value + w.copy[1].wall.value + w.copy[2].wall.value);
	same = w.copy[0].stdout_digest == w.copy[1].stdout_digest;
	assert_false(same);
	assert_string_equal(w.shared, "");
	assert_int_equal(marked("scalediag-copies", NULL), 0);
	unsetenv("MARK");
	remove_folder(w.folder);
}

/* Copies that wait for a CPU may not meet: a few tries. */
#define TRIES 5

static void a_copy_that_fails_is_the_end_of_them_all(void **state)
{
	struct trio w = {.shared = ""};

	(void)state;
	for (int i = 0; i < TRIES && w.run.code == 0; i++) {
		w = (struct trio){.shared = ""};
		assert_int_equal(run_trio(&w, "mkdir lock || exit 7; sleep 0.2; rmdir lock", 0), 0);
		assert_int_equal(w.run.end, SD_END_EXITED);
		remove_folder(w.folder);
	}
	assert_int_equal(w.run.code, 7);
}

static void copies_that_hang_are_ended(void **state)
{
	struct trio w = {.shared = ""};

	(void)state;
	assert_int_equal(setenv("MARK", "scalediag-hanging", 1), 0);
	assert_int_equal(run_trio(&w, "sleep 100 & sleep 100", .3), 0);
	assert_int_equal(w.run.end, SD_END_TIMEOUT);
	assert_int_equal(marked("scalediag-hanging", NULL), 0);
	unsetenv("MARK");
	remove_folder(w.folder);
}

static void expect_found_out(const char *script)
{
	struct trio w = {.shared = ""};

	for (int i = 0; i < TRIES && !w.shared[0]; i++) {
		w = (struct trio){.shared = ""};
		assert_int_equal(run_trio(&w, script, 0), 0);
		remove_folder(w.folder);
	}
	assert_non_null(strstr(w.shared, "/common"));
}

static void copies_that_write_the_same_file_are_found_out(void **state)
{
	(void)state;
	expect_found_out("exec 5>>common; sleep 0.5");
}

static void a_file_that_all_write_is_found_out_however_short(void **state)
{
	struct trio w = {.shared = ""};

	(void)state;
	/* one after the other: what is closed at one moment is one event to inotify */
	expect_found_out("until mkdir turn 2>/dev/null; do sleep .02; done; "
			 "echo x >common; sleep .1; rmdir turn");
	assert_int_equal(run_trio(&w, "echo x >own.$$", 0), 0);
	assert_string_equal(w.shared, "");
	remove_folder(w.folder);
}

/* A shell's lock or log, open where we were started: it says nothing of the program. */
static void what_all_inherited_is_no_file_of_theirs(void **state)
{
	struct trio w = {.shared = ""};
	char path[] = "/tmp/scalediag-inherited-XXXXXX";
	const int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(run_trio(&w, "sleep 0.5", 0), 0);
	assert_string_equal(w.shared, "");
	remove_folder(w.folder);
	close(fd);
	unlink(path);
}

static void reading_the_same_file_is_no_matter(void **state)
{
	struct trio w = {.shared = ""};

	(void)state;
	assert_int_equal(run_trio(&w, "exec 5</etc/passwd; sleep 0.3", 0), 0);
	assert_string_equal(w.shared, "");
	remove_folder(w.folder);
}

/* ---- folders of their own ---- */

static void a_copy_s_folder_has_the_files_and_takes_what_it_writes_along(void **state)
{
	char folder[128], path[400], own[200], text[64];
	struct sd_private_folder f;

	(void)state;
	make_folder(folder, sizeof folder);
	snprintf(path, sizeof path, "%s/input", folder);
	write_file(path, "as it was", 0640);
	snprintf(own, sizeof own, "%s-own", folder);
	assert_int_equal(sd_private_folder_make(&f, strdup(own), folder, NULL), 0);
	snprintf(path, sizeof path, "%s/input", own);
	assert_string_equal(read_file(path, text, sizeof text), "as it was");
	write_file(path, "changed", 0640);
	snprintf(path, sizeof path, "%s/deep", own);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof path, "%s/deep/new", own);
	write_file(path, "x", 0600);
	snprintf(path, sizeof path, "%s/input", folder);
	assert_string_equal(read_file(path, text, sizeof text), "as it was");
	sd_private_folder_free(&f);
	assert_int_equal(access(own, F_OK), -1);
	assert_int_equal(access(path, F_OK), 0);
	remove_folder(folder);
}

static void a_folder_left_by_a_killed_scalediag_is_replaced_and_no_other(void **state)
{
	char folder[128], own[200], path[400];
	struct sd_private_folder f, g;

	(void)state;
	make_folder(folder, sizeof folder);
	snprintf(own, sizeof own, "%s-own", folder);
	assert_int_equal(sd_private_folder_make(&f, strdup(own), folder, NULL), 0);
	snprintf(path, sizeof path, "%s/left", own);
	write_file(path, "x", 0600);
	/* as if the first were gone */
	assert_int_equal(sd_private_folder_make(&g, strdup(own), folder, NULL), 0);
	assert_int_equal(access(path, F_OK), -1);
	sd_private_folder_free(&g);
	free(f.path);
	/* somebody's own folder of that name */
	assert_int_equal(mkdir(own, 0700), 0);
	write_file(path, "x", 0600);
	assert_int_equal(sd_private_folder_make(&g, strdup(own), folder, NULL), -EEXIST);
	sd_private_folder_free(&g);
	assert_int_equal(access(path, F_OK), 0);
	remove_folder(own);
	remove_folder(folder);
}

static void a_link_out_of_a_copy_s_folder_is_not_followed_when_it_goes(void **state)
{
	char folder[128], path[400], own[200], target[200];
	struct sd_private_folder f;

	(void)state;
	make_folder(folder, sizeof folder);
	snprintf(own, sizeof own, "%s-own", folder);
	snprintf(target, sizeof target, "%s-target", folder);
	assert_int_equal(mkdir(target, 0700), 0);
	snprintf(path, sizeof path, "%s/kept", target);
	write_file(path, "x", 0600);
	assert_int_equal(sd_private_folder_make(&f, strdup(own), folder, NULL), 0);
	snprintf(path, sizeof path, "%s/link", own);
	assert_int_equal(symlink(target, path), 0);
	sd_private_folder_free(&f);
	snprintf(path, sizeof path, "%s/kept", target);
	assert_int_equal(access(path, F_OK), 0);
	remove_folder(target);
	remove_folder(folder);
}

/* ---- thieves ---- */

static void steal(const struct sd_thief_ask *ask, struct sd_thief_shown *shown)
{
	(void)ask;
	atomic_store(&shown->ready, 1);
	for (;;) {
		atomic_fetch_add(&shown->moved, 1000);
		sleep_ms(1);
	}
}

static void refuse(const struct sd_thief_ask *ask, struct sd_thief_shown *shown)
{
	(void)ask;
	atomic_store(&shown->ready, -ENOMEM);
}

static void a_thief_works_until_it_is_ended(void **state)
{
	const struct sd_thief thief = {.name = "test", .run = steal};
	const struct sd_thief_ask ask = {.bytes = 1};
	struct sd_value rate = SD_NOT(ABSENT);
	struct sd_thief_process r;

	(void)state;
	/* on a busy machine it may be given no CPU in a moment: then nothing is said */
	for (int i = 0; i < TRIES; i++) {
		assert_int_equal(sd_thief_process_begin(&r, &thief, &ask, NULL), 0);
		if (sd_has(r.alone))
			break;
		sd_thief_process_end(&r);
	}
	assert_true(sd_has(r.alone) && r.alone.value > 0);
	sd_thief_process_mark(&r);
	for (int i = 0; i < 200 && !sd_has(rate); i++) {
		sleep_ms(50);
		rate = sd_thief_process_rate(&r);
	}
	assert_true(sd_has(rate) && rate.value > 0);
	sd_thief_process_end(&r);
	assert_no_children();
}

static void a_thief_that_cannot_begin_says_why(void **state)
{
	const struct sd_thief thief = {.name = "test", .run = refuse};
	const struct sd_thief_ask ask = {.bytes = 1};
	struct sd_thief_process r;

	(void)state;
	assert_int_equal(sd_thief_process_begin(&r, &thief, &ask, NULL), -ENOMEM);
	assert_no_children();
}

/* Whatever ends the one who started it. */
static void a_thief_does_not_outlive_a_killed_owner(void **state)
{
	pid_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct sd_thief thief = {.name = "test", .run = steal};
	const struct sd_thief_ask ask = {.bytes = 1};
	pid_t owner, dead = 0;

	(void)state;
	assert_ptr_not_equal(shared, MAP_FAILED);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	owner = fork();
	if (owner == 0) {
		struct sd_thief_process r;

		if (sd_thief_process_begin(&r, &thief, &ask, NULL))
			_exit(1);
		*(volatile pid_t *)shared = r.pid;
		pause();
	}
	for (int i = 0; i < 2000 && !*(volatile pid_t *)shared; i++)
		sleep_ms(5);
	assert_true(*shared > 0);
	kill(owner, SIGKILL);
	waitpid(owner, NULL, 0);
	for (int i = 0; i < 2000 && !dead; i++) {
		dead = waitpid(*shared, NULL, WNOHANG);
		sleep_ms(5);
	}
	assert_int_equal(dead, *shared);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	munmap(shared, 4096);
}

/* ---- what a program inherits ---- */

static void a_program_without_huge_pages_says_so_itself(void **state)
{
	char *sh[] = {(char[]){"/bin/sh"}, (char[]){"-c"},
		(char[]){"grep -q 'THP_enabled:[[:space:]]*0' /proc/self/status"}, NULL};
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	char status[8192];

	(void)state;
	if (!strstr(read_file("/proc/self/status", status, sizeof status), "THP_enabled")) {
		close(null);
		print_message("SKIP: this kernel does not say whether huge pages are on\n");
		skip();
	}
	for (int off = 0; off < 2; off++) {
		const struct sd_keeper_spec spec = {.path = sh[0],
			.argv = sh,
			.envp = environ,
			.in = null,
			.out = null,
			.err = null,
			.tune = {.no_huge_pages = off}};
		struct sd_keeper_report r;
		struct sd_keeper k;
		int in_chdir, ended = -1;

		assert_int_equal(sd_keeper_open(&k, &spec), 0);
		assert_int_equal(sd_keeper_release(&k, NULL, &in_chdir), 0);
		do {
			assert_int_equal(sd_keeper_report(&k, &r), 0);
			ended = r.news == SD_KEEPER_ENDED ? WEXITSTATUS(r.status) : ended;
		} while (r.news != SD_KEEPER_GONE);
		sd_keeper_close(&k);
		assert_int_equal(ended, !off);
	}
	close(null);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_that_lacks_what_an_experiment_changes_says_so),
		cmocka_unit_test(one_core_has_nothing_to_explain),
		cmocka_unit_test(none_plans_none_and_a_list_plans_what_it_names),
		cmocka_unit_test(caches_sockets_and_siblings_give_other_placements),
		cmocka_unit_test(a_file_tells_its_loader_and_its_openmp),
		cmocka_unit_test(a_privileged_program_cannot_be_preloaded),
		cmocka_unit_test(a_variable_is_set_or_joined),
		cmocka_unit_test(copies_run_at_once_with_outputs_of_their_own),
		cmocka_unit_test(a_copy_that_fails_is_the_end_of_them_all),
		cmocka_unit_test(copies_that_hang_are_ended),
		cmocka_unit_test(copies_that_write_the_same_file_are_found_out),
		cmocka_unit_test(a_file_that_all_write_is_found_out_however_short),
		cmocka_unit_test(what_all_inherited_is_no_file_of_theirs),
		cmocka_unit_test(reading_the_same_file_is_no_matter),
		cmocka_unit_test(a_copy_s_folder_has_the_files_and_takes_what_it_writes_along),
		cmocka_unit_test(a_folder_left_by_a_killed_scalediag_is_replaced_and_no_other),
		cmocka_unit_test(a_link_out_of_a_copy_s_folder_is_not_followed_when_it_goes),
		cmocka_unit_test(a_thief_works_until_it_is_ended),
		cmocka_unit_test(a_thief_that_cannot_begin_says_why),
		cmocka_unit_test(a_thief_does_not_outlive_a_killed_owner),
		cmocka_unit_test(a_program_without_huge_pages_says_so_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
