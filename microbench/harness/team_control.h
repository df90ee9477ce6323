/*
 * Memory that the two halves of a team share: the caller (team.c) and members (team_member.c).
 */
#ifndef SD_TEAM_CONTROL_H
#define SD_TEAM_CONTROL_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "harness/team.h"

/* A meeting point of members. A generation counter lets the same gate be used again and again. */
struct sd_team_gate {
	_Alignas(128) atomic_uint arrived;
	_Alignas(128) atomic_uint generation;
	_Alignas(128) atomic_uint size;
	atomic_int abandoned; /* the caller gave up: nobody waits here any more */
	atomic_int ended;     /* the first member has ended its job, or is to */
	atomic_int stopped;   /* Ctrl-C: all are to end */
};

/* One alignment a part on purpose. NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct sd_team_control {
	_Alignas(128) atomic_uint command; /* a futex: counts the jobs; members sleep on it */
	_Alignas(128) atomic_uint done;    /* a futex: members that are ready with the job */
	_Alignas(128) atomic_int quit;
	struct sd_team_gate gate;
	size_t mapped; /* of the whole shared mapping */
	pthread_t *thread;
	pid_t *pid;
	unsigned n_started;
	int broken; /* a member died or is stuck: the team can only be ended */
	struct sd_team_job *job;
	struct sd_team_place *place;
};

/*
 * A member's address, and how many jobs were for it. Only that number makes it look at its job: a
 * member left out of a command may wake up when the next one is being written.
 */
struct sd_team_place {
	struct sd_team_control *control;
	struct sd_member *member;
	atomic_uint orders;
};

/* Sleeps while *word is `value`, but not for long: whoever waits also looks around. */
void sd_team_futex_wait(atomic_uint *word, unsigned value);
void sd_team_futex_wake(atomic_uint *word, int n);

/* A member's life: pinned, waiting for commands until control->quit. */
void sd_team_member(struct sd_team_place *p);

#endif
