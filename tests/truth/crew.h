/*
 * A crew that does one thing together, as C11 threads or as processes: member 0 is the caller, who
 * comes back when all are done. For pthreads there is tests/programs/team.h.
 */
#ifndef CREW_H
#define CREW_H

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#define CREW_MAX 256

typedef void crew_run(unsigned id, unsigned n);

struct crew_member {
	unsigned id, n;
	crew_run *run;
};

static inline int crew_enter(void *arg)
{
	const struct crew_member *const m = arg;

	m->run(m->id, m->n);
	return 0;
}

static inline void crew_threads(unsigned n, crew_run *run)
{
	struct crew_member member[CREW_MAX];
	thrd_t thread[CREW_MAX];

	for (unsigned i = 1; i < n; i++) {
		member[i] = (struct crew_member){.id = i, .n = n, .run = run};
		if (thrd_create(&thread[i], crew_enter, &member[i]) != thrd_success)
			abort();
	}
	run(0, n);
	for (unsigned i = 1; i < n; i++)
		thrd_join(thread[i], NULL);
}

static inline void crew_processes(unsigned n, crew_run *run)
{
	for (unsigned i = 1; i < n; i++) {
		const pid_t child = fork();

		if (child < 0)
			abort();
		if (child == 0) {
			run(i, n);
			_exit(0);
		}
	}
	run(0, n);
	while (wait(NULL) > 0)
		;
}

/* Zeroed memory in huge pages, where there are any: its faults are few. */
static inline void *crew_memory(size_t bytes)
{
	void *const p =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

#endif
