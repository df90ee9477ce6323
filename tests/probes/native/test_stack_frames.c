/*
 * Names a stack's line by the frame that holds it, from the copied stack of its thread.
 */
#include <stdio.h>

#include "native/stack_frames.h"
#include "probes/symbols/typed_program.h"

#define MS UINT64_C(1000000)

static struct sd_stack_line line_of(const struct built *b, uint64_t touched)
{
	return (struct sd_stack_line){.pid = b->pid,
		.line = b->second & ~UINT64_C(63),
		.touched = touched,
		.time = 50 * MS,
		.row = 0};
}

/* Names row 0 of a record's lines from what `f` has noted. */
static void name(const struct sd_stack_frames *f, struct sd_symbols *s, char *out, size_t size)
{
	struct sd_native_line row = {.line.name = 0};
	struct sd_native_lines lines = {.line = &row, .n_line = 1};
	struct sd_stacks stacks = {0};

	assert_int_equal(sd_stack_frames_name(f, s, &stacks, &lines), 0);
	snprintf(out, size, "%s", row.line.name ? stacks.text[row.line.name] : "");
	sd_sim_contested_free(&row.line);
	sd_stacks_free(&stacks);
}

static void check(struct built *b, int typed)
{
	const uint64_t both = UINT64_C(0x0101) << b->second % 64; /* own[0].hits and deep[0].a */
	static struct sd_stack_frames f;
	static struct stopped at;
	const struct sd_stack_line line = line_of(b, both);
	char want[128], got[1024];
	struct sd_symbols *s;
	struct sd_event e;

	assert_int_equal(sd_symbols_open(&s, ""), 0);
	tell(s, b->pid);
	if (stopped_look(&at, b->pid) != 0) {
		sd_symbols_close(s);
		return;
	}
	e = stopped_event(&at, b->pid, at.size);
	sd_stack_frames_add(&f, &line);
	name(&f, s, got, sizeof got);
	assert_string_equal(got, "");
	/* what was copied after the touch counts as long as nothing before it was */
	e.time = 60 * MS;
	e.tid = 1;
	assert_int_equal(sd_stack_frames_event(&f, &e), 0);
	assert_int_equal(f.line[0].copy.tid, 1);
	e.time = 40 * MS;
	e.tid = b->pid;
	assert_int_equal(sd_stack_frames_event(&f, &e), 0);
	e.time = 70 * MS;
	e.tid = 1;
	assert_int_equal(sd_stack_frames_event(&f, &e), 0);
	/* another process's, and a copy that ends below the line, tell nothing */
	e.time = 45 * MS;
	e.pid = 1;
	assert_int_equal(sd_stack_frames_event(&f, &e), 0);
	e.pid = b->pid;
	e.stack_size = 8;
	assert_int_equal(sd_stack_frames_event(&f, &e), 0);
	name(&f, s, got, sizeof got);
	snprintf(want, sizeof want,
		typed ? "own[0].hits, own[0].deep[0].a in main(), stack of thread %d"
		      : "stack of thread %d, frame of main()",
		b->pid);
	assert_string_equal(got, want);
	sd_stack_frames_free(&f);
	sd_symbols_close(s);
}

static void lines_of_a_stack_are_named_by_frame_and_variable(void **state)
{
	static const char *const how[] = {
		"cc -O2 -o program chain.c", "cc -O2 -g -o program chain.c"};

	(void)state;
	for (int typed = 0; typed < 2; typed++) {
		struct built b;

		if (build_from(&b, typed_source, how[typed]) != 0) {
			stop(&b);
			cannot();
		}
		run(&b);
		/* both of its first words lie in its line */
		if (b.second % 64 <= 48)
			check(&b, typed);
		stop(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_a_stack_are_named_by_frame_and_variable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
