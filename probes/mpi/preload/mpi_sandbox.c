#include "preload/mpi_preload.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <sys/prctl.h>

static int sandboxed;

/* A program gives up new privileges before it installs a seccomp filter; only root may leave that
 * out, and then installs it by this call or by seccomp(2), which is not seen. */
__attribute__((visibility("default"))) int prctl(int option, ...)
{
	static int (*real)(int option, ...);
	unsigned long a[4];
	va_list ap;

	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(ap, unsigned long);
	va_end(ap);
	if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP)
		__atomic_store_n(&sandboxed, 1, __ATOMIC_RELEASE);
	if (!real)
		*(void **)(&real) = dlsym(RTLD_NEXT, "prctl");
	return real(option, a[0], a[1], a[2], a[3]);
}

int sd_mpi_sandboxed(void)
{
	return __atomic_load_n(&sandboxed, __ATOMIC_ACQUIRE);
}
