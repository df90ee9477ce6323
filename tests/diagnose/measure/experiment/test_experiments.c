/*
 * Experiments that the machine and the program allow, copies at once, files written by two, and
 * folders of their own: with small programs of the system.
 */
#include <sys/stat.h>

#include "support/measure_fakes.h"
#include "launch/binary_facts.h"
#include "trial/copies.h"
#include "launch/environment.h"
#include "experiment/experiments.h"
#include "launch/keeper.h"
#include "launch/command_words.h"

/* ---- the plan ---- */

static char program[] = "/bin/true";
static char *argv[] = {program, NULL};

static struct sd_pu pu[8];

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

/* Languages whose locks are none of pthreads', by what stripping leaves of their runtimes. */
static void a_file_tells_whose_locks_are_futexes(void **state)
{
	static const struct {
		const char *text, *language;
	} rows[] = {{"\177ELF ... RUST_BACKTRACE ...", "Rust"},
		{"\177ELF ... \xff Go buildinf:\10\2", "Go"},
		{"\177ELF ... pthread_mutex_lock ...", NULL}, {"RUST_BACKTRACE", NULL}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_binary_facts b;

		sd_binary_facts_parse(
			(const unsigned char *)rows[i].text, strlen(rows[i].text), &b);
		if (rows[i].language)
			assert_string_equal(b.futexes, rows[i].language);
		else
			assert_null(b.futexes);
	}
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
		cmocka_unit_test(a_file_tells_whose_locks_are_futexes),
		cmocka_unit_test(a_privileged_program_cannot_be_preloaded),
		cmocka_unit_test(a_variable_is_set_or_joined),
		cmocka_unit_test(a_program_without_huge_pages_says_so_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
