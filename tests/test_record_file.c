#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "field.h"
#include "make_record.h"
#include "record_file.h"
#include "step.h"

/* ---- a folder of our own, and what was said ---- */

struct world {
	char folder[64], path[128];
	char said[1024];
	int messages;
};

static void listen(void *ctx, enum sd_level level, const char *text)
{
	struct world *w = ctx;

	(void)level;
	snprintf(w->said, sizeof w->said, "%s", text);
	w->messages++;
}

static int setup(void **state)
{
	struct world *w = make_zeroed(1, sizeof *w);

	strcpy(w->folder, "/tmp/sd_record_XXXXXX");
	if (!mkdtemp(w->folder))
		return -1;
	snprintf(w->path, sizeof w->path, "%s/r.json", w->folder);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	DIR *d = opendir(w->folder);

	for (struct dirent *e; d && (e = readdir(d)) != NULL;)
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(w->folder);
	free(w);
	return 0;
}

static struct sd_sink sink_of(struct world *w)
{
	return (struct sd_sink){.emit = listen, .ctx = w};
}

static size_t files_in(const char *folder)
{
	DIR *d = opendir(folder);
	size_t n = 0;

	for (struct dirent *e; d && (e = readdir(d)) != NULL;)
		n += e->d_name[0] != '.' || strlen(e->d_name) > 2;
	if (d)
		closedir(d);
	return n;
}

static char *slurp(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	char *text;
	long n;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	n = ftell(f);
	rewind(f);
	text = make_zeroed((size_t)n + 1, 1);
	*size = fread(text, 1, (size_t)n, f);
	fclose(f);
	return text;
}

