/*
 * Preloaded into scalediag by tests: the n-th call of a kind fails, as it does without memory,
 * descriptors, processes or room on the disk. SD_FAULT=KIND:N; with N 0 none fails. Of memory all
 * calls from the n-th on fail, and mappings: so it is at a limit, and so libraries that cannot do
 * without are ended in order (base/out_of_memory.h). SD_FAULT_COUNT=FILE gets a byte a call, so
 * that its size says how many there are. The C library's own calls of malloc count as well, its own
 * system calls do not. Of "later" and "earlier" the time of day is set a year on or back at the
 * n-th call. Programs that scalediag starts are left alone.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum kind { MEMORY, OPEN, READ, WRITE, MMAP, FORK, PIPE, KERNEL, LATER, EARLIER, KINDS };
static const char *const kind_name[KINDS] = {
	"memory", "open", "read", "write", "mmap", "fork", "pipe", "kernel", "later", "earlier"};
static const int kind_error[KINDS] = {
	ENOMEM, EMFILE, EIO, ENOSPC, ENOMEM, EAGAIN, EMFILE, EACCES, 0, 0};

static int on, counts = -1;
static enum kind kind;
static unsigned long nth;
static atomic_ulong calls;

/* Whether this call is the one that fails; errno is set then. */
static int fails(enum kind k)
{
	const int exhausts = kind == MEMORY && nth > 0;
	unsigned long n;

	if (!on || (k != kind && !(exhausts && k == MMAP)))
		return 0;
	n = k == kind ? atomic_fetch_add(&calls, 1) + 1 : atomic_load(&calls);
	if (counts >= 0 && k == kind)
		(void)!syscall(SYS_write, counts, ".", 1);
	if (exhausts ? n < nth : n != nth)
		return 0;
	errno = kind_error[k];
	return 1;
}

/* The next one of the same name; what dlsym() itself asks for comes from here. */
static _Alignas(16) char early[1 << 16];
static size_t early_used;

static void *take_early(size_t n)
{
	void *const p = early + early_used;

	early_used += (n + 15) / 16 * 16;
	if (early_used > sizeof early)
		abort();
	return p;
}

static int is_early(const void *p)
{
	return (uintptr_t)p - (uintptr_t)early < sizeof early;
}

static void *next(void **cache, const char *name)
{
	static _Thread_local int within;

	if (!*cache && !within) {
		within = 1;
		*cache = dlsym(RTLD_NEXT, name);
		within = 0;
	}
	return *cache;
}

#define REAL(f)                      \
	static void *cache_of_##f;   \
	union {                      \
		void *p;             \
		__typeof__(&f) call; \
	} real_##f = {.p = next(&cache_of_##f, #f)}

/* ---- memory ---------------------------------------------------------------------------------- */

void *malloc(size_t n)
{
	REAL(malloc);
	if (!real_malloc.p)
		return take_early(n);
	return fails(MEMORY) ? NULL : real_malloc.call(n);
}

void *calloc(size_t n, size_t size)
{
	REAL(calloc);
	if (!real_calloc.p)
		return take_early(n * size);
	return fails(MEMORY) ? NULL : real_calloc.call(n, size);
}

void *realloc(void *p, size_t n)
{
	REAL(realloc);
	if (is_early(p) || !real_realloc.p) {
		void *const fresh = malloc(n);

		if (p && fresh)
			memcpy(fresh, p, n < 1024 ? n : 1024);
		return fresh;
	}
	return fails(MEMORY) ? NULL : real_realloc.call(p, n);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

int posix_memalign(void **p, size_t alignment, size_t n)
{
	REAL(posix_memalign);
	return fails(MEMORY) ? ENOMEM : real_posix_memalign.call(p, alignment, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
	REAL(aligned_alloc);
	return fails(MEMORY) ? NULL : real_aligned_alloc.call(alignment, n);
}

void free(void *p)
{
	REAL(free);
	if (!is_early(p) && real_free.p)
		real_free.call(p);
}

/* ---- the others ------------------------------------------------------------------------------ */

/* result name(parameters): `failed`, or what name(arguments) gives */
#define CALL(kind, failed, result, name, parameters, arguments)           \
	result name parameters;                                           \
	result name parameters                                            \
	{                                                                 \
		REAL(name);                                               \
		return fails(kind) ? failed : real_##name.call arguments; \
	}

#define OPENED(name, parameters, arguments)                                         \
	int name(parameters, int flags, ...)                                        \
	{                                                                           \
		mode_t mode = 0;                                                    \
		REAL(name);                                                         \
		if (flags & (O_CREAT | O_TMPFILE)) {                                \
			va_list ap;                                                 \
			va_start(ap, flags);                                        \
			mode = va_arg(ap, mode_t);                                  \
			va_end(ap);                                                 \
		}                                                                   \
		return fails(OPEN) ? -1 : real_##name.call(arguments, flags, mode); \
	}
#define TWO(a, b) a, b

OPENED(open, const char *path, path)
OPENED(open64, const char *path, path)
OPENED(openat, TWO(int at, const char *path), TWO(at, path))
OPENED(openat64, TWO(int at, const char *path), TWO(at, path))
CALL(OPEN, NULL, FILE *, fopen, (const char *path, const char *mode), (path, mode))
CALL(OPEN, NULL, FILE *, fopen64, (const char *path, const char *mode), (path, mode))
CALL(OPEN, NULL, FILE *, fdopen, (int fd, const char *mode), (fd, mode))
CALL(OPEN, NULL, DIR *, opendir, (const char *path), (path))
CALL(OPEN, NULL, DIR *, fdopendir, (int fd), (fd))
CALL(OPEN, -1, int, memfd_create, (const char *name, unsigned flags), (name, flags))

CALL(READ, -1, ssize_t, read, (int fd, void *to, size_t n), (fd, to, n))
CALL(READ, -1, ssize_t, pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at))
CALL(READ, -1, ssize_t, pread64, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at))

