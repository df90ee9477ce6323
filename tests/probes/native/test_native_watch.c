/*
 * Samples of this program's own code, as the recorder would hand them over: what becomes of those
 * of two threads at one line, and of those that tell nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/configs.h"
#include "native/native_watch.h"
#include "record/stacks.h"
#include "resolve/timeline_build.h"
#include "symbols/symbols.h"

#define MS UINT64_C(1000000)

#if defined(__x86_64__)
#define ADDRESS 0 /* rax */
#define IP 8
#define SP 7
/* A loop that adds to *rax. */
__asm__(".text\n.type watched_add, @function\nwatched_add:\n"
	"1: addq $1, (%rax)\nwatched_at: subq $1, %rcx\njnz 1b\nret\n"
	".size watched_add, . - watched_add\n"
	/* the same, with nothing behind its end but another function, which jumps anywhere */
	".type watched_cut, @function\nwatched_cut:\n"
	"1: addq $1, (%rax)\nwatched_cut_at: subq $1, %rcx\njnz 1b\ncall watched_add\n"
	".size watched_cut, . - watched_cut\n"
	".type watched_next, @function\nwatched_next: jmp *%rdx\n"
	".size watched_next, . - watched_next\n");
#elif defined(__aarch64__)
#define ADDRESS 0 /* x0 */
#define IP 32
#define SP 31
__asm__(".text\n.type watched_add, %function\nwatched_add:\n"
	"1: str x1, [x0]\nwatched_at: subs x2, x2, #1\nb.ne 1b\nret\n"
	".size watched_add, . - watched_add\n"
	".type watched_cut, %function\nwatched_cut:\n"
	"1: str x1, [x0]\nwatched_cut_at: subs x2, x2, #1\nb.ne 1b\nbl watched_add\n"
	".size watched_cut, . - watched_cut\n"
	".type watched_next, %function\nwatched_next: br x3\n"
	".size watched_next, . - watched_next\n");
#endif

#if defined(IP)
extern const char watched_at[], watched_cut_at[];

struct scene {
	struct sd_symbols *symbols;
	struct sd_stacks stacks;
	struct sd_stack_resolve placing;
	struct sd_timeline timeline;
	struct sd_timeline_build build;
	struct sd_native_watch *watch;
};

static void give(struct scene *s, const struct sd_event *e)
{
	assert_int_equal(sd_timeline_build_event(&s->build, e), 0);
	assert_int_equal(sd_native_watch_event(s->watch, &s->timeline, e), 0);
}

static int give_map(void *ctx, const struct sd_event *map)
{
	give(ctx, map);
	return 0;
}

static struct scene *begin(void)
{
	static struct scene s;
	const int pid = getpid();

	s = (struct scene){.timeline = {.first = pid}};
	s.build = (struct sd_timeline_build){
		.placing = &s.placing, .timeline = &s.timeline, .first = pid};
	assert_int_equal(sd_symbols_open(&s.symbols, ""), 0);
	assert_int_equal(
		sd_stack_resolve_open(&s.placing, s.symbols, &s.stacks, sd_configs_dir(), NULL), 0);
	assert_int_equal(
		sd_native_watch_open(&s.watch, &s.placing, &(struct sd_native_beside){0}), 0);
	assert_int_equal(sd_symbols_mapped(s.symbols, pid, give_map, &s), 0);
	return &s;
}

/* Ends the run and returns its lines; names are texts of s->stacks until the scene is closed. */
static struct sd_native_lines *find(struct scene *s)
{
	struct sd_native_lines *out;
	const struct sd_event e = {
		.kind = SD_EVENT_END, .pid = getpid(), .time = 1000 * MS, .name = ""};

	give(s, &e);
	sd_timeline_build_end(&s->build);
	assert_int_equal(sd_native_watch_end(s->watch, &s->timeline, &out), 0);
	return out;
}

static void close_scene(struct scene *s)
{
	sd_native_watch_close(s->watch);
	sd_timeline_build_free(&s->build);
	sd_timeline_free(&s->timeline);
	sd_stack_resolve_close(&s->placing);
	sd_stacks_free(&s->stacks);
	sd_symbols_close(s->symbols);
}

static struct sd_native_lines *end(struct scene *s)
{
	struct sd_native_lines *const out = find(s);

	close_scene(s);
	return out;
}

static struct sd_event sample_at(unsigned i, int thread, uint64_t address)
{
	struct sd_event e = {.kind = SD_EVENT_SAMPLE,
		.pid = getpid(),
		.tid = getpid() + thread,
		.time = (1 + i) * 5 * MS / 2 + (uint64_t)thread * 1000,
		.weight = 5 * MS / 2,
		.ip = (uintptr_t)watched_at};

	e.regs.mask = UINT64_C(1) << ADDRESS | UINT64_C(1) << IP | UINT64_C(1) << SP |
		      (~SD_TRACE_REGS_32 & UINT64_C(0xff0000));
	e.regs.reg[ADDRESS] = address;
	e.regs.reg[IP] = e.ip;
	e.regs.reg[SP] = 0x7ff000000000 + (uint64_t)thread * 0x100000;
	return e;
}

/* Samples of two threads at neighbours in a line, by the instruction at `code`. */
static struct sd_native_lines *neighbours_at(const char *code)
{
	struct scene *const s = begin();

	for (unsigned i = 0; i < 100; i++)
		for (int t = 0; t < 2; t++) {
			struct sd_event e = sample_at(i, t, 0x10000 + 8 * (uint64_t)t);

			e.ip = e.regs.reg[IP] = (uintptr_t)code;
			give(s, &e);
		}
	return end(s);
}

