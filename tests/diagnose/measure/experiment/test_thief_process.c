/*
 * A thief works until it is ended, and ends with its owner.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "support/measure_fakes.h"
#include "trial/copies.h"
#include "experiment/experiments.h"
#include "experiment/thief_process.h"

/* Copies that wait for a CPU may not meet: a few tries. */
#define TRIES 5

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thief_works_until_it_is_ended),
		cmocka_unit_test(a_thief_that_cannot_begin_says_why),
		cmocka_unit_test(a_thief_does_not_outlive_a_killed_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
