/*
 * A team of pthreads for the programs under test: the caller is member 0, and comes back when all
 * are done.
 */
#ifndef TEAM_H
#define TEAM_H

#include <pthread.h>
#include <stdlib.h>

#define TEAM_MAX 256

struct team_member {
	unsigned id, n;
	void *arg;
	void (*run)(const struct team_member *m);
};

static inline void *team_enter(void *arg)
{
	const struct team_member *const m = arg;

	m->run(m);
	return NULL;
}

static inline void team_run(unsigned n, void (*run)(const struct team_member *m), void *arg)
{
	struct team_member member[TEAM_MAX];
	pthread_t thread[TEAM_MAX];

	if (n < 1 || n > TEAM_MAX)
		abort();
	for (unsigned i = 0; i < n; i++)
		member[i] = (struct team_member){.id = i, .n = n, .arg = arg, .run = run};
	for (unsigned i = 1; i < n; i++)
		if (pthread_create(&thread[i], NULL, team_enter, &member[i]) != 0)
			abort();
	run(&member[0]);
	for (unsigned i = 1; i < n; i++)
		pthread_join(thread[i], NULL);
}

#endif
