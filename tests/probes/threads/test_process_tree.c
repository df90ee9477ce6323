#include "threads/process_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <sys/syscall.h>

#include "support/fakeproc.h"

#define KEEPER 100

static void put(const char *root, int pid, int tid, int ppid)
{
	fake_thread(root, &(struct fake_thread){.pid = pid,
				  .tid = tid,
				  .ppid = ppid,
				  .state = 'R',
				  .syscall = "running",
				  .run_ns = 1000000,
				  .slices = 1});
}

static void newest(const char *root, int pid)
{
	fake_write(root, "proc/loadavg", "0.1 0.2 0.3 1/100 %d\n", pid);
}

/* A program with two threads, whose second one has a child, which has one, and an orphan; beside it
 * a stranger. */
static void plant(const char *root)
{
	put(root, KEEPER, KEEPER, 1);
	put(root, 200, 200, KEEPER);
	put(root, 200, 201, KEEPER);
	put(root, 300, 300, 200);
	put(root, 301, 301, 300);
	put(root, 400, 400, KEEPER);
	put(root, 900, 900, 1);
	newest(root, 400);
}

static void plant_children(const char *root)
{
	fake_children(root, KEEPER, KEEPER, "200 400 ");
	fake_children(root, 200, 200, "");
	fake_children(root, 200, 201, "300 ");
	fake_children(root, 300, 300, "301 ");
	fake_children(root, 301, 301, "");
	fake_children(root, 400, 400, "");
}

static void expect_tree(const struct sd_process_tree *tree)
{
	static const int tids[] = {200, 201, 300, 301, 400};

	assert_int_equal(tree->n, sizeof tids / sizeof *tids);
	for (size_t i = 0; i < tree->n; i++) {
		assert_int_equal(tree->task[i]->tid, tids[i]);
		assert_int_equal(tree->task[i]->pid, tids[i] == 201 ? 200 : tids[i]);
	}
}

static void everything_below_the_subreaper_is_found_by_children_files(void **state)
{
	struct sd_process_tree tree;

	plant(*state);
	plant_children(*state);
	sd_process_tree_init(&tree, *state, KEEPER, 100);
	assert_int_equal(sd_process_tree_walk(&tree), 0);
	assert_int_equal(tree.no_children, 0);
	expect_tree(&tree);
	assert_null(sd_process_tree_find(&tree, KEEPER));
	assert_null(sd_process_tree_find(&tree, 900));
	sd_process_tree_free(&tree);
}

static void everything_below_the_subreaper_is_found_by_parents(void **state)
{
	struct sd_process_tree tree;

	plant(*state);
	sd_process_tree_init(&tree, *state, KEEPER, 100);
	assert_int_equal(sd_process_tree_walk(&tree), 0);
	assert_int_equal(tree.no_children, 1);
	expect_tree(&tree);
	sd_process_tree_free(&tree);
}

static void nothing_is_walked_while_nothing_was_created(void **state)
{
	struct sd_process_tree tree;

	plant(*state);
	plant_children(*state);
	sd_process_tree_init(&tree, *state, KEEPER, 100);
	assert_int_equal(sd_process_tree_walk(&tree), 0);
	put(*state, 200, 500, KEEPER);
	assert_int_equal(sd_process_tree_walk(&tree), 0);
	assert_null(sd_process_tree_find(&tree, 500));
	newest(*state, 500);
	assert_int_equal(sd_process_tree_walk(&tree), 0);
	assert_non_null(sd_process_tree_find(&tree, 500));
	sd_process_tree_free(&tree);
}

static void without_the_newest_number_every_walk_looks(void **state)
{
	char path[128];
	struct sd_process_tree tree;

	plant(*state);
	plant_children(*state);
	snprintf(path, sizeof path, "%s/proc/loadavg", (char *)*state);
	remove(path);
	sd_process_tree_init(&tree, *state, KEEPER, 100);
	assert_int_equal(sd_process_tree_walk(&tree), 0);
	put(*state, 200, 500, KEEPER);
	assert_int_equal(sd_process_tree_walk(&tree), 0);
	assert_non_null(sd_process_tree_find(&tree, 500));
	sd_process_tree_free(&tree);
}

static void a_circle_of_children_ends(void **state)
{
	struct sd_process_tree tree;

	plant(*state);
	fake_children(*state, KEEPER, KEEPER, "200 100 ");
	fake_children(*state, 200, 200, "200 100 300 x");
	fake_children(*state, 300, 300, "200");
	sd_process_tree_init(&tree, *state, KEEPER, 100);
	assert_int_equal(sd_process_tree_walk(&tree), 0);
	assert_int_equal(tree.n, 3);
	sd_process_tree_free(&tree);
}

static void count_gone(void *ctx, const struct sd_thread_state *t)
{
	(void)t;
	++*(int *)ctx;
}

static void threads_may_vanish_at_any_moment(void **state)
{
	char path[128];
	struct sd_process_tree tree;
	int gone = 0;

	plant(*state);
	plant_children(*state);
	sd_process_tree_init(&tree, *state, KEEPER, 100);
	tree.gone = count_gone;
	tree.ctx = &gone;
	assert_int_equal(sd_process_tree_walk(&tree), 0);
	/* before it was ever read, between two of its files, and after */
	snprintf(path, sizeof path, "%s/proc/400", (char *)*state);
	fake_remove(path);
	snprintf(path, sizeof path, "%s/proc/301/task/301/stat", (char *)*state);
	remove(path);
	sd_process_tree_read(&tree, 1000000);
	assert_int_equal(gone, 2);
	assert_int_equal(tree.n, 3);
	fake_write(*state, "proc/200/task/201/schedstat", "%s",
		""); /* how a dead one's open file reads */
	sd_process_tree_read(&tree, 2000000);
	assert_int_equal(gone, 3);
	assert_null(sd_process_tree_find(&tree, 201));
	assert_non_null(sd_process_tree_find(&tree, 200));
	sd_process_tree_free(&tree);
}

