/* Processes that take turns at a lock on a file: flock(), or "record" fcntl() on its first byte;
 * each has it for three quarters of its work. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define SECTION 2e-3

static void set(int fd, int record, int on)
{
	struct flock whole = {.l_type = (short)(on ? F_WRLCK : F_UNLCK), .l_len = 1};

	if (record)
		fcntl(fd, F_SETLKW, &whole);
	else
		flock(fd, on ? LOCK_EX : LOCK_UN);
}

static void part(const char *name, int record, long sections)
{
	const int fd = open(name, O_RDWR | O_CLOEXEC);

	for (long i = 0; fd >= 0 && i < sections; i++) {
		work(.25 * SECTION);
		set(fd, record, 1);
		work(.75 * SECTION);
		set(fd, record, 0);
	}
	_exit(fd < 0);
}

int main(int argc, char **argv)
{
	const double amount = work_amount(argc, argv);
	const int record = argc > 2 && strcmp(argv[2], "record") == 0;
	char name[] = "/tmp/file_lock.XXXXXX";
	const unsigned n = work_threads();
	int status, bad = 0;

	close(mkstemp(name));
	for (unsigned i = 0; i < n; i++)
		if (fork() == 0)
			part(name, record, (long)(amount / n / SECTION));
	while (wait(&status) > 0)
		bad |= status;
	unlink(name);
	return bad != 0;
}
