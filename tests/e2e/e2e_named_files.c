/*
 * Files that a program names, as root sees them: its sources are read as the program's user and in
 * its own file tree.
 */
#include "e2e/e2e.h"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <utime.h>
#include <unistd.h>

#define NOBODY 65534

/* A program whose debug information says that its loop stands in `source`. */
static void make_program(struct e2e *e, const char *source, double seconds)
{
	char text[1024], command[1024];

	snprintf(text, sizeof text,
		"#include <time.h>\nvolatile double sink;\nint main(void) {\n"
		"time_t end = time(0) + %.0f;\n#line 2 \"%s\"\n"
		"while (time(0) < end) for (int i = 0; i < 1000000; i++) sink = sink * .5 + i;\n"
		"return 0; }\n",
		seconds, source);
	e2e_write(e2e_path(e, "program.c"), text);
	snprintf(command, sizeof command, "cd %s && cc -g -O1 -o program program.c", e->folder);
	if (system(command) != 0)
		e2e_skip("named_files", "no compiler that makes such a program");
	assert_int_equal(chmod(e->folder, 0755), 0);
}

static void make_source(const char *path, const char *text, mode_t mode)
{
	const struct utimbuf old = {1500000000, 1500000000};

	e2e_write(path, text);
	assert_int_equal(chmod(path, mode), 0);
	assert_int_equal(utime(path, &old), 0); /* older than the program, as sources are */
}

static pid_t start(struct e2e *e, int (*prepare)(struct e2e *e))
{
	const pid_t pid = fork();

	if (pid == 0) {
		if (!prepare(e)) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			execl(e2e_path(e, "program"), "program", NULL);
		}
		_exit(127);
	}
	e2e_nap(300);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	return pid;
}

static int become_nobody(struct e2e *e)
{
	(void)e;
	return setgroups(0, NULL) < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0;
}

/* Another file stands in that place in a mount namespace of its own. */
static int mount_another(struct e2e *e)
{
	return unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	       mount(e2e_path(e, "inner.c"), e2e_path(e, "source.c"), NULL, MS_BIND, NULL);
}

/* The record of a look at it. */
static char *look_at(struct e2e *e, pid_t pid)
{
	struct e2e_result r;
	char number[16], *record;
	size_t n;

	snprintf(number, sizeof number, "%d", (int)pid);
	e2e_run(e, &r, "attach", "--window", "2", "-o", "record.json", number);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	e2e_expect_status(&r, 0);
	assert_null(strstr(r.out, "not for you"));
	e2e_result_free(&r);
	record = e2e_read(e2e_path(e, "record.json"), &n);
	assert_non_null(record);
	assert_non_null(strstr(record, "source.c")); /* its name is known */
	return record;
}

static void a_users_program_shows_no_file_of_roots(void **state)
{
	struct e2e *const e = *state;
	char source[512], *record;

	if (geteuid() != 0)
		e2e_skip("named_files", "only root reads what others may not");
	snprintf(source, sizeof source, "%s", e2e_path(e, "source.c"));
	make_program(e, source, 60);
	make_source(source, "not for you\nnot for you\nnot for you\n", 0600);
	record = look_at(e, start(e, become_nobody));
	assert_null(strstr(record, "not for you"));
	free(record);
	/* what the user may read, root shows him */
	assert_int_equal(chmod(source, 0644), 0);
	make_source(source, "for all\nfor all\nfor all\n", 0644);
	record = look_at(e, start(e, become_nobody));
	assert_non_null(strstr(record, "for all"));
	free(record);
}

static void a_program_in_other_mounts_has_its_own_source(void **state)
{
	struct e2e *const e = *state;
	char source[512], *record;

	if (geteuid() != 0)
		e2e_skip("named_files", "only root may mount");
	snprintf(source, sizeof source, "%s", e2e_path(e, "source.c"));
	make_program(e, source, 60);
	make_source(source, "of the host\nof the host\nof the host\n", 0644);
	make_source(e2e_path(e, "inner.c"), "inside\ninside\ninside\n", 0644);
	record = look_at(e, start(e, mount_another));
	assert_null(strstr(record, "of the host"));
	assert_non_null(strstr(record, "inside"));
	free(record);
}

/* root starts a program that a user built: the user chose what it names. */
static void root_runs_a_users_program_and_reads_as_the_user(void **state)
{
	struct e2e *const e = *state;
	char source[512], *record;

	if (geteuid() != 0)
		e2e_skip("named_files", "only root reads what others may not");
	snprintf(source, sizeof source, "%s", e2e_path(e, "source.c"));
	make_program(e, source, 1);
	make_source(source, "not for you\nnot for you\nnot for you\n", 0600);
	for (int owner = 0; owner < 2; owner++) {
		struct e2e_result r;
		size_t n;

		assert_int_equal(chown(e2e_path(e, "program"), owner ? NOBODY : 0, 0), 0);
		e2e_run(e, &r, "--cores", "1,2", "--repeats", "1", "--experiments", "none", "-o",
			"record.json", "./program");
		e2e_expect_status(&r, 0);
		e2e_result_free(&r);
		record = e2e_read(e2e_path(e, "record.json"), &n);
		assert_non_null(strstr(record, "source.c"));
		/* and root's own program shows root's own source */
		if (owner)
			assert_null(strstr(record, "not for you"));
		else
			assert_non_null(strstr(record, "not for you"));
		free(record);
		unlink(e2e_path(e, "record.json"));
	}
}