static void damaged_files_end_a_thread_and_not_the_poller(void **state)
{
	struct sd_process_tree tree;

	plant(*state);
	plant_children(*state);
	sd_process_tree_init(&tree, *state, KEEPER, 100);
	assert_int_equal(sd_process_tree_walk(&tree), 0);
	fake_write(*state, "proc/200/task/200/stat", "nonsense");
	fake_write(*state, "proc/300/task/300/schedstat", "99999999999999999999999 1 1");
	sd_process_tree_read(&tree, 1000000);
	assert_null(sd_process_tree_find(&tree, 200));
	assert_null(sd_process_tree_find(&tree, 300));
	assert_int_equal(tree.n, 3);
	sd_process_tree_free(&tree);
}

static void thousands_of_threads_are_followed_with_few_descriptors(void **state)
{
	struct sd_process_tree tree;

	put(*state, KEEPER, KEEPER, 1);
	for (int tid = 200; tid < 200 + 1500; tid++)
		put(*state, 200, tid, KEEPER);
	newest(*state, 2000);
	fake_children(*state, KEEPER, KEEPER, "200 ");
	sd_process_tree_init(&tree, *state, KEEPER, 40);
	assert_int_equal(sd_process_tree_walk(&tree), 0);
	assert_int_equal(tree.n, 1500);
	sd_process_tree_read(&tree, 1000000);
	sd_process_tree_read(&tree, 2000000);
	assert_int_equal(tree.n, 1500);
	assert_int_equal(tree.env.files, 0);
	for (size_t i = 0; i < tree.n; i++)
		assert_true(tree.task[i]->on_cpu);
	sd_process_tree_free(&tree);
}

static void a_child_of_the_last_of_many_threads_is_found_in_time(void **state)
{
	struct sd_process_tree tree;

	put(*state, KEEPER, KEEPER, 1);
	for (int tid = 200; tid < 200 + 500; tid++)
		put(*state, 200, tid, KEEPER);
	put(*state, 5000, 5000, 200);
	newest(*state, 5000);
	fake_children(*state, KEEPER, KEEPER, "200 ");
	fake_children(*state, 200, 699, "5000 ");
	sd_process_tree_init(&tree, *state, KEEPER, 40);
	for (int i = 0; i < 500 / 64 + 1; i++)
		assert_int_equal(sd_process_tree_walk(&tree), 0);
	assert_non_null(sd_process_tree_find(&tree, 5000));
	sd_process_tree_free(&tree);
}

/* Text that Go's linker leaves in a program: this one passes for one. */
__attribute__((section(".go.buildinfo"), used)) static const char left_by_linker[16] = "go";

static void runs_program(const char *root, int pid, const char *exe, const char *name)
{
	static long long slices;
	char path[128], syscall[64];

	snprintf(path, sizeof path, "%s/proc/%d/exe", root, pid);
	unlink(path);
	assert_int_equal(symlink(exe, path), 0);
	snprintf(syscall, sizeof syscall, "%d 0x1 0x0 0x0 0x0 0x0 0x0 0x7ff0 0x4000",
		SYS_clock_nanosleep);
	fake_thread(root, &(struct fake_thread){.pid = pid,
				  .tid = pid,
				  .ppid = KEEPER,
				  .state = 'S',
				  .comm = name,
				  .syscall = syscall,
				  .run_ns = 1000000,
				  .slices = ++slices});
}

static void an_exec_may_bring_a_runtime_that_schedules_tasks_and_take_it(void **state)
{
	struct sd_process_tree tree;
	const struct sd_thread_state *t;

	put(*state, KEEPER, KEEPER, 1);
	put(*state, 200, 200, KEEPER);
	fake_children(*state, KEEPER, KEEPER, "200 ");
	fake_children(*state, 200, 200, "");
	newest(*state, 200);
	sd_process_tree_init(&tree, *state, KEEPER, 100);
	assert_int_equal(sd_process_tree_walk(&tree), 0);
	t = sd_process_tree_find(&tree, 200);
	assert_non_null(t);
	for (int i = 0; i < 4; i++) {
		const int tasks = i % 2;

		runs_program(*state, 200, tasks ? "/proc/self/exe" : "/bin/true",
			tasks ? "gopher" : "sh");
		sd_process_tree_read(&tree, (uint64_t)(i + 1) * 5000000);
		assert_int_equal(t->seen.wait, tasks ? SD_WAIT_TASK : SD_WAIT_SLEEP);
	}
	sd_process_tree_free(&tree);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, fake_setup, fake_teardown)
	const struct CMUnitTest tests[] = {
		TEST(everything_below_the_subreaper_is_found_by_children_files),
		TEST(everything_below_the_subreaper_is_found_by_parents),
		TEST(nothing_is_walked_while_nothing_was_created),
		TEST(without_the_newest_number_every_walk_looks),
		TEST(a_circle_of_children_ends),
		TEST(threads_may_vanish_at_any_moment),
		TEST(damaged_files_end_a_thread_and_not_the_poller),
		TEST(thousands_of_threads_are_followed_with_few_descriptors),
		TEST(a_child_of_the_last_of_many_threads_is_found_in_time),
		TEST(an_exec_may_bring_a_runtime_that_schedules_tasks_and_take_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
