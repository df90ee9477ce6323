/* For whom the kernel's threads ran. */
#include "trace/kernel_threads.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "support/fakeproc.h"

enum { JOURNAL = 20, WORKER = 21, SERVER = 30, ENDED = 40 };

static char root[64];

static int make(void **state)
{
	(void)state;
	fake_make(root);
	for (int tid = JOURNAL; tid <= WORKER; tid++) {
		char path[64];

		snprintf(path, sizeof path, "proc/%d/stat", tid);
		fake_write(root, path,
			"%d (k) S 2 0 0 0 -1 2129984 0 0 0 0 0 1 0 0 20 0 1 0 5 0 0\n", tid);
	}
	fake_thread(root, &(struct fake_thread){.pid = SERVER, .tid = SERVER, .state = 'S'});
	return 0;
}

static int done(void **state)
{
	(void)state;
	fake_remove(root);
	return 0;
}

static void served(struct sd_kernel_threads *k, double ns)
{
	const double got = sd_kernel_threads_served(k, root);

	sd_kernel_threads_free(k);
	if (!(fabs(got - ns) < 1e-9))
		fail_msg("%g, not %g", got, ns);
}

static void who_is_woken_works_for_who_wakes_it(void **state)
{
	struct sd_kernel_threads k = {{0}};

	(void)state;
	sd_kernel_threads_ran(&k, JOURNAL, 100);
	sd_kernel_threads_ran(&k, JOURNAL, 300);
	served(&k, 0); /* by interrupts alone */
	sd_kernel_threads_ran(&k, JOURNAL, 400);
	for (int i = 0; i < 3; i++)
		sd_kernel_threads_woken(&k, JOURNAL, 0);
	sd_kernel_threads_woken(&k, JOURNAL, SERVER);
	served(&k, 300);
}

static void one_of_the_kernel_passes_on_for_whom_it_works(void **state)
{
	struct sd_kernel_threads k = {{0}};

	(void)state;
	sd_kernel_threads_ran(&k, WORKER, 1000);
	sd_kernel_threads_ran(&k, JOURNAL, 100);
	sd_kernel_threads_woken(&k, JOURNAL, 0);
	sd_kernel_threads_woken(&k, JOURNAL, SERVER);
	sd_kernel_threads_woken(&k, WORKER, JOURNAL);
	served(&k, 550);
	/* two that wake each other, and nobody else them */
	sd_kernel_threads_ran(&k, WORKER, 1000);
	sd_kernel_threads_ran(&k, JOURNAL, 100);
	sd_kernel_threads_woken(&k, JOURNAL, WORKER);
	sd_kernel_threads_woken(&k, WORKER, JOURNAL);
	served(&k, 0);
}

static void others_and_who_has_ended_are_strangers(void **state)
{
	struct sd_kernel_threads k = {{0}};

	(void)state;
	sd_kernel_threads_ran(&k, SERVER, 100);
	sd_kernel_threads_woken(&k, SERVER, 0);
	sd_kernel_threads_ran(&k, ENDED, 100);
	sd_kernel_threads_woken(&k, ENDED, 0);
	sd_kernel_threads_ran(&k, 0, 100);
	sd_kernel_threads_woken(&k, 0, 0);
	sd_kernel_threads_woken(&k, JOURNAL, 0); /* and it never ran */
	served(&k, 0);
}

static void more_pairs_than_are_kept_are_of_strangers(void **state)
{
	struct sd_kernel_threads k = {{0}};

	(void)state;
	for (int i = 0; i < SD_KERNEL_THREADS_PAIRS; i++)
		sd_kernel_threads_woken(&k, 100 + i, SERVER);
	sd_kernel_threads_ran(&k, JOURNAL, 100);
	sd_kernel_threads_woken(&k, JOURNAL, 0);
	assert_int_equal(k.seen.n, SD_KERNEL_THREADS_PAIRS);
	served(&k, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_woken_works_for_who_wakes_it),
		cmocka_unit_test(one_of_the_kernel_passes_on_for_whom_it_works),
		cmocka_unit_test(others_and_who_has_ended_are_strangers),
		cmocka_unit_test(more_pairs_than_are_kept_are_of_strangers),
	};

	return cmocka_run_group_tests(tests, make, done);
}
