/*
 * Samples of this program's own code, as the recorder would hand them over: what becomes of those
 * of two threads at one line, and of those that tell nothing.
 */
#include <sys/mman.h>

#include "probes/native/watched_scene.h"

#if defined(IP)
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

/* Gives nine samples in the inner loop, `apart` bytes from the other thread's, and one behind it.
 * Returns s whose addresses are not known, as a share of the outer loop's. */
static double unknown_behind_an_inner_loop(uint64_t apart)
{
	struct scene *const s = begin();
	struct sd_native_lines *n;
	double unknown = 0;

	for (unsigned i = 0; i < 200; i++)
		for (int t = 0; t < 2; t++) {
			struct sd_event e = sample_at(i, t, 0);

			e.ip = (uintptr_t)(i % 10 ? watched_inner_at : watched_outer_at);
			e.regs.mask |= UINT64_C(1) << BASE | UINT64_C(1) << TABLE;
			e.regs.reg[IP] = e.ip;
			e.regs.reg[BASE] = i % 10 ? 0x10000 + apart * (uint64_t)t : 0;
			e.regs.reg[TABLE] = 0x50000 + 0x10000 * (uint64_t)t;
			give(s, &e);
		}
	n = end(s);
	for (size_t i = 0; i < n->n_loop; i++)
		unknown += n->loop[i].unknown_s;
	unknown /= .1 * n->seconds;
	sd_native_lines_free(n);
	return unknown;
}

/* The outer loop's samples do not tell what the inner one touches; those of the inner one do. */
static void what_an_inner_loop_touches_is_known_by_its_own_samples(void **state)
{
	(void)state;
	assert_true(unknown_behind_an_inner_loop(0x1000) < .05);
	assert_true(unknown_behind_an_inner_loop(8) > .9);
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

/* As a JIT compiler's, which writes no map: another jump may lead to what stands before the sample.
 */
static void code_that_no_map_names_is_said_to_be(void **state)
{
	unsigned char *const code = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const char *volatile before = watched_at; /* it begins some bytes before */
	struct sd_code_copies copies = {0};
	struct scene *s;
	struct sd_native_lines *n;

	(void)state;
	if (code == MAP_FAILED) {
		print_message("SKIP: memory may not be written and executed\n");
		skip();
	}
	memcpy(code + 64, before - 16, 64);
	assert_int_equal(
		sd_code_copies_note(&copies, getpid(), (uintptr_t)code, (uintptr_t)code + 4096), 0);
	assert_int_equal(sd_code_copies_look(&copies), 0);
	s = begin_beside(&(struct sd_native_beside){.copies = &copies});
	for (unsigned i = 0; i < 100; i++)
		for (int t = 0; t < 2; t++) {
			struct sd_event e = sample_at(i, t, 0x10000 + 8 * (uint64_t)t);

			e.ip = e.regs.reg[IP] = (uintptr_t)code + 64 + 16;
			give(s, &e);
		}
	n = end(s);
	assert_non_null(
		strstr(n->why, "100 % of the samples are of JIT code that no perf map names"));
	sd_native_lines_free(n);
	sd_code_copies_free(&copies);
	munmap(code, 4096);
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
		cmocka_unit_test(what_an_inner_loop_touches_is_known_by_its_own_samples),
		cmocka_unit_test(code_that_cannot_be_read_is_said_to_be),
		cmocka_unit_test(code_that_no_map_names_is_said_to_be),
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
