/*
 * Parsers of the kernel's per-process and per-machine text files. All take untrusted text, read
 * nothing else, and return 0 or -EINVAL with *out then unspecified. Formats: proc(5).
 */
#ifndef SD_PROC_PARSE_H
#define SD_PROC_PARSE_H

#include <stddef.h>
#include <stdint.h>

/* /proc/PID/stat and /proc/PID/task/TID/stat: the fields used here. */
struct sd_proc_stat {
	int pid, ppid;
	char comm[16];
	char state;              /* R S D Z T t X I … */
	uint64_t flags;          /* PF_... of the kernel */
	uint64_t utime, stime;   /* clock ticks */
	uint64_t cutime, cstime; /* of its waited-for children */
	uint64_t start;          /* clock ticks after boot */
	int processor; /* the CPU it is or was last on, or whose turn it waits for; -1: not there */
	int policy;    /* of scheduling, SCHED_OTHER and its like; -1: not there */
	uint64_t blkio; /* clock ticks of block-I/O wait; 0 without delay accounting */
	int has_blkio;  /* the field exists (Linux 2.6.18) */
};

/* Control characters of comm are replaced by '?'; it may hold spaces, parentheses, newlines. */
int sd_proc_parse_stat(const char *text, struct sd_proc_stat *out);

/* /proc/PID/task/TID/schedstat. */
struct sd_proc_sched {
	uint64_t run_ns;   /* on a CPU */
	uint64_t delay_ns; /* runnable without a CPU; counted when that ends */
	uint64_t slices;   /* times it was put on a CPU */
};

int sd_proc_parse_schedstat(const char *text, struct sd_proc_sched *out);

/* /proc/PID/task/TID/syscall. */
enum sd_proc_where {
	SD_PROC_RUNNING, /* "running": on a CPU or ready */
	SD_PROC_BLOCKED, /* blocked outside a system call: a page fault, or in the kernel */
	SD_PROC_SYSCALL, /* blocked in system call `nr` */
};

struct sd_proc_syscall {
	enum sd_proc_where where;
	long nr;
	uint64_t arg[6];
	uint64_t sp, pc; /* of user code; 0 not reported */
};

int sd_proc_parse_syscall(const char *text, struct sd_proc_syscall *out);

/* The next pid of a blank-separated list; advances *at. 0 at its end, -1 if malformed. */
int sd_proc_parse_next_pid(const char **at);

/* The value of a line like "PPid:" in /proc/PID/status, trimmed, into buf. -ENOENT: no such line;
 * -ERANGE: does not fit. */
int sd_proc_parse_key(const char *text, const char *key, char *buf, size_t size);

/* The integer after `key` and a blank at the start of a line, as in cpu.stat. -ENOENT: no such
 * line. */
int sd_proc_parse_flat(const char *text, const char *key, uint64_t *out);

/* The "some" line's total of /proc/pressure/..., in microseconds. */
int sd_proc_parse_pressure(const char *text, uint64_t *out);

/* One "cpuN ..." line of /proc/stat, in clock ticks. busy: user nice system irq softirq; guest time
 * is part of user. */
struct sd_proc_cpu {
	unsigned cpu;
	uint64_t busy, steal;
};

/* The first line, of all CPUs together. */
int sd_proc_parse_cpus(const char *text, struct sd_proc_cpu *out);

/* Finds the line of `cpu`; -ENOENT when there is none (offline). */
int sd_proc_parse_cpu(const char *text, unsigned cpu, struct sd_proc_cpu *out);

/* A line of /proc/PID/maps. Its name is the program's to choose: "/usr/lib/a b.so (deleted)",
 * "[heap]", "" anonymous. */
struct sd_proc_map {
	uint64_t start, end, offset; /* start <= end */
	uint32_t major, minor;
	uint64_t inode;   /* 0: of no file */
	char perms[8];    /* at least "rwxp" */
	const char *name; /* in the line */
};

/* The line loses its newline. */
int sd_proc_parse_map(char *line, struct sd_proc_map *out);

#endif
