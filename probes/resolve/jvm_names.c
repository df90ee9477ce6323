#include "resolve/jvm_names.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "proc/proc_parse.h"
#include "proc/textfile.h"
#include "resolve/jvm_monitors.h"

/* From the first look on: by then most of what runs for long was compiled once. */
#define FIRST_NS UINT64_C(400000000)
/* A child that is to execute another program has done so by then. */
#define SETTLED_NS UINT64_C(20000000)
/* A machine that has not answered by then is not asked again. */
#define PATIENCE_NS UINT64_C(2000000000)

enum { KIN = 16, TEXT = 1 << 16, ANSWER_READS = 16 };

static const char for_names[] = "1\0jcmd\0Compiler.perfmap\0\0";
static const char for_threads[] = "1\0threaddump\0\0\0";

/* ---- who is one ------------------------------------------------------------------------------ */

static void name_in_proc(char path[PATH_MAX], const char *root, pid_t pid, const char *name)
{
	snprintf(path, PATH_MAX, "%s/proc/%d/%s", root ? root : "", (int)pid, name);
}

/* Is any of these words in a file of zero-separated texts of the process? Unreadable: yes. */
static int has_word(const struct sd_jvm *v, const char *name, const char *const *word)
{
	char path[PATH_MAX], *const text = malloc(TEXT);
	int fd, found = 1;
	ssize_t n;

	name_in_proc(path, v->root, v->pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 || !text ? -1 : read(fd, text, TEXT - 1);
	if (n >= 0) {
		found = n == TEXT - 1; /* nobody knows what comes behind it */
		for (ssize_t i = 0; i < n; i++)
			text[i] = text[i] ? text[i] : '\n';
		text[n] = '\0';
		for (; *word && !found; word++)
			found = strstr(text, *word) != NULL;
	}
	if (fd >= 0)
		close(fd);
	free(text);
	return found;
}

/* Does the process catch SIGQUIT, as the same user as we are, with the threads that a machine has?
 * A child that it has forked catches the same until it executes another program, with one thread.
 */
static int may_be_called(const char *status)
{
	char value[256];
	unsigned uid, effective;

	if (sd_proc_parse_key(status, "Threads:", value, sizeof value) ||
		strtoul(value, NULL, 10) < 2)
		return 0;

	if (sd_proc_parse_key(status, "Uid:", value, sizeof value) ||
		sscanf(value, "%u %u", &uid, &effective) != 2 || effective != geteuid())
		return 0;
	if (sd_proc_parse_key(status, "SigCgt:", value, sizeof value))
		return 0;
	return (int)(strtoull(value, NULL, 16) >> (SIGQUIT - 1) & 1);
}

/* Its number in its own namespace: the last of the line. */
static pid_t inner_pid(const char *status, pid_t pid)
{
	char value[256];
	const char *last;

	if (sd_proc_parse_key(status, "NSpid:", value, sizeof value))
		return pid;
	last = strrchr(value, '\t');
	last = last ? last : strrchr(value, ' ');
	return (pid_t)strtol(last ? last + 1 : value, NULL, 10);
}

/* Has it mapped HotSpot? OpenJ9, whose library has the same name, dumps itself on SIGQUIT. */
static int is_jvm(const char *root, pid_t pid)
{
	char path[PATH_MAX], *line = NULL;
	size_t size = 0;
	int found = 0, other = 0;
	FILE *f;

	name_in_proc(path, root, pid, "maps");
	f = fopen(path, "re");
	while (f && !other && getline(&line, &size, f) > 0) {
		found |= strstr(line, "/libjvm.so") != NULL;
		other = strstr(line, "/libj9") != NULL;
	}
	free(line);
	if (f)
		fclose(f);
	return found && !other;
}

static int open_tmp(const struct sd_jvm *v)
{
	char path[PATH_MAX];
	int its, tmp;

	name_in_proc(path, v->root, v->pid, "root");
	its = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (its < 0)
		return -1;
	tmp = openat(its, "tmp", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(its);
	return tmp;
}

static int read_status(const char *root, pid_t pid, char *status, size_t size)
{
	char path[PATH_MAX];

	name_in_proc(path, root, pid, "status");
	return sd_textfile_read(NULL, path, status, size);
}

/* Takes note of a process that is a machine which may be called, once. */
static void meet(struct sd_jvm_names *j, pid_t pid, uint64_t now)
{
	static const char *const never[] = {
		"DisableAttachMechanism", "ReduceSignalUsage", "-Xrs", "PerfMap", NULL};
	struct sd_jvm *v;
	char status[4096];

	for (unsigned i = 0; i < j->n; i++)
		if (j->vm[i].pid == pid)
			return;
	if (j->n == SD_JVM_NAMES_MOST || !is_jvm(j->root, pid) ||
		read_status(j->root, pid, status, sizeof status) || !may_be_called(status))
		return;
	v = &j->vm[j->n++];
	*v = (struct sd_jvm){.root = j->root,
		.pid = pid,
		.inner = inner_pid(status, pid),
		.socket = -1,
		.since = now};
	v->tmp = open_tmp(v);
	if (v->tmp < 0 || v->inner < 1 || has_word(v, "cmdline", never) ||
		has_word(v, "environ", never))
		v->state = SD_JVM_NAMES_NEVER;
}

/* The program's first process and those below it, as far as the kernel lists children. */
static void meet_all(struct sd_jvm_names *j, uint64_t now)
{
	pid_t kin[KIN] = {j->pid};
	size_t n = 1;

	for (size_t i = 0; i < n; i++) {
		char path[PATH_MAX], name[64], text[1024];
		const char *at = text;
		int pid;

		meet(j, kin[i], now);
		snprintf(name, sizeof name, "task/%d/children", (int)kin[i]);
		name_in_proc(path, j->root, kin[i], name);
		if (sd_textfile_read(NULL, path, text, sizeof text))
			continue;
		while (n < KIN && (pid = sd_proc_parse_next_pid(&at)) > 0)
			kin[n++] = pid;
	}
}

/* ---- a question ------------------------------------------------------------------------------ */

/* Its files in /tmp: a word before its number, and one behind it. */
enum file { ATTACH, SOCKET, MAP };
static const struct {
	const char *before, *behind;
} file_name[] = {
	[ATTACH] = {".attach_pid", ""}, [SOCKET] = {".java_pid", ""}, [MAP] = {"perf-", ".map"}};

static void name_file(const struct sd_jvm *v, enum file file, char name[32])
{
	snprintf(name, 32, "%s%d%s", file_name[file].before, (int)v->inner, file_name[file].behind);
}

static int is_ours(const struct sd_jvm *v, enum file file, mode_t type)
{
	struct stat st;
	char name[32];

	name_file(v, file, name);
	return fstatat(v->tmp, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_uid == geteuid() &&
	       (st.st_mode & S_IFMT) == type;
}

static void remove_file(const struct sd_jvm *v, enum file file)
{
	char name[32];

	name_file(v, file, name);
	(void)unlinkat(v->tmp, name, 0);
}

static void become(struct sd_jvm *v, enum sd_jvm_names_state state, uint64_t now)
{
	if (v->state == SD_JVM_NAMES_CALLED)
		remove_file(v, ATTACH);
	if (v->socket >= 0 && state != SD_JVM_NAMES_ASKED) {
		close(v->socket);
		v->socket = -1;
	}
	v->state = state;
	v->begun = v->did = 0;
	v->since = now;
}

/* Sends the request; a machine that does not take it at once is not asked again. */
static void send_request(struct sd_jvm *v, uint64_t now)
{
	const char *const request = v->of_threads ? for_threads : for_names;
	const size_t size = v->of_threads ? sizeof for_threads : sizeof for_names;
	struct sockaddr_un to = {.sun_family = AF_UNIX};

	snprintf(to.sun_path, sizeof to.sun_path, "/proc/self/fd/%d/.java_pid%d", v->tmp,
		(int)v->inner);
	v->made |= !is_ours(v, MAP, S_IFREG);
	v->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (v->socket >= 0 && connect(v->socket, (struct sockaddr *)&to, sizeof to) == 0 &&
		send(v->socket, request, size, MSG_NOSIGNAL) == (ssize_t)size)
		become(v, SD_JVM_NAMES_ASKED, now);
	else
		become(v, SD_JVM_NAMES_NEVER, now);
}

static void call(struct sd_jvm *v, uint64_t now)
{
	/* what is looked at and what gets the signal are one process, whoever has its number */
	const int process = (int)syscall(SYS_pidfd_open, v->pid, 0);
	char name[32], status[4096];
	int fd = -1;

	name_file(v, ATTACH, name);
	if (process >= 0 && is_jvm(v->root, v->pid) &&
		read_status(v->root, v->pid, status, sizeof status) == 0 && may_be_called(status))
		fd = openat(
			v->tmp, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0) {
		close(fd);
		become(v, SD_JVM_NAMES_CALLED, now);
	}
	if (fd < 0 || syscall(SYS_pidfd_send_signal, process, SIGQUIT, NULL, 0))
		become(v, SD_JVM_NAMES_NEVER, now);
	if (process >= 0)
		close(process);
}

static void ask(struct sd_jvm *v, uint64_t now)
{
	v->of_threads = 0;
	if (is_ours(v, SOCKET, S_IFSOCK))
		send_request(v, now);
	else
		call(v, now);
}

/* Asks what its threads wait for behind the names. */
static void end_answer(struct sd_jvm *v, struct sd_jvm_monitors *m, uint64_t now)
{
	const int ask = m && v->did && !v->of_threads;

	if (m && v->of_threads)
		sd_jvm_monitors_end(m);
	become(v, v->did ? SD_JVM_NAMES_IDLE : SD_JVM_NAMES_NEVER, now);
	if (ask) {
		v->of_threads = 1;
		send_request(v, now);
	}
}

/* Its answer begins with 0 where it did as it was told, and ends with the connection. What answers
 * without end is read a little of at each look, until its time is over. */
static void read_answer(struct sd_jvm *v, struct sd_jvm_monitors *m, uint64_t now)
{
	char text[256];
	ssize_t n = 1;

	for (int i = 0; i < ANSWER_READS && (n = recv(v->socket, text, sizeof text, 0)) > 0; i++) {
		if (m && v->of_threads)
			sd_jvm_monitors_read(m, text, (size_t)n);
		if (v->begun)
			continue;
		v->did = text[0] == '0';
		v->begun = 1;
		v->since = now;
	}
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		end_answer(v, m, now);
	else if (v->begun && now - v->since > PATIENCE_NS) {
		if (m && v->of_threads)
			sd_jvm_monitors_end(m);
		become(v, SD_JVM_NAMES_NEVER, now);
	}
}

/* Is another machine's dump being read? Lines of two would be mixed. */
static int reads_another(const struct sd_jvm_names *j, unsigned but)
{
	for (unsigned i = 0; i < j->n; i++)
		if (i != but && j->vm[i].of_threads && j->vm[i].state == SD_JVM_NAMES_ASKED)
			return 1;
	return 0;
}

static void go_on(struct sd_jvm *v, struct sd_jvm_monitors *m, uint64_t now)
{
	if (v->state == SD_JVM_NAMES_MET && now - v->since > SETTLED_NS)
		ask(v, now);
	else if (v->state == SD_JVM_NAMES_CALLED && is_ours(v, SOCKET, S_IFSOCK))
		send_request(v, now);
	else if (v->state == SD_JVM_NAMES_CALLED && now - v->since > PATIENCE_NS)
		become(v, SD_JVM_NAMES_NEVER, now);
	else if (v->state == SD_JVM_NAMES_ASKED)
		read_answer(v, m, now);
}

void sd_jvm_names_look(struct sd_jvm_names *j, uint64_t now)
{
	if (!j->first) {
		j->first = now;
		j->next = now + FIRST_NS;
	}
	for (unsigned i = 0; i < j->n; i++)
		go_on(&j->vm[i], reads_another(j, i) ? NULL : j->monitors, now);
	if (now < j->next || j->pid < 1)
		return;
	j->next = now + (now - j->first);
	meet_all(j, now);
	for (unsigned i = 0; i < j->n; i++)
		if (j->vm[i].state == SD_JVM_NAMES_IDLE)
			ask(&j->vm[i], now);
}

void sd_jvm_names_end(struct sd_jvm_names *j)
{
	for (unsigned i = 0; i < j->n; i++) {
		struct sd_jvm *const v = &j->vm[i];

		become(v, SD_JVM_NAMES_NEVER, 0);
		if (v->made && is_ours(v, MAP, S_IFREG))
			remove_file(v, MAP);
		if (v->tmp >= 0)
			close(v->tmp);
	}
	*j = (struct sd_jvm_names){0};
}
