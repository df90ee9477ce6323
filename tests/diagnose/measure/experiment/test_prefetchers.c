/*
 * Prefetchers off and surely on again, on files that stand for the registers of four CPUs: with
 * every step failing in turn, and with every process killed.
 */
#include "support/measure_fakes.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "experiment/prefetchers.h"

#define CPUS 4
#define MSR 0x1a4
#define OFF UINT64_C(0xf)
/* What the registers hold: bits of others, and on CPU 3 one prefetcher that is off already. */
static const uint64_t held[CPUS] = {0x20, 0x20, 0, 0x28};

/* Of all processes: which step fails, and how. */
static struct faults {
	unsigned step, fail, last; /* from `fail` up to `last` the steps fail */
	int rc;
	int ignored; /* writes have no effect */
} * fault;

static struct sd_msr kernel;
static unsigned cpu_numbers[CPUS] = {0, 1, 2, 3};
static const struct sd_cpulist cpus = {.cpu = cpu_numbers, .n = CPUS};

struct machine {
	char folder[128], file[200];
	struct sd_prefetchers_of of;
	struct said said;
};

static int fails(void)
{
	const unsigned step = ++fault->step;

	return fault->fail && step >= fault->fail && step <= fault->last ? fault->rc : 0;
}

static int read_or_fail(const struct sd_msr *m, unsigned cpu, uint32_t address, uint64_t *value)
{
	const int rc = fails();

	return rc ? rc : kernel.read(m, cpu, address, value);
}

static int write_or_fail(const struct sd_msr *m, unsigned cpu, uint32_t address, uint64_t value)
{
	const int rc = fails();

	return rc || fault->ignored ? rc : kernel.write(m, cpu, address, value);
}

static uint64_t now(const struct machine *m, unsigned cpu)
{
	uint64_t value = ~UINT64_C(0);

	assert_int_equal(kernel.read(&m->of.msr, cpu, MSR, &value), 0);
	return value;
}

static void fill(const struct machine *m, const uint64_t *values, uint64_t more)
{
	for (unsigned i = 0; i < CPUS; i++)
		assert_int_equal(kernel.write(&m->of.msr, i, MSR, values[i] | more), 0);
}

static int as_held(const struct machine *m, uint64_t more)
{
	for (unsigned i = 0; i < CPUS; i++)
		if (now(m, i) != (held[i] | more))
			return 0;
	return 1;
}

static int there(const char *path)
{
	return access(path, F_OK) == 0;
}

