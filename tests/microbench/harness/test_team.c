#include "harness/team.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <cmocka.h>
#include <sys/wait.h>
#include <unistd.h>

/* The CPUs this process may use, at most `max`. */
static struct sd_cpulist cpus_here(unsigned max)
{
	struct sd_cpulist list = {0};
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
	for (unsigned i = 0; i < CPU_SETSIZE && list.n < max; i++)
		if (CPU_ISSET(i, &set))
			assert_int_equal(sd_cpulist_add(&list, i), 0);
	return list;
}

static int count(struct sd_member *m, void *arg)
{
	atomic_uint *sum = arg;

	atomic_fetch_add(sum, 1u << (8 * m->rank));
	m->work = 100 + m->rank;
	m->value = sched_getcpu() == (int)m->cpu;
	return 0;
}

static void each_member_runs_each_job_once_on_its_cpu(void **state)
{
	const enum sd_team_kind kinds[] = {SD_TEAM_THREADS, SD_TEAM_PROCESSES};
	struct sd_cpulist cpus = cpus_here(3);

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct sd_team team;
		atomic_uint *sum;

		assert_int_equal(sd_team_start(&team, kinds[k], &cpus, sizeof *sum), 0);
		sum = team.shared;
		for (unsigned round = 1; round <= 20; round++) {
			const struct sd_team_job job = {count, sum};
			unsigned expected = 0;

			assert_int_equal(sd_team_run(&team, job, 0, NULL), 0);
			for (unsigned i = 0; i < team.n; i++) {
				expected += round << (8 * i);
				assert_int_equal(team.member[i].work, 100 + i);
				assert_true(team.member[i].value > 0);
				assert_true(team.member[i].stop >= team.member[i].start);
			}
			assert_int_equal(atomic_load(sum), expected);
			assert_false(sd_team_moved(&team));
			assert_true(sd_team_elapsed(&team) >= 0);
		}
		sd_team_end(&team);
		sd_team_end(&team);
	}
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child left */
	sd_cpulist_free(&cpus);
}

static void a_smaller_job_leaves_the_others_asleep(void **state)
{
	const struct sd_cpulist cpus = {(unsigned[]){0, 0}, 2};
	struct sd_team team;
	atomic_uint *sum;

	(void)state;
	assert_int_equal(sd_team_start(&team, SD_TEAM_THREADS, &cpus, sizeof *sum), 0);
	sum = team.shared;
	assert_int_equal(sd_team_run(&team, (struct sd_team_job){count, sum}, 1, NULL), 0);
	assert_int_equal(atomic_load(sum), 1);
	assert_int_equal(team.member[0].size, 1);
	assert_int_equal(sd_team_run(&team, (struct sd_team_job){count, sum}, 2, NULL), 0);
	assert_int_equal(atomic_load(sum), 2 + 256);
	sd_team_end(&team);
}

static int fails(struct sd_member *m, void *arg)
{
	(void)arg;
	return m->rank == 1 ? -EDOM : 0;
}

static int until_the_first_ends(struct sd_member *m, void *arg)
{
	(void)arg;
	while (m->rank > 0 && !sd_member_ended(m))
		sched_yield();
	return 0;
}

static int phases(struct sd_member *m, void *arg)
{
	atomic_uint *at = arg;

	for (unsigned i = 1; i <= 50; i++) {
		atomic_fetch_add(at, 1);
		sd_member_gate(m);
		if (atomic_load(at) != i * m->size)
			return -EDOM;
		sd_member_gate(m);
	}
	return 0;
}

static void a_job_reports_errors_ends_together_and_has_phases(void **state)
{
	const struct sd_cpulist cpus = {(unsigned[]){0, 0, 0}, 3}; /* more members than CPUs */
	struct sd_team team;

	(void)state;
	assert_int_equal(sd_team_start(&team, SD_TEAM_THREADS, &cpus, 64), 0);
	assert_int_equal(sd_team_run(&team, (struct sd_team_job){fails, NULL}, 0, NULL), -EDOM);
	assert_int_equal(
		sd_team_run(&team, (struct sd_team_job){until_the_first_ends, NULL}, 0, NULL), 0);
	assert_int_equal(sd_team_run(&team, (struct sd_team_job){phases, team.shared}, 0, NULL), 0);
	sd_team_end(&team);
}

