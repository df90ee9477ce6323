/* An option's letter means the same in every command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/command.h"
#include "options/option_grammar.h"

static const char *name_of[128], *command_of[128];
static const char *command;

static int hold(void *ctx, const struct argp_option *o)
{
	size_t *const n = ctx;

	if (!o->name || o->key <= ' ' || o->key >= 127)
		return 0;
	++*n;
	if (name_of[o->key] && strcmp(name_of[o->key], o->name) != 0)
		fail_msg("-%c: --%s of scalediag %s, --%s of scalediag %s", o->key, name_of[o->key],
			command_of[o->key], o->name, command);
	name_of[o->key] = o->name;
	command_of[o->key] = command;
	return 0;
}

static void a_letter_has_one_meaning(void **state)
{
	size_t n = 0;

	(void)state;
	for (const struct sd_command *c = sd_commands; c->name; c++) {
		command = c->name;
		assert_int_equal(sd_option_grammar_each(c->argp, hold, &n), 0);
	}
	assert_true(n > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_letter_has_one_meaning)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
