/*
 * Measurements of rank agents: written where a rank ran, made one run where the launcher was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parts/rank_environment.h"
#include "parts/rank_part.h"
#include "parts/rank_parts.h"

static char folder[] = "/tmp/scalediag-test-XXXXXX";
static char word[] = "./solver";
static char *const argv[] = {word, NULL};

static void count(void *ctx, enum sd_level level, const char *text)
{
	(void)level;
	(void)text;
	++*(int *)ctx;
}

/* A stack of one frame. */
static unsigned place(struct sd_stacks *s, const char *function)
{
	struct sd_frame f = {.line = 7};
	unsigned frame, node;

	assert_int_equal(sd_stacks_text(s, function, &f.function), 0);
	assert_int_equal(sd_stacks_frame(s, &f, &frame), 0);
	assert_int_equal(sd_stacks_node(s, 0, frame, &node), 0);
	return node;
}

static void sample(struct sd_run *r, struct sd_stacks *s, const char *function, double seconds)
{
	r->sampled.status = SD_STATUS_OK;
	r->sampled.samples += 100;
	r->sampled.use = realloc(r->sampled.use, (r->sampled.n_use + 1) * sizeof *r->sampled.use);
	r->sampled.use[r->sampled.n_use++] = (struct sd_use){.node = place(s, function),
		.activity = SD_ACTIVITY_USEFUL,
		.seconds = seconds,
		.count = 100};
}

/* A run of `user` CPU seconds. */
static struct sd_run run_of(double user, double rss)
{
	struct sd_run r = {.kind = SD_RUN_BLOCK};

	for (int i = 0; i < SD_METRIC_COUNT; i++)
		r.metric[i] = SD_OK(1);
	r.metric[SD_METRIC_USER] = SD_OK(user);
	r.metric[SD_METRIC_MAX_RSS] = SD_OK(rss);
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		r.idle[i] = SD_OK(.5);
	return r;
}

/* As the agent of another process, whose name is its own. Takes the contents of both. */
static void put_part(struct sd_run *run, struct sd_stacks *stacks)
{
	const struct sd_sink silent = {0};
	char from[256], to[256], host[64] = "";
	unsigned cpu = 0;
	const struct sd_cpulist cpus = {.cpu = &cpu, .n = 1};
	static int n;

	assert_int_equal(sd_rank_part_write(folder, &cpus, 1, argv, run, stacks, &silent), 0);
	gethostname(host, sizeof host - 1);
	snprintf(from, sizeof from, "%s/%s.%d" SD_RANK_PART_SUFFIX, folder, host, (int)getpid());
	snprintf(to, sizeof to, "%s/%s.%d" SD_RANK_PART_SUFFIX, folder, host, ++n);
	assert_int_equal(rename(from, to), 0);
	sd_run_free(run);
	sd_stacks_free(stacks);
}

static void write_part(double user, double rss, const char *function)
{
	struct sd_run r = run_of(user, rss);
	struct sd_stacks s = {0};

	place(&s, "not sampled"); /* so that the numbers of places differ */
	sample(&r, &s, function, user);
	put_part(&r, &s);
}

static const char *function_of(const struct sd_stacks *s, const struct sd_use *u)
{
	return s->text[s->frame[s->node[u->node].frame].function];
}

static void parts_become_one_run(void **state)
{
	struct sd_run run = run_of(.25, 5e6);
	struct sd_stacks stacks = {0};
	const struct sd_sink silent = {0};

	(void)state;
	run.mpi = calloc(1, sizeof *run.mpi);
	run.mpi->host = calloc(2, sizeof *run.mpi->host);
	run.mpi->n_host = 2;
	snprintf(run.mpi->host[0].name, sizeof run.mpi->host[0].name, "elsewhere");
	gethostname(run.mpi->host[1].name, sizeof run.mpi->host[1].name - 1);
	sample(&run, &stacks, "launch", .25);
	write_part(2, 1e8, "solve");
	write_part(3, 4e8, "solve");
	write_part(1, 2e8, "init");
	assert_int_equal(sd_rank_parts_merge(folder, &run, &stacks, &silent), 0);

	assert_float_equal(run.metric[SD_METRIC_USER].value, 6.25, 1e-9);
	assert_float_equal(run.metric[SD_METRIC_MAX_RSS].value, 4e8, 1);
	assert_float_equal(run.metric[SD_METRIC_WALL].value, 1, 1e-9);
	/* idle cores of the ranks: those beside the launcher alone were no rank's */
	assert_float_equal(run.idle[0].value, 1.5, 1e-9);
	assert_int_equal(run.mpi->host[0].agents, 0);
	assert_int_equal(run.mpi->host[1].agents, 3);
	assert_float_equal(run.mpi->host[1].user.value, 6, 1e-9);
	assert_float_equal(run.mpi->host[1].max_rss.value, 4e8, 1);
	/* the same function of two parts is one row */
	assert_int_equal(run.sampled.n_use, 3);
	assert_string_equal(function_of(&stacks, &run.sampled.use[0]), "solve");
	assert_float_equal(run.sampled.use[0].seconds, 5, 1e-9);
	assert_string_equal(function_of(&stacks, &run.sampled.use[1]), "init");
	assert_float_equal(run.sampled.samples, 400, 1e-9);
	sd_rank_parts_remove(folder);
	sd_run_free(&run);
	sd_stacks_free(&stacks);
}

