/*
 * Places at which goroutines wait, read from a process that has the variables, structures and
 * stacks of a Go program: this one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <asm/perf_regs.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "resolve/stack_activity.h"
#include "resolve/goroutines.h"
#include "resolve/runtime_frames.h"
#include "resolve/stack_resolve.h"
#include "resolve/wait_reason.h"

/* Text that Go's linker leaves in a program, and the names of its runtime's variables. */
__attribute__((section(".go.buildinfo"), used)) static const char build_info[] = "Go buildinf:";
uint64_t all_length __asm__("runtime.allglen") = 0;
uint64_t all_array __asm__("runtime.allgptr") = 0;

void mcall(void) __asm__("runtime.mcall");
void semacquire(void) __asm__("runtime.semacquire1");
void receive(void) __asm__("runtime.chanrecv1");
__attribute__((noinline)) void mcall(void)
{
	__asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop");
}
__attribute__((noinline)) void semacquire(void)
{
	__asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop; nop");
}

__attribute__((noinline)) void receive(void)
{
	__asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop; nop; nop");
}

#define SECOND UINT64_C(1000000000)
#define WORDS 16
#define STACK 64

struct made {
	uint64_t g[WORDS];
	uint64_t stack[STACK];
};

static struct made one, two;
static const struct made *all[80];

static uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/* Waits at pc, called from pc + 1, + 2 …; bp is in word `bp` of g (Go has had it in 12 and 13). */
static void park(struct made *m, uint64_t pc, int frames, int bp)
{
	memset(m, 0, sizeof *m);
	m->g[0] = address(m->stack);
	m->g[1] = address(m->stack + STACK);
	m->g[7] = address(m->stack + 4);
	m->g[8] = pc;
	m->g[9] = address(m->g);
	m->g[bp] = frames > 1 ? address(m->stack + 6) : 0;
	for (int i = 1; i < frames; i++) {
		m->stack[6 * i] = i + 1 < frames ? address(m->stack + 6 * (i + 1)) : 0;
		m->stack[6 * i + 1] = pc + (uint64_t)i;
	}
}

static void have(size_t n)
{
	all_array = address(all);
	all_length = n;
}

static int setup(void **state)
{
	static struct sd_goroutines g;

	(void)build_info;
	sd_goroutines_again(&g, "", getpid());
	all[0] = &one;
	all[1] = &two;
	have(2);
	park(&one, 1000, 3, 13);
	park(&two, 2000, 2, 12);
	*state = &g;
	return 0;
}

static int teardown(void **state)
{
	sd_goroutines_free(*state);
	return 0;
}

static void expect_at(
	struct sd_goroutines *g, const struct made *m, uint64_t time, uint64_t first, size_t n)
{
	const uint64_t *pc = NULL;

