/*
 * Prefetchers off and surely on again, on files that stand for the registers of four CPUs: with
 * every step failing in turn, and with every process killed.
 */
#include <inttypes.h>
#include <signal.h>
#include <errno.h>
#include <sys/mman.h>

#include "diagnose/measure/experiment/prefetch_machine.h"

/* ---- as it should be ---- */

static void they_are_off_and_on_again_and_other_bits_stay(void **state)
{
	struct sd_prefetchers p;
	struct machine m;
	char why[400] = "";

	(void)state;
	make_machine(&m);
	assert_int_equal(sd_prefetchers_look(&m.of, &cpus, why, sizeof why), 1);
	assert_true(as_held(&m, 0));
	assert_int_equal(sd_prefetchers_off(&p, &m.of, &cpus, why, sizeof why), 0);
	assert_true(as_held(&m, OFF));
	assert_true(there(m.file));
	assert_int_equal(sd_prefetchers_on(&p, why, sizeof why), 0);
	assert_true(as_held(&m, 0));
	assert_false(there(m.file));
	assert_string_equal(why, "");
	assert_int_equal(sd_prefetchers_on(&p, why, sizeof why), 0); /* the empty value */
	drop_machine(&m);
}

static void a_machine_that_cannot_says_why(void **state)
{
	struct sd_prefetchers p;
	struct machine m;
	char why[400], path[200];

	(void)state;
	make_machine(&m);
	fill(&m, held, OFF);
	assert_int_equal(sd_prefetchers_look(&m.of, &cpus, why, sizeof why), 0);
	assert_non_null(strstr(why, "off already"));
	m.of.bits.off = 0;
	assert_int_equal(sd_prefetchers_look(&m.of, &cpus, why, sizeof why), 0);
	assert_non_null(strstr(why, "not known"));
	m.of.bits.off = OFF;
	m.of.file = NULL;
	assert_int_equal(sd_prefetchers_look(&m.of, &cpus, why, sizeof why), 0);
	assert_non_null(strstr(why, "HOME"));
	m.of.file = m.file;
	snprintf(path, sizeof path, "%s/dev/cpu/2/msr", m.folder);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(sd_prefetchers_look(&m.of, &cpus, why, sizeof why), 0);
	assert_non_null(strstr(why, "no /dev/cpu/2/msr: `modprobe msr`"));
	assert_int_not_equal(sd_prefetchers_off(&p, &m.of, &cpus, why, sizeof why), 0);
	assert_int_equal(now(&m, 0), held[0] | OFF);
	*fault = (struct faults){.fail = 1, .last = 99, .rc = -EPERM};
	assert_int_equal(sd_prefetchers_look(&m.of, &cpus, why, sizeof why), 0);
	assert_non_null(strstr(why, "only root"));
	*fault = (struct faults){.fail = 1, .last = 99, .rc = -EIO};
	assert_int_equal(sd_prefetchers_look(&m.of, &cpus, why, sizeof why), 0);
	assert_non_null(strstr(why, "virtual machine"));
	drop_machine(&m);
}

static void a_machine_that_ignores_writes_is_found_out(void **state)
{
	struct sd_prefetchers p;
	struct machine m;
	char why[400] = "";

	(void)state;
	make_machine(&m);
	fault->ignored = 1;
	assert_int_equal(sd_prefetchers_off(&p, &m.of, &cpus, why, sizeof why), -ENOTSUP);
	assert_non_null(strstr(why, "does not keep what is written"));
	assert_true(as_held(&m, 0));
	assert_false(there(m.file));
	drop_machine(&m);
}

