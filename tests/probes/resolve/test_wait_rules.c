#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "resolve/wait_match.h"

static char said[1024];

static void listen(void *ctx, enum sd_level level, const char *text)
{
	(void)ctx;
	(void)level;
	snprintf(said, sizeof said, "%s", text);
}

static const struct sd_sink sink = {.emit = listen};

/* A stack from "function@module" texts, outermost first; a leading ! is the kernel's. */
static unsigned stack_of(struct sd_stacks *s, const char *const *frame)
{
	unsigned node = 0;

	for (; *frame; frame++) {
		const char *const text = **frame == '!' ? *frame + 1 : *frame;
		const char *const at = strchr(text, '@');
		struct sd_frame f = {.kernel = **frame == '!'};
		char name[100];
		unsigned number;

		snprintf(name, sizeof name, "%.*s", (int)(at - text), text);
		assert_int_equal(sd_stacks_text(s, name, &f.function), 0);
		assert_int_equal(sd_stacks_text(s, at + 1, &f.module), 0);
		assert_int_equal(sd_stacks_frame(s, &f, &number), 0);
		assert_int_equal(sd_stacks_node(s, node, number, &node), 0);
	}
	return node;
}

#define LIBC "@/lib/libc.so.6"
#define JVM "@/lib/jvm/lib/server/libjvm.so"
#define GOMP "@/lib/libgomp.so.1.0.0"
#define TBB "@/usr/lib/libtbb.so.12.8"
#define KMP "@/usr/lib/llvm-14/lib/libomp.so.5"