static void two_threads_of_a_line_meet_there(void **state)
{
	struct sd_native_lines *const n = neighbours_at(watched_at);

	(void)state;
	assert_string_equal(n->why, "");
	assert_int_equal(n->status, SD_STATUS_OK);
	assert_true(n->samples == 200 && n->resolved == 200);
	assert_int_equal(n->n_line, 1);
	assert_int_equal(n->line[0].line.sharing, SD_SIM_FALSE);
	assert_true(n->line[0].contested > .9 * n->seconds);
	sd_native_lines_free(n);
}

/* A call that does not come back is the last of a function: what stands behind is another's. */
static void code_ends_where_its_function_does(void **state)
{
	struct sd_native_lines *const n = neighbours_at(watched_cut_at);

	(void)state;
	assert_int_equal(n->n_line, 1);
	assert_true(n->line[0].contested > .9 * n->seconds);
	sd_native_lines_free(n);
}

/* Nothing is mapped there. */
static void code_that_cannot_be_read_is_said_to_be(void **state)
{
	struct sd_native_lines *const n = neighbours_at((const char *)0x1234);

	(void)state;
	assert_int_equal(n->n_line, 0);
	assert_true(n->samples == 200 && n->resolved == 0);
	assert_non_null(strstr(n->why, "100.0 % of the samples are of code that cannot be read"));
	sd_native_lines_free(n);
}

/* A signal's handler on a stack of its own, far below the thread's: its registers are those of the
 * handler, and what lies between both stacks is no stack. */
static void a_handlers_stack_does_not_make_a_stack_of_what_is_between(void **state)
{
	struct scene *const s = begin();
	struct sd_native_lines *n;

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		for (int t = 0; t < 2; t++) {
			const uint64_t low = 0x7ff000000000 + (uint64_t)t * 0x100000;
			struct sd_event e = sample_at(i, t, i % 2 ? 0x7ff000000040 : 0x50000000);

			e.regs.reg[SP] = i % 2 ? low : 0x10000000 + (uint64_t)t * 0x4000;
			give(s, &e);
		}
	n = find(s);
	assert_int_equal(n->n_line, 2);
	for (size_t i = 0; i < n->n_line; i++) {
		const struct sd_sim_contested *const l = &n->line[i].line;

		assert_int_equal(strstr(s->stacks.text[l->name], "stack of thread") != NULL,
			l->address == 0x7ff000000040);
	}
	close_scene(s);
	sd_native_lines_free(n);
}

/* The same registers in the kernel's code, and none. */
static void samples_in_the_kernel_and_bare_ones_tell_nothing(void **state)
{
	struct scene *const s = begin();
	struct sd_native_lines *n;

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		for (int t = 0; t < 2; t++) {
			struct sd_event e = sample_at(i, t, 0x10000);

			e.kernel = t;
			e.regs.mask = t ? e.regs.mask : 0;
			give(s, &e);
		}
	n = end(s);
	assert_int_equal(n->status, SD_STATUS_DENIED);
	assert_int_equal(n->n_line, 0);
	sd_native_lines_free(n);
}

/* The registers of 32-bit code: the bytes mean something else there. */
static void code_of_32_bits_is_named_and_not_decoded(void **state)
{
	struct scene *s = begin();
	struct sd_native_lines *n;

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		for (int t = 0; t < 2; t++) {
			struct sd_event e = sample_at(i, t, 0x10000);

			e.regs.mask &= SD_TRACE_REGS_32;
			give(s, &e);
		}
	n = end(s);
	assert_int_equal(n->status, SD_STATUS_UNSUPPORTED);
	assert_non_null(strstr(n->why, "100 % of the samples are of 32-bit code"));
	assert_int_equal(n->n_line, 0);
	assert_true(n->resolved == 0);
	sd_native_lines_free(n);
	/* beside others it is a part that is not known */
	s = begin();
	for (unsigned i = 0; i < 100; i++)
		for (int t = 0; t < 2; t++) {
			struct sd_event e = sample_at(i, t, 0x10000);

			e.regs.mask &= t ? UINT64_MAX : SD_TRACE_REGS_32;
			give(s, &e);
		}
	n = end(s);
	assert_int_equal(n->status, SD_STATUS_OK);
	assert_non_null(strstr(n->why, "50 % of the samples"));
	assert_true(n->samples == 200 && n->resolved == 100);
	assert_int_equal(n->n_line, 0);
	sd_native_lines_free(n);
}

/* A child by vfork runs in its parent's memory, with a number of its own, until it execs: what it
 * touches there is no other thread's of the parent. */
static void a_child_by_vfork_is_another_process(void **state)
{
	struct scene *const s = begin();
	const struct sd_event fork = {.kind = SD_EVENT_FORK,
		.pid = getpid() + 1,
		.tid = getpid() + 1,
		.other = getpid(),
		.time = MS};
	struct sd_native_lines *n;

	(void)state;
	give(s, &fork);
	for (unsigned i = 0; i < 100; i++)
		for (int t = 0; t < 2; t++) {
			struct sd_event e = sample_at(i, t, 0x10000);

			e.pid += t;
			give(s, &e);
		}
	n = end(s);
	assert_true(n->resolved == 200);
	assert_int_equal(n->n_line, 0);
	sd_native_lines_free(n);
}
#endif

int main(void)
{
#if defined(IP)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_threads_of_a_line_meet_there),
		cmocka_unit_test(code_ends_where_its_function_does),
		cmocka_unit_test(code_that_cannot_be_read_is_said_to_be),
		cmocka_unit_test(a_handlers_stack_does_not_make_a_stack_of_what_is_between),
		cmocka_unit_test(samples_in_the_kernel_and_bare_ones_tell_nothing),
		cmocka_unit_test(code_of_32_bits_is_named_and_not_decoded),
		cmocka_unit_test(a_child_by_vfork_is_another_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
#else
	return 0;
#endif
}
