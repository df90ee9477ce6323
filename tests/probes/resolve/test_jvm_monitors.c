/*
 * Dumps of a Java virtual machine's threads: the lines at which they wait for monitors, and where
 * stacks of waits have them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "resolve/jvm_monitors.h"

/* As JDK 17 and 21 print them; two threads wait, one of them in a method that calls itself. */
#define WORK(line)                                                                           \
	"\"Thread-1\" #15 prio=5 os_prio=0 cpu=1.20ms elapsed=0.40s tid=0x00007f0a nid=0x3 " \
	"waiting for monitor entry  [0x00007f0a2c5fe000]\n"                                  \
	"   java.lang.Thread.State: BLOCKED (on object monitor)\n"                           \
	"\tat sun.security.provider.NativePRNG$RandomIO.implNextBytes(java.base@17/"         \
	"NativePRNG.java:542)\n"                                                             \
	"\t- waiting to lock <0x000000070fe0> (a java.lang.Object)\n"                        \
	"\tat java.util.UUID.randomUUID(java.base@17/UUID.java:150)\n"                       \
	"\tat Ids.work(Ids.java:" line ")\n"                                                 \
	"\tat Main.run(app//Main.java:3)\n"                                                  \
	"\tat Ids$$Lambda$1/0x0000000800000a18.run(Unknown Source)\n"                        \
	"\n"                                                                                 \
	"   Locked ownable synchronizers:\n"                                                 \
	"\t- None\n\n"
#define PARKED                                                                                 \
	"\"pool-1\" #16 prio=5 os_prio=0 nid=123 waiting on condition  [0x00007f0a2c5fe000]\n" \
	"   java.lang.Thread.State: WAITING (parking)\n"                                       \
	"\tat jdk.internal.misc.Unsafe.park(java.base@21/Native Method)\n"                     \
	"\t- parking to wait for  <0x00000006> (a java.util.concurrent.locks.ReentrantLock$"   \
	"FairSync)\n"                                                                          \
	"\tat Pool.take(Pool.java:30)\n"                                                       \
	"\tat Pool.take(Pool.java:31)\n\n"
#define RUNS                                                                    \
	"\"main\" #1 prio=5 os_prio=0 nid=0x2 runnable  [0x00007f0a2c5fe000]\n" \
	"   java.lang.Thread.State: RUNNABLE\n"                                 \
	"\tat Ids.work(Ids.java:99)\n"                                          \
	"\t- locked <0x000000070fe0> (a java.lang.Object)\n\n"
#define HEAD "0\n2026-01-01 12:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.15+6):\n\n"

static void read_dump(struct sd_jvm_monitors *m, const char *text, size_t piece)
{
	for (size_t at = 0, n = strlen(text); at < n; at += piece)
		sd_jvm_monitors_read(m, text + at, n - at < piece ? n - at : piece);
	sd_jvm_monitors_end(m);
}

/* line 0: nothing is known of it */
static void expect(const struct sd_jvm_monitors *m, const char *method, const char *file,
	unsigned line, const char *object)
{
	struct sd_jvm_waiting w;

	assert_int_equal(sd_jvm_monitors_find(m, method, &w), line != 0);
	if (!line)
		return;
	assert_string_equal(w.file, file);
	assert_int_equal(w.line, line);
	if (object)
		assert_string_equal(w.object, object);
	else
		assert_null(w.object);
}

static void methods_of_threads_that_wait_have_a_line(void **state)
{
	static const size_t piece[] = {1, 7, 100000};

	(void)state;
	for (size_t i = 0; i < sizeof piece / sizeof *piece; i++) {
		struct sd_jvm_monitors m = {0};

		read_dump(&m, HEAD WORK("8") PARKED RUNS, piece[i]);
		expect(&m, "void Ids.work(int, java.lang.String)", "Ids.java", 8,
			"java.lang.Object");
		expect(&m, "java.util.UUID.randomUUID()", NULL, 0, NULL); /* the JDK's */
		expect(&m, "Pool.take", "Pool.java", 30,
			"java.util.concurrent.locks.ReentrantLock$FairSync");
		expect(&m, "Ids.wor", NULL, 0, NULL);
		expect(&m, "Ids.worker()", NULL, 0, NULL);
		expect(&m, "Ids$$Lambda$1/0x0000000800000a18.run()", NULL, 0, NULL);
		expect(&m, "", NULL, 0, NULL);
		sd_jvm_monitors_free(&m);
	}
}

/* Objects that threads wait for below one line are several. */
static void a_line_does_not_need_one_object(void **state)
{
	struct sd_jvm_monitors m = {0};

	(void)state;
	read_dump(&m, HEAD WORK("8"), 64);
	read_dump(&m, "\tat Ids.work(Ids.java:8)\n\t- waiting to lock <0x1> (a Other)\n\n", 64);
	expect(&m, "Ids.work()", "Ids.java", 8, NULL);
	expect(&m, "Main.run()", "Main.java", 3, "java.lang.Object");
	sd_jvm_monitors_free(&m);
}

