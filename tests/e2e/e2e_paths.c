/*
 * A record is untrusted: whatever files it names, the commands that read records open none of them.
 * Each command runs under ptrace, and every path that it gives to the kernel is looked at.
 */
#include "e2e/e2e.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <linux/ptrace.h>
#include <unistd.h>

#define PATHS 512
#define NOTE_RANDOM 16 /* hexadecimal digits */

struct paths {
	char path[PATHS][256];
	size_t n;
};

/* Which argument of a call is a path; -1: none. */
static int path_argument(uint64_t call)
{
	switch (call) {
	case SYS_openat:
	case SYS_openat2:
	case SYS_newfstatat:
	case SYS_statx:
	case SYS_readlinkat:
	case SYS_faccessat:
	case SYS_faccessat2:
		return 1;
#ifdef SYS_open
	case SYS_open:
	case SYS_stat:
	case SYS_lstat:
	case SYS_access:
	case SYS_readlink:
#endif
	case SYS_execve:
	case SYS_truncate:
	case SYS_chdir:
		return 0;
	default:
		return -1;
	}
}

/* The string at this address of the process, as far as it fits and its page reaches. */
static void read_string(pid_t pid, uint64_t address, char out[static 256])
{
	size_t n = 255;
	ssize_t got;

	do {
		struct iovec local = {out, n}, remote = {(void *)(uintptr_t)address, n};

		got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
		n /= 2;
	} while (got <= 0 && n);
	out[got > 0 ? got : 0] = '\0';
}

static void note_call(pid_t pid, struct paths *seen)
{
	struct ptrace_syscall_info info;
	int k;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0 ||
		info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return;
	k = path_argument(info.entry.nr);
	if (k < 0)
		return;
	assert_true(seen->n < PATHS);
	read_string(pid, info.entry.args[k], seen->path[seen->n++]);
}

static _Noreturn void run_traced(const struct e2e *e, const char *const *args)
{
	const int null = open("/dev/null", O_RDWR);

	if (chdir(e->folder) != 0 || null < 0)
		_exit(125);
	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0 || raise(SIGSTOP) != 0)
		_exit(124);
	execv(e->scalediag, (char *const *)(uintptr_t)args);
	_exit(125);
}

/* Runs it to its end; returns its exit status. */
static int trace(const struct e2e *e, const char *const *args, struct paths *seen)
{
	const pid_t first = fork();
	int status, result = -1;

	assert_true(first >= 0);
	if (first == 0)
		run_traced(e, args);
	assert_int_equal(waitpid(first, &status, 0), first);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 124)
		e2e_skip("paths", "ptrace is not permitted here");
	assert_true(WIFSTOPPED(status));
	ptrace(PTRACE_SETOPTIONS, first, 0,
		PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE |
			PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK);
	ptrace(PTRACE_SYSCALL, first, 0, 0);
	alarm(60); /* a command that waits for what a record names */
	for (;;) {
		const pid_t pid = waitpid(-1, &status, __WALL);
		int signal = 0;

		if (pid < 0)
			break;
		if (!WIFSTOPPED(status)) {
			if (pid == first)
				result = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
			continue;
		}
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			note_call(pid, seen);
		else if (WSTOPSIG(status) != SIGTRAP && WSTOPSIG(status) != SIGSTOP)
			signal = WSTOPSIG(status);
		ptrace(PTRACE_SYSCALL, pid, 0, signal);
	}
	alarm(0);
	return result;
}

/* A note of what to remove after a killed scalediag, "PID-RANDOM" in the folder of these: others
 * that run meanwhile have theirs there (base/leftover_note.h). */
static int is_note(const char *path)
{
	const size_t pid = strspn(path, "0123456789");

	return pid > 0 && path[pid] == '-' &&
	       strspn(path + pid + 1, "0123456789abcdef") == NOTE_RANDOM &&
	       path[pid + 1 + NOTE_RANDOM] == '\0';
}

/* Whether a process is alive that has made a cgroup of ours: others measure meanwhile. */
static int is_process(const char *path)
{
	const char *const number = path + strlen("/proc/");

	return strncmp(path, "/proc/", strlen("/proc/")) == 0 &&
	       strcmp(number + strspn(number, "0123456789"), "/stat") == 0;
}

