/*
 * The keeper: a small process between scalediag and the program, so that nothing of the program
 * survives a run.
 *
 * It is forked for every run, is the program's parent and the subreaper of its tree: whatever is
 * orphaned below it (daemons, double forks, own sessions) becomes its child. It ends when wait4()
 * says that no child is left, and it sees to that: when the program has ended, when it is told to,
 * and when scalediag is gone, however that died (its socket closes, also by SIGKILL). The program
 * itself is killed by the kernel when the keeper dies (PR_SET_PDEATHSIG), and what is orphaned then
 * falls to scalediag, which is a subreaper while it has a keeper.
 *
 * The program may stop its parent. Scalediag sees that and continues it, and scalediag's death
 * does the same (PR_SET_PDEATHSIG). One that does not answer in time (stopped again and again, or
 * traced) is killed, and scalediag ends the tree itself.
 *
 * Killing converges: in every round each process that a walk of the tree finds gets SIGKILL right
 * after its children were listed, so that only those born in these few microseconds see the next
 * round, which follows at once. A process that may not be signalled (another user's: set-user-ID),
 * or that the kernel cannot end (stuck in a driver), is given up after 10 s and named. What another
 * process was asked to start (a service manager, a container daemon) was never in the tree.
 */
#ifndef SD_KEEPER_H
#define SD_KEEPER_H

#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "record/run.h"

/* What the program inherits besides its environment. */
struct sd_keeper_tune {
	int no_huge_pages; /* PR_SET_THP_DISABLE */
	int interleave;    /* memory from all allowed nodes in turn */
};

struct sd_keeper_spec {
	const char *path; /* of the executable; no search */
	char *const *argv, *const *envp;
	const char *cwd;  /* NULL = ours */
	int in, out, err; /* descriptors for the program's 0, 1 and 2 */
	struct sd_keeper_tune tune;
};

struct sd_keeper {
	pid_t keeper, program;
	int socket;        /* readable when there is a report; -1 closed */
	int gate;          /* what the program waits for before its exec */
	int exec;          /* closes by a successful exec, or carries the reason of a failed one */
	int subreaper;     /* scalediag was one before */
	int gone;          /* the last report was read */
	int end;           /* pidfd of the program; -1: the kernel has none, or it has ended */
	int stopped;       /* the keeper was found stopped, and continued */
	int late;          /* it was killed since it did not answer */
	uint64_t ended_ns; /* CLOCK_MONOTONIC, when `end` said so; 0 not yet */
	uint64_t limit_ns; /* when it must be gone; UINT64_MAX no limit yet */
	uint64_t cpu_ns;   /* of the keeper, when it was last found late */
	unsigned more;     /* how often it was given more time, since it worked */
	struct sd_keeper_clock *clock;
};
#define SD_KEEPER_NONE       \
	((struct sd_keeper){ \
		.socket = -1, .gate = -1, .exec = -1, .end = -1, .limit_ns = UINT64_MAX})

enum sd_keeper_news {
	SD_KEEPER_STARTED, /* internal: the program's pid */
	SD_KEEPER_ENDED,   /* the program's main process has been reaped: `status`, `wall_ns` */
	SD_KEEPER_GONE,    /* nothing of the tree is left, unless `stuck` */
};

struct sd_keeper_report {
	enum sd_keeper_news news;
	pid_t pid;
	int status;          /* of wait4() */
	uint64_t wall_ns;    /* CLOCK_MONOTONIC, from the program's call of exec to its exit */
	struct rusage usage; /* GONE: of everything that was reaped, with what that had reaped;
				max_rss the largest */
	int leftover;        /* GONE: processes outlived the program by more than 50 ms */
	pid_t stuck;         /* GONE: one that could not be killed; 0 none */
};

/*
 * Forks the keeper, and that the program, which waits before its exec in its own process group and
 * session, with default SIGPIPE, SIGCHLD, SIGINT, SIGQUIT and no signal blocked. 0 or -errno (*k
 * empty).
 */
int sd_keeper_open(struct sd_keeper *k, const struct sd_keeper_spec *spec);

/* Lets the program exec. 0; -errno: why chdir() or exec failed (*in_chdir says which), or -EIO;
 * -EINTR: *stop (may be NULL) was set before it had. */
int sd_keeper_release(struct sd_keeper *k, const volatile sig_atomic_t *stop, int *in_chdir);

/* Ends the run: SIGTERM to the tree, after grace_ms SIGKILL; 0 ms kills at once. */
void sd_keeper_end(struct sd_keeper *k, unsigned grace_ms);

/* Continues a keeper that was stopped, and kills one that is past its limit. To be called every
 * 0.1 s or so; sd_keeper_wait() does it, too. */
void sd_keeper_look(struct sd_keeper *k);

/* Sleeps until there is a report, or the end of the keeper (1), or something is due (0): the moment
 * `at` (CLOCK_MONOTONIC, ns) has come, a signal was caught, the program has just ended. */
int sd_keeper_wait(struct sd_keeper *k, uint64_t at);

/* The next report; waits for it. 0, or -EIO when the keeper died: the tree is being killed. */
int sd_keeper_report(struct sd_keeper *k, struct sd_keeper_report *r);

/* How the program ended, by its report ENDED; `code` is the signal or the exit status. */
void sd_keeper_outcome(
	const struct sd_keeper_report *r, int timed_out, enum sd_end *end, int *code);

/* Kills what is left, waits for the keeper (about 16 s at most), frees. Accepts the empty value and
 * leaves it. */
void sd_keeper_close(struct sd_keeper *k);

#endif
