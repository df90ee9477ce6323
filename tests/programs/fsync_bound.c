/*
 * fsync-bound: AMOUNT of work divided over the team, then COUNT small writes with fsync by each
 * member, to a file of its own in FOLDER that has no name any more.
 *
 *   fsync_bound AMOUNT COUNT FOLDER
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "team.h"
#include "work.h"

struct job {
	double amount;
	long count;
	const char *folder;
};

static void part(const struct team_member *m)
{
	const struct job *const job = m->arg;
	char path[4096];
	int fd;

	snprintf(path, sizeof path, "%s/fsync-XXXXXX", job->folder);
	fd = mkstemp(path);
	if (fd < 0) {
		perror(path);
		exit(1);
	}
	unlink(path);
	work(job->amount / m->n);
	for (long i = 0; i < job->count; i++)
		if (write(fd, "0123456789abcdef", 16) != 16 || fsync(fd) != 0) {
			perror("fsync");
			exit(1);
		}
	close(fd);
}

int main(int argc, char **argv)
{
	struct job job = {.amount = work_amount(argc, argv),
		.count = argc > 2 ? strtol(argv[2], NULL, 10) : 20,
		.folder = argc > 3 ? argv[3] : "."};

	team_run(work_threads(), part, &job);
	return 0;
}