static void two_at_once_do_not_take_each_others_bits_for_the_old_ones(void **state)
{
	struct sd_prefetchers p, q;
	struct machine m;
	char why[400] = "", second[220];

	(void)state;
	make_machine(&m);
	assert_int_equal(sd_prefetchers_off(&p, &m.of, &cpus, why, sizeof why), 0);
	snprintf(second, sizeof second, "%s-2", m.file);
	{
		struct sd_prefetchers_of other = m.of;
		const struct sd_sink sink = sink_of(&m);

		other.file = second;
		assert_int_not_equal(sd_prefetchers_off(&q, &other, &cpus, why, sizeof why), 0);
		assert_non_null(strstr(why, "another scalediag"));
		assert_false(there(second));
		/* and a third that begins leaves it alone */
		sd_prefetchers_recover(&m.of, &sink);
		assert_int_equal(m.said.n, 0);
	}
	assert_true(as_held(&m, OFF));
	assert_int_equal(sd_prefetchers_on(&p, why, sizeof why), 0);
	assert_true(as_held(&m, 0));
	drop_machine(&m);
}

/* ---- every step fails ---- */

/* Off and on with these faults. What it says must be true. */
static void try_with(struct machine *m, struct faults f)
{
	struct sd_prefetchers p;
	char why[400] = "";
	int rc;

	fill(m, held, 0);
	*fault = f;
	rc = sd_prefetchers_off(&p, &m->of, &cpus, why, sizeof why);
	if (rc == 0) {
		assert_true(as_held(m, OFF));
		assert_true(there(m->file));
		rc = sd_prefetchers_on(&p, why, sizeof why);
	}
	assert_int_equal(rc == 0, why[0] == '\0');
	assert_no_children();
	if (as_held(m, 0)) {
		/* nothing is left to do, and nothing says there is */
		if (there(m->file)) {
			/* it is back, but could not be looked at: the next run may */
			assert_non_null(strstr(why, "turned on again"));
		}
	} else {
		assert_true(there(m->file));
		assert_non_null(strstr(why, "wrmsr"));
	}
	if (there(m->file)) {
		const struct sd_sink sink = sink_of(m);

		*fault = (struct faults){0};
		m->said = (struct said){0};
		sd_prefetchers_recover(&m->of, &sink);
		assert_non_null(strstr(m->said.text, "are on again"));
	}
	assert_true(as_held(m, 0));
	assert_false(there(m->file));
}

static void any_step_that_fails_once_leaves_the_machine_as_it_was(void **state)
{
	struct machine m;
	unsigned steps;

	(void)state;
	make_machine(&m);
	try_with(&m, (struct faults){0});
	steps = fault->step;
	/* read, and off and back with a look before and after each write, of four CPUs */
	assert_true(steps >= CPUS + 2 * 3 * CPUS);
	for (unsigned k = 1; k <= steps + 2; k++) {
		try_with(&m, (struct faults){.fail = k, .last = k, .rc = -EIO});
		assert_int_equal(m.said.n, 0); /* once is no matter: it is tried again */
	}
	drop_machine(&m);
}

static void steps_that_fail_from_one_on_are_said_and_made_good_later(void **state)
{
	struct machine m;
	unsigned steps, late = 0;

	(void)state;
	make_machine(&m);
	try_with(&m, (struct faults){0});
	steps = fault->step;
	for (unsigned k = 1; k <= steps; k++) {
		m.said = (struct said){0};
		try_with(&m, (struct faults){.fail = k, .last = 100000, .rc = -EIO});
		late += m.said.n > 0;
	}
	assert_true(late > 0);
	drop_machine(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_are_off_and_on_again_and_other_bits_stay),
		cmocka_unit_test(a_machine_that_cannot_says_why),
		cmocka_unit_test(a_machine_that_ignores_writes_is_found_out),
		cmocka_unit_test(two_at_once_do_not_take_each_others_bits_for_the_old_ones),
		cmocka_unit_test(any_step_that_fails_once_leaves_the_machine_as_it_was),
		cmocka_unit_test(steps_that_fail_from_one_on_are_said_and_made_good_later),
	};

	fault = mmap(
		NULL, sizeof *fault, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return fault == MAP_FAILED || cmocka_run_group_tests(tests, NULL, NULL);
}
