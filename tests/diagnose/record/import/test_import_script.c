/* Profiles of perf script: the time of each stack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include "support/near.h"

#include "diagnose/record/import/import_said.h"
#include "import/import.h"
#include "import/script_lines.h"
#include "diagnose/record/import/loaded_maps.h"

typedef int reader(struct sd_import *im, const struct sd_import_text *t, unsigned cores);

static int take(struct sd_import *im, reader *read, const char *text, unsigned cores, char *said)
{
	const struct sd_sink sink = {.emit = keep, .ctx = said};
	const struct sd_import_text t = {"t", text, strlen(text), &sink};

	said[0] = '\0';
	return read(im, &t, cores);
}

static void every_form_of_a_sample_is_read(void **state)
{
	static const struct {
		const char *line, *comm, *event;
		int tid;
		double time, period;
		const char *function, *module; /* of a frame on the same line; NULL: none */
	} row[] = {
		{"busy 13582 15145.841373:    2004008 task-clock:u: ", "busy", "task-clock:u",
			13582, 15145.841373, 2004008, NULL, NULL},
		{"            busy 14056 15148.464549:    2004008 task-clock:u:      561bfb6ee172 "
		 "spin+0x19 (/tmp/race/busy)",
			"busy", "task-clock:u", 14056, 15148.464549, 2004008, "spin",
			"/tmp/race/busy"},
		{"my app 10/12 [003] 1.500000: cycles: ", "my app", "cycles", 12, 1.5, 0, NULL,
			NULL},
		{"x 7 [001] 2.25: 99 cpu_core/cycles/P: ffff f(int, char (*)(int))+0x2 ([kernel.kallsyms])",
			"x", "cpu_core/cycles/P", 7, 2.25, 99, "f(int, char (*)(int))",
			"[kernel.kallsyms]"},
	};
	static const char *const none[] = {"", "busy 13582:", "117f spin+0x26 (/tmp/race/busy)",
		"  busy.c:4", "busy 1 2.5 cycles:", "12.5: cycles:"};
	struct sd_script_sample s;
	struct sd_script_frame f;

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		if (!sd_script_lines_sample(row[i].line, strlen(row[i].line), &s, &f))
			fail_msg("'%s'", row[i].line);
		assert_string_equal(s.comm, row[i].comm);
		assert_string_equal(s.event, row[i].event);
		assert_int_equal(s.tid, row[i].tid);
		assert_near(s.time, row[i].time, 1e-9);
		assert_near(s.period, row[i].period, 0);
		assert_string_equal(f.module, row[i].module ? row[i].module : "");
		if (row[i].module)
			assert_string_equal(f.function, row[i].function);
	}
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (sd_script_lines_sample(none[i], strlen(none[i]), &s, &f))
			fail_msg("'%s'", none[i]);
}

static void every_form_of_a_frame_is_read(void **state)
{
	static const struct {
		const char *line, *function, *module;
		int inlined;
	} row[] = {
		{"\t            117f spin+0x26 (/tmp/race/busy)", "spin", "/tmp/race/busy", 0},
		{"\t7f00 operator new(unsigned long)+0x1 (/usr/lib/libstdc++.so.6)",
			"operator new(unsigned long)", "/usr/lib/libstdc++.so.6", 0},
		{"\t117f helper (inlined)", "helper", "inlined", 1},
		{"\t117f [unknown] (/a (deleted))", "", "/a (deleted)", 0},
		{"\t117f [unknown] ([unknown])", "", "[unknown]", 0},
	};
	struct sd_script_frame f;

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		if (!sd_script_lines_frame(row[i].line, strlen(row[i].line), &f))
			fail_msg("'%s'", row[i].line);
		assert_string_equal(f.function, row[i].function);
		assert_string_equal(f.module, row[i].module);
		assert_int_equal(f.inlined, row[i].inlined);
	}
	assert_true(sd_script_lines_place("  busy.c:4", 10, &f));
	assert_string_equal(f.file, "busy.c");
	assert_int_equal(f.line, 4);
	assert_false(sd_script_lines_place("  busy.c:5", 10, &f)); /* it has one */
}

static const struct sd_use *use_in(const struct sd_import *im, size_t run, const char *function)
{
	const struct sd_record *const r = &im->record;
	const struct sd_sampled *const s = &r->run[run].sampled;

	for (size_t i = 0; i < s->n_use; i++) {
		const struct sd_frame *const f =
			&r->stacks.frame[r->stacks.node[s->use[i].node].frame];

		if (s->use[i].node && strcmp(r->stacks.text[f->function], function) == 0)
			return &s->use[i];
	}
	fail_msg("no %s", function);
	return NULL;
}

