/*
 * A probe that sees everything makes it needless that another looks often.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "launch/probe_set.h"

static char calls[64];

static int open_it(void **state, const struct sd_probe_target *target)
{
	(void)target;
	*state = calls;
	return 0;
}

static int cannot_open(void **state, const struct sd_probe_target *target)
{
	(void)state;
	(void)target;
	return -EACCES;
}

static void start(void *state)
{
	strcat(state, "start ");
}

static void ease(void *state)
{
	strcat(state, "ease ");
}

static int sees(const void *state)
{
	assert_ptr_equal(state, calls);
	return 1;
}

static int sees_a_part(const void *state)
{
	assert_ptr_equal(state, calls);
	return 0;
}

static const struct sd_probe looker = {.open = open_it, .start = start, .ease = ease},
			     seer = {.open = open_it, .sees_switches = sees},
			     half = {.open = open_it, .sees_switches = sees_a_part},
			     denied = {.open = cannot_open, .sees_switches = sees, .ease = ease};

static const char *begin(const struct sd_probe *const *probes)
{
	static struct sd_run run;
	struct sd_probe_set p;

	calls[0] = '\0';
	assert_int_equal(sd_probe_set_open(&p, probes, &(struct sd_probe_target){0}, &run), 0);
	sd_probe_set_start(&p);
	sd_probe_set_close(&p);
	return calls;
}

static void who_looks_now_and_then_is_eased_by_who_sees_every_switch(void **state)
{
	(void)state;
	assert_string_equal(
		begin((const struct sd_probe *const[]){&looker, &seer, NULL}), "ease start ");
	assert_string_equal(begin((const struct sd_probe *const[]){&seer, &half, &looker, NULL}),
		"ease start ");
}

static void nobody_is_eased_by_what_could_not_be_opened_or_sees_a_part(void **state)
{
	(void)state;
	assert_string_equal(begin((const struct sd_probe *const[]){&looker, NULL}), "start ");
	assert_string_equal(
		begin((const struct sd_probe *const[]){&looker, &denied, NULL}), "start ");
	assert_string_equal(
		begin((const struct sd_probe *const[]){&half, &looker, NULL}), "start ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_looks_now_and_then_is_eased_by_who_sees_every_switch),
		cmocka_unit_test(nobody_is_eased_by_what_could_not_be_opened_or_sees_a_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
