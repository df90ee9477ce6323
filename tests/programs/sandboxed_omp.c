/*
 * Enters a sandbox once its team is there: from then on a system call that it does not need itself
 * kills it. Then it runs a region: sandboxed_omp TIMES prints its sum. With a second argument it is
 * root's sandbox, which keeps its privileges and kills where a file is opened, and the region runs
 * in a child.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEEDED 12

static int enter(void)
{
	static const int needed[NEEDED] = {SYS_write, SYS_exit, SYS_exit_group, SYS_futex, SYS_brk,
		SYS_mmap, SYS_munmap, SYS_mprotect, SYS_madvise, SYS_clock_gettime, SYS_sched_yield,
		SYS_fstat};
	struct sock_filter code[2 * NEEDED + 4] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	unsigned short n = 1;

	for (int i = 0; i < NEEDED; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned)needed[i], 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
#ifdef SYS_newfstatat
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_newfstatat, 0, 1);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
#endif
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){n, code});
}

static int enter_as_root(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0,
		       &(struct sock_fprog){sizeof code / sizeof *code, code}) != 0;
}

/* Returns in the child alone: 0. The parent ends as the child does. */
static int in_child(void)
{
	const pid_t pid = fork();
	int status = 0;

	if (pid <= 0)
		return pid ? 1 : 0;
	waitpid(pid, &status, 0);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

int main(int argc, char **argv)
{
	const int times = argc > 1 ? atoi(argv[1]) : 100;
	double sum = 0;

	if (argc > 2) {
		if (enter_as_root())
			return 77;
		if (in_child())
			return 1;
	} else {
		/* the runtime's threads are there before it; the next region is first seen inside
		 * it */
#pragma omp parallel
		__asm__ volatile("" ::: "memory");
		if (enter())
			return 77;
	}
	for (int k = 0; k < times; k++) {
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 1000; i++)
			sum += i;
	}
	printf("%g\n", sum);
	return 0;
}
