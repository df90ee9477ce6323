#include "hotspots/function_role.h"

#include <string.h>

/* Name prefixes, after any underscores, of functions that take and release locks. */
static const char *const locking[] = {
	"pthread_mutex_",
	"pthread_rwlock_",
	"mtx_lock",
	"mtx_timedlock",
	"mtx_trylock",
	"mtx_unlock",
	"pthread_spin_",
	/* semaphores, which processes take as locks: glibc's, CPython's over them */
	"sem_wait",
	"sem_trywait",
	"sem_timedwait",
	"sem_clockwait",
	"sem_post",
	"new_sem_",
	"py::SemLock.",
	"GOMP_critical_",
	"GOMP_atomic_",
	"gomp_mutex_",
	"omp_set_lock",
	"omp_unset_lock",
	"omp_set_nest_lock",
	"omp_unset_nest_lock",
	"kmpc_critical",
	"kmpc_end_critical",
	"kmpc_set_lock",
	"kmpc_unset_lock",
	"kmpc_set_nest_lock",
	"kmpc_unset_nest_lock",
	/* Go */
	"sync.(*Mutex).",
	"internal/sync.(*Mutex).",
	"runtime.lock2",
	"runtime.unlock2",
	/* Rust: its library's of several versions, and what else is used for the purpose */
	"std::sync::mutex::Mutex",
	"std::sync::poison::mutex::Mutex",
	"std::sys::sync::mutex::",
	"std::sys::unix::locks::",
	"parking_lot::raw_mutex",
	"lock_api::mutex::",
	"tokio::sync::mutex::",
	"tokio::sync::batch_semaphore::",
	"async_lock::",
	"futures_util::lock::",
	/* HotSpot's monitors */
	"ObjectMonitor::",
	"ObjectSynchronizer::",
	"SharedRuntime::complete_monitor_",
};

/* Parts of Rust's names before the type whose method or end it is:
 * "<std::sync::poison::mutex::MutexGuard<T> as core::ops::drop::Drop>::drop". */
static const char *const before_type[] = {
	"core::ptr::drop_in_place<", "core::option::Option<", "<"};

/* How the names begin of what makes tasks, hands them or pieces of a loop out and looks for them:
 * libgomp, libomp, TBB, Rayon, Go, Tokio, Asio, Java's executors. */
static const char *const tasking[] = {
	"GOMP_task",
	"gomp_task",
	"gomp_barrier_handle_tasks",
	"GOMP_loop_",
	"gomp_iter_dynamic_next",
	"gomp_iter_guided_next",
	"__kmpc_dispatch_next",
	"__kmp_dispatch_next",
	"__kmpc_omp_task",
	"__kmp_omp_task",
	"__kmp_task_",
	"__kmp_execute_tasks",
	"__kmp_push_task",
	"__kmp_steal_task",
	"rayon_core::",
	"tbb::detail::r1::spawn",
	"tbb::detail::r1::wait",
	"tbb::detail::r1::execute_and_wait",
	"runtime.newproc",
	"tokio::task::spawn::",
	"asio::detail::scheduler::post_",
	"boost::asio::detail::scheduler::post_",
	"java.util.concurrent.AbstractExecutorService.",
	"java.util.concurrent.ThreadPoolExecutor.execute",
	"java.util.concurrent.ThreadPoolExecutor.getTask",
	"java.util.concurrent.FutureTask.set",
	"java.util.concurrent.FutureTask.finishCompletion",
	"java.util.concurrent.LinkedBlockingQueue.",
};

/* Parts of the names of what makes messages of objects, sends them to other processes or threads,
 * and makes objects of them: CPython's multiprocessing and pickle, and others' in its place, V8's
 * workers. NULL: any. */
static const struct {
	const char *function, *file, *module;
} packing[] = {
	{NULL, "/multiprocessing/reduction.py", NULL},
	{NULL, "/multiprocessing/connection.py", NULL},
	{NULL, "/multiprocessing/queues.py", NULL},
	{NULL, "/pickle.py", NULL},
	{NULL, "/cloudpickle/", NULL},
	{NULL, "/loky/backend/", NULL},
	{NULL, NULL, "/_pickle.cpython-"},
	{"v8::internal::ValueSerializer::", NULL, NULL},
	{"v8::internal::ValueDeserializer::", NULL, NULL},
};

