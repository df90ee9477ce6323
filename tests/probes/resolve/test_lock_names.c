/* Which lock of the kernel a stack waits for, and in which call; files that are broken; rows. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "resolve/lock_names.h"
#include "resolve/lock_rows.h"

static char said[1024];

static void listen(void *ctx, enum sd_level level, const char *text)
{
	(void)ctx;
	(void)level;
	snprintf(said, sizeof said, "%s", text);
}

static const struct sd_sink sink = {.emit = listen};

#define MOST 10

/* Stacks as Linux 5.19 to 6.18 has them, innermost first. */
static const struct {
	const char *function[MOST];
	enum sd_lock_kind kind;
	const char *lock, *call; /* the lock's beginning */
} rows[] = {
	{{"__traceiter_contention_begin", "rwsem_down_write_slowpath", "down_write_killable",
		 "vm_mmap_pgoff", "ksys_mmap_pgoff", "__x64_sys_mmap", "do_syscall_64"},
		SD_LOCK_KIND_RWSEM, "mmap_lock (", "mmap"},
	{{"rwsem_down_read_slowpath", "down_read", "lock_mm_and_find_vma", "do_user_addr_fault",
		 "exc_page_fault", "asm_exc_page_fault"},
		SD_LOCK_KIND_RWSEM, "mmap_lock (", "page fault"},
	{{"rwsem_down_write_slowpath", "down_write", "do_unlinkat", "__x64_sys_unlink"},
		SD_LOCK_KIND_RWSEM, "directory (", "unlink"},
	{{"rwsem_down_write_slowpath", "down_write", "path_openat", "do_filp_open",
		 "do_sys_openat2", "__x64_sys_openat"},
		SD_LOCK_KIND_RWSEM, "directory (", "openat"},
	{{"rwsem_down_write_slowpath", "down_write", "ext4_buffered_write_iter", "vfs_write",
		 "ksys_write", "__arm64_sys_write"},
		SD_LOCK_KIND_RWSEM, "file (", "write"},
	{{"__mutex_lock.constprop.0", "anon_pipe_write", "vfs_write", "__x64_sys_write"},
		SD_LOCK_KIND_MUTEX, "pipe (", "write"},
	{{"__mutex_lock", "fdget_pos", "ksys_lseek", "__x64_sys_lseek"}, SD_LOCK_KIND_MUTEX,
		"position of a file (", "lseek"},
	{{"native_queued_spin_lock_slowpath", "_raw_spin_lock", "alloc_fd", "do_sys_openat2",
		 "__x64_sys_openat"},
		SD_LOCK_KIND_SPIN, "descriptor table (", "openat"},
	{{"__pv_queued_spin_lock_slowpath", "_raw_spin_lock", "file_close_fd", "__x64_sys_close"},
		SD_LOCK_KIND_SPIN, "descriptor table (", "close"},
	{{"queued_spin_lock_slowpath", "_raw_spin_lock", "futex_wake", "do_futex",
		 "__x64_sys_futex"},
		SD_LOCK_KIND_SPIN, "futex bucket (", "futex"},
	{{"queued_spin_lock_slowpath", "_raw_spin_lock", "lockref_get_not_dead", "legitimize_path",
		 "try_to_unlazy", "path_openat", "__x64_sys_openat"},
		SD_LOCK_KIND_SPIN, "dentry (", "openat"},
	/* another semaphore below a fault is not the address space's */
	{{"rwsem_down_read_slowpath", "down_read", "filemap_fault", "__do_fault", "do_fault",
		 "handle_mm_fault", "do_user_addr_fault", "asm_exc_page_fault"},
		SD_LOCK_KIND_RWSEM, "lock in filemap_fault()", "page fault"},
	{{"queued_spin_lock_slowpath", "_raw_spin_lock", "made_up", "worker_thread"},
		SD_LOCK_KIND_SPIN, "lock in made_up()", "a thread of the kernel"},
	{{"queued_spin_lock_slowpath", NULL}, SD_LOCK_KIND_SPIN, "unknown lock", ""},
};