/* Paths that a command may look at: its libraries and locale, its own process, what it was given,
 * and what one that is given no record looks at too, to the letter (what a killed scalediag may
 * have left). */
static int is_expected(const struct e2e *e, const struct paths *own, const char *path)
{
	static const char *const within[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/share/locale",
		"/usr/share/terminfo", "/etc/ld.so.", "/proc/self/", "/dev/null", "/dev/urandom",
		"/sys/devices/system/cpu/", "/etc/localtime", "/usr/share/zoneinfo"};
	static const char *const given[] = {"./.scalediag-", "./a.json", "./b.json", "a.json",
		"b.json", "out.html", ".out.html", "./.out.html.", "./.out.xml.", "out.xml"};
	const size_t n = strlen(e->folder);

	if (path[0] == '\0' || strcmp(path, e->scalediag) == 0 || strcmp(path, ".") == 0 ||
		strcmp(path, "./") == 0 || is_note(path) || is_process(path))
		return 1;
	for (size_t i = 0; i < sizeof within / sizeof *within; i++)
		if (strncmp(path, within[i], strlen(within[i])) == 0)
			return 1;
	for (size_t i = 0; i < own->n; i++)
		if (strcmp(path, own->path[i]) == 0)
			return 1;
	if (strncmp(path, e->folder, n) == 0 && path[n] == '/')
		path += n + 1;
	for (size_t i = 0; i < sizeof given / sizeof *given; i++)
		if (strncmp(path, given[i], strlen(given[i])) == 0)
			return 1;
	return 0;
}

/* The text with each `from` replaced. */
static char *replace(const char *text, const char *from, const char *to)
{
	char *out = NULL;
	size_t size;
	FILE *const f = open_memstream(&out, &size);
	const char *at;

	assert_non_null(f);
	for (; (at = strstr(text, from)); text = at + strlen(from))
		fprintf(f, "%.*s%s", (int)(at - text), text, to);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	return out;
}

/* Each command that reads records, on a.json and b.json. */
static void expect_no_other_path(const struct e2e *e, const char *what)
{
	static const char *const command[][8] = {
		{"scalediag", "report", "a.json"},
		{"scalediag", "report", "--long", "a.json"},
		{"scalediag", "report", "--format", "json", "a.json"},
		{"scalediag", "report", "--format", "markdown", "a.json"},
		{"scalediag", "report", "--format", "csv", "a.json"},
		{"scalediag", "report", "--format", "html", "a.json"},
		{"scalediag", "report", "--format", "folded", "a.json"},
		{"scalediag", "report", "--html", "out.html", "a.json"},
		{"scalediag", "report", "--format", "firefox-profiler", "a.json"},
		{"scalediag", "report", "--format", "perfetto", "a.json"},
		{"scalediag", "report", "--format", "speedscope", "a.json"},
		{"scalediag", "report", "--format", "sarif", "a.json"},
		{"scalediag", "report", "--format", "github", "a.json"},
		{"scalediag", "history", "."},
		{"scalediag", "lines", "a.json"},
		{"scalediag", "compare", "a.json", "b.json"},
		{"scalediag", "check", "a.json", "--require", "efficiency@2>=0.1"},
		{"scalediag", "import", "--from", "csv", "-o", "out.xml", "a.json"},
	};

	static const char *const without[] = {"scalediag", "learn", NULL};
	static struct paths own;

	own.n = 0;
	assert_int_equal(trace(e, without, &own), 0);
	for (size_t i = 0; i < sizeof command / sizeof *command; i++) {
		static struct paths seen;
		int status;

		seen.n = 0;
		status = trace(e, command[i], &seen);
		if (i == 0 && status != 0)
			fail_msg("%s: no report, but status %d: nothing was tested", what, status);
		assert_in_range(status, 0, 4);
		/* a tracer that sees nothing would find nothing */
		assert_true(seen.n > 5);
		for (size_t k = 0; k < seen.n; k++)
			if (!is_expected(e, &own, seen.path[k]))
				fail_msg("%s: %s %s looks at %s", what, command[i][1],
					command[i][2], seen.path[k]);
	}
}