/* Whoever writes into a FIFO that is named among the arguments waits for the program alone. */
static void nothing_but_files_is_opened_among_the_arguments(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	int status;
	pid_t pid;

	assert_int_equal(mkfifo(e2e_path(e, "fifo"), 0600), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(open(e2e_path(e, "fifo"), O_WRONLY) < 0);
	}
	e2e_run(e, &r, "--cores", "1", "--repeats", "1", "--experiments", "none", "-o",
		"record.json", "sh", "-c", "sleep 1", e2e_path(e, "fifo"), "--in=fifo");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

/* It has the preload's descriptors closed, and its own file under one of their numbers. */
static const char closes[] =
	"#include <mpi.h>\n#include <fcntl.h>\n#include <stdio.h>\n#include <string.h>\n"
	"#include <unistd.h>\n#include <sys/stat.h>\nstatic char bytes[1 << 20];\n"
	"int main(int n, char **v) {\nchar link[64], to[4096];\nssize_t size; struct stat st;\n"
	"MPI_Init(&n, &v);\n"
	/* those of the MPI library itself must stay */
	"for (int i = 3; i < 256; i++) {\nsnprintf(link, sizeof link, \"/proc/self/fd/%d\", i);\n"
	"size = readlink(link, to, sizeof to - 1);\nif (size < 0) continue;\nto[size] = 0;\n"
	"if (strstr(to, \".mpi\") || strstr(to, \"schedstat\")) close(i);\n}\n"
	"int fd = open(\"result\", O_RDWR | O_CREAT | O_TRUNC, 0644);\n"
	"if (write(fd, bytes, sizeof bytes) < 0) return 1;\nMPI_Barrier(MPI_COMM_WORLD);\n"
	"MPI_Finalize();\nfstat(fd, &st);\nreturn st.st_size != sizeof bytes; }\n";

static void what_an_mpi_program_writes_stays_as_it_wrote_it(void **state)
{
	struct e2e *const e = *state;
	char command[9000];

	e2e_write(e2e_path(e, "closes.c"), closes);
	snprintf(command, sizeof command, "cd %s && mpicc -o closes closes.c 2>/dev/null",
		e->folder);
	if (system(command) != 0)
		e2e_skip("named_files", "no mpicc");
	snprintf(command, sizeof command,
		"cd %s && mkdir logs && SCALEDIAG_MPI_FOLDER=$PWD/logs "
		"LD_PRELOAD=$(dirname %s)/scalediag-mpi.so ./closes && ls logs | grep -q mpi",
		e->folder, e->scalediag);
	assert_int_equal(system(command), 0);
}

/* Its filter kills at what neither it nor its barriers call. */
static const char sandboxed[] =
	"#include <mpi.h>\n#include <stddef.h>\n#include <time.h>\n#include <unistd.h>\n"
	"#include <linux/filter.h>\n#include <linux/seccomp.h>\n#include <sys/prctl.h>\n"
	"#include <sys/syscall.h>\n"
	"#define KILL(n) {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, n}, {BPF_RET | BPF_K, 0, 0, "
	"SECCOMP_RET_KILL_PROCESS}\n"
	"int main(int n, char **v) {\nstruct timespec t, u;\nstruct sock_filter f[] = {"
	"{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)}, KILL(SYS_pread64), "
	"KILL(SYS_readlinkat), KILL(SYS_openat), KILL(SYS_clock_gettime),\n#ifdef SYS_readlink\n"
	"KILL(SYS_readlink), KILL(SYS_open),\n#endif\n"
	"{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};\n"
	"struct sock_fprog p = {sizeof f / sizeof *f, f};\nint root = n > 1;\nMPI_Init(&n, &v);\n"
	/* root keeps its privileges, and has the other call */
	"if (root ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &p) : "
	"prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p)) "
	"return 77;\n"
	/* longer than from one look at the delays to the next; the vDSO has the clock */
	"clock_gettime(CLOCK_MONOTONIC, &t);\ndo {\nMPI_Barrier(MPI_COMM_WORLD);\n"
	"clock_gettime(CLOCK_MONOTONIC, &u);\n} while (u.tv_sec - t.tv_sec < 1);\n_exit(0); }\n";

static void an_mpi_program_in_a_sandbox_is_not_killed_by_its_log(void **state)
{
	struct e2e *const e = *state;
	char command[9000];

	e2e_write(e2e_path(e, "box.c"), sandboxed);
	snprintf(command, sizeof command, "cd %s && mpicc -o box box.c 2>/dev/null && ./box",
		e->folder);
	if (system(command) != 0)
		e2e_skip("named_files", "no mpicc, no filters, or a clock that is a system call");
	for (size_t i = 0; i < (geteuid() ? 1 : 2); i++) {
		snprintf(command, sizeof command,
			"cd %s && rm -rf logs && mkdir logs && SCALEDIAG_MPI_FOLDER=$PWD/logs "
			"LD_PRELOAD=$(dirname %s)/scalediag-mpi.so ./box %s && "
			"grep -q MPI_Barrier logs/*.mpi",
			e->folder, e->scalediag, i ? "root" : "");
		assert_int_equal(system(command), 0);
	}
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, e2e_setup, e2e_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_users_program_shows_no_file_of_roots),
		TEST(a_program_in_other_mounts_has_its_own_source),
		TEST(root_runs_a_users_program_and_reads_as_the_user),
		TEST(nothing_but_files_is_opened_among_the_arguments),
		TEST(what_an_mpi_program_writes_stays_as_it_wrote_it),
		TEST(an_mpi_program_in_a_sandbox_is_not_killed_by_its_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
