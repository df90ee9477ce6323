#include "trial/copies.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "launch/affinity.h"
#include "launch/keeper.h"
#include "launch/program_output.h"
#include "launch/program_path.h"
#include "trial/shared_output.h"

#define LOOK_MS 100     /* between checks of the stop flag, the clock and the open files */
#define FIRST_LOOK_MS 5 /* then twice as long each time: short runs are looked at too */
#define GRACE_MS 1000u

struct member {
	struct sd_keeper keeper;
	int out, err, ended, gone, timed_out;
};

struct crowd {
	const struct sd_copies *copies;
	struct member *member;
	struct pollfd *poll;
	pid_t *pid;     /* of those that run; else 0 */
	pid_t *session; /* of each */
	struct sd_copy *copy;
	struct sd_run *run;
	char *path, *shared;
	size_t size;
	struct sd_shared_output_folder folder; /* their common folder, if there is only one */
	int in;
	double begun;
	const struct sd_sink *sink;
};

static double now_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int open_member(struct crowd *w, size_t i)
{
	const struct sd_copies_one *one = &w->copies->one[i];
	struct member *m = &w->member[i];
	struct sd_keeper_spec spec = {.path = w->path,
		.argv = w->copies->argv,
		.envp = w->copies->envp,
		.cwd = one->cwd,
		.in = w->in};
	unsigned missing = 0;
	int rc;

	m->out = sd_program_output_create(one->out_path);
	m->err = sd_program_output_create(one->err_path);
	if (m->out < 0 || m->err < 0) {
		rc = m->out < 0 ? m->out : m->err;
		sd_say(w->sink, SD_LEVEL_ERROR, "cannot write the output of copies to %s: %s",
			m->out < 0 ? one->out_path : one->err_path, strerror(-rc));
		return rc;
	}
	spec.out = m->out;
	spec.err = m->err;
	rc = sd_keeper_open(&m->keeper, &spec);
	if (!rc && sd_shield_add(w->copies->shield, m->keeper.program))
		w->run->flags |= SD_RUN_SHIELDED;
	if (!rc)
		rc = sd_affinity_bind(m->keeper.program, &one->cpus, &missing);
	if (rc)
		sd_say(w->sink, SD_LEVEL_ERROR, "cannot start a copy on CPU %u: %s",
			one->cpus.cpu[0], strerror(-rc));
	return rc;
}

/* Do all copies work in the same folder? */
static int one_folder(const struct sd_copies *c)
{
	const char *const first = c->one[0].cwd;

	for (size_t i = 1; i < c->n; i++)
		if (first != c->one[i].cwd &&
			(!first || !c->one[i].cwd || strcmp(first, c->one[i].cwd) != 0))
			return 0;
	return c->n > 1;
}

static int release_all(struct crowd *w)
{
	int in_chdir, rc = 0;

	if (one_folder(w->copies))
		sd_shared_output_open(&w->folder, w->copies->one[0].cwd);
	w->run->start = sd_clock_day();
	w->begun = now_s(CLOCK_MONOTONIC);
	for (size_t i = 0; i < w->copies->n && !rc; i++) {
		rc = sd_keeper_release(&w->member[i].keeper, w->copies->stop, &in_chdir);
		w->pid[i] = w->member[i].keeper.program;
		w->session[i] = getsid(w->pid[i]);
	}
	if (rc == -EINTR)
		return rc;
	if (rc)
		sd_program_path_explain(w->path, rc, w->sink);
	return rc ? -ENOEXEC : 0;
}

