/* The first screen of a service that runs already and was looked at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diagnose/report/text/brief_screen.h"

/* A service with many functions and locks: the screen has as many as there is room for. */
static void make_look(struct sd_record *r, struct sd_analysis *a)
{
	make_scaling(r, a);
	r->program.attached = strdup("process 4711");
	a->point[0] = a->point[1];
	a->n_point = 1;
	for (int k = 0; k < SD_COMPONENT_COUNT; k++)
		a->point[0].stack[k] = make_half(.1, .01);
	a->point[0].stack[SD_COMPONENT_SLEEP] = make_half(.5, .02);
	a->point[0].stack[SD_COMPONENT_SERIAL] = make_half(.3, .02);
	a->losses.row = make_zeroed(12, sizeof *a->losses.row);
	a->lock = make_zeroed(4, sizeof *a->lock);
	for (; a->losses.n_row < 12; a->losses.n_row++) {
		struct sd_loss_row *const row = &a->losses.row[a->losses.n_row];

		*row = (struct sd_loss_row){.at.function = strdup("serve"), .own = 1};
		row->cost[SD_COST_GROWTH] = .1;
		row->cost[SD_COST_WAITS] = .05;
		row->total = make_half(.15, .01);
	}
	for (; a->n_lock < 4; a->n_lock++)
		a->lock[a->n_lock] = (struct sd_lock_row){.name = strdup("queue_lock"),
			.kind = "mutex",
			.waits = 9,
			.cores = make_half(.1, .01)};
	a->n_lock_seen = 9;
}

static void a_service_that_is_looked_at_fits_a_screen(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_look(&r, &a);
	text = brief(&r, &a, 24);
	must_have(text, "Useful work takes 0.10 of 2 cores; for 0.10 more its threads were ready");
	must_have(text, "; it leaves 45 % of all cores idle");
	must_have(text, "idle while one thread works");
	must_have(text, "Where its cores go, by function");
	must_have(text, "serve()");
	must_have(text, "queue_lock");
	assert_null(strstr(text, "Missing"));
	must_have(text, "Trust: 5 looks at it");
	assert_null(strstr(text, "too few runs"));
	must_have(text, "More: scalediag report --long app.scalediag.json");
	assert_null(strstr(text, "{n}"));
	assert_null(strstr(text, "erial"));
	free(text);
	free(a.losses.row[0].at.function);
	a.losses.row[0].at.function = strdup("[app+0x1220]");
	a.losses.row[0].at.module = strdup("/usr/bin/app");
	text = brief(&r, &a, 24);
	must_have(text, "Missing: names of its functions (it is stripped:");
	free(text);
	text = make_report(sd_report_text(out, &r, &a, &(struct sd_report_style){.width = 100}));
	must_have(text, "  idle while one thread works");
	assert_null(strstr(text, "serial sections"));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_service_that_is_looked_at_fits_a_screen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
