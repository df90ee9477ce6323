/*
 * Files that were replaced, built anew, or stand where no file should.
 */
#include <errno.h>

#include "probes/symbols/built_program.h"

/* 1: the leaf is named after `then` was done to the running program, visited before or not; 0: not;
 * -1: nothing could be built. */
static int names_after(const char *then, int visit)
{
	struct sd_symbols *s;
	struct seen seen;
	struct built b;
	char command[512];
	int named = -1;

	if (build(&b, "cc -O2 -g -o program chain.c && cc -O1 -g -o other chain.c") != 0) {
		stop(&b);
		return -1;
	}
	run(&b);
	assert_int_equal(sd_symbols_open(&s, ""), 0);
	tell(s, b.pid);
	if (visit)
		sd_symbols_visit(s, b.pid);
	snprintf(command, sizeof command, "cd %s && %s", b.folder, then);
	assert_int_equal(system(command), 0);
	if (look(s, b.pid, &seen) == 0)
		named = find(&seen, "bin_leaf") != NULL;
	stop(&b);
	sd_symbols_close(s);
	return named;
}

static void a_file_that_was_replaced_is_not_used(void **state)
{
	const int named = names_after("mv other program", 0);

	(void)state;
	if (named < 0)
		cannot();
	assert_int_equal(named, 0);
}

static void a_file_that_was_seen_before_it_was_replaced_is(void **state)
{
	const int named = names_after("mv other program", 1);

	(void)state;
	if (named < 0)
		cannot();
	assert_int_equal(named, 1);
	assert_int_equal(names_after("rm program", 1), 1);
}

/* A run of what stands at b->program now, seen by the symbols of the runs before. */
static int look_again(struct sd_symbols *s, struct built *b, struct seen *seen)
{
	int rc;

	sd_symbols_again(s);
	run(b);
	tell(s, b->pid);
	rc = look(s, b->pid, seen);
	end(b);
	return rc;
}

static void another_run_reads_again_what_was_built_anew(void **state)
{
	static const char twice[] = "cc -O2 -g -o program chain.c && "
				    "cc -O2 -g -Dbin_leaf=bin_other -o other chain.c";
	struct sd_symbols *s;
	struct seen seen[3];
	struct built b;
	char command[256];
	int rc = -1;

	(void)state;
	if (build(&b, twice) == 0) {
		assert_int_equal(sd_symbols_open(&s, ""), 0);
		rc = look_again(s, &b, &seen[0]);
		rc = rc ? rc : look_again(s, &b, &seen[1]);
		/* into the same inode, as a copying installer does */
		snprintf(command, sizeof command, "cd %s && cat other >program", b.folder);
		assert_int_equal(system(command), 0);
		rc = rc ? rc : look_again(s, &b, &seen[2]);
		if (rc == 0) {
			assert_non_null(find(&seen[0], "bin_leaf"));
			/* texts are kept once, and what was said of the first run is still there */
			assert_ptr_equal(
				find(&seen[1], "bin_leaf")->file, find(&seen[0], "bin_leaf")->file);
			assert_non_null(find(&seen[2], "bin_other"));
			assert_null(find(&seen[2], "bin_leaf"));
		}
		sd_symbols_close(s);
	}
	stop(&b);
	if (rc != 0)
		cannot();
}

/* A source named below the folder that the compiler ran in, which is no longer ours. */
static void a_relative_source_is_below_the_folder_of_its_compiler(void **state)
{
	struct seen seen = {.n = 0};
	struct sd_symbols *s;
	struct built b;
	char wanted[128];
	int rc = -1;

	(void)state;
	if (build(&b, "mkdir below && sed /^#line/d chain.c >below/chain.c && "
		      "cc -O2 -g -o program below/chain.c") == 0) {
		assert_int_equal(sd_symbols_open(&s, ""), 0);
		rc = look_again(s, &b, &seen);
		if (rc == 0) {
			snprintf(wanted, sizeof wanted, "%s/below/chain.c", b.folder);
			assert_non_null(find(&seen, "bin_leaf"));
			assert_string_equal(find(&seen, "bin_leaf")->file, wanted);
			assert_string_equal(find(&seen, "bin_inlined")->file, wanted);
		}
		sd_symbols_close(s);
	}
	stop(&b);
	if (rc != 0)
		cannot();
}

static void a_pipe_in_the_place_of_a_file_is_not_waited_for(void **state)
{
	const int named = names_after("rm program; mkfifo program", 0);

	(void)state;
	if (named < 0)
		cannot();
	assert_int_equal(named, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_that_was_replaced_is_not_used),
		cmocka_unit_test(a_file_that_was_seen_before_it_was_replaced_is),
		cmocka_unit_test(another_run_reads_again_what_was_built_anew),
		cmocka_unit_test(a_relative_source_is_below_the_folder_of_its_compiler),
		cmocka_unit_test(a_pipe_in_the_place_of_a_file_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