static void the_rules_of_this_program_know_what_threads_wait_for(void **state)
{
	static const struct {
		const char *frame[12];
		int blocked;
		enum sd_activity is;
	} rows[] = {
		{{"pthread_mutex_lock" LIBC, "__lll_lock_wait" LIBC}, 1, SD_ACTIVITY_MUTEX},
		{{"main@app", "___pthread_mutex_lock" LIBC}, 1, SD_ACTIVITY_MUTEX},
		{{"main@app", "malloc" LIBC, "__lll_lock_wait_private" LIBC}, 1, SD_ACTIVITY_MUTEX},
		{{"pthread_cond_wait" LIBC, "futex_wait" LIBC}, 1, SD_ACTIVITY_CONDITION},
		{{"main@app", "pthread_cond_wait" LIBC, "__pthread_mutex_cond_lock" LIBC}, 1,
			SD_ACTIVITY_MUTEX},
		{{"main@app", "sem_wait" LIBC, "!do_syscall_64@[kernel]", "!futex_wait@[kernel]"},
			1, SD_ACTIVITY_SEMAPHORE},
		{{"main@app", "sched_yield" LIBC}, 0, SD_ACTIVITY_SPIN_OTHER},
		{{"main@app", "sched_yield" LIBC, "!do_syscall_64@[kernel]",
			 "!do_sched_yield@[kernel]", "!__schedule@[kernel]"},
			0, SD_ACTIVITY_KERNEL_YIELD},
		{{"main@app", "sched_yield" LIBC, "!entry_SYSCALL_64@[kernel]"}, 0,
			SD_ACTIVITY_KERNEL_YIELD},
		{{"main@app", "pthread_mutex_trylock" LIBC}, 0, SD_ACTIVITY_SPIN_LOCK},
		{{"read" LIBC, "!entry_SYSCALL_64@[kernel]"}, 0, SD_ACTIVITY_KERNEL_OTHER},
		{{"main@app", "flock" LIBC}, 1, SD_ACTIVITY_FILE_LOCK},
		{{"main@app", "fcntl" LIBC, "!do_syscall_64@[kernel]", "!fcntl_setlk@[kernel]",
			 "!schedule@[kernel]"},
			1, SD_ACTIVITY_FILE_LOCK},
		{{"main@app", "!locks_lock_inode_wait@[kernel]", "!schedule@[kernel]"}, 1,
			SD_ACTIVITY_FILE_LOCK},
		{{"main@app", "read" LIBC, "!__fdget_pos@[kernel]", "!mutex_lock@[kernel]",
			 "!__mutex_lock.constprop.0@[kernel]", "!schedule@[kernel]"},
			1, SD_ACTIVITY_POSITION_LOCK},
		{{"main@app", "read" LIBC, "!fdget_pos@[kernel]", "!__mutex_lock@[kernel]",
			 "!osq_lock@[kernel]"},
			0, SD_ACTIVITY_KERNEL_LOCKING},
		{{"main@app", "write" LIBC, "!anon_pipe_write@[kernel]", "!__mutex_lock@[kernel]"},
			1, SD_ACTIVITY_PIPE_LOCK},
		{{"main@app", "write" LIBC, "!vfs_write@[kernel]",
			 "!ext4_buffered_write_iter@[kernel]",
			 "!rwsem_down_write_slowpath@[kernel]"},
			1, SD_ACTIVITY_INODE_LOCK},
		{{"main@app", "open" LIBC, "!path_openat@[kernel]", "!down_write@[kernel]",
			 "!rwsem_down_write_slowpath@[kernel]"},
			1, SD_ACTIVITY_DIRECTORY_LOCK},
		{{"main@app", "rename" LIBC, "!do_renameat2@[kernel]", "!down_write@[kernel]",
			 "!rwsem_down_write_slowpath@[kernel]"},
			1, SD_ACTIVITY_DIRECTORY_LOCK},
		{{"main@app", "rename" LIBC, "!do_renameat2@[kernel]", "!down_write@[kernel]",
			 "!rwsem_down_write_slowpath@[kernel]", "!rwsem_spin_on_owner@[kernel]"},
			0, SD_ACTIVITY_KERNEL_LOCKING},
		{{"main@app", "send" LIBC, "!lock_sock_nested@[kernel]", "!__lock_sock@[kernel]"},
			1, SD_ACTIVITY_SOCKET_LOCK},
		{{"main@app", "syscall" LIBC, "!__do_sys_io_uring_enter@[kernel]",
			 "!mutex_lock@[kernel]"},
			1, SD_ACTIVITY_RING_LOCK},
		{{"main@app", "syscall" LIBC, "!__do_sys_io_uring_enter@[kernel]",
			 "!io_cqring_wait@[kernel]"},
			1, SD_ACTIVITY_COMPLETION},
		/* many frames of the C library, inlined ones among them, are below one call */
		{{"VMThread::execute(VM_Operation*)" JVM,
			 "VMThread::wait_until_executed(VM_Operation*)" JVM,
			 "Monitor::wait_without_safepoint_check(long)" JVM,
			 "os::PlatformMonitor::wait(long)" JVM, "pthread_cond_wait" LIBC,
			 "__pthread_cond_wait_common" LIBC,
			 "__futex_abstimed_wait_cancelable64" LIBC,
			 "__futex_abstimed_wait_common" LIBC, "futex_wait" LIBC},
			1, SD_ACTIVITY_BARRIER},
		{{"GenCollectedHeap::mem_allocate_work(unsigned long, bool, bool*)" JVM,
			 "Mutex::lock()" JVM, "pthread_mutex_lock" LIBC, "__lll_lock_wait" LIBC},
			1, SD_ACTIVITY_BARRIER},
		{{"VMThread::loop()" JVM, "VMThread::wait_for_operation()" JVM,
			 "Monitor::wait(long)" JVM, "pthread_cond_timedwait" LIBC},
			1, SD_ACTIVITY_POOL},
		{{"JVM_Sleep" JVM, "JavaThread::sleep(long)" JVM, "ParkEvent::park(long)" JVM,
			 "pthread_cond_timedwait" LIBC},
			1, SD_ACTIVITY_SLEEP},
		/* its own threads: nobody waits for what they wait for */
		{{"attach_listener_thread_entry(JavaThread*, JavaThread*)" JVM,
			 "AttachListener::dequeue()" JVM, "accept" LIBC},
			1, SD_ACTIVITY_JOIN},
		{{"signal_thread_entry(JavaThread*, JavaThread*)" JVM, "os::signal_wait()" JVM,
			 "sem_wait" LIBC},
			1, SD_ACTIVITY_JOIN},
		{{"ServiceThread::service_thread_entry(JavaThread*, JavaThread*)" JVM,
			 "Monitor::wait(long)" JVM, "pthread_cond_wait" LIBC},
			1, SD_ACTIVITY_JOIN},
		{{"ObjectMonitor::exit" JVM, "pthread_cond_signal" LIBC, "!@[kernel]"}, 0,
			SD_ACTIVITY_KERNEL_LOCKING},
		{{"main@app", "pthread_barrier_wait" LIBC}, 1, SD_ACTIVITY_BARRIER},
		{{"main@app", "__pthread_clockjoin_ex" LIBC}, 1, SD_ACTIVITY_JOIN},
		{{"main@app", "clock_nanosleep" LIBC}, 1, SD_ACTIVITY_SLEEP},
		/* who finds a database locked sleeps and asks again, whoever is called by it */
		{{"insert@app", "sqlite3_step@/lib/libsqlite3.so.0", "@/lib/libsqlite3.so.0",
			 "@/lib/libsqlite3.so.0", "usleep" LIBC, "clock_nanosleep" LIBC,
			 "!hrtimer_nanosleep@[kernel]", "!do_nanosleep@[kernel]"},
			1, SD_ACTIVITY_WRITER_LOCK},
		{{"step@app", "sqliteDefaultBusyCallback@app", "sqlite3OsSleep@app",
			 "clock_nanosleep" LIBC, "!do_nanosleep@[kernel]"},
			1, SD_ACTIVITY_WRITER_LOCK},
		{{"main@app", "busyloop@app", "nanosleep" LIBC}, 1, SD_ACTIVITY_SLEEP},
		{{"main@app", "read" LIBC, "!vfs_read@[kernel]", "!anon_pipe_read@[kernel]"}, 1,
			SD_ACTIVITY_PIPE},
		{{"main@app", "read" LIBC, "!vfs_read@[kernel]", "!io_schedule@[kernel]"}, 1,
			SD_ACTIVITY_DISK},
		{{"main@app", "!exc_page_fault@[kernel]", "!rwsem_down_read_slowpath@[kernel]"}, 1,
			SD_ACTIVITY_KERNEL_LOCK},
		{{"main@app", "syscall" LIBC, "!do_futex@[kernel]"}, 1, SD_ACTIVITY_FUTEX},
		{{"main@app", "read" LIBC}, 1, SD_ACTIVITY_UNKNOWN},
		{{"start_thread" LIBC, "gomp_thread_start" GOMP, "gomp_barrier_wait_end" GOMP}, 1,
			SD_ACTIVITY_POOL},
		{{"f@app", "GOMP_barrier" GOMP, "gomp_team_barrier_wait_end" GOMP}, 1,
			SD_ACTIVITY_BARRIER},
		{{"f@app", "GOMP_barrier" GOMP, GOMP}, 1, SD_ACTIVITY_BARRIER},
		/* as in a program of rustc 1.95 */
		{{"w::main@w", "std::sys::sync::mutex::futex::Mutex::lock_contended@w"}, 0,
			SD_ACTIVITY_SPIN_LOCK},
		{{"w::main@w", "std::sync::barrier::Barrier::wait@w",
			 "std::sys::sync::condvar::futex::Condvar::wait_optional_timeout@w",
			 "syscall" LIBC},
			1, SD_ACTIVITY_BARRIER},
		{{"w::main@w", "std::sys::sync::condvar::futex::Condvar::wait_optional_timeout@w",
			 "syscall" LIBC},
			1, SD_ACTIVITY_CONDITION},
		{{"std::sync::mpmc::list::Channel<T>::recv@w",
			 "std::sync::mpmc::context::Context::wait_until@w",
			 "std::thread::thread::Thread::park@w",
			 "std::sys::sync::thread_parking::futex::Parker::park@w", "syscall" LIBC},
			1, SD_ACTIVITY_CONDITION},
		{{"std::thread::scoped::scope@w", "std::thread::thread::Thread::park@w",
			 "std::sys::sync::thread_parking::futex::Parker::park@w", "syscall" LIBC},
			1, SD_ACTIVITY_JOIN},
		{{"w::main@w", "std::thread::thread::Thread::park@w",
			 "std::sys::sync::thread_parking::futex::Parker::park@w", "syscall" LIBC},
			1, SD_ACTIVITY_SEMAPHORE},
		{{"start_thread" LIBC, GOMP, GOMP}, 1, SD_ACTIVITY_POOL},
		{{"PyEval_RestoreThread@python3", "pthread_cond_timedwait" LIBC}, 1,
			SD_ACTIVITY_RUNTIME_LOCK},
		/* the interpreter's functions without names, but for those that it exports */
		{{"_PyEval_EvalFrameDefault@python3.11", "@python3.11",
			 "pthread_cond_timedwait" LIBC},
			1, SD_ACTIVITY_RUNTIME_LOCK},
		{{"_PyEval_EvalFrameDefault@python3.11", "PyObject_Vectorcall@python3.11",
			 "@queue.so", "pthread_cond_timedwait" LIBC},
			1, SD_ACTIVITY_CONDITION},
		{{"_PyEval_EvalFrameDefault@python3.11", "@python3.11", "clock_nanosleep" LIBC}, 1,
			SD_ACTIVITY_SLEEP},
		{{"runtime.findRunnable@app", "runtime.stopm@app", "runtime.futexsleep@app"}, 1,
			SD_ACTIVITY_TASKLESS},
		{{"runtime.stealWork@app", "runtime.usleep.abi0@app"}, 1, SD_ACTIVITY_TASKLESS},
		{{"runtime.lock2@app", "runtime.procyield@app"}, 0, SD_ACTIVITY_SPIN_LOCK},
		{{"sync.(*Mutex).lockSlow@app", "runtime.procyield@app"}, 0, SD_ACTIVITY_SPIN_LOCK},
		{{"runtime.findRunnable@app", "runtime.procyield@app"}, 0, SD_ACTIVITY_SPIN_OTHER},
		{{"runtime.sysmon@app", "runtime.usleep.abi0@app"}, 1, SD_ACTIVITY_SLEEP},
		{{"main.f@app", "sync.(*WaitGroup).Wait@app", "sync.runtime_Semacquire@app",
			 "runtime.semacquire1@app"},
			1, SD_ACTIVITY_JOIN},
		{{"sync.(*RWMutex).RLock@app", "runtime.semacquire1@app"}, 1, SD_ACTIVITY_RWLOCK},
		{{"main.f@app", "runtime.chanrecv1@app"}, 1, SD_ACTIVITY_CONDITION},
		{{"runtime.goexit.abi0@app"}, 1, SD_ACTIVITY_JOIN},
		{{"internal/sync.(*Mutex).lockSlow@app", "runtime.semacquire1@app"}, 1,
			SD_ACTIVITY_MUTEX},
		{{"f@app"}, 0, SD_ACTIVITY_USEFUL},
		{{"main@app", "GOMP_parallel" GOMP, "f@app"}, 0, SD_ACTIVITY_USEFUL},
		{{"start_thread" LIBC, GOMP, "f@app"}, 0, SD_ACTIVITY_USEFUL},
		{{"start_thread" LIBC, GOMP, "f@app"}, 1, SD_ACTIVITY_UNKNOWN},
		{{"f@app", "pthread_mutex_lock" LIBC}, 0, SD_ACTIVITY_USEFUL},
		{{"f@app", "pthread_spin_lock" LIBC}, 0, SD_ACTIVITY_SPIN_LOCK},
		{{"f@app", "GOMP_barrier" GOMP, "do_wait" GOMP}, 0, SD_ACTIVITY_SPIN_BARRIER},
		{{"f@app", "GOMP_parallel" GOMP, GOMP}, 0, SD_ACTIVITY_SPIN_BARRIER},
		{{"f@app", "GOMP_barrier" GOMP, GOMP, "sched_yield" LIBC}, 0,
			SD_ACTIVITY_SPIN_BARRIER},
		/* what a region calls is the program's work, with or without names in libgomp */
		{{"main@app", "GOMP_parallel" GOMP, "f._omp_fn.0@app"}, 0, SD_ACTIVITY_USEFUL},
		{{"main@app", "GOMP_parallel" GOMP, "f._omp_fn.0@app", "memcpy" LIBC}, 0,
			SD_ACTIVITY_USEFUL},
		{{"start_thread" LIBC, GOMP, "f._omp_fn.0@app", "burn@app"}, 0, SD_ACTIVITY_USEFUL},
		{{"start_thread" LIBC, GOMP, "f@plugin.so"}, 0, SD_ACTIVITY_USEFUL},
		{{"f@app", "GOMP_loop_dynamic_next" GOMP, GOMP}, 0, SD_ACTIVITY_USEFUL},
		{{"start_thread" LIBC, TBB, TBB, "syscall" LIBC}, 1, SD_ACTIVITY_POOL},
		{{"f@app", TBB, "tbb::detail::r1::wait_on_address" TBB, "syscall" LIBC}, 1,
			SD_ACTIVITY_MUTEX},
		{{"f@app", "syscall" LIBC}, 1, SD_ACTIVITY_FUTEX},
		{{"f@app", "__kmpc_barrier" KMP, KMP}, 0, SD_ACTIVITY_SPIN_BARRIER},
		{{"f@app", "__kmpc_barrier" KMP, KMP, "sched_yield" LIBC}, 0,
			SD_ACTIVITY_SPIN_BARRIER},
		{{"f@app", "__kmpc_critical" KMP, KMP}, 0, SD_ACTIVITY_SPIN_LOCK},
		{{"f@app", "__kmpc_critical" KMP}, 0, SD_ACTIVITY_SPIN_LOCK},
		{{"f@app", "__kmpc_critical" KMP, "__kmpc_critical_with_hint" KMP, KMP, KMP,
			 "__kmp_wait_4" KMP},
			0, SD_ACTIVITY_SPIN_LOCK},
		{{"f@app", "__kmpc_critical" KMP, "g.omp_outlined@app", "__kmpc_barrier" KMP, KMP,
			 KMP, "__kmp_wait_4" KMP},
			0, SD_ACTIVITY_SPIN_BARRIER},
		{{"f@app", "__kmpc_critical" KMP, "sched_yield" LIBC}, 0, SD_ACTIVITY_SPIN_LOCK},
		{{"f@app", "__kmpc_critical" KMP, "sched_yield" LIBC, "!do_sched_yield@[kernel]"},
			0, SD_ACTIVITY_KERNEL_LOCKING},
		{{"f@app", "__kmpc_dispatch_next_4" KMP, KMP}, 0, SD_ACTIVITY_USEFUL},
		{{"start_thread" LIBC, KMP, KMP}, 0, SD_ACTIVITY_SPIN_BARRIER},
		{{"main@app", "__kmpc_fork_call" KMP, KMP, "f.omp_outlined@app"}, 0,
			SD_ACTIVITY_USEFUL},
		{{"start_thread" LIBC, KMP, "f.omp_outlined@app", "burn@app"}, 0,
			SD_ACTIVITY_USEFUL},
		{{"MPI_Recv@libmpi.so", "opal_progress@libopen-pal.so"}, 0, SD_ACTIVITY_SPIN_MPI},
		{{"f@app", "!exc_page_fault@[kernel]", "!clear_page_erms@[kernel]"}, 0,
			SD_ACTIVITY_KERNEL_ZEROING},
		{{"f@app", "!handle_mm_fault@[kernel]"}, 0, SD_ACTIVITY_KERNEL_FAULT},
		/* kernel work by its kind: stacks of Linux 6.18 and 6.1 */
		{{"f@app", "madvise" LIBC, "!zap_page_range_single@[kernel]",
			 "!tlb_finish_mmu@[kernel]", "!flush_tlb_mm_range@[kernel]",
			 "!on_each_cpu_cond_mask@[kernel]",
			 "!smp_call_function_many_cond@[kernel]"},
			0, SD_ACTIVITY_KERNEL_SHOOTDOWN},
		{{"!do_wp_page@[kernel]", "!flush_tlb_page@[kernel]"}, 0, SD_ACTIVITY_KERNEL_FAULT},
		{{"f@app", "__munmap" LIBC, "!__vm_munmap@[kernel]", "!unmap_region@[kernel]",
			 "!tlb_finish_mmu@[kernel]", "!flush_tlb_mm_range@[kernel]"},
			0, SD_ACTIVITY_KERNEL_SHOOTDOWN},
		{{"f@app", "__munmap" LIBC, "!__vm_munmap@[kernel]", "!unmap_region@[kernel]",
			 "!free_pages_and_swap_cache@[kernel]"},
			0, SD_ACTIVITY_KERNEL_FAULT},
		{{"start@app", "fork" LIBC, "!kernel_clone@[kernel]", "!copy_process@[kernel]",
			 "!dup_mmap@[kernel]", "!copy_page_range@[kernel]",
			 "!vm_normal_page@[kernel]"},
			0, SD_ACTIVITY_KERNEL_FORK},
		{{"execve" LIBC, "!load_elf_binary@[kernel]", "!begin_new_exec@[kernel]",
			 "!__mmput@[kernel]", "!exit_mmap@[kernel]", "!unmap_vmas@[kernel]",
			 "!unmap_page_range@[kernel]", "!zap_pte_range@[kernel]"},
			0, SD_ACTIVITY_KERNEL_FORK},
		/* a forked child that ends drops what was copied for it */
		{{"!do_exit@[kernel]", "!__mmput@[kernel]", "!exit_mmap@[kernel]",
			 "!unmap_page_range@[kernel]"},
			0, SD_ACTIVITY_KERNEL_FORK},
		{{"f@app", "_exit" LIBC, "!do_exit@[kernel]", "!__mmput@[kernel]",
			 "!exit_mmap@[kernel]", "!unmap_vmas@[kernel]", "!zap_pte_range@[kernel]"},
			0, SD_ACTIVITY_KERNEL_FORK},
		{{"start_thread" LIBC, "!do_exit@[kernel]", "!exit_notify@[kernel]"}, 0,
			SD_ACTIVITY_KERNEL_THREADS},
		{{"f@app", "open" LIBC, "!do_sys_openat2@[kernel]", "!alloc_fd@[kernel]",
			 "!native_queued_spin_lock_slowpath@[kernel]"},
			0, SD_ACTIVITY_KERNEL_DESCRIPTORS},
		{{"f@app", "close" LIBC, "!__x64_sys_close@[kernel]", "!__fput@[kernel]",
			 "!dput@[kernel]"},
			0, SD_ACTIVITY_KERNEL_DESCRIPTORS},
		{{"f@app", "close" LIBC, "!exit_to_user_mode_prepare@[kernel]",
			 "!task_work_run@[kernel]", "!____fput@[kernel]", "!__fput@[kernel]"},
			0, SD_ACTIVITY_KERNEL_DESCRIPTORS},
		{{"!do_exit@[kernel]", "!exit_files@[kernel]", "!filp_close@[kernel]",
			 "!__fput@[kernel]"},
			0, SD_ACTIVITY_KERNEL_THREADS},
		{{"f@app", "open" LIBC, "!do_sys_openat2@[kernel]", "!getname_flags@[kernel]"}, 0,
			SD_ACTIVITY_KERNEL_NAMES},
		{{"f@app", "stat" LIBC, "!filename_lookup@[kernel]", "!path_lookupat@[kernel]",
			 "!link_path_walk@[kernel]", "!lookup_fast@[kernel]"},
			0, SD_ACTIVITY_KERNEL_NAMES},
		{{"f@app", "!do_futex@[kernel]", "!_raw_spin_lock@[kernel]"}, 0,
			SD_ACTIVITY_KERNEL_FUTEX},
		{{"f@app", "!ksys_write@[kernel]", "!tcp_sendmsg@[kernel]"}, 0,
			SD_ACTIVITY_KERNEL_NETWORK},
		{{"f@app", "!@[kernel]"}, 0, SD_ACTIVITY_KERNEL_OTHER},
		/* what the kernel does for threads that wait is the price of waiting */
		{{"GOMP_barrier" GOMP, "do_wait" GOMP, "!@[kernel]"}, 0,
			SD_ACTIVITY_KERNEL_THREADS},
		{{"f@app", "pthread_cond_signal" LIBC, "!futex_wake@[kernel]"}, 0,
			SD_ACTIVITY_KERNEL_THREADS},
		{{"pthread_create" LIBC, "!kernel_clone@[kernel]", "!copy_creds@[kernel]"}, 0,
			SD_ACTIVITY_KERNEL_THREADS},
		{{"f@app", "pthread_mutex_lock" LIBC, "!futex_wait@[kernel]", "!schedule@[kernel]"},
			0, SD_ACTIVITY_KERNEL_LOCKING},
		{{"f@app", "pthread_mutex_unlock" LIBC, "!@[kernel]"}, 0,
			SD_ACTIVITY_KERNEL_LOCKING},
		{{"f@app", "pthread_mutex_lock" LIBC, "!exc_page_fault@[kernel]"}, 0,
			SD_ACTIVITY_KERNEL_FAULT},
	};
	struct sd_wait_rules r;

	(void)state;
	if (sd_wait_rules_load(&r, NULL, &sink))
		fail_msg("%s", said);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_stacks s = {0};
		const unsigned node = stack_of(&s, rows[i].frame);
		const enum sd_activity a = sd_wait_match_activity(&r, &s, node, rows[i].blocked);

		if (a != rows[i].is)
			fail_msg("row %zu: %s, not %s", i, sd_activity_info[a].name,
				sd_activity_info[rows[i].is].name);
		sd_stacks_free(&s);
	}
	sd_wait_rules_free(&r);
}

