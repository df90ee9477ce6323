/*
 * A sandbox of tests' programs: from then on a process that opens a file is killed, as by a
 * program's own filter that has only what it needs itself.
 */
#ifndef FILE_SANDBOX_H
#define FILE_SANDBOX_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* 0, or -1: no such filters here. */
static int file_sandbox_enter(void)
{
	static const unsigned opens[] = {
		SYS_openat,
#ifdef SYS_open
		SYS_open,
#endif
	};
	const size_t n = sizeof opens / sizeof *opens;
	struct sock_filter code[2 * sizeof opens / sizeof *opens + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};

	for (size_t i = 0; i < n; i++) {
		code[1 + 2 * i] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, opens[i], 0, 1);
		code[2 + 2 * i] =
			(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	}
	code[2 * n + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
			       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
				       &(struct sock_fprog){(unsigned short)(2 * n + 2), code})
		       ? -1
		       : 0;
}

#endif