#define CLOCKED                                                                 \
	"# ========\n"                                                          \
	"# cpudesc : Intel(R) Xeon(R) Gold 6148\n"                              \
	"# cpuid : GenuineIntel,6,85,4\n"                                       \
	"app 10 1.000000: 500000000 task-clock:u: \n"                           \
	"\t117f work+0x26 (/tmp/app)\n"                                         \
	"  app.c:4\n"                                                           \
	"\t11ff main+0x8 (/tmp/app)\n"                                          \
	"  app.c:9\n\n"                                                         \
	"app 11 1.500000: 500000000 task-clock:u: \n"                           \
	"\t7000 gomp_team_barrier_wait_end+0x9 (/usr/lib/libgomp.so.1.0.0)\n\n" \
	"app 10 1.500000: 500000000 task-clock:u: \n"                           \
	"\t117f work+0x26 (/tmp/app)\n"                                         \
	"  app.c:4\n"                                                           \
	"\t11ff main+0x8 (/tmp/app)\n"                                          \
	"  app.c:9\n\n"                                                         \
	"app 10 1.500000: 1 page-faults:u: \n"                                  \
	"\t117f work+0x26 (/tmp/app)\n\n"

static void a_profile_is_the_time_of_each_stack(void **state)
{
	struct sd_import im = {.cpu.maps = &maps};
	const struct sd_use *work, *spins;
	const struct sd_run *run;
	char said[512];

	(void)state;
	assert_int_equal(take(&im, sd_import_script, CLOCKED, 2, said), 0);
	assert_int_equal(sd_import_finish(&im, "t", NULL), 0);
	run = &im.record.run[0];
	work = use_in(&im, 0, "work");
	spins = use_in(&im, 0, "gomp_team_barrier_wait_end");
	assert_near(work->seconds, 1, 1e-9);
	assert_near(work->count, 2, 0);
	assert_int_equal(work->activity, SD_ACTIVITY_USEFUL);
	assert_int_equal(spins->activity, SD_ACTIVITY_SPIN_BARRIER);
	assert_near(run->metric[SD_METRIC_WALL].value, 1, 1e-9);
	assert_near(run->metric[SD_METRIC_TASK_CLOCK].value, 1.5, 1e-9);
	assert_int_equal(run->n_thread, 2);
	assert_near(run->thread[0].cpu.value, 1, 1e-9);
	/* the other event is said, and the CPU is known */
	assert_int_equal(im.unknown.n, 1);
	assert_string_equal(im.unknown.text[0], "1 samples of page-faults:u");
	assert_non_null(im.cpu.map);
	assert_string_equal(im.cpu.map->family, "skx");
	assert_string_equal(im.record.host.cpu, "Intel(R) Xeon(R) Gold 6148");
	assert_sound(&im.record);
	sd_import_free(&im);
}

/* Cycles are a time where the reference is busy throughout. */
static void cycles_become_the_time_of_their_run(void **state)
{
	struct sd_import im = {0};
	char said[512];

	(void)state;
	assert_int_equal(
		take(&im, sd_import_script,
			"app 1 1.0: 3000 cycles: 11 f+0x1 (/a)\napp 1 3.0: 3000 cycles: 11 f+0x1 (/a)\n",
			1, said),
		0);
	assert_int_equal(
		take(&im, sd_import_script,
			"app 1 1.0: 3000 cycles: 11 f+0x1 (/a)\napp 2 3.0: 6000 cycles: 11 g+0x1 (/a)\n",
			2, said),
		0);
	assert_int_equal(sd_import_finish(&im, "t", NULL), 0);
	assert_near(im.record.run[0].metric[SD_METRIC_TASK_CLOCK].value, 2, 1e-9);
	assert_near(im.record.run[1].metric[SD_METRIC_TASK_CLOCK].value, 3, 1e-9);
	assert_near(use_in(&im, 1, "g")->seconds, 2, 1e-9);
	assert_near(im.record.run[1].thread[1].cpu.value, 2, 1e-9);
	assert_sound(&im.record);
	sd_import_free(&im);
}

static void a_text_that_is_no_profile_is_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} row[] = {
		{"nothing of that kind\n", "has no sample"},
		{"a 1 1.0: 5 page-faults: 11 f+0x1 (/a)\n", "no samples of task-clock"},
		{"a 1 1.0: cycles: 11 f+0x1 (/a)\na 1 2.0: cycles: 11 f+0x1 (/a)\n",
			"has no period"},
		{"a 1 1.0: 5 cycles: 11 f+0x1 (/a)\n", "of one moment"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_import im = {0};
		char said[512];

		assert_int_equal(take(&im, sd_import_script, row[i].text, 1, said), -EINVAL);
		if (!strstr(said, row[i].why))
			fail_msg("'%s'", said);
		sd_import_free(&im);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_of_a_sample_is_read),
		cmocka_unit_test(every_form_of_a_frame_is_read),
		cmocka_unit_test(a_profile_is_the_time_of_each_stack),
		cmocka_unit_test(cycles_become_the_time_of_their_run),
		cmocka_unit_test(a_text_that_is_no_profile_is_refused),
	};

	return cmocka_run_group_tests(tests, load_maps, free_maps);
}