static void a_cpu_that_does_not_exist_is_refused(void **state)
{
	const struct sd_cpulist cpus = {(unsigned[]){0, SD_CPU_MAX - 1}, 2};
	struct sd_team team;

	(void)state;
	assert_int_equal(sd_team_start(&team, SD_TEAM_THREADS, &cpus, 0), -EINVAL);
	assert_int_equal(sd_team_start(&team, SD_TEAM_PROCESSES, &cpus, 0), -EINVAL);
	assert_null(team.control);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static int dies(struct sd_member *m, void *arg)
{
	(void)arg;
	if (m->rank == 0)
		_exit(1);
	return 0;
}

static void a_process_that_dies_ends_the_team_and_not_the_caller(void **state)
{
	const struct sd_cpulist cpus = {(unsigned[]){0, 0}, 2};
	struct sd_team team;

	(void)state;
	assert_int_equal(sd_team_start(&team, SD_TEAM_PROCESSES, &cpus, 0), 0);
	assert_int_equal(sd_team_run(&team, (struct sd_team_job){dies, NULL}, 0, NULL), -ECHILD);
	assert_int_equal(sd_team_run(&team, (struct sd_team_job){dies, NULL}, 0, NULL), -ECHILD);
	sd_team_end(&team);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* Before all are there, and while they work. */
static int is_stopped(struct sd_member *m, void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++) {
		if (m->rank == 0)
			kill(getpid(), SIGSTOP);
		sd_member_gate(m);
	}
	return 0;
}

static void a_process_that_is_stopped_goes_on(void **state)
{
	const struct sd_cpulist cpus = {(unsigned[]){0, 0}, 2};
	struct sd_team team;

	(void)state;
	assert_int_equal(sd_team_start(&team, SD_TEAM_PROCESSES, &cpus, 0), 0);
	assert_int_equal(sd_team_run(&team, (struct sd_team_job){is_stopped, NULL}, 0, NULL), 0);
	sd_team_end(&team);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* Moves the thread, as the kernel does when its CPU goes offline. */
static int is_moved(struct sd_member *m, void *arg)
{
	const unsigned other = *(const unsigned *)arg;
	cpu_set_t set;

	(void)m;
	CPU_ZERO(&set);
	CPU_SET(other, &set);
	return sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : -errno;
}

static void a_member_that_lost_its_cpu_is_noticed(void **state)
{
	struct sd_cpulist cpus = cpus_here(2);
	struct sd_cpulist one = {cpus.cpu, 1};
	struct sd_team team;

	(void)state;
	if (cpus.n < 2) {
		fprintf(stderr, "SKIP: a_member_that_lost_its_cpu_is_noticed: one CPU\n");
		sd_cpulist_free(&cpus);
		skip();
	}
	assert_int_equal(sd_team_start(&team, SD_TEAM_THREADS, &one, 0), 0);
	assert_int_equal(
		sd_team_run(&team, (struct sd_team_job){is_moved, &cpus.cpu[1]}, 0, NULL), 0);
	assert_true(sd_team_moved(&team));
	sd_team_end(&team);
	sd_cpulist_free(&cpus);
}

static void the_stop_flag_ends_a_job_that_looks_at_it(void **state)
{
	const struct sd_cpulist cpus = {(unsigned[]){0}, 1};
	volatile sig_atomic_t stop = 1;
	struct sd_team team;

	(void)state;
	assert_int_equal(sd_team_start(&team, SD_TEAM_THREADS, &cpus, 64), 0);
	assert_int_equal(
		sd_team_run(&team, (struct sd_team_job){count, team.shared}, 0, &stop), -EINTR);
	sd_team_end(&team);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_member_runs_each_job_once_on_its_cpu),
		cmocka_unit_test(a_smaller_job_leaves_the_others_asleep),
		cmocka_unit_test(a_job_reports_errors_ends_together_and_has_phases),
		cmocka_unit_test(a_cpu_that_does_not_exist_is_refused),
		cmocka_unit_test(a_process_that_dies_ends_the_team_and_not_the_caller),
		cmocka_unit_test(a_process_that_is_stopped_goes_on),
		cmocka_unit_test(a_member_that_lost_its_cpu_is_noticed),
		cmocka_unit_test(the_stop_flag_ends_a_job_that_looks_at_it),
	};

	return cmocka_run_group_tests_name("microbench_team", tests, NULL, NULL);
}