static void the_table_of_this_program_knows_the_kernel_s_locks(void **state)
{
	struct sd_lock_names names;

	(void)state;
	assert_int_equal(sd_lock_names_load(&names, NULL, &sink), 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_lock_frames f = {rows[i].function, 0};
		char lock[SD_LOCK_NAMES_TEXT], call[SD_LOCK_NAMES_TEXT];

		while (f.n < MOST && f.function[f.n])
			f.n++;
		sd_lock_names_lock(&names, f, rows[i].kind, lock);
		sd_lock_names_call(&names, f, call);
		if (strncmp(lock, rows[i].lock, strlen(rows[i].lock)) != 0 ||
			strcmp(call, rows[i].call) != 0)
			fail_msg("row %zu: %s, %s", i, lock, call);
		assert_true(sd_lock_names_waits(&names, f));
	}
	sd_lock_names_free(&names);
}

static void a_stack_without_a_lock_s_function_does_not_wait_for_one(void **state)
{
	static const char *const work[] = {"alloc_fd", "do_sys_openat2"},
				 *const asleep[] = {"__schedule", "schedule", "pipe_read"},
				 *const waits[] = {
					 "__schedule", "schedule", "__mutex_lock", "pipe_read"};
	struct sd_lock_names names;

	(void)state;
	assert_int_equal(sd_lock_names_load(&names, NULL, &sink), 0);
	assert_false(sd_lock_names_waits(&names, (struct sd_lock_frames){work, 2}));
	assert_false(sd_lock_names_waits(&names, (struct sd_lock_frames){asleep, 3}));
	assert_true(sd_lock_names_waits(&names, (struct sd_lock_frames){waits, 4}));
	assert_false(sd_lock_names_waits(&names, (struct sd_lock_frames){NULL, 0}));
	sd_lock_names_free(&names);
}

#define LISTS "inside = [\"a\"]; asleep = [\"b\"];\n"

static void a_broken_file_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text, *says;
	} broken[] = {
		{"inside = ", "f:1: "},
		{"asleep = [\"b\"]; locks = (); calls = ();", "inside: must be patterns"},
		{LISTS "locks = ();", "calls = "},
		{LISTS "locks = ();\ncalls = ();\nother = 1;", "f:4: other: no such setting"},
		{LISTS "locks = ({ name = \"x\"; functions = [\"y\"]; }); calls = ();",
			"f:2: a lock has a name and an object"},
		{LISTS "locks = (); calls = ({ kind = \"spin\"; functions = [\"y\"]; });",
			"f:2: kind: no such setting"},
		{LISTS "locks = ({ name = \"x\"; object = \"o\"; kind = \"big\"; functions = "
		       "[\"y\"]; }); calls = ();",
			"kind: must be spin"},
		{LISTS "locks = (); calls = ({ name = \"x\"; functions = \"y\"; });",
			"functions: must be patterns"},
		{LISTS "locks = (); calls = (1);", "a row is a group"},
		{"@include \"/etc/passwd\"", "@include is not allowed"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
		struct sd_lock_names names;

		*said = '\0';
		assert_int_equal(sd_lock_names_parse(&names, "f", broken[i].text,
					 strlen(broken[i].text), &sink),
			-EINVAL);
		if (!strstr(said, broken[i].says))
			fail_msg("%s: said \"%s\"", broken[i].text, said);
		assert_int_equal(names.n_lock + names.n_call + names.inside.n, 0);
	}
}

static void the_longest_rows_stay_and_the_others_are_summed(void **state)
{
	struct sd_kernel_locks *const l = calloc(1, sizeof *l);

	(void)state;
	assert_non_null(l);
	for (unsigned i = 1; i <= SD_KERNEL_LOCK_ROWS + 2; i++) {
		struct sd_kernel_lock *const row = sd_lock_rows_find(l, i, 0, 0);

		assert_non_null(row);
		row->wait_s = i;
	}
	assert_ptr_equal(sd_lock_rows_find(l, 1, 0, 0), &l->row[0]);
	sd_lock_rows_sort(l);
	assert_int_equal(l->n_row, SD_KERNEL_LOCK_ROWS);
	assert_int_equal(l->n_row_seen, SD_KERNEL_LOCK_ROWS + 2);
	assert_true(l->row[0].wait_s == SD_KERNEL_LOCK_ROWS + 2);
	assert_true(l->other_s == 1 + 2); /* the two shortest */
	sd_kernel_locks_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_of_this_program_knows_the_kernel_s_locks),
		cmocka_unit_test(a_stack_without_a_lock_s_function_does_not_wait_for_one),
		cmocka_unit_test(a_broken_file_is_refused_with_its_line),
		cmocka_unit_test(the_longest_rows_stay_and_the_others_are_summed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