static void take_end(struct crowd *w, size_t i, const struct sd_keeper_report *r)
{
	struct sd_copies_one *one = &w->copies->one[i];
	struct member *m = &w->member[i];

	m->ended = 1;
	w->pid[i] = 0;
	sd_keeper_outcome(r, m->timed_out, &one->end, &one->code);
	if (w->copies->any_status && one->end == SD_END_EXITED)
		one->code = 0;
	/* polling is too coarse to tell when a copy ended whose keeper was stopped */
	if (one->end == SD_END_EXITED && one->code == 0 && !m->keeper.stopped)
		w->copy[i].wall = SD_OK((double)r->wall_ns * 1e-9);
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

static void take_usage(struct crowd *w, size_t i, const struct rusage *u)
{
	const double user = seconds(&u->ru_utime), system = seconds(&u->ru_stime);
	struct sd_value *all = w->run->metric;

	w->copy[i].cpu_s = SD_OK(user + system);
	all[SD_METRIC_USER] =
		SD_OK((sd_has(all[SD_METRIC_USER]) ? all[SD_METRIC_USER].value : 0) + user);
	all[SD_METRIC_SYSTEM] =
		SD_OK((sd_has(all[SD_METRIC_SYSTEM]) ? all[SD_METRIC_SYSTEM].value : 0) + system);
}

/* 0, or -EIO if a keeper died. */
static int hear(struct crowd *w, size_t i)
{
	struct sd_keeper_report r;
	const int rc = sd_keeper_report(&w->member[i].keeper, &r);

	if (rc) {
		sd_say(w->sink, SD_LEVEL_WARNING, "%s",
			w->member[i].keeper.late
				? "a copy was killed: the process that keeps it did not answer"
				: "a copy was killed: out of memory?");
		return rc;
	}
	if (r.news == SD_KEEPER_ENDED)
		take_end(w, i, &r);
	if (r.news == SD_KEEPER_GONE) {
		take_usage(w, i, &r.usage);
		w->member[i].gone = 1;
		w->poll[i].fd = -1;
		if (!w->member[i].ended) {
			sd_say(w->sink, SD_LEVEL_WARNING,
				"a copy (process %d) could not be killed: look at it with ps",
				(int)r.stuck);
			return -EBUSY;
		}
	}
	return 0;
}

static void end_all(struct crowd *w, int timed_out)
{
	for (size_t i = 0; i < w->copies->n; i++)
		if (!w->member[i].gone && !w->member[i].timed_out) {
			w->member[i].timed_out = timed_out && !w->member[i].ended;
			sd_keeper_end(&w->member[i].keeper, GRACE_MS);
		}
}

static int all_gone(const struct crowd *w)
{
	for (size_t i = 0; i < w->copies->n; i++)
		if (!w->member[i].gone)
			return 0;
	return 1;
}

/* Asked at once: a process that has closed a file may end, and then nobody knows whose it was. */
static void look_for_shared(struct crowd *w, int open_too)
{
	const size_t n = w->copies->n;

	if (w->shared[0])
		return;
	if (!sd_shared_output_closed(&w->folder, w->session, n, w->shared, w->size) && open_too)
		sd_shared_output_written(w->pid, n, w->shared, w->size);
	if (w->shared[0])
		w->poll[n].fd = -1; /* nobody reads what comes */
}

static int watch(struct crowd *w)
{
	const struct sd_copies *c = w->copies;
	int rc = 0, ending = 0, timed_out = 0, every_ms = FIRST_LOOK_MS;
	double look = w->begun;

	for (size_t i = 0; i < c->n; i++)
		w->poll[i] = (struct pollfd){.fd = w->member[i].keeper.socket, .events = POLLIN};
	w->poll[c->n] = (struct pollfd){.fd = w->folder.fd, .events = POLLIN};
	while (!rc && !all_gone(w)) {
		const int ready = poll(w->poll, c->n + 1, every_ms);
		const double now = now_s(CLOCK_MONOTONIC);

		for (size_t i = 0; ready > 0 && i < c->n && !rc; i++)
			if (w->poll[i].revents)
				rc = hear(w, i);
		look_for_shared(w, now >= look);
		if (now < look)
			continue;
		look = now + every_ms * 1e-3;
		every_ms = every_ms * 2 < LOOK_MS ? every_ms * 2 : LOOK_MS;
		for (size_t i = 0; i < c->n; i++)
			sd_keeper_look(&w->member[i].keeper);
		if (c->progress)
			c->progress(c->progress_ctx, now - w->begun);
		if (!ending && c->stop && *c->stop) {
			ending = 1;
			end_all(w, 0);
		}
		if (!timed_out && c->timeout_s > 0 && now - w->begun > c->timeout_s) {
			timed_out = 1;
			end_all(w, 1);
		}
	}
	look_for_shared(w, 0);
	return ending && !rc ? -EINTR : rc;
}

/* Combines the results of all copies. */
static int finish(struct crowd *w)
{
	struct sd_run *run = w->run;
	double longest = 0;
	int rc = 0;

	for (size_t i = 0; i < w->copies->n && !rc; i++) {
		const struct sd_copies_one *one = &w->copies->one[i];
		uint64_t bytes;

		if (!(one->end == SD_END_EXITED && one->code == 0) && run->end == SD_END_EXITED &&
			run->code == 0) {
			run->end = one->end;
			run->code = one->code;
		}
		if (sd_has(w->copy[i].wall) && w->copy[i].wall.value > longest)
			longest = w->copy[i].wall.value;
		rc = sd_program_output_digest(
			w->member[i].out, w->copies->stop, &w->copy[i].stdout_digest, &bytes);
	}
	if (longest > 0)
		run->metric[SD_METRIC_WALL] = SD_OK(longest);
	return rc;
}

static void close_all(struct crowd *w)
{
	/* in reverse order: each restores the subreaper state that it found */
	for (size_t i = w->member ? w->copies->n : 0; i-- > 0;) {
		sd_keeper_close(&w->member[i].keeper);
		if (w->member[i].out >= 0)
			close(w->member[i].out);
		if (w->member[i].err >= 0)
			close(w->member[i].err);
	}
	if (w->in >= 0)
		close(w->in);
	sd_shared_output_close(&w->folder);
	free(w->member);
	free(w->poll);
	free(w->pid);
	free(w->session);
	free(w->path);
}

static int start(struct crowd *w)
{
	const struct sd_copies *c = w->copies;
	int rc;

	w->member = calloc(c->n + 1, sizeof *w->member);
	w->poll = calloc(c->n + 1, sizeof *w->poll);
	w->pid = calloc(c->n + 1, sizeof *w->pid);
	w->session = calloc(c->n + 1, sizeof *w->session);
	if (!w->member || !w->poll || !w->pid || !w->session)
		return -ENOMEM;
	for (size_t i = 0; i < c->n; i++)
		w->member[i] = (struct member){.keeper = SD_KEEPER_NONE, .out = -1, .err = -1};
	w->in = sd_program_output_create(NULL);
	if (w->in < 0)
		return w->in;
	rc = sd_program_path_find(c->argv[0], c->one[0].cwd, c->envp, &w->path, w->sink);
	for (size_t i = 0; i < c->n && !rc; i++)
		rc = open_member(w, i);
	return rc;
}

int sd_copies_run(const struct sd_copies *c, struct sd_copy *copy, struct sd_run *run, char *shared,
	size_t size, const struct sd_sink *sink)
{
	struct crowd w = {.copies = c,
		.copy = copy,
		.run = run,
		.shared = shared,
		.size = size,
		.folder = {.fd = -1},
		.in = -1,
		.sink = sink};
	int rc;

	shared[0] = '\0';
	for (size_t i = 0; i < c->n; i++)
		copy[i].cpu = c->one[i].cpus.cpu[0];
	rc = start(&w);
	if (!rc)
		rc = release_all(&w);
	if (!rc)
		rc = watch(&w);
	if (!rc)
		rc = finish(&w);
	close_all(&w);
	return rc;
}
