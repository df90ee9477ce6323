/*
 * Words of the page: links instead of commands, services, events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "diagnose/report/html/html_world.h"

/* A command that would print what the page shows is a link to it; any other stays a command. */
static void what_the_page_shows_is_a_link_and_no_command(void **state)
{
	static const struct {
		const char *next, *says;
	} row[] = {{"scalediag report --long RECORD # its callers", "its callers, below</a></dd>"},
		{"scalediag --experiments padding ./stencil", "<dt>next</dt><dd class=\"code\">"}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct world w;
		char *page, *said;

		open_world(&w);
		assert_int_equal(sd_texts_add(&w.a.warnings, "a doubt"), 0);
		for (size_t k = 0; k < SD_CAUSE_COUNT; k++) {
			free(w.a.finding[k].next);
			w.a.finding[k].next = strdup(row[i].next);
		}
		page = page_of(&w);
		assert_non_null(strstr(page, row[i].says));
		said = strstr(page, "--long");
		/* the table of all causes has commands */
		assert_true(!said || said > strstr(page, "id=\"all-causes\""));
		free(page);
		close_world(&w);
	}
}

/* Its page says so as the terminal does, and has no curve of one point. */
static void a_service_that_is_looked_at_has_no_serial_code(void **state)
{
	struct world w;
	struct sd_point *all;
	size_t n;
	char *page;

	(void)state;
	open_world(&w);
	w.r.program.attached = strdup("process 4711");
	all = w.a.point;
	n = w.a.n_point;
	w.a.point = &all[n - 1];
	w.a.n_point = 1;
	page = page_of(&w);
	assert_non_null(strstr(page, "<td>idle while one thread works"));
	assert_non_null(strstr(page, "<span class=\"option\">--cores</span> would tell"));
	assert_null(strstr(page, "serial sections"));
	assert_null(strstr(page, "id=\"chart-speedup\""));
	assert_null(strstr(page, "id=\"chart-stack\""));
	free(page);
	w.a.point = all;
	w.a.n_point = n;
	close_world(&w);
}

static void events_name_their_functions(void **state)
{
	struct world w;
	char *page;

	(void)state;
	open_world(&w);
	page = page_of(&w);
	assert_null(strstr(page, "id=\"events\""));
	free(page);
	make_events(&w.a, 0);
	w.a.events.row[0].at->function[0] = '&';
	page = page_of(&w);
	assert_non_null(strstr(page, "Hotspots by events at 8 cores"));
	assert_non_null(strstr(page, "&amp;ncrement() count.c:12"));
	assert_non_null(
		strstr(page, "<td>92 %<br>4.25 cycles/instruction<br><b>past its threshold"));
	assert_non_null(strstr(page, "hitm-per-1000 *</th>"));
	assert_non_null(strstr(page, "skid"));
	free(page);
	w.a.events.metric[1].precise = 1;
	page = page_of(&w);
	assert_null(strstr(page, "skid"));
	free(page);
	close_world(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_page_shows_is_a_link_and_no_command),
		cmocka_unit_test(a_service_that_is_looked_at_has_no_serial_code),
		cmocka_unit_test(events_name_their_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
