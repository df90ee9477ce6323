/*
 * Our formulas and public ones (publicmetrics.h) give the same on the same counts: ours come from
 * them through the family's event map and the metric tables, so a wrong code, a wrong weight and a
 * wrong formula all show.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "support/near.h"

#include "support/counted_record.h"
#include "probe/event_map.h"
#include "support/public_metrics.h"

/* 1 and the count of the map's event in *out; 0: the row has none. */
static int count_of(const struct row *row, const struct sd_map_event *e, double *out)
{
	for (size_t i = 0; i < EVENTS && row->event[i].name; i++)
		if (row->event[i].code == e->code && row->event[i].config1 == e->config1) {
			*out = row->event[i].count;
			return 1;
		}
	return 0;
}

/* The roles that are made of the row's events, as counting them would bring them. */
static void count_roles(const struct sd_eventmaps *maps, const struct row *row, struct sd_run *run)
{
	const struct sd_event_map *const map = sd_event_map_set_find(maps, row->family);

	assert_non_null(map);
	for (unsigned r = 0; r < SD_ROLE_COUNT; r++) {
		const struct sd_event_map *from;
		const struct sd_map_role *const role =
			sd_event_map_set_role(maps, map, (enum sd_role)r, &from);
		double sum = 0, of_event = 0;
		size_t n = 0;

		/* the kernel's own events share codes with the CPU's */
		if (!role || role->n == 0 || from->architectural)
			continue;
		for (; n < role->n && count_of(row, &role->events[n], &of_event); n++)
			sum += role->events[n].weight * of_event;
		if (n == role->n)
			count(run, row->family, (enum sd_role)r, sum);
	}
}

static double public_value(const struct row *row)
{
	struct sd_expression e;
	char why[256];
	double out;

	if (sd_expression_make(&e, row->expression, why, sizeof why) < 0)
		fail_msg("%s: %s", row->source, why);
	for (size_t i = 0; i < e.n; i++) {
		size_t k = 0;

		if (strcmp(e.name[i], "duration_time") == 0) {
			e.slot[i] = WALL;
			continue;
		}
		while (k < EVENTS && row->event[k].name &&
			strcmp(row->event[k].name, e.name[i]) != 0)
			k++;
		if (k == EVENTS || !row->event[k].name)
			fail_msg("%s: no count of %s", row->source, e.name[i]);
		e.slot[i] = row->event[k].count;
	}
	assert_int_equal(sd_expression_value(&e, &out), 0);
	sd_expression_free(&e);
	return out;
}

static void ours_and_the_public_formula_agree(void **state)
{
	static const unsigned one = 1;
	struct sd_eventmaps maps;
	struct sd_formula_tables f;

	(void)state;
	assert_int_equal(sd_event_map_set_load(&maps, NULL, NULL), 0);
	load_tables(&f);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const double want = public_value(&rows[i]);
		const struct sd_shown *s;
		struct sd_analysis a;
		struct sd_record r;
		struct sd_run *run;

		record_make(&r, &one, 1);
		run = record_run(&r, 0, WALL);
		run->metric[SD_METRIC_USER] = SD_OK(WALL);
		run->metric[SD_METRIC_SYSTEM] = SD_OK(0);
		count_roles(&maps, &rows[i], run);
		assert_int_equal(sd_analyse(&r, &f, NULL, &a), 0);
		s = shown_of(&a.point[0], rows[i].metric);
		if (!s)
			fail_msg("%s %s is not there", rows[i].family, rows[i].metric);
		/* a share that is cut off at an end would agree with anything */
		assert_true(want > 0 && want != 1);
		if (!(fabs(s->value.value - want) <= 1e-9 * want))
			fail_msg("%s %s is %.12g, by %s %.12g", rows[i].family, rows[i].metric,
				s->value.value, rows[i].source, want);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
	sd_formula_tables_free(&f);
	sd_event_map_set_free(&maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ours_and_the_public_formula_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
