/*
 * The interpreter's lock is told of serial code that is seen to hold it, and of no other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "diagnose/analyse/advice/advice_case.h"
#include "support/make_samples.h"

static int is_told(const struct sd_texts *t, const char *word)
{
	for (size_t i = 0; i < t->n; i++)
		if (strstr(t->text[i], word))
			return 1;
	return 0;
}

/* Code that runs alone waits for no lock that others are seen to hold: threads that count take
 * turns, and code that made their words before they were there is serial whatever they do. */
static void serial_code_waits_for_no_lock_that_it_does_not_hold(void **state)
{
	char load[] = "py::load:/srv/app.py", count[] = "py::count:/srv/app.py", jit[] = "[jit]",
	     gil[] = "GIL, _PyRuntime+0x1b0";
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (int k = 0; k < 3; k++) {
		struct sd_where where = {.function = k ? count : load, .module = jit},
				holder = {.function = count, .module = jit};
		struct sd_finding *f;
		struct made m;

		make(&m, "runtime-lock");
		make_call(&m.record, 0, "Py_RunMain", NULL, 0, "/usr/bin/python3.11");
		m.a.lock[0].name = gil;
		m.a.lock[0].holder = &holder;
		m.a.lock[0].n_holder = k < 2;
		f = &m.a.finding[SD_CAUSE_SERIAL_CODE];
		f->where = &where;
		f->n_where = 1;
		sd_texts_add(&f->advice, "plain");
		sd_advice_texts_fill(&m.c, &r);
		assert_int_equal(is_told(&f->advice, "has the interpreter's lock"), k > 0);
		assert_int_equal(is_told(&f->advice, "does alone parallel"), k == 0);
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			sd_texts_free(&m.a.finding[i].advice);
		m.a.lock[0].name = NULL;
		m.a.lock[0].holder = NULL;
		m.a.lock[0].n_holder = 0;
		sd_record_free(&m.record);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(serial_code_waits_for_no_lock_that_it_does_not_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
