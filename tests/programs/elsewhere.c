/*
 * Hands its work to a process that it did not start, as launchers of containers and batch systems
 * do:
 *   serve SOCKET        computes for those who ask, until its standard input ends
 *   ask SOCKET SECONDS  asks for so many seconds of work, and waits; below 0: of sleep
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int serve(const struct sockaddr_un *at)
{
	const int s = socket(AF_UNIX, SOCK_STREAM, 0);

	if (s < 0 || bind(s, (const struct sockaddr *)at, sizeof *at) || listen(s, 8))
		return 1;
	for (;;) {
		struct pollfd p[2] = {{.fd = s, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
		double seconds, end;
		int c;

		if (poll(p, 2, -1) < 0 || p[1].revents)
			return 0;
		c = accept(s, NULL, NULL);
		if (c >= 0 && read(c, &seconds, sizeof seconds) == sizeof seconds) {
			if (seconds < 0)
				usleep((useconds_t)(-seconds * 1e6));
			for (end = now() + seconds; now() < end;)
				;
			if (write(c, "", 1) != 1)
				return 1;
		}
		close(c);
	}
}

static int ask(const struct sockaddr_un *at, double seconds)
{
	const int s = socket(AF_UNIX, SOCK_STREAM, 0);
	char done;

	if (s < 0 || connect(s, (const struct sockaddr *)at, sizeof *at) ||
		write(s, &seconds, sizeof seconds) != sizeof seconds || read(s, &done, 1) != 1)
		return 1;
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};

	if (argc < 3 || strlen(argv[2]) >= sizeof at.sun_path)
		return 2;
	strcpy(at.sun_path, argv[2]);
	return strcmp(argv[1], "serve") == 0 ? serve(&at) : ask(&at, argc > 3 ? atof(argv[3]) : 1);
}
