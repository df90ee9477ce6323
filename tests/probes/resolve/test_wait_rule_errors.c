/* Rules of waits that are broken are refused, with file and line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "resolve/wait_rules.h"

static char said[1024];

static void listen(void *ctx, enum sd_level level, const char *text)
{
	(void)ctx;
	(void)level;
	snprintf(said, sizeof said, "%s", text);
}

static const struct sd_sink sink = {.emit = listen};

static void a_broken_rule_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"rules = (", "x.conf:1: "},
		{"", "rules = ( { ... }, ... ) is missing"},
		{"rules = 1;", "x.conf:1: rules = ("},
		{"rules = (\n\n1);", "x.conf:3: a rule is a group"},
		{"rules = (\n{ blocked = \"mutex\"; } );", "x.conf:2: a rule names a function"},
		{"rules = (\n{ function = \"f\"; } );", "x.conf:2: a rule says what"},
		{"rules = (\n{ function = 1; blocked = \"mutex\"; } );",
			"function: must be a pattern"},
		{"rules = (\n{ function = \"f\"; blocked = \"useful\"; } );",
			"x.conf:2: blocked: 'useful' is no activity of a thread that waits"},
		{"rules = (\n{ function = \"f\"; running = \"mutex\"; } );",
			"running: 'mutex' is no activity of a thread that runs"},
		{"rules = (\n{ function = \"f\";\n blokked = \"mutex\"; } );",
			"x.conf:3: blokked: no such setting here"},
		{"rules = (\n{ function = \"f\"; within = 7; blocked = \"mutex\"; } );",
			"x.conf:2: within: must be a number of frames, 1 to 6"},
		{"kernel = 1; rules = ();", "kernel: must be true or false"},
		{"@include \"/etc/passwd\"\n", "@include is not allowed"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_wait_rules r = {0};

		said[0] = 0;
		assert_int_equal(sd_wait_rules_parse(
					 &r, "x.conf", rows[i].text, strlen(rows[i].text), &sink),
			-EINVAL);
		if (!strstr(said, rows[i].message))
			fail_msg("%s: said \"%s\"", rows[i].text, said);
		assert_int_equal(r.n, 0);
		sd_wait_rules_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_broken_rule_is_refused_with_its_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
