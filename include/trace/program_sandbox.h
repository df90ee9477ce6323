/*
 * Has a preloaded library notice that its program forbids itself system calls: a seccomp filter may
 * kill at those that the program does not make itself, so from then on the library makes none.
 *
 * It stands before prctl() and syscall(), for the whole program: giving up new privileges comes
 * before a filter of anybody but root; root's comes by prctl(), or by seccomp(2), which has no
 * function of its own and is called by syscall(), as libseccomp does. Code that has its own
 * instruction for that is not seen. To be included in one file of a library; several libraries
 * share what they know.
 */
#ifndef SD_PROGRAM_SANDBOX_H
#define SD_PROGRAM_SANDBOX_H

#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define SD_PROGRAM_SANDBOX_SHARED __attribute__((weak, visibility("default")))

SD_PROGRAM_SANDBOX_SHARED int sd_program_sandbox_entered;

/* 1: the program may have a filter. */
static inline int sd_program_sandbox_is(void)
{
	return __atomic_load_n(&sd_program_sandbox_entered, __ATOMIC_ACQUIRE);
}

static inline void sd_program_sandbox_see(long number, long option)
{
	if ((number == SYS_prctl && (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP)) ||
		(number == SYS_seccomp &&
			(option == SECCOMP_SET_MODE_STRICT || option == SECCOMP_SET_MODE_FILTER)))
		__atomic_store_n(&sd_program_sandbox_entered, 1, __ATOMIC_RELEASE);
}

/* A call itself, for those that come before the library's constructor: an allocator's, which may
 * not be called again by dlsym(). */
static inline long sd_program_sandbox_call(long number, const long *a)
{
	long result;

#if defined(__x86_64__)
	register long r10 __asm__("r10") = a[3], r8 __asm__("r8") = a[4], r9 __asm__("r9") = a[5];

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = a[0], x1 __asm__("x1") = a[1],
			 x2 __asm__("x2") = a[2], x3 __asm__("x3") = a[3], x4 __asm__("x4") = a[4],
			 x5 __asm__("x5") = a[5];

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	result = x0;
#else
	(void)number;
	(void)a;
	result = -ENOSYS;
#endif
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

static int (*sd_program_sandbox_prctl)(int option, ...);
static long (*sd_program_sandbox_syscall)(long number, ...);

__attribute__((constructor)) static void sd_program_sandbox_begin(void)
{
	*(void **)(&sd_program_sandbox_prctl) = dlsym(RTLD_NEXT, "prctl");
	*(void **)(&sd_program_sandbox_syscall) = dlsym(RTLD_NEXT, "syscall");
}

SD_PROGRAM_SANDBOX_SHARED int prctl(int option, ...)
{
	long a[6] = {option};
	va_list ap;

	va_start(ap, option);
	for (int i = 1; i < 5; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	sd_program_sandbox_see(SYS_prctl, option);
	return sd_program_sandbox_prctl ? sd_program_sandbox_prctl(option, a[1], a[2], a[3], a[4])
					: (int)sd_program_sandbox_call(SYS_prctl, a);
}

#if defined(__x86_64__) || defined(__aarch64__)
SD_PROGRAM_SANDBOX_SHARED long syscall(long number, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	sd_program_sandbox_see(number, a[0]);
	return sd_program_sandbox_syscall
		       ? sd_program_sandbox_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5])
		       : sd_program_sandbox_call(number, a);
}
#endif

#endif
