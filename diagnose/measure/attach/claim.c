#include "attach/claim.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "proc/proc_parse.h"
#include "proc/textfile.h"

#define MOST 1024 /* processes: a socket each */

/* 0 or -ESRCH. */
static int name_of(pid_t pid, struct sockaddr_un *to, socklen_t *size)
{
	char path[64], text[1024];
	struct sd_proc_stat s;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	if (sd_textfile_read(NULL, path, text, sizeof text) || sd_proc_parse_stat(text, &s))
		return -ESRCH;
	*to = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(to->sun_path + 1, sizeof to->sun_path - 1, "scalediag/attach/%d/%" PRIu64,
		(int)pid, s.start);
	*size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(to->sun_path + 1));
	return 0;
}

/* Anybody may take a name: whom it is believed is root, ourselves, and the program's own user. */
static int is_believed(pid_t pid, uid_t uid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	return uid == 0 || uid == geteuid() || (stat(path, &st) == 0 && st.st_uid == uid);
}

/* The process that has the name; 0: nobody any more, or nobody who is believed. */
static pid_t holder(pid_t pid, const struct sockaddr_un *name, socklen_t size)
{
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct ucred who = {0};
	socklen_t n = sizeof who;
	pid_t found = 0;

	if (fd < 0)
		return 0;
	if (connect(fd, (const struct sockaddr *)name, size) == 0 &&
		getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 && is_believed(pid, who.uid))
		found = who.pid;
	close(fd);
	return found;
}

/* The socket, -1: no claim can be made; *other: who has it. */
static int claim(pid_t pid, pid_t *other)
{
	struct sockaddr_un name;
	socklen_t size;
	int fd;

	*other = 0;
	if (name_of(pid, &name, &size))
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (bind(fd, (struct sockaddr *)&name, size) == 0 && listen(fd, SOMAXCONN) == 0)
		return fd;
	if (errno == EADDRINUSE)
		*other = holder(pid, &name, size);
	close(fd);
	return -1;
}

int sd_claim_open(struct sd_claim *c, const struct sd_attached *a, const struct sd_sink *sink)
{
	*c = (struct sd_claim){.socket = calloc(a->n + 1, sizeof *c->socket)};
	if (!c->socket)
		return -ENOMEM;
	for (size_t i = 0; i < a->n && c->n < MOST; i++) {
		pid_t other;
		const int fd = claim(a->pid[i], &other);

		if (fd >= 0)
			c->socket[c->n++] = fd;
		if (!other)
			continue;
		sd_say(sink, SD_LEVEL_ERROR,
			"another scalediag (pid %d) is attached to %s: wait for its end, or end it "
			"with kill %d",
			(int)other, a->label, (int)other);
		sd_claim_close(c);
		return -EBUSY;
	}
	return 0;
}

void sd_claim_close(struct sd_claim *c)
{
	for (size_t i = 0; i < c->n; i++)
		close(c->socket[i]);
	free(c->socket);
	*c = (struct sd_claim){0};
}
