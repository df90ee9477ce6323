#include "launch/program_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "output/output_file.h"

#define CHUNK 65536

/* Ours are closed: the program's are put there later, one after the other. */
static int above_ours(int fd)
{
	const int low = fd;

	if (fd < 0 || fd > 2)
		return fd;
	fd = fcntl(low, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		fd = -errno;
	close(low);
	return fd;
}

int sd_program_output_create(const char *path)
{
	const int fd = path ? sd_output_file_create(path) : open("/dev/null", O_RDWR | O_CLOEXEC);

	return above_ours(!path && fd < 0 ? -errno : fd);
}

int sd_program_output_input(void)
{
	struct stat s;
	int fd = -1;

	/* a descriptor of its own for each run: they read it from the same place on, copies at a
	 * time too */
	if (fstat(STDIN_FILENO, &s) == 0 && S_ISREG(s.st_mode))
		fd = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return sd_program_output_create(NULL);
	lseek(fd, lseek(STDIN_FILENO, 0, SEEK_CUR), SEEK_SET);
	return above_ours(fd);
}

int sd_program_output_hand_on(int *in, int *out, int *err)
{
	int *const to[] = {in, out, err};

	for (int i = 0; i < 3; i++) {
		*to[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
		if (*to[i] < 0)
			*to[i] = sd_program_output_create(NULL);
		if (*to[i] < 0)
			return *to[i];
	}
	return 0;
}

void sd_program_output_copy(struct sd_program_output_tail *t, int all)
{
	char buffer[PIPE_BUF]; /* what a writable pipe takes at once */
	size_t copied = 0;

	while (t->to >= 0 && (all || copied < CHUNK)) {
		struct pollfd p = {.fd = t->to, .events = POLLOUT};
		const ssize_t n = pread(t->from, buffer, sizeof buffer, t->at);
		ssize_t put;

		if (n <= 0 || (!all && poll(&p, 1, 0) <= 0))
			return;
		put = write(t->to, buffer, (size_t)n);
		if (put < 0 && (errno == EINTR || errno == EAGAIN)) {
			if (!all || errno == EINTR)
				return;
			poll(&p, 1, 100);
			continue;
		}
		if (put < 0) {
			t->to = -1;
			return;
		}
		t->at += put;
		copied += (size_t)put;
	}
}

int sd_program_output_digest(
	int fd, const volatile sig_atomic_t *stop, uint64_t *digest, uint64_t *bytes)
{
	/* offset basis and prime: Fowler, Noll, Vo; RFC 9923 */
	uint64_t h = UINT64_C(0xcbf29ce484222325), total = 0;
	unsigned char *buffer = malloc(CHUNK);
	ssize_t n = -1;

	if (!buffer)
		return -ENOMEM;
	while (!(stop && *stop) && (n = pread(fd, buffer, CHUNK, (off_t)total)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			h = (h ^ buffer[i]) * UINT64_C(0x100000001b3);
		total += (uint64_t)n;
	}
	free(buffer);
	if (stop && *stop)
		return -EINTR;
	if (n < 0)
		return -errno;
	*digest = h;
	*bytes = total;
	return 0;
}

/* The last nonempty line of a file, at most size - 1 bytes; "" if there is none. */
static void last_line(const char *path, char *line, size_t size)
{
	const int fd = sd_regular_file_open(path, O_NOFOLLOW, NULL);
	char tail[1024];
	off_t end;
	ssize_t n, first;

	line[0] = '\0';
	if (fd < 0)
		return;
	end = lseek(fd, 0, SEEK_END);
	n = pread(fd, tail, sizeof tail, end > (off_t)sizeof tail ? end - (off_t)sizeof tail : 0);
	close(fd);
	while (n > 0 && (unsigned char)tail[n - 1] <= ' ')
		n--;
	for (first = n; first > 0 && tail[first - 1] != '\n'; first--)
		;
	if (n <= 0)
		return;
	n -= first;
	if ((size_t)n >= size)
		n = (ssize_t)size - 1;
	memcpy(line, tail + first, (size_t)n);
	line[n] = '\0';
}

void sd_program_output_describe(const char *out, const char *err, char *text, size_t size)
{
	char last[120], any[2];

	last_line(err, last, sizeof last);
	last_line(out, any, sizeof any);
	if (!last[0] && !any[0])
		snprintf(text, size, "it printed nothing");
	else
		snprintf(text, size, "%s%s%s%s%s%s%s%s", any[0] ? "its output: " : "",
			any[0] ? out : "", any[0] && last[0] ? ", errors: " : "",
			!any[0] ? "its errors: " : "", last[0] ? err : "",
			last[0] ? " (last line: " : "", last, last[0] ? ")" : "");
}
