/*
 * A record in which everything is set that a record can hold, and the text of one with a piece of
 * it replaced.
 */
#ifndef SD_MAKE_FULL_H
#define SD_MAKE_FULL_H

#include "support/make_record.h"
#include "record/record_file.h"
#include "support/record_world.h"
#include "write/encode.h"

/* Two stacks, one of them of the kernel, and a run that used them. */
static inline void make_sampled(struct sd_record *r, struct sd_run *run)
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
		.unwatched = 0.7,
		.unwound = 1. / 3,
		.cpu_s = 0.012,
		.n_use = 2,
		.n_lock = 1,
		.n_lock_seen = 70,
		.n_bottle = 1};
	s->use = make_zeroed(2, sizeof *s->use);
	s->use[0] = (struct sd_use){node, SD_ACTIVITY_USEFUL, 1.25, 1250, 0, 0.1 + 0.2, 0.5, 1. / 3,
		0, 0.25, 0, 0, 0.75};
	s->use[1] = (struct sd_use){
		0, SD_ACTIVITY_UNKNOWN, 5e-324, 1, 5e-324, 0, 0, 0, 0, 0, 0, 1e-9, 0};
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

/* One thread that ran and waited, one of whom nothing is known; a third has no lane. */
static inline struct sd_binned_lanes *make_lanes_of_two(void)
{
	struct sd_binned_lanes *const l = (struct sd_binned_lanes *)make_zeroed(1, sizeof *l);

	l->length = 1234567890123;
	l->bins = 10;
	l->n_seen = 3;
	l->n_doing = 2;
	l->doing = (struct sd_binned_doing *)make_zeroed(2, sizeof *l->doing);
	l->doing[0] = (struct sd_binned_doing){SD_ACTIVITY_MUTEX, 1, 1};
	l->doing[1] = (struct sd_binned_doing){SD_BINNED_NOT_THERE, 0, 0};
	l->n_lane = 2;
	l->lane = (struct sd_binned_lane *)make_zeroed(2, sizeof *l->lane);
	for (int i = 0; i < 2; i++) {
		l->lane[i] = (struct sd_binned_lane){.pid = 7, .tid = 7 + i, .name = "w\x1b"};
		l->lane[i].step = (struct sd_binned_step *)make_zeroed(2, sizeof *l->lane[i].step);
		l->lane[i].step[0] = (struct sd_binned_step){3, 1};
		l->lane[i].step[1] = (struct sd_binned_step){7, 0};
		l->lane[i].n_step = (size_t)(2 - i);
	}
	return l;
}

/* Every status, every flag, odd numbers and odd texts. */
static inline void make_full(struct sd_record *r)
{
	static const unsigned cores[] = {1, 2, 8};
	struct sd_run *run;

	make_record(r, cores, 3);
	r->complete = 0;
	strcpy(r->host.name, "n\xc3\xb6"
			     "de\x1b[31m");
	r->host.quota = SD_NOT(DENIED);
	strcpy(r->host.setup.text[SD_NODE_FACT_GOVERNOR], "performance");
	strcpy(r->host.setup.text[SD_NODE_FACT_BIOS], "caf\xe9 1.2");
	r->program.build = strdup("GNU C17 12.2.0 -mtune=generic -O2 \xff");
	sd_texts_add(&r->program.argv, "caf\xe9\xff"); /* not UTF-8 */
	sd_texts_add(&r->program.argv, "\x01\x1b]0;title\x07\n\"\\\x7f");
	sd_texts_add(&r->program.argv, "%s", "");
	sd_texts_add(&r->program.env, "NAME={n}");
	sd_texts_add(&r->program.set, "OMP_NUM_THREADS={n}");
	r->program.rate = strdup("([0-9]+) ops");
	r->program.attached = strdup("unit ops.service");
	r->program.latency = strdup("caf\xe9\x1b[31m");
	r->program.latency_before = SD_OK(1e-3 / 7);
	r->program.latency_after = SD_OK(0);
	r->program.prepare = strdup("sync");
	r->program.timeout_s = 0.1;
	r->program.no_env = 1;
	r->program.file = (struct sd_program_file){
		.bytes = SD_OK(1 << 20), .mtime = SD_OK(1.0e10 / 7), .build_id = "00ff"};
	r->program.scaling = SD_SCALING_WEAK;
	r->program.placement = SD_PLACEMENT_SMT;
	r->source = make_zeroed(2, sizeof *r->source);
	r->n_source = 2;
	r->source[0] = (struct sd_source_text){
		.file = strdup("caf\xe9.c"), .hot = 12, .state = SD_SOURCE_READ, .first = 11};
	sd_texts_add(&r->source[0].line, "%s", "");
	sd_texts_add(&r->source[0].line, "\tputs(\"\xff\x1b[31m\");");
	r->source[1] = (struct sd_source_text){
		.file = strdup("/dev/tty"), .hot = 1, .state = SD_SOURCE_NEWER};
	r->calibration.statement = strdup("calibrated 2 h ago");
	r->calibration.made = 1e9;
	r->calibration.llc = SD_OK(2e-8);
	r->calibration.dram = SD_NOT(UNSUPPORTED);
	r->calibration.ceiling = make_zeroed(2, sizeof *r->calibration.ceiling);
	r->calibration.n_ceiling = 2;
	r->calibration.ceiling[0] = (struct sd_ceiling){1, SD_OK(1.0e10 / 3)};
	r->calibration.ceiling[1] = (struct sd_ceiling){4, {3e10, SD_STATUS_NOISY}};
	r->plan.seed = UINT64_MAX;
	r->plan.no_samples = 1;
	r->plan.quick = 1;
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
		.sees = SD_SIGHT_BIT(SOCKET) | SD_SIGHT_BIT(STORES),
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
	run->lanes = make_lanes_of_two();
	run->kernel_locks = make_zeroed(1, sizeof *run->kernel_locks);
	*run->kernel_locks = (struct sd_kernel_locks){.status = SD_STATUS_OK,
		.other_s = .5,
		.recorded = 1e5,
		.row = make_zeroed(1, sizeof *run->kernel_locks->row),
		.n_row = 1,
		.n_row_seen = 70};
	run->kernel_locks->row[0] = (struct sd_kernel_lock){1, 0, 1, 2, 1e6, 1. / 3, .1, .25};
	run->choice = make_zeroed(1, sizeof *run->choice);
	*run->choice = (struct sd_run_choice){.narrows = .75,
		.takes = 2.5,
		.of = SD_CAUSE_COUNT,
		.look = SD_LOOK_WATCH,
		.rested = 1.5};
	run = make_run(r, 2, 2, 16, 0);
	run->end = SD_END_SIGNALLED;
	run->code = 11;
	run->kind = SD_RUN_DRIFT;
	run->kernel_locks = make_zeroed(1, sizeof *run->kernel_locks);
	run->kernel_locks->status = SD_STATUS_DENIED;
	make_idle(run, SD_IDLE_LOCK, 0.25);
	make_concurrency(run, (const double[]){0, 0.5, 1e-9}, 3);
	make_thread(run, 101, 2.5)->run_delay = SD_NOT(DENIED);
	strcpy(make_thread(run, 102, 0)->name, "\xff\xfe");
}

/* A small record as text, with one piece replaced by another. */
static inline char *damaged(const char *piece, const char *other)
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
	run->lanes = make_lanes_of_two();
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

/* The record as it is written; to be freed. */
static inline char *encode(const struct sd_record *r, size_t *n)
{
	char *text = NULL;
	FILE *const f = open_memstream(&text, n);

	assert_non_null(f);
	assert_int_equal(sd_encode(f, r), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

#endif
