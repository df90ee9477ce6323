#include "fleet/fleet_line.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define START                                                                                        \
	"{\"kind\":\"scalediag-fleet-node\",\"schema\":1,\"host\":\"n1\",\"group\":\"cpu, 2 CPUs\"," \
	"\"model_length\":3,\"start\":7.5,\"quick\":true,"

static void remember(void *ctx, enum sd_level level, const char *text)
{
	(void)level;
	snprintf(ctx, 1024, "%s", text);
}

static void a_node_is_written_and_read_again(void **state)
{
	static const char line[] = START
		"\"facts\":{\"thp\":\"always\"},\"numbers\":{\"triad\":[40.5,40.25,41.0],"
		"\"clock\":[0.75,0.5,1.0]},\"pairs\":{\"0-1\":[60.5,60.0,61.0],\"0,17\":[200.0,"
		"190.0,210.0]}}\n";
	struct sd_fleet_node node;
	char *text = NULL;
	size_t size = 0;
	FILE *f;

	(void)state;
	assert_int_equal(sd_fleet_line_parse(line, sizeof line - 1, "x", 1, &node, NULL), 0);
	assert_string_equal(node.host, "n1");
	assert_int_equal(node.model_length, 3);
	assert_true(node.quick);
	assert_string_equal(node.facts->text[SD_NODE_FACT_THP], "always");
	assert_int_equal(node.n_pair, 2);
	f = open_memstream(&text, &size);
	assert_int_equal(sd_fleet_line_encode(f, &node), 0);
	fclose(f);
	assert_string_equal(text, line);
	free(text);
	sd_fleet_node_free(&node);
}

static void what_is_damaged_is_refused_by_line_and_name(void **state)
{
	static const struct {
		const char *line, *says;
	} rows[] = {
		{"{}", "f:7: is no node"},
		{"[1]", "f:7: is no object"},
		{START "\"facts\":{},\"numbers\":{\"triad\":[1,2,3]},\"pairs\":{}}",
			"f:7: triad must be low <= value"},
		{START "\"facts\":{},\"numbers\":{\"triad\":[1,null,3]},\"pairs\":{}}",
			"f:7: triad must be three"},
		{START "\"facts\":{},\"numbers\":{\"triad\":[-1,-2,3]},\"pairs\":{}}",
			"none negative"},
		{START "\"facts\":{\"thp\":\"a\\nb\"},\"numbers\":{},\"pairs\":{}}",
			"f:7: thp has a control character"},
		{START "\"facts\":{},\"numbers\":{},\"pairs\":{\"0;drop\":[1,1,1]}}",
			"f:7: pairs must be named"},
		{START "\"facts\":{},\"pairs\":{}}", "f:7: numbers must be an object"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char said[1024] = "";
		const struct sd_sink sink = {remember, said};
		struct sd_fleet_node node;

		assert_int_equal(sd_fleet_line_parse(
					 rows[i].line, strlen(rows[i].line), "f", 7, &node, &sink),
			-EINVAL);
		if (!strstr(said, rows[i].says))
			fail_msg("'%s' is not in '%s'", rows[i].says, said);
		assert_null(node.facts);
		assert_null(node.pair);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_node_is_written_and_read_again),
		cmocka_unit_test(what_is_damaged_is_refused_by_line_and_name),
	};

	return cmocka_run_group_tests_name("fleet_line", tests, NULL, NULL);
}