static void spill(const char *path, const char *text, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

/* ---- records ---- */

/* Two stacks, one of them of the kernel, and a run that used them. */
static void make_sampled(struct sd_record *r, struct sd_run *run)
{
	struct sd_sampled *const s = &run->sampled;
	struct sd_frame frame = {.line = 12, .offset = UINT64_MAX, .kernel = 1};
	unsigned number, node;

	sd_stacks_text(&r->stacks, "main\xff\n", &frame.function);
	sd_stacks_frame(&r->stacks, &frame, &number);
	sd_stacks_node(&r->stacks, 0, number, &node);
	frame = (struct sd_frame){.offset = 0x1234, .inlined = 1};
	sd_stacks_frame(&r->stacks, &frame, &number);
	sd_stacks_node(&r->stacks, node, number, &node);
	*s = (struct sd_sampled){.status = SD_STATUS_OK,
		.switch_stacks = SD_STATUS_DENIED,
		.wakers = SD_STATUS_UNSUPPORTED,
		.idle = 1,
		.hz = 997,
		.samples = 12345,
		.switches = 1e6,
		.lost = 3,
		.unwound = 1. / 3,
		.cpu_s = 0.012,
		.n_use = 2,
		.n_lock = 1,
		.n_lock_seen = 70,
		.n_bottle = 1};
	s->use = make_zeroed(2, sizeof *s->use);
	s->use[0] = (struct sd_use){
		node, SD_ACTIVITY_USEFUL, 1.25, 1250, 0, 0.1 + 0.2, 0.5, 1. / 3, 0, 0.25, 0, 0};
	s->use[1] =
		(struct sd_use){0, SD_ACTIVITY_UNKNOWN, 5e-324, 1, 5e-324, 0, 0, 0, 0, 0, 0, 1e-9};
	s->lock = make_zeroed(1, sizeof *s->lock);
	s->lock[0] = (struct sd_lock_use){.name = 1,
		.address = UINT64_MAX,
		.pid = 77,
		.kind = SD_ACTIVITY_MUTEX,
		.waits = 5,
		.wait_s = 0.5,
		.longest_s = 0.25,
		.busy = SD_OK(0.75)};
	s->lock[0].holder[0].node = node;
	s->lock[0].holder[0].seconds = 0.5;
	s->lock[0].waiter[0].seconds = 0.125;
	s->bottle = make_zeroed(1, sizeof *s->bottle);
	s->bottle[0] = (struct sd_bottle){77, 78, "\xffworker", 1.5, 1. / 7};
}

/* Every status, every flag, odd numbers and odd texts. */
static void make_full(struct sd_record *r)
{
	static const unsigned cores[] = {1, 2, 8};
	struct sd_run *run;

	make_record(r, cores, 3);
	r->complete = 0;
	strcpy(r->host.name, "n\xc3\xb6"
			     "de\x1b[31m");
	r->host.quota = SD_NOT(DENIED);
	sd_texts_add(&r->program.argv, "caf\xe9\xff"); /* not UTF-8 */
	sd_texts_add(&r->program.argv, "\x01\x1b]0;title\x07\n\"\\\x7f");
	sd_texts_add(&r->program.argv, "%s", "");
	sd_texts_add(&r->program.env, "NAME={n}");
	r->program.rate = strdup("([0-9]+) ops");
	r->program.prepare = strdup("sync");
	r->program.timeout_s = 0.1;
	r->program.no_env = 1;
	r->program.scaling = SD_SCALING_WEAK;
	r->program.placement = SD_PLACEMENT_SMT;
	r->calibration.statement = strdup("calibrated 2 h ago");
	r->calibration.made = 1e9;
	r->calibration.llc = SD_OK(2e-8);
	r->calibration.dram = SD_NOT(UNSUPPORTED);
	r->calibration.ceiling = make_zeroed(2, sizeof *r->calibration.ceiling);
	r->calibration.n_ceiling = 2;
	r->calibration.ceiling[0] = (struct sd_ceiling){1, SD_OK(1.0e10 / 3)};
	r->calibration.ceiling[1] = (struct sd_ceiling){4, {3e10, SD_STATUS_NOISY}};
	r->plan.seed = UINT64_MAX;
	r->plan.skipped = make_zeroed(2, sizeof *r->plan.skipped);
	r->plan.n_skipped = 2;
	r->plan.skipped[0] = 16;
	r->plan.skipped[1] = UINT32_MAX;
	sd_texts_add(&r->warnings, "the first \xf0\x9f\x90\x8c");
	sd_texts_add(&r->warnings, "\xc0\x80 is not UTF-8 either");
	run = make_run(r, 0, 0.1, 1.0 / 3, 5e-324);
	for (int i = 0; i < SD_METRIC_COUNT; i++)
		run->metric[i].status = (enum sd_status)(i % SD_STATUS_COUNT);
	for (int i = 0; i < SD_METRIC_COUNT; i++)
		if (sd_has(run->metric[i]))
			run->metric[i].value = 1e308 / (i + 1);
	run->flags = SD_RUN_REBOUND | SD_RUN_LEFTOVER | SD_RUN_MIXED | SD_RUN_HELD;
	run->stdout_digest = UINT64_MAX - 1;
	run->stdout_bytes = 123456789012345;
	r->plan.n_pass = 2;
	r->plan.multiplex = 1;
	r->plan.pass = make_zeroed(2, sizeof *r->plan.pass);
	for (size_t i = 0; i < 2; i++) {
		r->plan.pass[i].role = make_zeroed(2, sizeof *r->plan.pass[i].role);
		r->plan.pass[i].n_role = 2;
		r->plan.pass[i].role[1] = (enum sd_role)(SD_ROLE_COUNT - 1 - i);
	}
	run->pass = 1;
	run->n_role = 2;
	run->role = make_zeroed(2, sizeof *run->role);
	run->role[0] = (struct sd_role_count){.role = SD_ROLE_CYCLES,
		.value = {1234567890123, SD_STATUS_MULTIPLEXED},
		.running = 0.75,
		.user = 1,
		.source = "map"};
	run->role[1] = (struct sd_role_count){.role = (enum sd_role)(SD_ROLE_COUNT - 1),
		.value = SD_NOT(DENIED),
		.quality = SD_QUALITY_PROXY,
		.scope = SD_SCOPE_SOCKET,
		.shared = 1};
	make_sampled(r, run);
	run = make_run(r, 2, 2, 16, 0);
	run->end = SD_END_SIGNALLED;
	run->code = 11;
	run->kind = SD_RUN_DRIFT;
	make_idle(run, SD_IDLE_LOCK, 0.25);
	make_concurrency(run, (const double[]){0, 0.5, 1e-9}, 3);
	make_thread(run, 101, 2.5)->run_delay = SD_NOT(DENIED);
	strcpy(make_thread(run, 102, 0)->name, "\xff\xfe");
}

static void a_record_read_back_and_written_again_has_the_same_bytes(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	struct sd_record r, back;
	size_t n1, n2;
	char *first, *second;

	make_full(&r);
	assert_int_equal(sd_record_write(w->path, &r, &sink), 0);
	first = slurp(w->path, &n1);
	if (sd_record_read(w->path, &back, &sink) != 0)
		fail_msg("%s", w->said);
	assert_int_equal(sd_record_write(w->path, &back, &sink), 0);
	second = slurp(w->path, &n2);
	assert_int_equal(n1, n2);
	assert_memory_equal(first, second, n1);
	assert_int_equal(w->messages, 0);
	assert_int_equal(files_in(w->folder), 1);
	free(first);
	free(second);
	sd_record_free(&r);
	sd_record_free(&back);
}

static void values_of_every_status_survive(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	struct sd_record r, back;

	make_full(&r);
	assert_int_equal(sd_record_write(w->path, &r, &sink), 0);
	assert_int_equal(sd_record_read(w->path, &back, &sink), 0);
	assert_int_equal(back.n_run, 2);
	for (int i = 0; i < SD_METRIC_COUNT; i++) {
		assert_int_equal(back.run[0].metric[i].status, r.run[0].metric[i].status);
		if (sd_has(r.run[0].metric[i])) /* the same bits, not merely near */
			assert_memory_equal(&back.run[0].metric[i].value, &r.run[0].metric[i].value,
				sizeof(double));
	}
	assert_int_equal(back.run[0].flags, r.run[0].flags);
	assert_true(back.run[0].stdout_digest == UINT64_MAX - 1);
	assert_true(back.run[0].stdout_bytes == 123456789012345);
	assert_int_equal(back.run[1].kind, SD_RUN_DRIFT);
	assert_int_equal(back.run[1].end, SD_END_SIGNALLED);
	assert_int_equal(back.run[1].code, 11);
	assert_int_equal(back.run[1].n_thread, 2);
	assert_int_equal(back.run[1].thread[0].run_delay.status, SD_STATUS_DENIED);
	assert_string_equal(back.run[1].thread[1].name, "\xff\xfe");
	assert_int_equal(back.run[1].idle[SD_IDLE_LOCK].status, SD_STATUS_OK);
	assert_int_equal(back.run[0].idle[SD_IDLE_LOCK].status, SD_STATUS_ABSENT);
	assert_int_equal(back.run[0].pass, 1);
	assert_int_equal(back.run[0].n_role, 2);
	assert_int_equal(back.run[1].n_role, 0);
	assert_true(sd_run_role(&back.run[0], SD_ROLE_CYCLES)->value.value == 1234567890123);
	assert_true(sd_run_role(&back.run[0], SD_ROLE_CYCLES)->running == 0.75);
	assert_null(sd_run_role(&back.run[1], SD_ROLE_CYCLES));
	assert_int_equal(back.run[0].role[1].value.status, SD_STATUS_DENIED);
	assert_int_equal(back.run[0].role[1].quality, SD_QUALITY_PROXY);
	assert_int_equal(back.run[0].role[1].scope, SD_SCOPE_SOCKET);
	assert_string_equal(back.calibration.statement, "calibrated 2 h ago");
	assert_int_equal(back.calibration.dram.status, SD_STATUS_UNSUPPORTED);
	assert_int_equal(back.calibration.n_ceiling, 2);
	assert_true(back.calibration.ceiling[0].bandwidth.value == 1.0e10 / 3);
	assert_int_equal(back.calibration.ceiling[1].bandwidth.status, SD_STATUS_NOISY);
	assert_int_equal(back.plan.n_pass, 2);
	assert_int_equal(back.plan.multiplex, 1);
	assert_int_equal(back.plan.pass[1].role[1], SD_ROLE_COUNT - 2);
	assert_int_equal(back.plan.n_skipped, 2);
	assert_int_equal(back.plan.point[2].cpus.n, 8);
	assert_true(back.plan.seed == UINT64_MAX);
	sd_record_free(&r);
	sd_record_free(&back);
}

static void texts_survive_whatever_their_bytes(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	struct sd_record r, back;

	make_full(&r);
	assert_int_equal(sd_record_write(w->path, &r, &sink), 0);
	assert_int_equal(sd_record_read(w->path, &back, &sink), 0);
	assert_int_equal(back.program.argv.n, r.program.argv.n);
	for (size_t i = 0; i < r.program.argv.n; i++)
		assert_string_equal(back.program.argv.text[i], r.program.argv.text[i]);
	for (size_t i = 0; i < r.warnings.n; i++)
		assert_string_equal(back.warnings.text[i], r.warnings.text[i]);
	assert_string_equal(back.host.name, r.host.name);
	assert_string_equal(back.program.prepare, "sync");
	sd_record_free(&r);
	sd_record_free(&back);
}

static void an_impossible_number_is_stored_as_not_measured(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	static const unsigned cores[] = {1};
	struct sd_record r, back;
	struct sd_run *run;

	make_record(&r, cores, 1);
	run = make_run(&r, 0, 1, NAN, -1e-9);
	run->metric[SD_METRIC_STEAL] = SD_OK(INFINITY);
	assert_int_equal(sd_record_write(w->path, &r, &sink), 0);
	assert_int_equal(sd_record_read(w->path, &back, &sink), 0);
	assert_int_equal(back.run[0].metric[SD_METRIC_USER].status, SD_STATUS_ABSENT);
	assert_int_equal(back.run[0].metric[SD_METRIC_SYSTEM].status, SD_STATUS_ABSENT);
	assert_int_equal(back.run[0].metric[SD_METRIC_STEAL].status, SD_STATUS_ABSENT);
	sd_record_free(&r);
	sd_record_free(&back);
}

/* A change of the format that old records do not survive needs another schema number. */
static void a_record_of_schema_1_stays_readable(void **state)
{
	static const char fixture[] = "tests/fixtures/fuzz_record/two_points.json";
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	struct sd_record r;
	size_t n1, n2;
	char *first, *second;

	if (sd_record_read(fixture, &r, &sink) != 0)
		fail_msg("%s", w->said);
	assert_int_equal(r.n_run, 2);
	assert_true(r.run[1].metric[SD_METRIC_WALL].value == 2.5);
	assert_int_equal(r.run[1].metric[SD_METRIC_STEAL].status, SD_STATUS_NOISY);
	assert_int_equal(r.run[0].metric[SD_METRIC_CYCLES].status, SD_STATUS_DENIED);
	assert_int_equal(sd_record_write(w->path, &r, &sink), 0);
	first = slurp(fixture, &n1);
	second = slurp(w->path, &n2);
	assert_string_equal(first, second);
	assert_int_equal(n1, n2);
	free(first);
	free(second);
	sd_record_free(&r);
}

/* ---- damage ---- */

/* A small record as text, with one piece replaced by another. */
static char *damaged(const char *piece, const char *other)
{
	struct sd_record r;
	static const unsigned cores[] = {1, 2};
	char path[] = "/tmp/sd_record_XXXXXX", *text, *found, *out;
	const int fd = mkstemp(path);
	struct sd_run *run;
	size_t n;

	assert_true(fd >= 0);
	close(fd);
	make_record(&r, cores, 2);
	make_run(&r, 0, 4, 4, 0)->metric[SD_METRIC_CYCLES] = SD_NOT(DENIED);
	run = make_run(&r, 1, 2.5, 5, 0.25);
	run->metric[SD_METRIC_STEAL] = (struct sd_value){0.5, SD_STATUS_NOISY};
	run->flags = SD_RUN_HELD;
	make_concurrency(run, (const double[]){0, 0.5, 2}, 3);
	make_thread(run, 101, 2.5);
	make_sampled(&r, run);
	r.calibration.statement = strdup("none");
	r.calibration.ceiling = make_zeroed(2, sizeof *r.calibration.ceiling);
	r.calibration.n_ceiling = 2;
	for (unsigned i = 0; i < 2; i++)
		r.calibration.ceiling[i] = (struct sd_ceiling){i + 1, SD_OK(i + 1)};
	r.plan.n_pass = 1;
	r.plan.pass = make_zeroed(1, sizeof *r.plan.pass);
	r.plan.pass[0].role = make_zeroed(1, sizeof *r.plan.pass[0].role);
	r.plan.pass[0].n_role = 1;
	run->n_role = 1;
	run->role = make_zeroed(1, sizeof *run->role);
	run->role[0] = (struct sd_role_count){
		.role = SD_ROLE_CYCLES, .value = SD_OK(9), .running = 1, .source = "map"};
	assert_int_equal(sd_record_write(path, &r, NULL), 0);
	sd_record_free(&r);
	text = slurp(path, &n);
	unlink(path);
	found = strstr(text, piece);
	if (!found)
		fail_msg("no %s in %s", piece, text);
	assert_true(asprintf(&out, "%.*s%s%s", (int)(found - text), text, other,
			    found + strlen(piece)) >= 0);
	free(text);
	return out;
}

static void a_damaged_field_is_refused_with_its_place(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	static const struct {
		const char *piece, *other, *message;
	} rows[] = {
		{"\"wall\":4.0", "\"wall\":\"four\"", "r.json:13: runs[0].metrics.wall: \"four\""},
		{"\"wall\":2.5", "\"wall\":-1",
			"r.json:14: runs[1].metrics.wall: must be within 0"},
		{"\"wall\":4.0", "\"wall\":null", "metrics.wall: must be a number, a status"},
		{"\"wall\":4.0", "\"wall\":\"ok\"", "is \"ok\", but the number is missing"},
		{"\"wall\":4.0", "\"wall\":{\"value\":1,\"status\":\"denied\"}", "has no number"},
		{"\"wall\":4.0", "\"wall\":{\"value\":1}", "metrics.wall: must be a number, a st"},
		{"\"wall\":4.0", "\"wall\":1e999", "real number overflow"},
		{"\"wall\":4.0", "\"wall\":NaN", "not a record of scalediag, or damaged"},
		{"\"wall\":4.0", "\"wall\":4.0,\"wall\":5.0", "damaged: duplicate"},
		{"\"wall\":4.0", "\"wal\":4.0", "runs[0].metrics.wal: is not known here"},
		{"\"cycles\":\"denied\"", "\"cycles\":\"nope\"", "cycles: \"nope\" is no status"},
		{"\"noisy\"", "\"loud\"", "runs[1].metrics.steal.status: \"loud\""},
		{"\"point\":1", "\"point\":2", "runs[1].point: is 2, but the plan has 2 points"},
		{"\"point\":1", "\"point\":-1", "runs[1].point: must be within 0"},
		{"\"point\":1", "\"point\":0.5", "runs[1].point: must be a whole number"},
		{"\"point\":1", "\"point\":99999999999999999999", "too big integer"},
		{"\"point\":1,", "", "runs[1]: \"point\" is missing"},
		{"\"end\":\"exited\"", "\"end\":\"exploded\"", "runs[0].end: \"exploded\" is none"},
		{"\"flags\":[\"held\"]", "\"flags\":[\"hold\"]", "runs[1].flags[0]: \"hold\""},
		{"\"flags\":[\"held\"]", "\"flags\":[\"held\",\"held\"]", "stands here twice"},
		{"\"flags\":[\"held\"]", "\"flags\":{}", "runs[1].flags: must be an array"},
		{"\"role\":\"cycles\"", "\"role\":\"bicycles\"",
			"runs[1].roles[0].role: \"bicycles\" is none"},
		{"\"running\":1.0", "\"running\":1.5", "running: must be within 0 and 1"},
		{"\"value\":9.0", "\"value\":-9.0", "value: must be within 0"},
		{"\"pass\":0", "\"pass\":1", "runs[1]: is of pass 1, but the plan has 1"},
		{"\"pass\":0", "\"pass\":0.5", "runs[1].pass: must be a whole"},
		{"\"pass\":0", "\"pass\":-1", "runs[1].pass: must be within 0"},
		{"\"passes\":[[\"cycles\"]]", "\"passes\":[[\"cycles\",\"cycles\"]]",
			"plan.passes[0][1]: \"cycles\" stands here twice"},
		{"\"passes\":[[\"cycles\"]]", "\"passes\":[[]]", "plan.passes[0]: counts nothing"},
		{"\"passes\":[[\"cycles\"]]", "\"passes\":[[1]]",
			"plan.passes[0][0]: \"\" is no role"},
		{"\"multiplex\":false", "\"multiplex\":1", "plan.multiplex: must be true or false"},
		{"[0.0,0.5,2.0]", "[0.0,true,2.0]", "runs[1].concurrency[1]: must be a number"},
		{"[0.0,0.5,2.0]", "[0.0,-2]", "runs[1].concurrency[1]: must be within 0"},
		{"\"threads_seen\":1", "\"threads_seen\":0", "1 threads, but only 0 were seen"},
		{"\"name\":\"app\"", "\"name\":\"0123456789abcdef\"",
			"threads[0].name: is 16 bytes"},
		{"\"name\":\"app\"", "\"name\":\"a\\u0000b\"",
			"not a record of scalediag, or damag"},
		{"\"tid\":101", "\"tid\":-1", "runs[1].threads[0].tid: must be within 0"},
		{"\"argv\":[\"./app\",\"100\"]", "\"argv\":[]", "program.argv: names no program"},
		{"\"./app\"", "{\"hex\":\"ffg0\"}", "program.argv[0]: holds \"g0\""},
		{"\"./app\"", "{\"hex\":\"ff0\"}", "has 3 hexadecimal digits"},
		{"\"./app\"", "{\"hex\":\"ff00\"}", "holds \"00\""},
		{"\"./app\"", "{\"bytes\":\"ff\"}", "must be a string or"},
		{"\"./app\"", "7", "program.argv[0]: must be a string, is a number"},
		{"\"scaling\":\"strong\"", "\"scaling\":\"mild\"",
			"r.json:5: program.scaling: \"mil"},
		{"\"cores\":2,\"cpus\":\"0-1\"", "\"cores\":1,\"cpus\":\"0\"",
			"plan.points[1]: 1 cores after 1: the counts must rise"},
		{"\"cpus\":\"0-1\"", "\"cpus\":\"0,0\"", "points[1].cpus: names CPU 0 twice"},
		{"\"cpus\":\"0-1\"", "\"cpus\":\"0-2\"", "names 3 CPUs for 2 cores"},
		{"\"cpus\":\"0-1\"", "\"cpus\":\"1-0\"", "must be a list of CPUs"},
		{"\"cpus\":\"0-1\"", "\"cpus\":\"0-99999\"", "must be a list of CPUs"},
		{"\"cpus\":\"0-1\"", "\"cpus\":\"0-1\\n\"", "must be a list of CPUs"},
		{"\"cpus\":\"0-1\"", "\"cpus\":\"\"", "names no CPU"},
		{"\"cpus\":\"0-1\"", "\"cpus\":[0,1]", "must be a list of CPUs"},
		{"\"seed\":\"1\"", "\"seed\":\"18446744073709551616\"",
			"plan.seed: must be a whole"},
		{"\"seed\":\"1\"", "\"seed\":1", "plan.seed: must be a whole"},
		{"\"cores\":1,\"bandwidth\":1.0", "\"cores\":0,\"bandwidth\":1.0",
			"calibration.ceilings[0].cores: must be within 1"},
		{"\"cores\":2,\"bandwidth\":2.0", "\"cores\":1,\"bandwidth\":2.0",
			"calibration.ceilings[1]: 1 cores after 1: the counts must rise"},
		{"\"bandwidth\":2.0", "\"bandwidth\":-2.0", "bandwidth: must be within 0"},
		{"\"statement\":\"none\",", "", "calibration: \"statement\" is missing"},
		{"\"budget_s\":0.0", "\"budget_s\":-1.0", "plan.budget_s: must be within 0"},
		{"\"complete\":true", "\"complete\":1",
			"r.json:3: complete: must be true or false"},
		{"\"warnings\":[]", "\"warnings\":[[]]",
			"warnings[0]: must be a string, is an array"},
		{"\"runs\":[", "\"rounds\":[],\"runs\":[", "rounds: is not known here"},
		{"\"warnings\":[],", "", "\"warnings\" is missing"},
		{"\"pmu\":\"unsupported\"", "\"pmu\":\"no\"", "host.pmu: \"no\""},
		{"\"texts\":[\"\"", "\"texts\":[\"x\"", "stacks.texts[0]: must be \"\""},
		{"\"texts\":[\"\"", "\"texts\":[\"\",\"\"", "stacks.texts[1]: stands here twice"},
		{"\"frames\":[1,", "\"frames\":[2,", "stacks.frames[0]: must be within 0 and 1"},
		{"\"frames\":[1,0,0,12,2,\"18446744073709551615\"", "\"frames\":[1,0,0,12,2,\"18\"",
			"stacks.frames[5]: must be a whole number, from 2^63 on in quotes"},
		{"\"nodes\":[0,0,1,1]", "\"nodes\":[0,0,2,1]",
			"stacks.nodes[2]: must be within 0 and 1"},
		{"\"nodes\":[0,0,1,1]", "\"nodes\":[0,0,1,2]",
			"stacks.nodes[3]: must be within 0 and 1"},
		{"\"nodes\":[0,0,1,1]", "\"nodes\":[0,0,0,0]", "stacks.nodes[3]: ends a node that"},
		{"\"nodes\":[0,0,1,1]", "\"nodes\":[0,0,1]", "stacks.nodes: has 3 numbers, not 2"},
		{"[2,\"useful\"", "[3,\"useful\"", "sampled.uses[0][0]: must be within 0 and 2"},
		{"[2,\"useful\"", "[2,\"idle\"", "uses[0][1]: \"idle\" is no activity"},
		{"[2,\"useful\",1.25", "[2,\"useful\",-1", "uses[0][2]: must be within 0"},
		{"[2,\"useful\",1.25", "[2,\"useful\",0],[2,\"useful\",1", "uses[0]: ends in 0"},
		{"\"locks_seen\":70", "\"locks_seen\":0", "1 locks, but only 0 were seen"},
		{"\"holders\":[2,0.5]", "\"holders\":[3,0.5]",
			"holders[0]: must be within 0 and 2"},
		{"\"holders\":[2,0.5]", "\"holders\":[2,0]", "holders[1]: must be within"},
		{"\"holders\":[2,0.5]", "\"holders\":[2]", "holders: must have a node and its"},
		{"\"unwound\":0.333", "\"unwound\":1.333", "unwound: must be within 0 and 1"},
		{"\"sampled\":{\"status\":\"ok\"", "\"sampled\":{\"status\":\"absent\"",
			"sampled.status: is absent: then the whole is left out"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_record r;
		char *text = damaged(rows[i].piece, rows[i].other);

		w->messages = 0;
		assert_int_equal(sd_record_parse(text, strlen(text), "r.json", &r, &sink), -EINVAL);
		if (!strstr(w->said, rows[i].message))
			fail_msg("%s: said \"%s\", not \"%s\"", rows[i].other, w->said,
				rows[i].message);
		assert_int_equal(w->messages, 1);
		assert_null(r.run);
		assert_null(r.plan.point);
		free(text);
	}
}

static void what_is_not_a_record_of_this_schema_is_refused_in_its_own_words(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"", "r.json: is empty"},
		{"wall,cores\n1,2\n", "r.json:1: not a record of scalediag, or damaged"},
		{"\x7f"
		 "ELF\x02\x01\x01",
			"not a record of scalediag, or damaged"},
		{"[]", "is JSON, but not a record of scalediag"},
		{"{\"a\": 1}", "is JSON, but not a record of scalediag"},
		{"{\"kind\":\"perf\",\"schema\":1}", "is of the kind \"perf\""},
		{"{\"kind\":7}", "is of the kind \"?\""},
		{"{\"schema\":1,\"points\":[],\"findings\":[]}", "is a report, not a record"},
		{"{\"kind\":\"scalediag-record\"}", "schema"},
		{"{\"kind\":\"scalediag-record\",\"schema\":\"1\"}", "must be a whole number"},
		{"{\"kind\":\"scalediag-record\",\"schema\":2,\"tool\":{\"version\":\"9.1\"}}",
			"reads schema 1; use a newer scalediag (the record was written by 9.1)"},
		{"{\"kind\":\"scalediag-record\",\"schema\":0}", "use an older scalediag"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_record r;

		w->messages = 0;
		assert_int_equal(
			sd_record_parse(rows[i].text, strlen(rows[i].text), "r.json", &r, &sink),
			-EINVAL);
		if (!strstr(w->said, rows[i].message))
			fail_msg("said \"%s\", not \"%s\"", w->said, rows[i].message);
		assert_int_equal(w->messages, 1);
	}
}

static void a_record_cut_off_anywhere_is_refused(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	char *text = damaged("", "");
	const size_t n = strlen(text);

	/* without the last newline it is still whole */
	for (size_t cut = 1; cut + 1 < n; cut++) {
		struct sd_record r;

		assert_int_equal(sd_record_parse(text, cut, "r.json", &r, &sink), -EINVAL);
		assert_null(r.run);
	}
	assert_non_null(strstr(w->said, "the record ends in the middle"));
	free(text);
}

/* ---- files ---- */

static void writing_where_it_cannot_says_what_to_do_and_leaves_nothing(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	static const unsigned cores[] = {1};
	char path[160];
	struct sd_record r;

	make_record(&r, cores, 1);
	snprintf(path, sizeof path, "%s/no/such/r.json", w->folder);
	assert_int_equal(sd_record_write(path, &r, &sink), -ENOENT);
	assert_non_null(strstr(w->said, "create the folder first"));
	assert_int_equal(sd_record_write(w->folder, &r, &sink), -EISDIR);
	assert_non_null(strstr(w->said, "give the name of a file with -o"));
	assert_int_equal(sd_record_write("/dev/null", &r, &sink), -EEXIST);
	assert_non_null(strstr(w->said, "/dev/null"));
	assert_int_equal(sd_record_write("/proc/r.json", &r, &sink), -ENOENT);
	assert_int_equal(w->messages, 4);
	assert_int_equal(files_in(w->folder), 0);
	sd_record_free(&r);
}

/* Runs `try` as an ordinary user where we are root, who may write anywhere. */
static void a_folder_without_permission_is_named(void **state)
{
	struct world *w = *state;
	static const unsigned cores[] = {1};
	struct sd_record r;
	pid_t child;
	int status;

	make_record(&r, cores, 1);
	assert_int_equal(chmod(w->folder, 0555), 0);
	child = fork();
	if (child == 0) {
		const struct sd_sink sink = sink_of(w);
		const int dropped = geteuid() != 0 || setuid(65534) == 0;

		_exit(dropped && sd_record_write(w->path, &r, &sink) == -EACCES &&
					strstr(w->said, "you may write to")
				? 0
				: 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	chmod(w->folder, 0755);
	assert_int_equal(files_in(w->folder), 0);
	sd_record_free(&r);
}

static void past_the_file_size_limit_the_old_record_stays(void **state)
{
	struct world *w = *state;
	static const unsigned cores[] = {1};
	size_t before, after;
	char *first, *second;
	struct sd_record r;
	pid_t child;
	int status;

	make_record(&r, cores, 1);
	assert_int_equal(sd_record_write(w->path, &r, NULL), 0);
	first = slurp(w->path, &before);
	for (int i = 0; i < 200; i++)
		make_run(&r, 0, 1, 1, 0);
	child = fork();
	if (child == 0) {
		const struct sd_sink sink = sink_of(w);
		const struct rlimit limit = {8192, 8192};

		setrlimit(RLIMIT_FSIZE, &limit);
		_exit(sd_record_write(w->path, &r, &sink) == -EFBIG &&
					strstr(w->said, "ulimit -f") && w->messages == 1
				? 0
				: 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	second = slurp(w->path, &after);
	assert_int_equal(before, after);
	assert_memory_equal(first, second, before);
	assert_int_equal(files_in(w->folder), 1);
	free(first);
	free(second);
	sd_record_free(&r);
}

/* A real full disk: a tmpfs of 64 KiB, in a mount namespace of a child. */
static int write_to_full_disk(struct world *w, const struct sd_record *r)
{
	const struct sd_sink sink = sink_of(w);

	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		mount("tmpfs", w->folder, "tmpfs", 0, "size=64k") != 0)
		return 77;
	if (sd_record_write(w->path, r, &sink) != -ENOSPC || !strstr(w->said, "free some space"))
		return 1;
	if (files_in(w->folder) != 0)
		return 2;
	if (mount(NULL, w->folder, NULL, MS_REMOUNT | MS_RDONLY, "size=64k") != 0)
		return 77;
	if (sd_record_write(w->path, r, &sink) != -EROFS || !strstr(w->said, "-o"))
		return 3;
	return w->messages == 2 ? 0 : 4;
}

static void a_full_and_a_read_only_disk_are_named(void **state)
{
	struct world *w = *state;
	static const unsigned cores[] = {1};
	struct sd_record r;
	pid_t child;
	int status;

	make_record(&r, cores, 1);
	for (int i = 0; i < 2000; i++)
		make_run(&r, 0, 1, 1, 0);
	child = fork();
	if (child == 0)
		_exit(write_to_full_disk(w, &r));
	assert_int_equal(waitpid(child, &status, 0), child);
	sd_record_free(&r);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		fprintf(stderr, "SKIP: a_full_and_a_read_only_disk_are_named: may not mount a "
				"tmpfs here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static void a_link_stays_a_link_and_its_target_is_replaced(void **state)
{
	struct world *w = *state;
	static const unsigned cores[] = {1};
	char link[160];
	struct sd_record r;
	struct stat st;

	make_record(&r, cores, 1);
	spill(w->path, "old", 3);
	snprintf(link, sizeof link, "%s/link", w->folder);
	assert_int_equal(symlink("r.json", link), 0);
	assert_int_equal(sd_record_write(link, &r, NULL), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	sd_record_free(&r);
	assert_int_equal(sd_record_read(w->path, &r, NULL), 0);
	sd_record_free(&r);
}

static void what_cannot_be_a_record_is_not_opened(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	struct sd_record r;

	assert_int_equal(sd_record_read(w->path, &r, &sink), -ENOENT);
	assert_non_null(strstr(w->said, "No such file"));
	assert_int_equal(sd_record_read(w->folder, &r, &sink), -EISDIR);
	assert_non_null(strstr(w->said, "is a folder"));
	assert_int_equal(sd_record_read("/dev/zero", &r, &sink), -EINVAL);
	assert_non_null(strstr(w->said, "is a device"));
	assert_int_equal(w->messages, 3);
}

static void a_record_can_come_through_a_pipe(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	struct sd_record r;
	char *text = damaged("", "");
	pid_t child;

	assert_int_equal(mkfifo(w->path, 0600), 0);
	child = fork();
	if (child == 0) {
		spill(w->path, text, strlen(text));
		_exit(0);
	}
	assert_int_equal(sd_record_read(w->path, &r, &sink), 0);
	assert_int_equal(r.n_run, 2);
	waitpid(child, NULL, 0);
	sd_record_free(&r);
	free(text);
}

static void a_run_added_is_taken_over(void **state)
{
	static const unsigned cores[] = {1};
	struct sd_record r;
	struct sd_run run = {0};

	(void)state;
	make_record(&r, cores, 1);
	make_concurrency(&run, (const double[]){1, 2}, 2);
	assert_int_equal(sd_record_add(&r, &run), 0);
	assert_null(run.concurrency);
	assert_int_equal(r.n_run, 1);
	assert_int_equal(r.run[0].n_concurrency, 2);
	sd_record_free(&r);
}

/* ---- the tables ---- */

static size_t size_of(const struct sd_field *f)
{
	switch (f->type) {
	case SD_FIELD_TEXT:
		return f->size;
	case SD_FIELD_UNSIGNED:
	case SD_FIELD_INT:
	case SD_FIELD_NAME:
	case SD_FIELD_BOOL:
		return sizeof(int);
	case SD_FIELD_SIZE:
	case SD_FIELD_COUNT64:
	case SD_FIELD_BITS64:
	case SD_FIELD_REAL:
		return 8;
	case SD_FIELD_VALUE:
		return sizeof(struct sd_value);
	}
	return 0;
}

static void cover(unsigned char *seen, const struct sd_fields *fields)
{
	for (size_t i = 0; i < fields->n; i++)
		memset(seen + fields->field[i].offset, 1, size_of(&fields->field[i]));
}

/* Fails when a member of the struct is in no table: padding is shorter than 8 bytes. */
static void check_covered(const char *name, const unsigned char *seen, size_t size)
{
	size_t gap = 0;

	for (size_t i = 0; i < size; i++) {
		gap = seen[i] ? 0 : gap + 1;
		if (gap >= 8)
			fail_msg("struct %s has a member near byte %zu that the record lacks: add "
				 "a row in field.c",
				name, i);
	}
}

static void no_member_of_a_struct_is_forgotten_in_the_record(void **state)
{
	unsigned char seen[4096];

	(void)state;
#define OTHER(s, m) memset(seen + offsetof(struct s, m), 1, sizeof((struct s *)0)->m)
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_host);
	check_covered("sd_host", seen, sizeof(struct sd_host));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_thread);
	check_covered("sd_thread", seen, sizeof(struct sd_thread));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_run);
	cover(seen, &sd_fields_metrics);
	cover(seen, &sd_fields_idle);
	OTHER(sd_run, concurrency);
	OTHER(sd_run, n_concurrency);
	OTHER(sd_run, thread);
	OTHER(sd_run, n_thread);
	OTHER(sd_run, flags);
	OTHER(sd_run, role);
	OTHER(sd_run, n_role);
	OTHER(sd_run, pass);
	OTHER(sd_run, sampled);
	OTHER(sd_run, simulated);
	OTHER(sd_run, tried);
	check_covered("sd_run", seen, sizeof(struct sd_run));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_role);
	check_covered("sd_role_count", seen, sizeof(struct sd_role_count));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_sampled);
	OTHER(sd_sampled, use);
	OTHER(sd_sampled, n_use);
	OTHER(sd_sampled, lock);
	OTHER(sd_sampled, n_lock);
	OTHER(sd_sampled, bottle);
	OTHER(sd_sampled, n_bottle);
	check_covered("sd_sampled", seen, sizeof(struct sd_sampled));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_lock);
	OTHER(sd_lock_use, holder);
	OTHER(sd_lock_use, waiter);
	check_covered("sd_lock_use", seen, sizeof(struct sd_lock_use));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_bottle);
	check_covered("sd_bottle", seen, sizeof(struct sd_bottle));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_plan);
	OTHER(sd_plan, point);
	OTHER(sd_plan, n_point);
	OTHER(sd_plan, skipped);
	OTHER(sd_plan, n_skipped);
	OTHER(sd_plan, pass);
	OTHER(sd_plan, n_pass);
	OTHER(sd_plan, multiplex);
	OTHER(sd_plan, simulation);
	OTHER(sd_plan, experiment);
	OTHER(sd_plan, n_experiment);
	check_covered("sd_plan", seen, sizeof(struct sd_plan));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_experiment);
	OTHER(sd_plan_experiment, cpus);
	OTHER(sd_plan_experiment, skipped);
	check_covered("sd_plan_experiment", seen, sizeof(struct sd_plan_experiment));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_tried);
	OTHER(sd_tried, copy);
	OTHER(sd_tried, n_copy);
	check_covered("sd_tried", seen, sizeof(struct sd_tried));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_copy);
	check_covered("sd_copy", seen, sizeof(struct sd_copy));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_calibration);
	OTHER(sd_calibration, statement);
	OTHER(sd_calibration, ceiling);
	OTHER(sd_calibration, n_ceiling);
	check_covered("sd_calibration", seen, sizeof(struct sd_calibration));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_ceiling);
	check_covered("sd_ceiling", seen, sizeof(struct sd_ceiling));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_program);
	OTHER(sd_program, argv);
	OTHER(sd_program, cwd);
	OTHER(sd_program, rate);
	OTHER(sd_program, env);
	OTHER(sd_program, prepare);
	check_covered("sd_program", seen, sizeof(struct sd_program));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_machine);
	check_covered("sd_sim_machine", seen, sizeof(struct sd_sim_machine));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_simulation);
	OTHER(sd_plan_simulation, machine);
	check_covered("sd_plan_simulation", seen, sizeof(struct sd_plan_simulation));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_simulated);
	OTHER(sd_simulated, machine);
	OTHER(sd_simulated, thread);
	OTHER(sd_simulated, n_thread);
	OTHER(sd_simulated, contested);
	OTHER(sd_simulated, n_contested);
	OTHER(sd_simulated, loop);
	OTHER(sd_simulated, n_loop);
	OTHER(sd_simulated, race);
	OTHER(sd_simulated, n_race);
	OTHER(sd_simulated, conflict);
	OTHER(sd_simulated, n_conflict);
	check_covered("sd_simulated", seen, sizeof(struct sd_simulated));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_sim_thread);
	OTHER(sd_sim_thread, distance);
	check_covered("sd_sim_thread", seen, sizeof(struct sd_sim_thread));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_sim_line);
	OTHER(sd_sim_contested, sharer);
	OTHER(sd_sim_contested, n_sharer);
	OTHER(sd_sim_contested, code);
	OTHER(sd_sim_contested, n_code);
	check_covered("sd_sim_contested", seen, sizeof(struct sd_sim_contested));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_sim_sharer);
	check_covered("sd_sim_sharer", seen, sizeof(struct sd_sim_sharer));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_sim_code);
	check_covered("sd_sim_code", seen, sizeof(struct sd_sim_code));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_sim_loop);
	check_covered("sd_sim_loop", seen, sizeof(struct sd_sim_loop));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_sim_race);
	check_covered("sd_sim_race", seen, sizeof(struct sd_sim_race));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_sim_conflict);
	OTHER(sd_sim_conflict, stride);
	check_covered("sd_sim_conflict", seen, sizeof(struct sd_sim_conflict));
}

