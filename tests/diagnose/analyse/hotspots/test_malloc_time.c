/*
 * Time below malloc and in runtimes of tasks, by the functions of their stacks.
 */
#include "diagnose/analyse/hotspots/sampled_mixture.h"
#include "hotspots/allocator_names.h"
#include "hotspots/fold_stacks.h"
#include "hotspots/function_role.h"

/* A program that does nothing but allocate on 4 cores: its lock and its kernel are the
 * allocator's, whichever of its functions the symbol table calls. */
static void locks_below_malloc_are_the_allocators(void **state)
{
	static const struct {
		const char *function, *module;
		enum sd_allocator of;
	} name[] = {
		{"malloc", "/usr/lib/libc.so.6", SD_ALLOCATOR_ANY},
		{"free", "/usr/lib/libc.so.6", SD_ALLOCATOR_ANY},
		{"cfree", "/usr/lib/libc.so.6", SD_ALLOCATOR_ANY},
		{"__GI___libc_free", "/usr/lib/libc.so.6", SD_ALLOCATOR_ANY},
		{"rpmalloc", "/usr/lib/librp.so", SD_ALLOCATOR_ANY},
		{"free", "/lib/ld-musl-x86_64.so.1", SD_ALLOCATOR_MUSL},
		{"free", "/usr/lib/x86_64-linux-musl/libc.so", SD_ALLOCATOR_MUSL},
		{"__libc_malloc_impl", "/usr/lib/a", SD_ALLOCATOR_MUSL},
		{"je_malloc", "/usr/lib/a", SD_ALLOCATOR_JEMALLOC},
		{"_rjem_je_arena_malloc_hard", "/usr/lib/a", SD_ALLOCATOR_JEMALLOC},
		{"free", "/usr/lib/libjemalloc.so.2", SD_ALLOCATOR_JEMALLOC},
		{"[libjemalloc.so.2+0x1234]", "/opt/libjemalloc.so.2", SD_ALLOCATOR_JEMALLOC},
		{"mi_free", "/usr/lib/a", SD_ALLOCATOR_MIMALLOC},
		{"_mi_page_reclaim", "/usr/lib/a", SD_ALLOCATOR_MIMALLOC},
		{"tc_newarray", "/usr/lib/a", SD_ALLOCATOR_TCMALLOC},
		{"tcmalloc::CentralFreeList::RemoveRange(int, void**, void**)",
			"/usr/lib/libtcmalloc.so.4", SD_ALLOCATOR_TCMALLOC},
		{"scalable_malloc", "/usr/lib/a", SD_ALLOCATOR_TBB},
	};
	static const unsigned cores[] = {1, 4};
	static const struct sample one = {.wall = 10, .user = 9.9, .system = .1};
	static const struct sample many = {
		.wall = 5, .user = 10, .system = .1, .idle = {[SD_IDLE_LOCK] = 9.9}};

	(void)state;
	for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
		struct sd_record r;
		struct sd_analysis a;
		unsigned memory;

		record_make(&r, cores, 2);
		memory = make_call(
			&r, make_stacks(&r).relax, name[k].function, NULL, 0, name[k].module);
		for (int i = 0; i < RUNS; i++) {
			struct sd_run *run = record_sample(&r, 0, &one, 1 + .001 * i);
			struct sd_use *u;

			make_use(run, memory, SD_ACTIVITY_USEFUL, 9.9);
			run = record_sample(&r, 1, &many, 1 + .001 * i);
			u = make_use(run, memory, SD_ACTIVITY_USEFUL, 10);
			u->blame = u->blame_lock = 9.9;
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		if (a.finding[0].cause != SD_CAUSE_ALLOCATOR)
			fail_msg("%s of %s", name[k].function, name[k].module);
		assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
		assert_near(a.finding[0].cores.value, (9.9 + .1) / 5, 1e-2);
		assert_string_equal(a.finding[0].where[0].function, "relax");
		assert_string_equal(a.finding[0].where[0].in, name[k].function);
		assert_int_equal(
			sd_allocator_names_of(name[k].function, name[k].module), name[k].of);
		assert_int_equal(
			finding_of(&a, SD_CAUSE_LOCK_CONTENTION)->verdict, SD_VERDICT_RULED_OUT);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* 12 of the 15 s that are lost go to the runtime that makes tasks, below malloc and while others
 * wait for it; what tasks themselves do is not its. */
static void tasks_that_are_too_small_are_barrier_overhead_and_nothing_else(void **state)
{
	static const unsigned cores[] = {1, 4};
	static const struct sample one = {.wall = 10, .user = 9.9, .system = .1};
	static const struct sample many = {.wall = 5,
		.user = 14,
		.system = .1,
		.idle = {[SD_IDLE_LOCK] = 1.9, [SD_IDLE_SERIAL] = 4}};

	static const struct {
		const char *function, *module;
	} makers[] = {{"memcpy", "/usr/lib/libgomp.so.1"}, {"GOMP_task", "/usr/lib/libgomp.so.1"},
		{"runtime.newproc.func1", "/app/a"}};

	(void)state;
	for (size_t k = 0; k < sizeof makers / sizeof *makers; k++) {
		const int small = k > 0;
		struct sd_record r;
		struct sd_analysis a;
		unsigned loop, make, memory, task;

		record_make(&r, cores, 2);
		loop = make_call(&r, 0, "loop", "/src/a.c", 10, "/app/a");
		make = make_call(&r, loop, makers[k].function, NULL, 0, makers[k].module);
		memory = make_call(&r, make, "malloc", NULL, 0, "/usr/lib/libc.so.6");
		task = make_call(&r, make, "task", "/src/a.c", 12, "/app/a");
		for (int i = 0; i < RUNS; i++) {
			struct sd_run *run = record_sample(&r, 0, &one, 1 + .001 * i);
			struct sd_use *u;

			make_use(run, task, SD_ACTIVITY_USEFUL, 9.9);
			run = record_sample(&r, 1, &many, 1 + .001 * i);
			make_use(run, task, SD_ACTIVITY_USEFUL, 8);
			u = make_use(run, memory, SD_ACTIVITY_USEFUL, 4);
			u->blame = u->blame_serial = 4;
			u = make_use(run, make, SD_ACTIVITY_USEFUL, 1);
			u->blame = u->blame_lock = 1.9;
			make_use(run, loop, SD_ACTIVITY_SPIN_BARRIER, 1);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.finding[0].cause == SD_CAUSE_BARRIER_OVERHEAD, small);
		assert_int_equal(finding_of(&a, SD_CAUSE_SERIAL_CODE)->verdict,
			small ? SD_VERDICT_RULED_OUT : SD_VERDICT_LIKELY);
		assert_int_equal(finding_of(&a, SD_CAUSE_LOCK_CONTENTION)->verdict,
			small ? SD_VERDICT_RULED_OUT : SD_VERDICT_LIKELY);
		if (small) {
			assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
			/* 4 + 1 ran there, 4 + 1.9 waited, 1 spun; 5 s long */
			assert_near(a.finding[0].cores.value, 11.9 / 5, 1e-2);
			assert_string_equal(a.finding[0].where[0].function, "loop");
		}
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Threads wait in malloc for a lock whose owner was elsewhere when it was sampled: that is the
 * allocator's, and no lock of the program's; waits for another lock beside it stay lock contention.
 */
static void waits_in_malloc_are_its_own_wherever_the_owner_was(void **state)
{
	static const unsigned cores[] = {1, 4};
	static const struct sample one = {.wall = 10, .user = 9.9, .system = .1};
	static const struct sample many = {
		.wall = 5, .user = 10, .system = .1, .idle = {[SD_IDLE_LOCK] = 9.9}};

	(void)state;
	for (int others = 0; others < 2; others++) {
		struct sd_record r;
		struct sd_analysis a;
		struct stacks s;

		record_make(&r, cores, 2);
		s = make_stacks(&r);
		for (int i = 0; i < RUNS; i++) {
			struct sd_run *run = record_sample(&r, 0, &one, 1 + .001 * i);
			struct sd_use *u;

			make_use(run, s.relax, SD_ACTIVITY_USEFUL, 9.9);
			run = record_sample(&r, 1, &many, 1 + .001 * i);
			u = make_use(run, s.relax, SD_ACTIVITY_USEFUL, 9);
			u->blame = u->blame_lock = 9;
			u = make_use(run, s.malloc, SD_ACTIVITY_USEFUL, 1);
			u->blame = u->blame_lock = .9;
			make_use(run, s.malloc, SD_ACTIVITY_MUTEX, others ? 4.95 : 9.9);
			if (others)
				make_use(run, s.relax, SD_ACTIVITY_MUTEX, 4.95);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_near(finding_of(&a, SD_CAUSE_ALLOCATOR)->cores.value,
			((others ? 4.95 : 9.9) + 1) / 5, 1e-2);
		assert_near(finding_of(&a, SD_CAUSE_LOCK_CONTENTION)->cores.value,
			others ? 4.95 / 5 : 0, 1e-2);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Names that are like an allocator's: MyISAM's, a program's own. */
static void who_has_a_part_of_an_allocators_name_allocates_nothing(void **state)
{
	static const char *const name[] = {"mi_write", "free_list_walk", "tc_step",
		"je_ne_sais_quoi", "rphase", "std::vector<int, std::allocator<int>>::size()",
		"(anonymous namespace)::do_free_pages(Book*)", ""};

	(void)state;
	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		assert_int_equal(sd_allocator_names_of(name[i], "/home/me/app"), SD_ALLOCATOR_NONE);
}

/* Sets the clock to a share of the rate that a core has to itself. */
static void set_width(struct sd_run *r, double share)
{
	r->metric[SD_METRIC_WIDTH] = SD_OK(3.8 * share);
	r->metric[SD_METRIC_WIDTH_LEAST] = SD_OK(3.8 * share);
	r->metric[SD_METRIC_WIDTH_MOST] = SD_OK(3.8);
}

/* Others' use of the cores makes time below malloc as much slower as all else. */
static void time_below_malloc_on_shared_cores_is_possible_at_most(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 10, .user = 9.9, .system = .1};
	static const struct sample many = {.wall = 6.6, .user = 13.1, .system = .1};

	(void)state;
	for (int shared = 0; shared < 2; shared++) {
		struct sd_record r;
		struct sd_analysis a;
		struct stacks s;

		record_make(&r, cores, 2);
		s = make_stacks(&r);
		for (int i = 0; i < RUNS; i++) {
			struct sd_run *run = record_sample(&r, 0, &one, 1 + .001 * i);

			set_width(run, 1);
			make_use(run, s.relax, SD_ACTIVITY_USEFUL, 8.9);
			make_use(run, s.malloc, SD_ACTIVITY_USEFUL, 1);
			run = record_sample(&r, 1, &many, 1 + .001 * i);
			set_width(run, shared ? .7 : 1);
			make_use(run, s.relax, SD_ACTIVITY_USEFUL, 8.9);
			make_use(run, s.malloc, SD_ACTIVITY_USEFUL, 4.2);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.scales, shared ? SD_SCALES_UNKNOWN : SD_SCALES_NO);
		assert_int_equal(finding_of(&a, SD_CAUSE_ALLOCATOR)->verdict,
			shared ? SD_VERDICT_POSSIBLE : SD_VERDICT_LIKELY);
		/* all that grew is below malloc: nothing of it is left without a cause */
		assert_int_equal(sd_has(a.undecided), shared);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Functions that glibc calls within itself have a mark before their names. */
static void a_lock_is_one_by_whichever_of_its_names(void **state)
{
	static const char *const locks[] = {"pthread_mutex_lock", "__pthread_mutex_lock",
		"__GI___pthread_mutex_unlock_usercnt", "__GI___pthread_rwlock_unlock",
		"__kmpc_critical",
		/* what processes lock by: POSIX semaphores, and CPython's over them */
		"sem_wait", "__new_sem_wait_slow64", "__new_sem_post",
		"py::SemLock.__exit__:/usr/lib/python3.11/multiprocessing/synchronize.py"};

	(void)state;
	for (size_t i = 0; i < sizeof locks / sizeof *locks; i++)
		assert_true(sd_function_role_locks(locks[i]));
	assert_true(sd_function_role_locks_shared("__GI___pthread_rwlock_unlock"));
	assert_false(sd_function_role_locks("__GI___pthread_join"));
	assert_false(sd_function_role_locks("semop_table_find"));
}

/* A language's own lock is one in its methods and where its guard ends, and not in code that only
 * holds one. */
static void a_lock_of_a_language_is_one(void **state)
{
	static const char *const locks[] = {"sync.(*Mutex).lockSlow", "runtime.unlock2",
		"std::sync::poison::mutex::Mutex<T>::lock",
		"<std::sync::poison::mutex::MutexGuard<T> as core::ops::drop::Drop>::drop",
		"core::ptr::drop_in_place<std::sync::mutex::MutexGuard<u64>>",
		"std::sys::sync::mutex::futex::Mutex::lock_contended",
		"core::ptr::drop_in_place<core::option::Option<std::sync::poison::mutex::MutexGuard<u64>>>",
		"tokio::sync::mutex::Mutex<T>::lock::{{closure}}",
		"<tokio::sync::batch_semaphore::Acquire as core::future::future::Future>::poll",
		"<parking_lot::raw_mutex::RawMutex as lock_api::mutex::RawMutex>::lock",
		"ObjectMonitor::enter(JavaThread*)"};
	static const char *const others[] = {"sync.(*WaitGroup).Wait", "sync.(*Pool).Get",
		"core::ptr::drop_in_place<alloc::sync::Arc<std::sync::mutex::Mutex<u64>>>",
		"alloc::vec::Vec<std::sync::mutex::Mutex<u64>>::push",
		"tokio::sync::mpsc::bounded::Sender<T>::send",
		"tokio::runtime::task::harness::poll"};

	(void)state;
	for (size_t i = 0; i < sizeof locks / sizeof *locks; i++)
		assert_true(sd_function_role_locks(locks[i]));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false(sd_function_role_locks(others[i]));
}

/* Making tasks is, and neither running nor waking them. */
static void tasks_of_a_runtime_are_made_by_it(void **state)
{
	static const char *const made[] = {"runtime.newproc.abi0", "tokio::task::spawn::spawn",
		"asio::detail::scheduler::post_immediate_completion(asio::detail::operation*, bool)",
		"java.util.concurrent.Future java.util.concurrent.AbstractExecutorService.submit(java.util.concurrent.Callable)"};
	static const char *const others[] = {"tokio::sync::mpsc::bounded::Sender<T>::send",
		"runtime.goexit.abi0",
		"tokio::runtime::scheduler::multi_thread::worker::Context::run",
		"asio::detail::scheduler::run(std::error_code&)"};

	(void)state;
	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		assert_true(sd_function_role_hands_out(made[i]));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false(sd_function_role_hands_out(others[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_is_one_by_whichever_of_its_names),
		cmocka_unit_test(a_lock_of_a_language_is_one),
		cmocka_unit_test(tasks_of_a_runtime_are_made_by_it),
		cmocka_unit_test(who_has_a_part_of_an_allocators_name_allocates_nothing),
		cmocka_unit_test(waits_in_malloc_are_its_own_wherever_the_owner_was),
		cmocka_unit_test(locks_below_malloc_are_the_allocators),
		cmocka_unit_test(tasks_that_are_too_small_are_barrier_overhead_and_nothing_else),
		cmocka_unit_test(time_below_malloc_on_shared_cores_is_possible_at_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