static void need_no_sanitizer(const char *test)
{
	if (E2E_SANITIZED)
		e2e_skip(test, "looking for leaks does not work below a tracer");
}

static void a_hostile_record_makes_no_command_open_what_it_names(void **state)
{
	static char huge[1024];
	const char *const named[] = {"/etc/shadow", "../.git/config", "/dev/tty", "/dev/zero",
		"pipe", "link", "/proc/1/environ", huge, "/home/u/app.c"};
	struct e2e *const e = *state;
	size_t n;
	char *text;

	need_no_sanitizer(__func__);
	text = e2e_read("tests/fixtures/fuzz_report/sampled.json", &n);

	assert_non_null(text);
	memset(huge, 'x', sizeof huge - 1);
	huge[0] = '/';
	assert_int_equal(mkfifo(e2e_path(e, "pipe"), 0600), 0);
	assert_int_equal(symlink("/etc/shadow", e2e_path(e, "link")), 0);
	for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
		char *quoted, *source, *both;

		/* the source file and the program it became */
		assert_true(asprintf(&quoted, "\"%s\"", named[i]) > 0);
		source = replace(text, "\"/home/u/app.c\"", quoted);
		both = replace(source, "\"/home/u/app\"", "\"/etc/gshadow\"");
		free(quoted);
		free(source);
		e2e_write(e2e_path(e, "a.json"), both);
		e2e_write(e2e_path(e, "b.json"), both);
		expect_no_other_path(e, named[i][1] == 'x' ? "a huge path" : named[i]);
		free(both);
	}
	free(text);
}

/* The records among the fixtures as they are. */
static void no_record_among_the_fixtures_does(void **state)
{
	static const char *const fixture[] = {"fuzz_report/sampled.json",
		"fuzz_report/two_points.json", "fuzz_record/counted.json",
		"fuzz_record/sampled.json", "fuzz_record/two_points.json"};
	struct e2e *const e = *state;

	need_no_sanitizer(__func__);
	for (size_t i = 0; i < sizeof fixture / sizeof *fixture; i++) {
		char path[256], *text;
		size_t n;

		snprintf(path, sizeof path, "tests/fixtures/%s", fixture[i]);
		text = e2e_read(path, &n);
		assert_non_null(text);
		e2e_write(e2e_path(e, "a.json"), text);
		e2e_write(e2e_path(e, "b.json"), text);
		expect_no_other_path(e, fixture[i]);
		free(text);
	}
}

/* app.c is on no machine: its line can only be the record's. */
static void the_lines_in_the_record_are_shown_on_any_machine(void **state)
{
	static const char stored[] =
		"\"source_lines\":[{\"line\":30,\"first\":29,\"state\":\"read\","
		"\"file\":\"/home/u/app.c\",\"lines\":[\"{\",\"\\ttotal += a[i];\"]}],\"runs\":[";
	struct e2e *const e = *state;
	struct e2e_result r;
	size_t n;
	char *const text = e2e_read("tests/fixtures/fuzz_report/sampled.json", &n), *with;

	assert_non_null(text);
	e2e_write(e2e_path(e, "a.json"), text);
	e2e_run(e, &r, "report", "--long", "a.json");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "the record has no lines of it"));
	e2e_result_free(&r);
	e2e_run(e, &r, "report", "--format", "html", "a.json");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "the record has no lines of it"));
	e2e_result_free(&r);
	with = replace(text, "\"runs\":[", stored);
	e2e_write(e2e_path(e, "a.json"), with);
	e2e_run(e, &r, "report", "--long", "a.json");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "30    total += a[i];"));
	e2e_result_free(&r);
	e2e_run(e, &r, "report", "--format", "html", "a.json");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "total += a[i];"));
	e2e_result_free(&r);
	free(with);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_hostile_record_makes_no_command_open_what_it_names, e2e_setup,
			e2e_teardown),
		cmocka_unit_test_setup_teardown(
			the_lines_in_the_record_are_shown_on_any_machine, e2e_setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(
			no_record_among_the_fixtures_does, e2e_setup, e2e_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