static void the_line_of_a_place_is_found_however_the_json_is_laid_out(void **state)
{
	static const char text[] =
		"{ \"a\" :\n[ 1,\n{\"x]\\\"\": [\n], \"b\"\n:\n\"}\"} ],\n\"c\": null}";
	const struct sd_step a = {.key = "a"}, a1 = {.up = &a, .index = 1},
			     b = {.up = &a1, .key = "b"}, c = {.key = "c"},
			     none = {.up = &a, .index = 2};

	(void)state;
	assert_int_equal(sd_step_line(text, sizeof text - 1, NULL), 1);
	assert_int_equal(sd_step_line(text, sizeof text - 1, &a), 2);
	assert_int_equal(sd_step_line(text, sizeof text - 1, &a1), 3);
	assert_int_equal(sd_step_line(text, sizeof text - 1, &b), 6);
	assert_int_equal(sd_step_line(text, sizeof text - 1, &c), 7);
	assert_int_equal(sd_step_line(text, sizeof text - 1, &none), 0);
}

#ifdef __has_feature
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* Where memory runs out: -ENOMEM and one message, and not a word about damage. */
static void without_memory_nothing_is_half_read(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	const struct rlimit most = {64 << 20, 64 << 20};
	char *text;
	size_t n = 0;
	pid_t child;
	int status;

	if (SANITIZED) {
		fprintf(stderr, "SKIP: without_memory_nothing_is_half_read: a sanitizer ends the "
				"process when memory runs out\n");
		skip();
	}
	/* 40 MB of warnings need far more than the 64 MB that are left */
	text = damaged("\"warnings\":[", "\"warnings\":[");
	child = fork();
	if (child == 0) {
		struct sd_record r;
		char *big = malloc(40 << 20), *tail = strstr(text, "\"warnings\":[") + 12;

		n = (size_t)(tail - text);
		memcpy(big, text, n);
		while (n < (38 << 20))
			n += (size_t)sprintf(big + n, "\"\",");
		n += (size_t)sprintf(big + n, "\"\"%s", tail);
		if (setrlimit(RLIMIT_DATA, &most) != 0)
			_exit(77);
		_exit(sd_record_parse(big, n, "r.json", &r, &sink) == -ENOMEM && w->messages == 1 &&
					strstr(w->said, "not enough memory")
				? 0
				: 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	free(text);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		fprintf(stderr, "SKIP: without_memory_nothing_is_half_read: may not set "
				"RLIMIT_DATA here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_record_read_back_and_written_again_has_the_same_bytes),
		T(values_of_every_status_survive),
		T(texts_survive_whatever_their_bytes),
		T(an_impossible_number_is_stored_as_not_measured),
		T(a_record_of_schema_1_stays_readable),
		T(a_damaged_field_is_refused_with_its_place),
		T(what_is_not_a_record_of_this_schema_is_refused_in_its_own_words),
		T(a_record_cut_off_anywhere_is_refused),
		T(writing_where_it_cannot_says_what_to_do_and_leaves_nothing),
		T(a_folder_without_permission_is_named),
		T(past_the_file_size_limit_the_old_record_stays),
		T(a_full_and_a_read_only_disk_are_named),
		T(a_link_stays_a_link_and_its_target_is_replaced),
		T(what_cannot_be_a_record_is_not_opened),
		T(a_record_can_come_through_a_pipe),
		T(a_run_added_is_taken_over),
		T(no_member_of_a_struct_is_forgotten_in_the_record),
		T(the_line_of_a_place_is_found_however_the_json_is_laid_out),
		T(without_memory_nothing_is_half_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
