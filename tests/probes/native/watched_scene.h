/*
 * Samples of this program's own code, as the recorder would hand them over, and what becomes of
 * them.
 */
#ifndef SD_TEST_WATCHED_SCENE_H
#define SD_TEST_WATCHED_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
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
	".size watched_next, . - watched_next\n"
	/* a loop in a loop, which does not know its address any more behind it */
	".type watched_pair, @function\nwatched_pair:\n"
	"1: movq (%rsi), %rbx\n2: addq $1, (%rbx)\nwatched_inner_at: subq $1, %rcx\njnz 2b\n"
	"movq $0, %rbx\nwatched_outer_at: subq $1, %rdi\njnz 1b\nret\n"
	".size watched_pair, . - watched_pair\n");
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
	".size watched_next, . - watched_next\n"
	".type watched_pair, %function\nwatched_pair:\n"
	"1: ldr x1, [x4]\n2: str x2, [x1]\nwatched_inner_at: subs x2, x2, #1\nb.ne 2b\n"
	"mov x1, #0\nwatched_outer_at: subs x5, x5, #1\nb.ne 1b\nret\n"
	".size watched_pair, . - watched_pair\n");
#endif

#if defined(IP)
/* Local labels would be one place of the table of addresses on aarch64. */
__asm__(".globl watched_at, watched_cut_at, watched_inner_at, watched_outer_at\n");
#define BASE 1  /* rbx, x1: what the inner loop of watched_pair adds to */
#define TABLE 4 /* rsi, x4: where that comes from */
extern const char watched_at[], watched_cut_at[], watched_inner_at[], watched_outer_at[];

struct scene {
	struct sd_symbols *symbols;
	struct sd_stacks stacks;
	struct sd_stack_resolve placing;
	struct sd_timeline timeline;
	struct sd_timeline_build build;
	struct sd_native_watch *watch;
};

static inline void give(struct scene *s, const struct sd_event *e)
{
	assert_int_equal(sd_timeline_build_event(&s->build, e), 0);
	assert_int_equal(sd_native_watch_event(s->watch, &s->timeline, e), 0);
}

static inline int give_map(void *ctx, const struct sd_event *map)
{
	give(ctx, map);
	return 0;
}

static inline struct scene *begin_beside(const struct sd_native_beside *beside)
{
	static struct scene s;
	const int pid = getpid();

	s = (struct scene){.timeline = {.first = pid}};
	s.build = (struct sd_timeline_build){
		.placing = &s.placing, .timeline = &s.timeline, .first = pid};
	assert_int_equal(sd_symbols_open(&s.symbols, ""), 0);
	assert_int_equal(
		sd_stack_resolve_open(&s.placing, s.symbols, &s.stacks, sd_configs_dir(), NULL), 0);
	assert_int_equal(sd_native_watch_open(&s.watch, &s.placing, beside), 0);
	assert_int_equal(sd_symbols_mapped(s.symbols, pid, give_map, &s), 0);
	return &s;
}

static inline struct scene *begin(void)
{
	return begin_beside(&(struct sd_native_beside){0});
}

/* Ends the run and returns its lines; names are texts of s->stacks until the scene is closed. */
static inline struct sd_native_lines *find(struct scene *s)
{
	struct sd_native_lines *out;
	const struct sd_event e = {
		.kind = SD_EVENT_END, .pid = getpid(), .time = 1000 * MS, .name = ""};

	give(s, &e);
	sd_timeline_build_end(&s->build);
	assert_int_equal(sd_native_watch_end(s->watch, &s->timeline, &out), 0);
	return out;
}

static inline void close_scene(struct scene *s)
{
	sd_native_watch_close(s->watch);
	sd_timeline_build_free(&s->build);
	sd_timeline_free(&s->timeline);
	sd_stack_resolve_close(&s->placing);
	sd_stacks_free(&s->stacks);
	sd_symbols_close(s->symbols);
}

static inline struct sd_native_lines *end(struct scene *s)
{
	struct sd_native_lines *const out = find(s);

	close_scene(s);
	return out;
}

static inline struct sd_event sample_at(unsigned i, int thread, uint64_t address)
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
#endif

#endif