	assert_int_equal(sd_goroutines_find(g, getpid(), address(m), time, &pc), n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(pc[i], first + i);
}

static void a_waiting_goroutine_has_its_callers(void **state)
{
	sd_goroutines_look(*state, SECOND);
	expect_at(*state, &one, SECOND, 1000, 3);
	expect_at(*state, &two, SECOND, 2000, 2);
}

static void one_that_runs_is_not_seen(void **state)
{
	one.g[7] = 0; /* gogo clears it */
	sd_goroutines_look(*state, SECOND);
	expect_at(*state, &one, SECOND, 0, 0);
	expect_at(*state, &two, SECOND, 2000, 2);
}

/* The place of several is the one seen next to the time asked for. */
static void the_nearest_time_counts(void **state)
{
	struct sd_goroutines *const g = *state;

	sd_goroutines_look(g, SECOND);
	sd_goroutines_look(g, SECOND + 60000000);
	park(&one, 3000, 2, 13);
	sd_goroutines_look(g, SECOND + 70000000); /* too soon */
	sd_goroutines_look(g, SECOND + 120000000);
	expect_at(g, &one, SECOND + 50000000, 1000, 3);
	expect_at(g, &one, SECOND + 80000000, 1000, 3);
	expect_at(g, &one, SECOND + 110000000, 3000, 2);
	expect_at(g, &one, SECOND + 300000000, 3000, 2);
	expect_at(g, &one, SECOND - 150000000, 1000, 3);
	expect_at(g, &one, 2 * SECOND, 0, 0);
	expect_at(g, &one, SECOND / 2, 0, 0);
}

static void nothing_is_known_of_others(void **state)
{
	const uint64_t *pc;

	sd_goroutines_look(*state, SECOND);
	assert_int_equal(sd_goroutines_find(*state, getpid() + 1, address(&one), SECOND, &pc), 0);
	assert_int_equal(sd_goroutines_find(*state, getpid(), address(&one) + 8, SECOND, &pc), 0);
	assert_int_equal(sd_goroutines_find(*state, getpid(), 0, SECOND, &pc), 0);
}

/* Memory that is not what a goroutine's must be. */
static void what_does_not_fit_is_no_goroutine(void **state)
{
	struct sd_goroutines *const g = *state;

	one.g[9] = address(&two);              /* its gobuf is another one's */
	two.g[7] = address(two.stack + STACK); /* beyond its stack */
	sd_goroutines_look(g, SECOND);
	expect_at(g, &one, SECOND, 0, 0);
	expect_at(g, &two, SECOND, 0, 0);
}

static void broken_frames_end_the_stack(void **state)
{
	struct sd_goroutines *const g = *state;

	one.stack[6] = address(one.stack + 2);      /* back to where it came from */
	two.g[12] = address(two.stack + STACK - 1); /* half of it is beyond the stack */
	sd_goroutines_look(g, SECOND);
	expect_at(g, &one, SECOND, 1000, 2);
	expect_at(g, &two, SECOND, 2000, 1);
}

static void addresses_of_nothing_are_left_out(void **state)
{
	struct sd_goroutines *const g = *state;
	void *const gone = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(gone != MAP_FAILED);
	munmap(gone, 4096);
	all[0] = gone;
	sd_goroutines_look(g, SECOND);
	expect_at(g, &two, SECOND, 2000, 2);
	all_array = 8;
	sd_goroutines_look(g, SECOND);
	have(UINT64_MAX);
	sd_goroutines_again(g, "", getpid());
	sd_goroutines_look(g, SECOND); /* as many as can be */
}

static void many_are_looked_at_in_turn(void **state)
{
	struct sd_goroutines *const g = *state;

	for (size_t i = 0; i < 80; i++)
		all[i] = i == 70 ? &two : &one;
	have(80);
	sd_goroutines_look(g, SECOND);
	sd_goroutines_look(g, 2 * SECOND);
	expect_at(g, &two, 2 * SECOND, 2000, 2);
	expect_at(g, &two, SECOND, 0, 0);
	expect_at(g, &one, SECOND, 1000, 3);
}

static void another_program_has_none(void **state)
{
	struct sd_goroutines *const g = *state;

	sd_goroutines_again(g, "/nowhere", getpid());
	sd_goroutines_look(g, SECOND);
	expect_at(g, &one, SECOND, 0, 0);
}

#if defined(__x86_64__)
#define REG_IP PERF_REG_X86_IP
#define REG_SP PERF_REG_X86_SP
#elif defined(__aarch64__)
#define REG_IP PERF_REG_ARM64_PC
#define REG_SP PERF_REG_ARM64_SP
#endif

/* A thread that left `one` in mcall: the frame pointer ends there, and the goroutine is above the
 * return address. */
struct thread {
	uint64_t back, stack[4];
	struct sd_event e;
	struct sd_symbols *symbols;
	struct sd_stacks stacks;
	struct sd_stack_resolve p;
	struct sd_runtime_frames runtimes;
};

/* Its goroutine waits at this function. */
static void open_thread(struct thread *t, struct sd_goroutines *g, void (*at)(void))
{
	*t = (struct thread){.back = (uint64_t)(uintptr_t)mcall + 4};
	t->stack[1] = t->back;
	t->stack[2] = address(&one);
	t->e = (struct sd_event){.kind = SD_EVENT_SWITCH_OUT,
		.pid = getpid(),
		.tid = getpid(),
		.time = SECOND,
		.ip = t->back,
		.pointed = &t->back,
		.n_pointed = 1,
		.stack = (const unsigned char *)t->stack,
		.stack_size = sizeof t->stack};
	t->e.regs.mask = UINT64_C(1) << REG_IP | UINT64_C(1) << REG_SP;
	t->e.regs.reg[REG_IP] = t->back;
	t->e.regs.reg[REG_SP] = address(t->stack);
	park(&one, (uint64_t)(uintptr_t)at + 4, 1, 13);
	sd_goroutines_again(g, "", getpid());
	sd_goroutines_look(g, SECOND);
	assert_int_equal(sd_symbols_open(&t->symbols, ""), 0);
	assert_int_equal(sd_stack_resolve_open(&t->p, t->symbols, &t->stacks, NULL, NULL), 0);
	sd_symbols_visit(t->symbols, getpid());
}

static void close_thread(struct thread *t)
{
	sd_stack_resolve_close(&t->p);
	sd_symbols_close(t->symbols);
	sd_stacks_free(&t->stacks);
}

static void a_thread_without_a_goroutine_waits_for_what_it_left(void **state)
{
	struct sd_goroutines *const g = *state;
	struct thread t;
	unsigned task;

	open_thread(&t, g, semacquire);
	assert_int_equal(sd_stack_activity_task(&t.p, sd_stack_resolve_node(&t.p, &t.e)), 0);
	t.runtimes.goroutines = *g;
	t.p.runtimes = &t.runtimes;
	task = sd_stack_activity_task(&t.p, sd_stack_resolve_node(&t.p, &t.e));
	assert_int_equal(sd_stack_activity(&t.p, task, 1), SD_ACTIVITY_RUNTIME_LOCK);
	t.e.time = 9 * SECOND;
	assert_int_equal(sd_stack_activity_task(&t.p, sd_stack_resolve_node(&t.p, &t.e)), 0);
	close_thread(&t);
}

/* Its threads wait in turn where its tasks meet, whatever that is. */
static void where_tasks_meet_only_a_name_makes_a_lock(void **state)
{
	static const struct {
		void (*at)(void);
		enum sd_activity activity;
		int lock;
	} rows[] = {{semacquire, SD_ACTIVITY_RUNTIME_LOCK, 1}, {receive, SD_ACTIVITY_CONDITION, 0}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_timeline timeline = {0};
		struct sd_moment m = {0};
		struct thread t;
		uint64_t last = 0;

		open_thread(&t, *state, rows[i].at);
		t.runtimes.goroutines = *(struct sd_goroutines *)*state;
		t.p.runtimes = &t.runtimes;
		assert_int_equal(sd_wait_reason_find(&t.p, &timeline, &t.e, &m, &last), 0);
		assert_int_equal(m.activity, rows[i].activity);
		assert_int_equal(m.lock != 0, rows[i].lock);
		sd_timeline_free(&timeline);
		close_thread(&t);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_waiting_goroutine_has_its_callers),
		TEST(one_that_runs_is_not_seen),
		TEST(the_nearest_time_counts),
		TEST(nothing_is_known_of_others),
		TEST(what_does_not_fit_is_no_goroutine),
		TEST(broken_frames_end_the_stack),
		TEST(addresses_of_nothing_are_left_out),
		TEST(many_are_looked_at_in_turn),
		TEST(another_program_has_none),
		TEST(a_thread_without_a_goroutine_waits_for_what_it_left),
		TEST(where_tasks_meet_only_a_name_makes_a_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
