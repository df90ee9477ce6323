#include "threads/wait_classes.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <cmocka.h>

#define LIVE 4711

static int is_thread(void *ctx, uint32_t tid)
{
	(void)ctx;
	return tid == LIVE;
}

struct futex_row {
	const char *what;
	uint64_t address, op, value;
	enum sd_wait wait;
};

#define PRIVATE FUTEX_PRIVATE_FLAG
#define REALTIME FUTEX_CLOCK_REALTIME

static const struct futex_row futexes[] = {
	{"glibc mutex", 0x1000, FUTEX_WAIT | PRIVATE, 2, SD_WAIT_LOCK},
	{"process-shared mutex", 0x1000, FUTEX_WAIT, 2, SD_WAIT_LOCK},
	{"glibc barrier in its second round", 0x1004, FUTEX_WAIT | PRIVATE, 2, SD_WAIT_SYNC},
	{"glibc barrier", 0x1004, FUTEX_WAIT | PRIVATE, 8, SD_WAIT_SYNC},
	{"libgomp mutex", 0x1004, FUTEX_WAIT | PRIVATE, 0xffffffff, SD_WAIT_LOCK},
	{"libgomp barrier", 0x1004, FUTEX_WAIT | PRIVATE, 16, SD_WAIT_SYNC},
	{"condition variable", 0x1028, FUTEX_WAIT_BITSET | PRIVATE | REALTIME, 0, SD_WAIT_SYNC},
	{"timed mutex", 0x1000, FUTEX_WAIT_BITSET | PRIVATE | REALTIME, 2, SD_WAIT_LOCK},
	{"Rust mutex", 0x1004, FUTEX_WAIT_BITSET | PRIVATE, 2, SD_WAIT_LOCK},
	{"rwlock", 0x1008, FUTEX_WAIT_BITSET | PRIVATE | REALTIME, 3, SD_WAIT_LOCK},
	{"priority inheritance", 0x1000, FUTEX_LOCK_PI | PRIVATE, 0, SD_WAIT_LOCK},
	{"join", 0x1000, FUTEX_WAIT_BITSET | REALTIME, LIVE, SD_WAIT_JOIN},
	{"a number that is no thread", 0x1000, FUTEX_WAIT_BITSET | REALTIME, LIVE + 1,
		SD_WAIT_SYNC},
	{"a private word that happens to be a thread's number", 0x1000, FUTEX_WAIT_BITSET | PRIVATE,
		LIVE, SD_WAIT_SYNC},
	{"musl mutex: owner and waiters", 0x1004, FUTEX_WAIT | PRIVATE, 0x80000000u | LIVE,
		SD_WAIT_LOCK},
	{"condition with priority inheritance", 0x1000, FUTEX_WAIT_REQUEUE_PI | PRIVATE, 2,
		SD_WAIT_SYNC},
};

static void a_futex_is_known_by_how_it_is_waited_for(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof futexes / sizeof *futexes; i++) {
		const struct sd_proc_syscall call = {.where = SD_PROC_SYSCALL,
			.nr = SYS_futex,
			.arg = {futexes[i].address, futexes[i].op, futexes[i].value}};
		const struct sd_wait_facts facts = {
			.state = 'S', .syscall = &call, .is_thread = is_thread};
		const struct sd_wait_seen seen = sd_wait_classes_classify(&facts);

		if (seen.wait != futexes[i].wait)
			fail_msg("%s: %d, not %d", futexes[i].what, seen.wait, futexes[i].wait);
		assert_true(seen.address == futexes[i].address);
	}
}

struct row {
	const char *what;
	char state;
	long nr; /* -1: blocked outside of a system call; -2: may not be read */
	const char *wchan;
	enum sd_wait wait;
};

/* in place of a kernel function: the descriptor is a pipe */
#define PIPE "a pipe"

static const struct row rows[] = {
	{"runs", 'R', -1, NULL, SD_WAIT_NONE},
	{"zombie", 'Z', -1, NULL, SD_WAIT_GONE},
	{"stopped by a debugger", 't', -1, NULL, SD_WAIT_GONE},
	{"waits for a child", 'S', SYS_wait4, NULL, SD_WAIT_JOIN},
	{"vfork", 'D', SYS_clone, NULL, SD_WAIT_JOIN},
	{"sleeps", 'S', SYS_clock_nanosleep, NULL, SD_WAIT_SLEEP},
	{"reads a socket", 'S', SYS_read, NULL, SD_WAIT_NETWORK},
	{"reads a pipe", 'S', SYS_read, PIPE, SD_WAIT_PIPE},
	{"writes a pipe", 'S', SYS_write, PIPE, SD_WAIT_PIPE},
	{"reads a file", 'D', SYS_read, "folio_wait_bit_common", SD_WAIT_DISK},
	{"writes a file under an inode's lock", 'D', SYS_write, "rwsem_down_write_slowpath",
		SD_WAIT_LOCK},
	{"writes a file, by the caller of what sleeps", 'D', SYS_pwrite64, "shmem_file_write_iter",
		SD_WAIT_LOCK},
	{"reads a descriptor that others read", 'D', SYS_read, "fdget_pos", SD_WAIT_LOCK},
	{"writes a pipe that others write", 'D', SYS_write, "anon_pipe_write", SD_WAIT_LOCK},
	{"makes a name where others do", 'D', SYS_mkdirat, "filename_create", SD_WAIT_LOCK},
	{"sends by a socket that others use", 'D', SYS_sendto, "__lock_sock", SD_WAIT_LOCK},
	{"unmaps behind another thread", 'D', SYS_munmap, "0", SD_WAIT_KERNEL},
	{"unmaps, by the caller of what sleeps", 'D', SYS_munmap, "__vm_munmap", SD_WAIT_KERNEL},
	{"fsync", 'D', SYS_fsync, "jbd2_log_wait_commit", SD_WAIT_DISK},
	{"polls", 'S', SYS_ppoll, NULL, SD_WAIT_NETWORK},
	{"accepts", 'S', SYS_accept4, NULL, SD_WAIT_NETWORK},
	{"a page fault from disk", 'D', -1, "folio_wait_bit_common", SD_WAIT_DISK},
	{"a page fault behind mmap", 'D', -1, "lock_mm_and_find_vma", SD_WAIT_KERNEL},
	{"a page fault, wchan hidden", 'D', -1, "0", SD_WAIT_UNKNOWN},
	{"a system call nobody knows", 'S', 9999, NULL, SD_WAIT_UNKNOWN},
	{"denied, wchan hidden", 'S', -2, "0", SD_WAIT_UNKNOWN},
	{"denied, disk", 'D', -2, "0", SD_WAIT_DISK},
	{"denied, futex", 'S', -2, "futex_wait_queue", SD_WAIT_SYNC},
	{"denied, pipe", 'S', -2, "pipe_read", SD_WAIT_PIPE},
	{"denied, child", 'S', -2, "do_wait", SD_WAIT_JOIN},
};