static void make_machine(struct machine *m)
{
	char path[400];

	make_folder(m->folder, sizeof m->folder);
	snprintf(m->file, sizeof m->file, "%s/old-bits", m->folder);
	snprintf(path, sizeof path, "%s/dev", m->folder);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof path, "%s/dev/cpu", m->folder);
	assert_int_equal(mkdir(path, 0700), 0);
	for (int i = 0; i < CPUS; i++) {
		snprintf(path, sizeof path, "%s/dev/cpu/%d", m->folder, i);
		assert_int_equal(mkdir(path, 0700), 0);
		snprintf(path, sizeof path, "%s/dev/cpu/%d/msr", m->folder, i);
		write_file(path, "", 0600);
	}
	kernel = sd_msr_of(m->folder);
	m->of = (struct sd_prefetchers_of){
		.msr = {.root = m->folder, .read = read_or_fail, .write = write_or_fail},
		.bits = {.msr = MSR, .off = OFF, .source = "test"},
		.file = m->file};
	m->said = (struct said){0};
	*fault = (struct faults){0};
	fill(m, held, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static void drop_machine(struct machine *m)
{
	char command[400];

	assert_no_children();
	snprintf(command, sizeof command, "rm -r '%s'", m->folder);
	assert_int_equal(system(command), 0);
}

static struct sd_sink sink_of(struct machine *m)
{
	return (struct sd_sink){.emit = hear_said, .ctx = &m->said};
}

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

/* ---- killed ---- */

static int wait_until_back(const struct machine *m)
{
	for (int i = 0; i < 500; i++) {
		if (as_held(m, 0) && !there(m->file))
			return 1;
		sleep_ms(10);
	}
	return 0;
}

/* A process that has turned them off; `both`: its guard is killed with it. */
static void kill_one_that_has_them_off(struct machine *m, int both)
{
	pid_t *guard = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t owner;

	assert_ptr_not_equal(guard, MAP_FAILED);
	owner = fork();
	if (owner == 0) {
		struct sd_prefetchers p;
		char why[400];

		if (sd_prefetchers_off(&p, &m->of, &cpus, why, sizeof why))
			_exit(1);
		*(volatile pid_t *)guard = p.guard;
		for (;;)
			pause();
	}
	for (int i = 0; i < 500 && !*(volatile pid_t *)guard; i++)
		sleep_ms(10);
	assert_true(*guard > 0);
	assert_true(as_held(m, OFF));
	if (both) {
		/* stopped first, or it would see its owner's end in between */
		kill(*guard, SIGSTOP);
		kill(owner, SIGKILL);
		kill(*guard, SIGKILL);
	} else {
		kill(owner, SIGKILL);
	}
	waitpid(owner, NULL, 0);
	waitpid(*guard, NULL, 0);
	munmap(guard, 4096);
}

static void when_scalediag_is_killed_its_guard_puts_them_back(void **state)
{
	struct machine m;

	(void)state;
	make_machine(&m);
	kill_one_that_has_them_off(&m, 0);
	assert_true(wait_until_back(&m));
	drop_machine(&m);
}

static void no_signal_for_a_person_reaches_the_guard(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP};
	struct sd_prefetchers p;
	struct machine m;
	char why[400] = "";

	(void)state;
	make_machine(&m);
	assert_int_equal(sd_prefetchers_off(&p, &m.of, &cpus, why, sizeof why), 0);
	assert_int_not_equal(getpgid(p.guard), getpgid(0));
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		assert_int_equal(kill(p.guard, signals[i]), 0);
	sleep_ms(30);
	assert_true(as_held(&m, OFF));
	assert_int_equal(sd_prefetchers_on(&p, why, sizeof why), 0);
	assert_true(as_held(&m, 0));
	drop_machine(&m);
}

static void when_the_guard_is_killed_scalediag_puts_them_back(void **state)
{
	struct sd_prefetchers p;
	struct machine m;
	char why[400] = "";

	(void)state;
	make_machine(&m);
	assert_int_equal(sd_prefetchers_off(&p, &m.of, &cpus, why, sizeof why), 0);
	kill(p.guard, SIGKILL);
	assert_int_equal(sd_prefetchers_on(&p, why, sizeof why), 0);
	assert_true(as_held(&m, 0));
	assert_false(there(m.file));
	drop_machine(&m);
}

static void when_both_are_killed_the_next_scalediag_puts_them_back(void **state)
{
	struct sd_prefetchers p;
	struct machine m;
	const struct sd_sink sink = sink_of(&m);
	char why[400] = "";

	(void)state;
	make_machine(&m);
	kill_one_that_has_them_off(&m, 1);
	assert_true(as_held(&m, OFF));
	assert_true(there(m.file));
	/* nobody takes what is there now for what was there */
	assert_int_equal(sd_prefetchers_off(&p, &m.of, &cpus, why, sizeof why), -EEXIST);
	sd_prefetchers_recover(&m.of, &sink);
	assert_non_null(strstr(m.said.text, "are on again"));
	assert_true(as_held(&m, 0));
	assert_false(there(m.file));
	drop_machine(&m);
}

/* ---- the file ---- */