static void a_damaged_part_is_lost_alone(void **state)
{
	struct sd_run run = run_of(0, 0);
	struct sd_stacks stacks = {0};
	int said = 0;
	const struct sd_sink sink = {count, &said};
	char path[256];
	FILE *f;

	(void)state;
	write_part(2, 1e8, "solve");
	snprintf(path, sizeof path, "%s/n1.1" SD_RANK_PART_SUFFIX, folder);
	f = fopen(path, "w");
	fputs("{\"kind\": \"scalediag-rec", f);
	fclose(f);
	assert_int_equal(sd_rank_parts_merge(folder, &run, &stacks, &sink), 0);
	assert_true(said > 0);
	assert_float_equal(run.metric[SD_METRIC_USER].value, 2, 1e-9);
	assert_int_equal(run.sampled.n_use, 1);
	sd_rank_parts_remove(folder);
	sd_run_free(&run);
	sd_stacks_free(&stacks);
}

static void write_end(enum sd_end end, int code, double start, double seconds)
{
	struct sd_run r = run_of(1, 1);
	struct sd_stacks s = {0};

	r.end = end;
	r.code = code;
	r.start = start;
	r.metric[SD_METRIC_WALL] = SD_OK(seconds);
	put_part(&r, &s);
}

/* The launcher ended the others by SIGTERM, a little later. */
static void the_first_rank_that_a_signal_ended_is_known(void **state)
{
	struct sd_rank_death first;

	(void)state;
	assert_int_equal(sd_rank_parts_first_death(folder, &first), 0);
	write_end(SD_END_EXITED, 1, 1e9, 1);
	assert_int_equal(sd_rank_parts_first_death(folder, &first), 0);
	write_end(SD_END_SIGNALLED, 15, 1e9, 5);
	write_end(SD_END_SIGNALLED, 9, 1e9 + .5, 4);
	write_end(SD_END_SIGNALLED, 15, 1e9, 5.1);
	assert_int_equal(sd_rank_parts_first_death(folder, &first), 1);
	assert_int_equal(first.signal, 9);
	assert_float_equal(first.end, 1e9 + 4.5, 1e-3);
	assert_true(first.node[0] != '\0');
	sd_rank_parts_remove(folder);
}

/* A launcher all of whose ranks are its children has no parts. */
static void without_parts_nothing_changes(void **state)
{
	struct sd_run run = run_of(2, 1e8);
	struct sd_stacks stacks = {0};
	const struct sd_sink silent = {0};

	(void)state;
	run.concurrency = calloc(3, sizeof *run.concurrency);
	run.n_concurrency = 3;
	sample(&run, &stacks, "solve", 2);
	assert_int_equal(sd_rank_parts_merge(folder, &run, &stacks, &silent), 0);
	assert_float_equal(run.metric[SD_METRIC_USER].value, 2, 1e-9);
	assert_float_equal(run.idle[0].value, .5, 1e-9);
	assert_int_equal(run.n_concurrency, 3);
	assert_int_equal(run.sampled.n_use, 1);
	sd_run_free(&run);
	sd_stacks_free(&stacks);
}

static void what_ranks_leave_is_removed_and_nothing_else(void **state)
{
	static const char *const name[] = {"n1.7.mpi", "n1.7.part.json", "mine.txt"};
	char path[256];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, name[i]);
		fclose(fopen(path, "w"));
	}
	sd_rank_parts_remove(folder);
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, name[i]);
		assert_int_equal(access(path, F_OK), i == 2 ? 0 : -1);
	}
	unlink(path);
	assert_int_equal(rmdir(folder), 0);
}

static const char *value_of(char *const *envp, const char *name)
{
	const size_t n = strlen(name);

	for (; *envp; envp++)
		if (strncmp(*envp, name, n) == 0 && (*envp)[n] == '=')
			return *envp + n + 1;
	return NULL;
}

/* Open MPI's mpirun starts nothing when it is told both by -x and by its variable. */
static void other_nodes_are_told_unless_the_user_tells_them(void **state)
{
	static char mpirun[] = "mpirun", x[] = "-x", name[] = "A";
	char *plain[] = {mpirun, NULL}, *told[] = {mpirun, x, name, NULL};
	struct sd_rank_environment of = {.library = "/l.so", .folder = "/f", .threads = 2};

	(void)state;
	for (int i = 0; i < 2; i++) {
		char **envp = calloc(1, sizeof *envp);
		const char *list;

		of.argv = i ? told : plain;
		assert_int_equal(sd_rank_environment_set(&envp, &of), 0);
		assert_string_equal(value_of(envp, "LD_PRELOAD"), "/l.so");
		assert_string_equal(value_of(envp, SD_RANK_THREADS), "2");
		assert_null(value_of(envp, SD_RANK_SAMPLES));
		list = value_of(envp, "OMPI_MCA_mca_base_env_list");
		assert_int_equal(list == NULL, i);
		if (list) {
			assert_non_null(strstr(list, "LD_PRELOAD;" SD_RANK_FOLDER ";"));
			assert_null(strstr(list, SD_RANK_SAMPLES));
		}
		for (char **e = envp; *e; e++)
			free(*e);
		free(envp);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_become_one_run),
		cmocka_unit_test(a_damaged_part_is_lost_alone),
		cmocka_unit_test(the_first_rank_that_a_signal_ended_is_known),
		cmocka_unit_test(without_parts_nothing_changes),
		cmocka_unit_test(other_nodes_are_told_unless_the_user_tells_them),
		cmocka_unit_test(what_ranks_leave_is_removed_and_nothing_else),
	};

	if (!mkdtemp(folder))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