static void a_wait_is_known_by_state_call_and_kernel_function(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct sd_proc_syscall call = {
			.where = rows[i].nr < 0 ? SD_PROC_BLOCKED : SD_PROC_SYSCALL,
			.nr = rows[i].nr};
		const struct sd_wait_facts facts = {.state = rows[i].state,
			.syscall = rows[i].nr == -2 ? NULL : &call,
			.on_pipe = rows[i].wchan && strcmp(rows[i].wchan, PIPE) == 0,
			.wchan = rows[i].wchan};
		const enum sd_wait wait = sd_wait_classes_classify(&facts).wait;

		if (wait != rows[i].wait)
			fail_msg("%s: %d, not %d", rows[i].what, wait, rows[i].wait);
	}
}

static struct sd_wait_seen wait_at(uint64_t address, uint32_t value)
{
	const struct sd_proc_syscall call = {.where = SD_PROC_SYSCALL,
		.nr = SYS_futex,
		.arg = {address, FUTEX_WAIT | PRIVATE, value}};
	const struct sd_wait_facts facts = {.state = 'S', .syscall = &call};

	return sd_wait_classes_classify(&facts);
}

static void a_mutex_at_any_place_is_known_by_its_second_wait(void **state)
{
	static const struct {
		uint64_t address;
		uint32_t value;
		enum sd_wait wait;
	} waits[] = {
		/* a barrier goes on to its next round, a mutex is contended again */
		{0x1004, 1, SD_WAIT_SYNC},
		{0x1004, 2, SD_WAIT_SYNC},
		{0x1004, 3, SD_WAIT_SYNC},
		{0x2004, 2, SD_WAIT_SYNC},
		{0x2004, 2, SD_WAIT_LOCK},
		{0x2004, 2, SD_WAIT_LOCK},
		{0x1004, 2, SD_WAIT_SYNC},
	};
	uint64_t last = 0;

	(void)state;
	for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
		struct sd_wait_seen seen = wait_at(waits[i].address, waits[i].value);

		sd_wait_classes_again(&seen, &last);
		assert_int_equal(seen.wait, waits[i].wait);
	}
}

static void a_lock_on_a_file_is_waited_for_by_some_commands_of_fcntl(void **state)
{
	static const struct {
		long nr;
		uint64_t command;
		const char *wchan;
		enum sd_wait wait;
	} is[] = {
		{SYS_flock, 0, NULL, SD_WAIT_LOCK},
		{SYS_fcntl, F_SETLKW, NULL, SD_WAIT_LOCK},
		{SYS_fcntl, F_SETLEASE, NULL, SD_WAIT_UNKNOWN},
		{-1, 0, "locks_lock_inode_wait", SD_WAIT_LOCK},
		{-1, 0, "fcntl_setlk", SD_WAIT_LOCK},
	};

	(void)state;
	for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
		const struct sd_proc_syscall call = {
			.where = SD_PROC_SYSCALL, .nr = is[i].nr, .arg = {3, is[i].command}};
		const struct sd_wait_facts facts = {
			.state = 'S', .syscall = is[i].wchan ? NULL : &call, .wchan = is[i].wchan};

		assert_int_equal(sd_wait_classes_classify(&facts).wait, is[i].wait);
	}
}

static void a_timer_is_slept_for(void **state)
{
	const struct sd_proc_syscall call = {.where = SD_PROC_SYSCALL, .nr = SYS_read};
	const struct sd_wait_facts facts = {.state = 'S', .syscall = &call, .on_timer = 1};

	(void)state;
	assert_int_equal(sd_wait_classes_classify(&facts).wait, SD_WAIT_SLEEP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_futex_is_known_by_how_it_is_waited_for),
		cmocka_unit_test(a_wait_is_known_by_state_call_and_kernel_function),
		cmocka_unit_test(a_mutex_at_any_place_is_known_by_its_second_wait),
		cmocka_unit_test(a_lock_on_a_file_is_waited_for_by_some_commands_of_fcntl),
		cmocka_unit_test(a_timer_is_slept_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