static void only_the_frame_where_a_scheduler_was_entered_switches(void **state)
{
	static const char *const frames[] = {
		"main.f@app", "runtime.mcall@app", "runtime.findRunnable@app", NULL};
	struct sd_wait_rules r;
	struct sd_stacks s = {0};
	const unsigned node = stack_of(&s, frames);

	(void)state;
	assert_int_equal(sd_wait_rules_load(&r, NULL, &sink), 0);
	assert_int_equal(sd_wait_match_enters_at(&r, &s, node), SD_WAIT_MATCH_NOTHING);
	assert_int_equal(
		sd_wait_match_enters_at(&r, &s, s.node[node].parent), SD_WAIT_MATCH_SCHEDULER);
	assert_int_equal(sd_wait_match_enters_at(&r, &s, 1), SD_WAIT_MATCH_NOTHING);
	assert_int_equal(sd_wait_match_enters_at(&r, &s, 0), SD_WAIT_MATCH_NOTHING);
	sd_stacks_free(&s);
	sd_wait_rules_free(&r);
}

static void the_inner_frames_decide_and_far_callers_do_not(void **state)
{
	static const char *const deep[] = {
		"sem_wait@x", "a@x", "b@x", "c@x", "d@x", "e@x", "f@x", NULL};
	static const char text[] =
		"rules = ( { function = \"sem_wait\"; blocked = \"semaphore\"; } );";
	struct sd_wait_rules r = {0};
	struct sd_stacks s = {0};
	const unsigned node = stack_of(&s, deep);

	(void)state;
	assert_int_equal(sd_wait_rules_parse(&r, "x.conf", text, sizeof text - 1, &sink), 0);
	assert_int_equal(sd_wait_match_activity(&r, &s, node, 1), SD_ACTIVITY_UNKNOWN);
	assert_int_equal(
		sd_wait_match_activity(&r, &s, s.node[node].parent, 1), SD_ACTIVITY_SEMAPHORE);
	assert_int_equal(sd_wait_match_activity(&r, &s, 0, 1), SD_ACTIVITY_UNKNOWN);
	sd_stacks_free(&s);
	sd_wait_rules_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rules_of_this_program_know_what_threads_wait_for),
		cmocka_unit_test(only_the_frame_where_a_scheduler_was_entered_switches),
		cmocka_unit_test(the_inner_frames_decide_and_far_callers_do_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