/* How the names begin of code that comes with a runtime that compiles: HotSpot's stubs and the Java
 * and Kotlin libraries, V8's. */
static const char *const runtimes[] = {
	"Interpreter",
	"StubRoutines",
	"SafepointBlob",
	"DeoptimizationBlob",
	"UncommonTrapBlob",
	"ExceptionBlob",
	"I2C/C2I adapters",
	"MethodHandles adapters",
	"vtable stub",
	"itable stub",
	"vtable chunks",
	"native nmethod",
	"java.",
	"javax.",
	"jdk.",
	"sun.",
	"com.sun.",
	"kotlin.",
	"scala.",
	"Builtin:",
	"BytecodeHandler:",
	"Stub:",
};

/* The name without what a method of Java returns: "void java.util.concurrent.FutureTask.run()". */
static const char *without_type(const char *name)
{
	const char *const end = strchr(name, '('), *at = end;

	while (end && at > name && at[-1] != ' ')
		at--;
	return at < end ? at : name;
}

int sd_function_role_is_runtimes(const char *name)
{
	size_t n;

	name = without_type(name);
	n = strlen(name);
	for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
		if (strncmp(name, runtimes[i], strlen(runtimes[i])) == 0)
			return 1;
	/* "monitorenter_nofpu Runtime1 stub", "_complete_monitor_locking_Java" */
	return strstr(name, "Runtime1 stub") ||
	       (name[0] == '_' && n > 5 && strcmp(name + n - 5, "_Java") == 0);
}

/* The name without the mark of a function that glibc calls within itself:
 * "__GI___pthread_mutex_unlock_usercnt", "__GI___libc_free". */
static const char *without_mark(const char *name)
{
	return strncmp(name, "__GI_", 5) == 0 ? name + 5 : name;
}

static const char *without_wrapping(const char *name)
{
	for (size_t i = 0; i < sizeof before_type / sizeof *before_type; i++)
		if (strncmp(name, before_type[i], strlen(before_type[i])) == 0)
			name += strlen(before_type[i]);
	return name;
}

int sd_function_role_locks(const char *name)
{
	name = without_mark(name);
	name += strspn(name, "_");
	name = without_wrapping(name);
	for (size_t i = 0; i < sizeof locking / sizeof *locking; i++)
		if (strncmp(name, locking[i], strlen(locking[i])) == 0)
			return 1;
	return 0;
}

int sd_function_role_locks_shared(const char *name)
{
	static const char rwlock[] = "pthread_rwlock_";

	name = without_mark(name);
	return strncmp(name + strspn(name, "_"), rwlock, strlen(rwlock)) == 0;
}

int sd_function_role_hands_out(const char *name)
{
	name = without_type(name);
	for (size_t i = 0; i < sizeof tasking / sizeof *tasking; i++)
		if (strncmp(name, tasking[i], strlen(tasking[i])) == 0)
			return 1;
	return 0;
}

static int has_part(const char *name, const char *part)
{
	return !part || strstr(name, part) != NULL;
}

int sd_function_role_packs(const char *name, const char *file, const char *module)
{
	for (size_t i = 0; i < sizeof packing / sizeof *packing; i++)
		if (has_part(name, packing[i].function) && has_part(file, packing[i].file) &&
			has_part(module, packing[i].module))
			return 1;
	return 0;
}

int sd_function_role_is_lock(const char *name)
{
	return strstr(name, "lll_lock") || strstr(name, "lll_mutex") || strstr(name, "futex") ||
	       strcmp(name, "syscall") == 0 || sd_function_role_locks(name);
}

size_t sd_function_role_stem(const char *name)
{
	static const char *const mark[] = {".constprop.", ".isra.", ".part.", ".cold", " [clone "};
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof mark / sizeof *mark; i++) {
		const char *const at = strstr(name, mark[i]);

		if (at && at > name && (size_t)(at - name) < n)
			n = (size_t)(at - name);
	}
	return n;
}
