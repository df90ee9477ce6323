/*
 * Two NUMA nodes, which the emulated machine really has: on which of them the kernel puts a page,
 * as the lesson of the first touch teaches it, and as the interleave experiment changes it. Remote
 * memory is as fast as any other there: that is not to be seen.
 */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

#define NODES 2
/* MiB of each of the lesson's two arrays, and the pages at which most of that was touched. */
#define ARRAY "64"
#define TOUCHED 30000.0 /* pages of 4 KiB */

/* Pages on each node of the process's large mappings. */
static void count_pages(pid_t pid, double pages[NODES])
{
	char path[64], line[1024];
	FILE *f;

	pages[0] = pages[1] = 0;
	snprintf(path, sizeof path, "/proc/%d/numa_maps", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f)) {
		unsigned long size = 4, n[NODES] = {0};
		const char *at = strstr(line, "kernelpagesize_kB=");

		if (!strstr(line, " anon="))
			continue;
		if (at)
			size = strtoul(at + strlen("kernelpagesize_kB="), NULL, 10);
		for (int i = 0; i < NODES; i++) {
			char key[8];

			snprintf(key, sizeof key, " N%d=", i);
			at = strstr(line, key);
			n[i] = at ? strtoul(at + strlen(key), NULL, 10) : 0;
		}
		if (n[0] + n[1] < 1000 * 4 / size)
			continue;
		for (int i = 0; i < NODES; i++)
			pages[i] += (double)n[i] * (double)size / 4;
	}
	if (f)
		fclose(f);
}

/* The share of the node that has less of the lesson's arrays, once they are there. */
static double least_share(const char *version)
{
	const struct timespec moment = {.tv_nsec = 200000000};
	double pages[NODES] = {0, 0};
	char program[128];
	int status = 0;
	pid_t pid;

	snprintf(program, sizeof program, "build/tests/programs/first_touch_%s", version);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		setenv("OMP_NUM_THREADS", "8", 1);
		setenv("OMP_PROC_BIND", "close", 1);
		setenv("OMP_PLACES", "cores", 1);
		execl(program, program, ARRAY, "1000000", (char *)NULL);
		_exit(127);
	}
	while (pages[0] + pages[1] < TOUCHED && waitpid(pid, &status, WNOHANG) == 0) {
		nanosleep(&moment, NULL);
		count_pages(pid, pages);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	print_message("%s: %.0f pages on node 0, %.0f on node 1\n", version, pages[0], pages[1]);
	assert_true(pages[0] + pages[1] >= TOUCHED);
	return (pages[0] < pages[1] ? pages[0] : pages[1]) / (pages[0] + pages[1]);
}

static void who_writes_a_page_first_has_it_on_its_node(void **state)
{
	(void)state;
	guest_need(__func__, "threads");
	assert_true(least_share("broken") < 0.05);
	assert_true(least_share("fixed") > 0.4);
}

/* The experiment's runs, and they alone, have their pages on all nodes in turn. */
static void an_experiment_interleaves_the_nodes(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	json_t *record;
	const json_t *run;
	size_t i, tried = 0;

	guest_need(__func__, "threads");
	e2e_run(e, &r, "--samples", "none", "--experiments", "interleave", "--cores", "1,8",
		"--repeats", "2", "-o", "nodes", "--show-output", "--", "/bin/cat",
		"/proc/self/numa_maps");
	e2e_expect_status(&r, 0);
	record = json_load_file(e2e_path(e, "nodes"), 0, NULL);
	assert_non_null(record);
	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		tried += (size_t)(strcmp(json_string_value(json_object_get(run, "kind")),
					  "experiment") == 0);
	}
	if (!strstr(r.out, "interleave:0-1") && !strstr(r.err, "interleave:0-1"))
		fail_msg("%zu runs of experiments, none of them interleaved", tried);
	assert_true(strstr(r.out, " default ") || strstr(r.err, " default "));
	json_decref(record);
	e2e_result_free(&r);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, e2e_setup, e2e_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_writes_a_page_first_has_it_on_its_node),
		TEST(an_experiment_interleaves_the_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
