/*
 * The keeper: a small process between scalediag and the program, so that nothing of the program
 * survives a run.
 *
 * Forked for every run, it is the program's parent and the subreaper of its tree: orphans below it
 * (daemons, double forks, own sessions) become its children. It ends when wait4() reports that no
 * child is left, and it kills all children when the program has ended, when told to, and when
 * scalediag dies, even by SIGKILL (its socket closes). If the keeper dies, the kernel kills the
 * program (PR_SET_PDEATHSIG), and orphans fall to scalediag, which is a subreaper while it has a
 * keeper.
 *
 * The program may stop its parent. Scalediag notices that and continues the keeper, as does
 * scalediag's death (PR_SET_PDEATHSIG). A keeper that does not answer in time (stopped again and
 * again, or traced) is killed, and scalediag ends the tree itself.
 *
 * Killing converges: each round walks the tree and kills every process right after listing its
 * children, so only processes born within these few microseconds survive to the next round, which
 * follows at once. A process that may not be signalled (another user's: set-user-ID), or that the
 * kernel cannot end (stuck in a driver), is given up after 10 s and reported. Processes that
 * another process was asked to start (a service manager, a container daemon) were never in the
 * tree.
 */
#ifndef SD_KEEPER_H
#define SD_KEEPER_H

#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "launch/run_groups.h"
#include "record/run.h"

/* Properties that the program inherits besides its environment. */
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
	const struct sd_run_groups *groups; /* that it starts in, if it can; NULL: none */
	int wakes; /* when all is gone scalediag is continued: a launcher waits for a rank's agent,
		      and nobody would see that it was stopped */
};

struct sd_keeper {
	pid_t keeper, program;
	int socket;        /* readable if there is a report; -1 closed */
	int gate;          /* the program waits for this before its exec */
	int exec;          /* closed by a successful exec, or delivers the error of a failed one */
	int subreaper;     /* scalediag already was one */
	int gone;          /* the last report was read */
	int end;           /* pidfd of the program; -1: no pidfds, or it has ended */
	int stopped;       /* the keeper was found stopped and was continued */
	int late;          /* it was killed because it did not answer */
	uint64_t ended_ns; /* CLOCK_MONOTONIC, when `end` became readable; 0 not yet */
	uint64_t limit_ns; /* deadline for its end; UINT64_MAX none yet */
	uint64_t cpu_ns;   /* of the keeper, when it was last found late */
	unsigned more;     /* how often it was given more time because it made progress */
	unsigned entered;  /* groups that the program started in (run_groups.h) */
	struct sd_keeper_clock *clock;
};
#define SD_KEEPER_NONE       \
	((struct sd_keeper){ \
		.socket = -1, .gate = -1, .exec = -1, .end = -1, .limit_ns = UINT64_MAX})

enum sd_keeper_news {
	SD_KEEPER_STARTED, /* internal: carries the program's pid */
	SD_KEEPER_ENDED,   /* the program's main process has been reaped: `status`, `wall_ns` */
	SD_KEEPER_GONE,    /* nothing of the tree is left, except `stuck` */
};

struct sd_keeper_report {
	enum sd_keeper_news news;
	pid_t pid;
	unsigned entered; /* STARTED: as of struct sd_keeper */
	int status;       /* of wait4() */
	uint64_t wall_ns; /* CLOCK_MONOTONIC, from the program's call of exec to its exit */
	struct rusage
		usage; /* GONE: of everything reaped, directly or indirectly; max_rss the largest */
	int leftover;  /* GONE: processes outlived the program by more than 50 ms */
	int working;   /* GONE: and worked for most of that time */
	pid_t stuck;   /* GONE: one that could not be killed; 0 none */
};

/*
 * Forks the keeper, which forks the program. The program waits before its exec, in its own process
 * group and session, with default SIGPIPE, SIGCHLD, SIGINT, SIGQUIT and no signal blocked. 0 or
 * -errno (*k empty).
 */
int sd_keeper_open(struct sd_keeper *k, const struct sd_keeper_spec *spec);

/* Lets the program exec. 0; -errno of a failed chdir() or exec (*in_chdir says which), or -EIO;
 * -EINTR: *stop (may be NULL) was set before the exec. */
int sd_keeper_release(struct sd_keeper *k, const volatile sig_atomic_t *stop, int *in_chdir);

/* Ends the run: SIGTERM to the tree, after grace_ms SIGKILL; 0 ms kills at once. */
void sd_keeper_end(struct sd_keeper *k, unsigned grace_ms);

/* Continues a stopped keeper, and kills one past its deadline. Call it about every 0.1 s;
 * sd_keeper_wait() also does it. */
void sd_keeper_look(struct sd_keeper *k);

/* Sleeps until there is a report or the keeper has ended (returns 1), or (returns 0) the time `at`
 * (CLOCK_MONOTONIC, ns) is reached, a signal was caught, or the program has just ended. */
int sd_keeper_wait(struct sd_keeper *k, uint64_t at);

/* Waits for the next report. 0, or -EIO: the keeper died, and the tree is being killed. */
int sd_keeper_report(struct sd_keeper *k, struct sd_keeper_report *r);

/* How the program ended, from its ENDED report; `code` is the signal or exit status. */
void sd_keeper_outcome(
	const struct sd_keeper_report *r, int timed_out, enum sd_end *end, int *code);

/* Kills what is left, waits for the keeper (at most about 16 s), and frees. Accepts and leaves the
 * empty value. */
void sd_keeper_close(struct sd_keeper *k);

#endif
