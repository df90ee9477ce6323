/*
 * Linked into the preloads of the portable archive, whose names of the C library carry no versions:
 * functions that glibc before 2.33, or musl, does not export. A program's C library has to have all
 * names of a preload, or it does not start.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OURS __attribute__((visibility("hidden")))

OURS int fstat(int fd, struct stat *out);
OURS int stat(const char *path, struct stat *out);
OURS int dladdr1(const void *address, Dl_info *out, void **extra, int flags);
OURS int backtrace(void **frame, int n);
OURS int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void));

/* glibc 2.33 exports them first; before, a function of its static part called one of another name
 */
int fstat(int fd, struct stat *out)
{
	return (int)syscall(SYS_newfstatat, fd, "", out, AT_EMPTY_PATH);
}

int stat(const char *path, struct stat *out)
{
	return (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, 0);
}

/* musl has dladdr alone: where the symbol ends is not known then */
int dladdr1(const void *address, Dl_info *out, void **extra, int flags)
{
	int (*theirs)(const void *, Dl_info *, void **, int);

	*(void **)&theirs = dlsym(RTLD_NEXT, "dladdr1");
	*extra = NULL;
	return theirs ? theirs(address, out, extra, flags) : dladdr(address, out);
}

int backtrace(void **frame, int n)
{
	int (*theirs)(void **, int);

	*(void **)&theirs = dlsym(RTLD_NEXT, "backtrace");
	return theirs ? theirs(frame, n) : 0;
}

/* glibc of aarch64 has it in its static part alone, which calls the other; musl exports it */
int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void))
{
	int (*theirs)(void (*)(void), void (*)(void), void (*)(void), void *);
	int (*plain)(void (*)(void), void (*)(void), void (*)(void));

	*(void **)&theirs = dlsym(RTLD_NEXT, "__register_atfork");
	if (theirs)
		return theirs(before, parent, child, NULL);
	*(void **)&plain = dlsym(RTLD_NEXT, "pthread_atfork");
	return plain ? plain(before, parent, child) : 0;
}
