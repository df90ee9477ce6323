/*
 * Whoever is killed, the prefetchers come back on; a file left behind is believed only if it is
 * ours.
 */
#include <inttypes.h>
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>

#include "diagnose/measure/experiment/prefetch_machine.h"

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