CALL(WRITE, -1, ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n))
CALL(WRITE, -1, ssize_t, pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at))
CALL(WRITE, -1, int, ftruncate, (int fd, off_t n), (fd, n))
CALL(WRITE, -1, int, fsync, (int fd), (fd))
CALL(WRITE, -1, int, rename, (const char *from, const char *to), (from, to))
/* The disk has no room for what is in the buffer; a stream in memory has no disk. */
#define ENDED(name)                                       \
	int name(FILE *f)                                 \
	{                                                 \
		REAL(name);                               \
		if (!f || fileno(f) < 0 || !fails(WRITE)) \
			return real_##name.call(f);       \
		real_##name.call(f);                      \
		errno = ENOSPC;                           \
		return EOF;                               \
	}

ENDED(fflush)
ENDED(fclose)

CALL(MMAP, MAP_FAILED, void *, mmap, (void *p, size_t n, int prot, int flags, int fd, off_t at),
	(p, n, prot, flags, fd, at))
CALL(MMAP, MAP_FAILED, void *, mmap64, (void *p, size_t n, int prot, int flags, int fd, off64_t at),
	(p, n, prot, flags, fd, at))

CALL(FORK, -1, pid_t, fork, (void), ())
CALL(FORK, EAGAIN, int, pthread_create,
	(pthread_t * t, const pthread_attr_t *a, void *(*f)(void *), void *ctx), (t, a, f, ctx))
CALL(FORK, EAGAIN, int, posix_spawn,
	(pid_t * pid, const char *path, const posix_spawn_file_actions_t *f,
		const posix_spawnattr_t *a, char *const argv[], char *const env[]),
	(pid, path, f, a, argv, env))
CALL(FORK, EAGAIN, int, posix_spawnp,
	(pid_t * pid, const char *path, const posix_spawn_file_actions_t *f,
		const posix_spawnattr_t *a, char *const argv[], char *const env[]),
	(pid, path, f, a, argv, env))

CALL(PIPE, -1, int, pipe, (int fd[2]), (fd))
CALL(PIPE, -1, int, pipe2, (int fd[2], int flags), (fd, flags))
CALL(PIPE, -1, int, socketpair, (int domain, int type, int protocol, int fd[2]),
	(domain, type, protocol, fd))
CALL(PIPE, -1, int, eventfd, (unsigned n, int flags), (n, flags))
CALL(PIPE, -1, int, dup, (int fd), (fd))

/* perf_event_open, bpf, clone3, pidfd_open: what has no function of its own */
long syscall(long number, ...)
{
	long a[6];
	va_list ap;
	REAL(syscall);

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number != SYS_write && fails(KERNEL))
		return -1;
	return real_syscall.call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* ---- the time of day ------------------------------------------------------------------------- */

#define YEAR 31536000

/* s that the clock is off now. */
static time_t set_off(void)
{
	const int asked = on && nth > 0 && (kind == LATER || kind == EARLIER);

	if (!asked || atomic_fetch_add(&calls, 1) + 1 < nth)
		return 0;
	return kind == LATER ? YEAR : -YEAR;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	int rc;
	REAL(clock_gettime);

	rc = real_clock_gettime.call(id, t);
	if (!rc && id == CLOCK_REALTIME)
		t->tv_sec += set_off();
	return rc;
}

time_t time(time_t *t)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (t)
		*t = now.tv_sec;
	return now.tv_sec;
}

/* ---- from main on ---------------------------------------------------------------------------- */

static int (*main_of_program)(int, char **, char **);

static int main_with_faults(int argc, char **argv, char **env)
{
	const char *const what = getenv("SD_FAULT"), *const file = getenv("SD_FAULT_COUNT");
	const char *const colon = what ? strchr(what, ':') : NULL;

	for (int k = 0; colon && k < KINDS; k++)
		if (strlen(kind_name[k]) == (size_t)(colon - what) &&
			strncmp(kind_name[k], what, (size_t)(colon - what)) == 0) {
			if (file)
				counts =
					open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
			nth = strtoul(colon + 1, NULL, 10);
			kind = (enum kind)k;
			on = strcmp(program_invocation_short_name, "scalediag") == 0;
		}
	return main_of_program(argc, argv, env);
}

int __libc_start_main(int (*program)(int, char **, char **), int argc, char **argv,
	int (*init)(int, char **, char **), void (*fini)(void), void (*at_end)(void), void *stack);
int __libc_start_main(int (*program)(int, char **, char **), int argc, char **argv,
	int (*init)(int, char **, char **), void (*fini)(void), void (*at_end)(void), void *stack)
{
	REAL(__libc_start_main);
	main_of_program = program;
	return real___libc_start_main.call(main_with_faults, argc, argv, init, fini, at_end, stack);
}
