/*
 * Machines that allow less: no performance counters, an ordinary user, a kernel without schedstat.
 * The diagnosis comes all the same, and what was not measured is not a number.
 */
#include "e2e/e2e.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCH AUDIT_ARCH_AARCH64
#endif

#define NOBODY 65534

#ifdef ARCH
/* Installs a filter that answers one system call with `action`; returns what seccomp does. */
static long filter_call(unsigned call, unsigned action, unsigned flags)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static int deny_perf(void *ctx)
{
	const int *const error = ctx;

	return (int)filter_call(SYS_perf_event_open, SECCOMP_RET_ERRNO | (unsigned)*error, 0);
}
#endif

static const json_t *diagnosis(struct e2e *e, const struct e2e_result *r, const char *test)
{
	if (r->status == 125)
		e2e_skip(test, "this process may not set its limits up");
	e2e_expect_status(r, 0);
	return e2e_report(e, r);
}

static void without_performance_counters_the_diagnosis_comes_from_the_system(void **state)
{
#ifdef ARCH
	/* perf_event_paranoid 3; a kernel without perf; a container's filter */
	static int errors[] = {EACCES, ENOSYS, EPERM};
	struct e2e *const e = *state;

	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
		struct e2e_result r;
		const json_t *report;
		const char *pmu;

		e2e_run_hooked(e, &r, deny_perf, &errors[i], "--cores", "1", "--repeats", "2",
			"--json", e2e_program(e, "scales"), "0.05");
		report = diagnosis(e, &r, __func__);
		pmu = json_string_value(json_object_get(json_object_get(report, "host"), "pmu"));
		assert_true(pmu && strcmp(pmu, "ok") != 0);
		e2e_result_free(&r);
	}
#else
	(void)state;
	e2e_skip(__func__, "no filter for this architecture");
#endif
}

/* An ordinary user in a container: no capabilities, no counters, no cgroup to write to. */
static int become_nobody(void *ctx)
{
	(void)ctx;
	if (setgroups(0, NULL) < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
		return -1;
#ifdef ARCH
	return (int)filter_call(SYS_perf_event_open, SECCOMP_RET_ERRNO | EPERM, 0);
#else
	return 0;
#endif
}

/* Copies both executables to where that user can reach them. */
static void share_with_nobody(struct e2e *e, const char *program)
{
	e2e_copy(e->scalediag, e2e_path(e, "scalediag"), 0755);
	e2e_copy(e2e_program(e, program), e2e_path(e, program), 0755);
	assert_int_equal(chown(e->folder, NOBODY, NOBODY), 0);
	snprintf(e->scalediag, sizeof e->scalediag, "%s/scalediag", e->folder);
	snprintf(e->programs, sizeof e->programs, "%s", e->folder);
}

static void an_ordinary_user_with_no_permission_gets_a_diagnosis(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	if (geteuid() != 0)
		e2e_skip(__func__, "only root can become another user; the other tests run as "
				   "an ordinary one");
	share_with_nobody(e, "half_serial");
	e2e_run_hooked(e, &r, become_nobody, NULL, "--cores", "1", "--repeats", "3", "--json", "-o",
		"r.json", "./half_serial", "0.05");
	diagnosis(e, &r, __func__);
	e2e_result_free(&r);
	e2e_run_hooked(e, &r, become_nobody, NULL, "report", "r.json");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	/* what the program prints goes beside the record, where another one's file is in the way */
	e2e_write(e2e_path(e, "s.scalediag.out"), "another one's");
	assert_int_equal(chmod(e2e_path(e, "s.scalediag.out"), 0600), 0);
	e2e_run_hooked(e, &r, become_nobody, NULL, "--cores", "1", "-o", "s.json", "./half_serial",
		"0.01");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "s.scalediag.out");
	e2e_result_free(&r);
	/* the record belongs to another one here */
	e2e_run_hooked(e, &r, become_nobody, NULL, "--cores", "1", "-o", "/root/r.json",
		"./half_serial", "0.01");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "/root/r.json");
	e2e_result_free(&r);
}

/* ---- a program that leaves its CPUs ---------------------------------------------------------- */

/* Two threads told to be one: each run was held on its CPU, or is marked as having left it. */
static void expect_held_or_marked(struct e2e *e, e2e_hook *hook, const char *name)
{
	const json_t *run, *report;
	struct e2e_result r;
	json_t *record;
	size_t i, marked = 0;

	e2e_run_hooked(e, &r, hook, NULL, "--cores", "1", "--repeats", "2", "--json", "-o", name,
		"--env", "OMP_NUM_THREADS=2", e2e_program(e, "rebinds"), "0.4");
	report = diagnosis(e, &r, __func__);
	record = json_load_file(e2e_path(e, name), 0, NULL);
	assert_non_null(record);
	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		const double cpu = e2e_metric(run, "user") + e2e_metric(run, "system");

		if (e2e_has_flag(run, "rebound"))
			marked++;
		else if (cpu > 1.1 * e2e_metric(run, "wall"))
			fail_msg("a run used %.2f CPUs of 1, and is not marked",
				cpu / e2e_metric(run, "wall"));
	}
	json_decref(record);
	assert_true(marked == 0 || json_array_size(json_object_get(report, "warnings")) > 0);
	e2e_result_free(&r);
}

static void a_program_that_rebinds_itself_is_held_or_noticed(void **state)
{
	struct e2e *const e = *state;

	e2e_need_two_cpus(__func__);
	expect_held_or_marked(e, NULL, "held.json");
	if (geteuid() != 0)
		return;
	/* this user may not make a cgroup that would hold it */
	share_with_nobody(e, "rebinds");
	expect_held_or_marked(e, become_nobody, "free.json");
}