/* Nine dumps in ten decide. */
static void a_method_that_waits_at_two_lines_has_none(void **state)
{
	struct sd_jvm_monitors m = {0};

	(void)state;
	for (int i = 0; i < 9; i++)
		read_dump(&m, HEAD WORK("8"), 64);
	read_dump(&m, HEAD WORK("12"), 64);
	expect(&m, "Ids.work()", "Ids.java", 8, "java.lang.Object");
	read_dump(&m, HEAD WORK("12"), 64);
	expect(&m, "Ids.work()", NULL, 0, NULL);
	expect(&m, "Main.run()", "Main.java", 3, "java.lang.Object");
	sd_jvm_monitors_free(&m);
}

static void what_is_no_dump_says_nothing(void **state)
{
	static const char *const text[] = {"1\nno such command\n", "\tat \n\tat (:1)\n\n\"x\"\n",
		"\t- waiting to lock <0x1> (a X)\n\tat Ids.work(Ids.java:0)\n\n",
		"\t- waiting to lock <0x1> (a X)\n\tat Ids.work(:8)\n\n",
		"\t- waiting to lock <0x1> a X)\n\tat Ids.work(Ids.java:8)\n\n",
		"\t- waiting to lock <0x1> (a X)\n\tat Ids.work Ids.java:8\n\n"};

	(void)state;
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		struct sd_jvm_monitors m = {0};

		read_dump(&m, text[i], 3);
		assert_int_equal(m.n, 0);
		sd_jvm_monitors_free(&m);
	}
}

/* ---- stacks ---------------------------------------------------------------------------------- */

/* A node below `node` for a function of a module. */
static unsigned below(struct sd_stacks *s, unsigned node, const char *function, const char *module)
{
	struct sd_frame f = {.offset = 0};
	unsigned frame;

	assert_int_equal(sd_stacks_text(s, function, &f.function), 0);
	assert_int_equal(sd_stacks_text(s, module, &f.module), 0);
	assert_int_equal(sd_stacks_frame(s, &f, &frame), 0);
	assert_int_equal(sd_stacks_node(s, node, frame, &node), 0);
	return node;
}

static const struct sd_frame *frame_of(const struct sd_stacks *s, unsigned node)
{
	return &s->frame[s->node[node].frame];
}

static void stacks_of_waits_have_the_line_and_others_do_not(void **state)
{
	struct sd_jvm_monitors m = {0};
	struct sd_stacks s = {0};
	struct sd_stack_resolve p;
	struct sd_symbols *symbols;
	unsigned work, enters, waits, out;

	(void)state;
	assert_int_equal(sd_symbols_open(&symbols, ""), 0);
	assert_int_equal(sd_stack_resolve_open(&p, symbols, &s, NULL, NULL), 0);
	work = below(&s, 0, "void Ids.work(int)", "[jit]");
	enters = below(
		&s, work, "SharedRuntime::complete_monitor_locking_C(oopDesc*)", "/l/libjvm.so");
	waits = below(&s, enters, "ObjectMonitor::enter(JavaThread*)", "/l/libjvm.so");
	assert_int_equal(sd_jvm_monitors_join(&m, &p, waits), waits); /* no dump yet */
	read_dump(&m, HEAD WORK("8"), 64);
	out = sd_jvm_monitors_join(&m, &p, waits);
	assert_int_not_equal(out, waits);
	assert_int_equal(sd_jvm_monitors_join(&m, &p, waits), out);
	assert_int_equal(sd_stacks_node(&s, s.node[out].parent, s.node[waits].frame, &waits), 0);
	assert_int_equal(waits, out); /* the innermost frame is as it was */
	out = s.node[out].parent;
	assert_string_equal(sd_stacks_text_at(&s, frame_of(&s, out)->function),
		"SharedRuntime::complete_monitor_locking_C(oopDesc*) [of java.lang.Object]");
	out = s.node[out].parent;
	assert_int_equal(frame_of(&s, out)->function, frame_of(&s, work)->function);
	assert_string_equal(sd_stacks_text_at(&s, frame_of(&s, out)->file), "Ids.java");
	assert_int_equal(frame_of(&s, out)->line, 8);
	/* the same method at work is not at that line */
	assert_int_equal(sd_jvm_monitors_join(&m, &p, work), work);
	sd_jvm_monitors_free(&m);
	sd_stack_resolve_close(&p);
	sd_symbols_close(symbols);
	sd_stacks_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(methods_of_threads_that_wait_have_a_line),
		cmocka_unit_test(a_line_does_not_need_one_object),
		cmocka_unit_test(a_method_that_waits_at_two_lines_has_none),
		cmocka_unit_test(what_is_no_dump_says_nothing),
		cmocka_unit_test(stacks_of_waits_have_the_line_and_others_do_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