static void what_is_left_of_another_boot_or_cpu_changes_nothing(void **state)
{
	struct machine m;
	const struct sd_sink sink = sink_of(&m);
	char boot[64], text[400];

	(void)state;
	make_machine(&m);
	fill(&m, held, OFF);
	write_file(m.file, "scalediag prefetchers 1\nboot long-ago\nmsr 420\ncpu 0 0\n", 0600);
	sd_prefetchers_recover(&m.of, &sink);
	assert_false(there(m.file));
	sd_saved_msr_bits_boot(boot, sizeof boot, "");
	snprintf(text, sizeof text, "scalediag prefetchers 1\nboot %s\nmsr 421\ncpu 0 0\n", boot);
	write_file(m.file, text, 0600);
	sd_prefetchers_recover(&m.of, &sink);
	assert_non_null(strstr(m.said.text, "another CPU"));
	assert_true(as_held(&m, OFF));
	/* bits that are none of the prefetchers' are not for this file to say */
	snprintf(text, sizeof text,
		"scalediag prefetchers 1\nboot %s\nmsr 420\ncpu 0 18446744073709551600\n", boot);
	unlink(m.file);
	write_file(m.file, text, 0600);
	sd_prefetchers_recover(&m.of, &sink);
	assert_int_equal(now(&m, 0), held[0] & ~OFF);
	drop_machine(&m);
}

static void a_file_that_others_could_have_written_is_not_believed(void **state)
{
	struct sd_saved_msr_bits o;
	struct machine m;
	char link[220];

	(void)state;
	make_machine(&m);
	write_file(m.file, "scalediag prefetchers 1\nboot x\nmsr 420\ncpu 0 0\n", 0600);
	assert_int_equal(sd_saved_msr_bits_read(m.file, &o), 0);
	sd_saved_msr_bits_free(&o);
	assert_int_equal(chmod(m.file, 0620), 0);
	assert_int_equal(sd_saved_msr_bits_read(m.file, &o), -EPERM);
	snprintf(link, sizeof link, "%s-link", m.file);
	assert_int_equal(symlink(m.file, link), 0);
	assert_int_equal(sd_saved_msr_bits_read(link, &o), -ELOOP);
	drop_machine(&m);
}

static void a_damaged_file_is_refused(void **state)
{
	static const char *const bad[] = {"", "\n",
		"scalediag prefetchers 2\nboot x\nmsr 1\ncpu 0 0\n",
		"scalediag prefetchers 1\nmsr 1\ncpu 0 0\n",
		"scalediag prefetchers 1\nboot x\nmsr 0\ncpu 0 0\n",
		"scalediag prefetchers 1\nboot x\nmsr 4294967296\ncpu 0 0\n",
		"scalediag prefetchers 1\nboot x\nmsr 1\n",
		"scalediag prefetchers 1\nboot x\nmsr 1\ncpu 0\n",
		"scalediag prefetchers 1\nboot x\nmsr 1\ncpu 0 -1\n",
		"scalediag prefetchers 1\nboot x\nmsr 1\ncpu 70000 0\n",
		"scalediag prefetchers 1\nboot x\nmsr 1\ncpu 0 0\ncpu 1 1"};
	static const char good[] = "scalediag prefetchers 1\nboot x\nmsr 1\ncpu 0 0\ncpu 1 15\n";
	struct sd_saved_msr_bits o;

	(void)state;
	assert_int_equal(sd_saved_msr_bits_parse(good, sizeof good - 1, &o), 0);
	assert_int_equal(o.n, 2);
	assert_int_equal(o.cpu[1].bits, 15);
	sd_saved_msr_bits_free(&o);
	assert_int_equal(sd_saved_msr_bits_parse(good, sizeof good, &o), -EINVAL); /* a NUL */
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(sd_saved_msr_bits_parse(bad[i], strlen(bad[i]), &o), -EINVAL);
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
		cmocka_unit_test(when_scalediag_is_killed_its_guard_puts_them_back),
		cmocka_unit_test(no_signal_for_a_person_reaches_the_guard),
		cmocka_unit_test(when_the_guard_is_killed_scalediag_puts_them_back),
		cmocka_unit_test(when_both_are_killed_the_next_scalediag_puts_them_back),
		cmocka_unit_test(what_is_left_of_another_boot_or_cpu_changes_nothing),
		cmocka_unit_test(a_file_that_others_could_have_written_is_not_believed),
		cmocka_unit_test(a_damaged_file_is_refused),
	};

	fault = mmap(
		NULL, sizeof *fault, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return fault == MAP_FAILED || cmocka_run_group_tests(tests, NULL, NULL);
}