/* ---- a kernel without schedstat: a supervisor answers each open() --------------------------- */

#ifdef ARCH
static int send_descriptor(int socket, int fd)
{
	char byte = 0;
	struct iovec io = {.iov_base = &byte, .iov_len = 1};
	union {
		char bytes[CMSG_SPACE(sizeof fd)];
		struct cmsghdr align;
	} control = {{0}};
	struct msghdr m = {.msg_iov = &io,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof control.bytes};
	struct cmsghdr *const c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(c), &fd, sizeof fd);
	return sendmsg(socket, &m, 0) == 1 ? 0 : -1;
}

static int receive_descriptor(int socket)
{
	char byte;
	struct iovec io = {.iov_base = &byte, .iov_len = 1};
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct msghdr m = {.msg_iov = &io,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof control.bytes};
	int fd = -1;

	if (recvmsg(socket, &m, 0) == 1 && CMSG_FIRSTHDR(&m))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
	return fd;
}

/* In the child: every openat() is to be answered by the supervisor. */
static int ask_before_open(void *ctx)
{
	const int *const socket = ctx;
	const long listener =
		filter_call(SYS_openat, SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER);

	if (listener < 0)
		return -1;
	if (send_descriptor(*socket, (int)listener) < 0)
		return -1;
	close((int)listener);
	return close(*socket);
}

static int is_schedstat(const struct seccomp_notif *n)
{
	char file[64], path[4096];
	ssize_t got;
	size_t length;
	int fd;

	snprintf(file, sizeof file, "/proc/%u/mem", n->pid);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	got = pread(fd, path, sizeof path - 1, (off_t)n->data.args[1]);
	close(fd);
	if (got <= 0)
		return 0;
	path[got] = '\0';
	length = strlen(path);
	return length >= 9 && strcmp(path + length - 9, "schedstat") == 0;
}

/* Answers until nobody is left who could ask; exits 0 when it hid a file at least once. */
static _Noreturn void supervise(int socket)
{
	const int listener = receive_descriptor(socket);
	int hidden = 0;

	for (;;) {
		struct pollfd p = {.fd = listener, .events = POLLIN};
		/* the kernel's structures grow; ours have room for that */
		union {
			struct seccomp_notif n;
			char room[512];
		} ask = {.room = {0}};
		union {
			struct seccomp_notif_resp r;
			char room[512];
		} answer = {.room = {0}};

		if (poll(&p, 1, -1) < 0 && errno != EINTR)
			_exit(2);
		if (p.revents & POLLHUP || listener < 0)
			_exit(hidden ? 0 : 1);
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &ask) < 0)
			continue;
		answer.r.id = ask.n.id;
		if (is_schedstat(&ask.n)) {
			answer.r.error = -ENOENT;
			hidden = 1;
		} else {
			answer.r.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		}
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
}

static void expect_no_run_delay(const char *path)
{
	json_t *const record = json_load_file(path, 0, NULL);
	const json_t *run;
	size_t i;

	assert_non_null(record);
	assert_true(json_array_size(json_object_get(record, "runs")) > 0);
	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		const json_t *const delay =
			json_object_get(json_object_get(run, "metrics"), "run_delay");

		assert_false(json_is_number(delay));
	}
	json_decref(record);
}
#endif

static void without_schedstat_the_run_delay_is_absent_and_not_zero(void **state)
{
#ifdef ARCH
	struct e2e *const e = *state;
	struct e2e_result r;
	struct e2e_job job;
	int socket[2], status;
	pid_t supervisor;
	const char *const args[] = {"--cores", "1", "--repeats", "2", "--json", "-o", "r.json",
		e2e_program(e, "scales"), "0.1", NULL};

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socket), 0);
	e2e_start(e, &job, ask_before_open, &socket[0], args);
	supervisor = fork();
	if (supervisor == 0) {
		close(socket[0]);
		close(job.out);
		close(job.err);
		supervise(socket[1]);
	}
	close(socket[0]);
	close(socket[1]);
	e2e_wait(&job, &r, 60);
	assert_int_equal(waitpid(supervisor, &status, 0), supervisor);
	diagnosis(e, &r, __func__);
	/* the file was asked for, or this tests nothing */
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	expect_no_run_delay(e2e_path(e, "r.json"));
	e2e_result_free(&r);
#else
	(void)state;
	e2e_skip(__func__, "no filter for this architecture");
#endif
}

#define GROUP "/sys/fs/cgroup/cpu/scalediag_e2e"

static int enter_group(void *ctx)
{
	return ctx || system("echo $PPID >" GROUP "/cgroup.procs");
}

static void a_quota_that_changes_meanwhile_is_told(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	if (mkdir(GROUP, 0755) < 0)
		e2e_skip(__func__, "no cgroup of version 1 can be made here");
	e2e_run_hooked(e, &r, enter_group, NULL, "--cores", "1", "--repeats", "2", "-o", "r.json",
		"/bin/sh", "-c", "echo 150000 >" GROUP "/cpu.cfs_quota_us; sleep .1");
	assert_int_equal(rmdir(GROUP), 0);
	e2e_expect_status(&r, 0);
	e2e_expect_error(&r, "none when it was planned, 1.50 CPUs after a run");
	e2e_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		E2E_TEST(without_performance_counters_the_diagnosis_comes_from_the_system),
		E2E_TEST(an_ordinary_user_with_no_permission_gets_a_diagnosis),
		E2E_TEST(a_program_that_rebinds_itself_is_held_or_noticed),
		E2E_TEST(a_quota_that_changes_meanwhile_is_told),
		E2E_TEST(without_schedstat_the_run_delay_is_absent_and_not_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
