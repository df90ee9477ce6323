#include "launch/launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "launch/affinity.h"
#include "launch/keeper.h"
#include "launch/program_output.h"
#include "launch/probe_set.h"
#include "launch/program_path.h"
#include "launch/run_usage.h"

#define SLICE_NS UINT64_C(100000000) /* between checks of the stop flag, progress, output */
#define TIMEOUT_GRACE_MS 1000u
#define STOP_GRACE_MS 3000u
/* A launcher ends its ranks on other nodes, and gives back what it was granted, before it ends:
 * Slurm takes up to 32 s for that, and a job whose srun was killed stays. */
#define LAUNCHER_GRACE_MS 40000u

struct session {
	const struct sd_launch *launch;
	struct sd_run *run;
	const struct sd_sink *sink;
	char *path;
	int in, out, err;
	struct sd_program_output_tail tail[2];
	struct sd_held_cpus hold; /* of this run alone */
	struct sd_run_groups groups;
	struct sd_keeper keeper;
	struct sd_probe_set probing;
	struct sd_affinity_set *affinity; /* ours, before stepping aside */
	uint64_t start_ns, cpu_ns;        /* at the exec: monotonic; CPU time of this process */
	uint64_t next_tick, next_slice;
	int stops;            /* how far *stop was obeyed: 0, 1 asked, 2 killed */
	int timed_out, ended; /* ended: the main process was reaped */
	struct sd_keeper_report gone;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* `path` for the program's output, NULL = /dev/null. */
static int open_output(const char *path, int *fd, const struct sd_sink *sink)
{
	const int rc = sd_program_output_create(path);

	if (rc < 0)
		sd_say(sink, SD_LEVEL_ERROR, "cannot write the program's output to %s: %s",
			path ? path : "/dev/null",
			rc == -ELOOP    ? "it is a symbolic link: remove it"
			: rc == -EEXIST ? "it is not ours: remove it"
					: strerror(-rc));
	else
		*fd = rc;
	return rc < 0 ? rc : 0;
}

static int find_program(struct session *s)
{
	const struct sd_launch *l = s->launch;
	const int rc = sd_program_path_find(l->argv[0], l->cwd, l->envp, &s->path, s->sink);

	return rc && rc != -ENOMEM ? -ENOEXEC : rc;
}

static int open_files(struct session *s)
{
	const int show = s->launch->show_output;
	int rc;

	if (s->launch->in_place) {
		s->tail[0].to = s->tail[1].to = -1;
		return sd_program_output_hand_on(&s->in, &s->out, &s->err);
	}
	s->in = sd_program_output_input();
	if (s->in < 0)
		return s->in;
	rc = open_output(s->launch->stdout_path, &s->out, s->sink);
	rc = rc ? rc : open_output(s->launch->stderr_path, &s->err, s->sink);
	s->tail[0] =
		(struct sd_program_output_tail){.from = s->out, .to = show ? STDOUT_FILENO : -1};
	s->tail[1] =
		(struct sd_program_output_tail){.from = s->err, .to = show ? STDERR_FILENO : -1};
	return rc;
}

/* Puts the waiting program on its CPUs. */
static int bind_program(struct session *s)
{
	const struct sd_cpulist *cpus = s->launch->cpus;
	unsigned missing = 0;
	int rc;

	s->run->flags |= sd_run_groups_add(&s->groups, s->keeper.entered, s->keeper.program);
	if (!cpus || !cpus->n || s->launch->in_place)
		return 0;
	rc = sd_affinity_bind(s->keeper.program, cpus, &missing);
	if (rc == -ENODEV)
		sd_say(s->sink, SD_LEVEL_ERROR,
			"CPU %u is offline or was taken from this process: plan again", missing);
	else if (rc)
		sd_say(s->sink, SD_LEVEL_ERROR, "cannot bind the program to its CPUs: %s",
			strerror(-rc));
	return rc;
}

static int open_keeper(struct session *s)
{
	const struct sd_launch *l = s->launch;
	const struct sd_keeper_spec spec = {.path = s->path,
		.argv = l->argv,
		.envp = l->envp,
		.cwd = l->cwd,
		.in = s->in,
		.out = s->out,
		.err = s->err,
		.tune = l->tune,
		.groups = &s->groups,
		.wakes = l->in_place};
	int rc;

	sd_run_groups_open(
		&s->groups, l->shield, l->held ? l->held : &s->hold, l->in_place ? NULL : l->cpus);
	rc = sd_keeper_open(&s->keeper, &spec);
	if (rc)
		sd_say(s->sink, SD_LEVEL_ERROR, "cannot start a process: %s", strerror(-rc));
	return rc;
}

static int open_probes(struct session *s)
{
	const struct sd_launch *l = s->launch;
	const struct sd_probe_target target = {.pid = s->keeper.program,
		.subreaper = s->keeper.keeper,
		.cpus = l->cpus,
		.cores = l->cores,
		.lane_steps = l->lane_steps,
		.poll_s = l->poll_s,
		.counting = l->counting,
		.memory = l->memory,
		.mpi_folder = l->mpi_folder,
		.log_folder = l->log_folder,
		.markers = l->markers,
		.region = l->region,
		.pass = l->pass,
		.os_only = l->os_only,
		.system_calls = l->system_calls,
		.stacks = l->stacks,
		.kept = l->kept,
		.trees = l->trees,
		.simulation = l->simulation,
		.no_samples = l->no_samples,
		.thin = l->thin,
		.expect_s = l->expect_s,
		.expect_switches = l->expect_switches,
		.accountant = l->accountant,
		.keep_samples = l->keep_samples,
		.keep_error = l->keep_error,
		.root = ""};

	return sd_probe_set_open(&s->probing, l->probes, &target, s->run);
}

static int release(struct session *s)
{
	int in_chdir = 0, rc;

	s->run->start = sd_clock_day();
	sd_probe_set_start(&s->probing);
	s->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	rc = sd_keeper_release(&s->keeper, s->launch->stop, &in_chdir);
	s->start_ns = clock_ns(CLOCK_MONOTONIC);
	if (rc == -EINTR)
		return rc;
	if (rc == -EIO)
		sd_say(s->sink, SD_LEVEL_ERROR,
			"%s was killed before it could start: out of memory?", s->path);
	else if (rc && in_chdir)
		sd_say(s->sink, SD_LEVEL_ERROR, "cannot enter the folder %s (--cwd): %s",
			s->launch->cwd, strerror(-rc));
	else if (rc)
		sd_program_path_explain(s->path, rc, s->sink);
	return rc ? -ENOEXEC : 0;
}

/* ---- while it runs ---- */

static unsigned grace(const struct session *s, unsigned ms)
{
	return s->launch->mpi_folder ? LAUNCHER_GRACE_MS : ms;
}

static void obey_stop(struct session *s)
{
	const int stop = s->launch->stop ? *s->launch->stop : 0;

	if (stop > 1 && s->stops < 2) {
		s->stops = 2;
		sd_keeper_end(&s->keeper, 0);
	} else if (stop > 0 && s->stops < 1) {
		s->stops = 1;
		sd_keeper_end(&s->keeper, grace(s, STOP_GRACE_MS));
	}
}

static void obey_timeout(struct session *s, uint64_t now)
{
	if (s->ended || s->timed_out || s->stops || s->launch->timeout_s <= 0 ||
		(double)(now - s->start_ns) * 1e-9 < s->launch->timeout_s)
		return;
	s->timed_out = 1;
	sd_keeper_end(&s->keeper, grace(s, TIMEOUT_GRACE_MS));
}

static void slice(struct session *s, uint64_t now)
{
	const struct sd_launch *l = s->launch;

	obey_stop(s);
	obey_timeout(s, now);
	if (now < s->next_slice)
		return;
	s->next_slice = now + (l->look ? earlier(now - s->start_ns, SLICE_NS) : SLICE_NS);
	sd_program_output_copy(&s->tail[0], 0);
	sd_program_output_copy(&s->tail[1], 0);
	if (l->progress)
		l->progress(l->progress_ctx, (double)(now - s->start_ns) * 1e-9);
	if (l->look && !s->ended)
		l->look(l->look_ctx, s->keeper.keeper);
}

static uint64_t wake_at(const struct session *s)
{
	uint64_t at = earlier(s->next_slice, s->ended ? UINT64_MAX : s->next_tick);

	if (!s->ended && !s->timed_out && s->launch->timeout_s > 0 && s->launch->timeout_s < 1e9)
		at = earlier(at, s->start_ns + (uint64_t)(s->launch->timeout_s * 1e9) + 1);
	return at;
}

/* The program's main process ended: its result is known now, even if others still live. */
static void take_end(struct session *s, const struct sd_keeper_report *r)
{
	struct sd_run *run = s->run;

	s->ended = 1;
	sd_keeper_outcome(r, s->timed_out, &run->end, &run->code);
	if (s->launch->any_status && run->end == SD_END_EXITED && run->code != 0)
		run->flags |= SD_RUN_ANY_STATUS;
	run->metric[SD_METRIC_WALL] = SD_OK((double)r->wall_ns * 1e-9);
	run->metric[SD_METRIC_POLL_CPU] =
		SD_OK((double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - s->cpu_ns) * 1e-9);
	sd_probe_set_stop(&s->probing, run);
}

static void say_lost(const struct session *s)
{
	sd_say(s->sink, SD_LEVEL_ERROR, "%s",
		s->keeper.late ? "the process that keeps the program did not answer (does the "
				 "program stop or trace its parent?): both were killed"
			       : "the process that keeps the program was killed: out of memory?");
}

/* 0 when the tree is gone, -EIO when the keeper died. */
static int watch(struct session *s)
{
	s->next_slice = s->start_ns + (s->launch->look ? SLICE_NS / 50 : SLICE_NS);
	for (s->next_tick = s->start_ns;;) {
		struct sd_keeper_report r;
		uint64_t now;

		if (sd_keeper_wait(&s->keeper, wake_at(s))) {
			const int rc = sd_keeper_report(&s->keeper, &r);

			if (rc) {
				say_lost(s);
				return rc;
			}
			if (r.news == SD_KEEPER_ENDED)
				take_end(s, &r);
			if (r.news == SD_KEEPER_GONE) {
				s->gone = r;
				return 0;
			}
		}
		now = clock_ns(CLOCK_MONOTONIC);
		if (!s->ended && now >= s->next_tick) {
			const uint64_t wish = sd_probe_set_tick(&s->probing, now);

			s->next_tick = wish < UINT64_MAX - now ? now + wish : UINT64_MAX;
		}
		slice(s, now);
	}
}

/* ---- after ---- */

static int finish(struct session *s)
{
	struct sd_run *run = s->run;
	int rc;

	sd_run_usage_take(run, &s->gone.usage);
	sd_run_usage_drop_ended(run);
	if (s->keeper.stopped)
		sd_say(s->sink, SD_LEVEL_WARNING,
			"the program stopped its parent, the process that keeps it (SIGSTOP); it "
			"was continued");
	if (s->gone.leftover)
		run->flags |= SD_RUN_LEFTOVER;
	if (s->gone.working)
		run->flags |= SD_RUN_GOES_ON;
	if (s->gone.stuck)
		sd_say(s->sink, SD_LEVEL_WARNING,
			"process %d of the program could not be killed (another user's, or stuck in the kernel): "
			"look at it with ps",
			(int)s->gone.stuck);
	if (s->stops)
		return -EINTR;
	if (!s->ended) {
		/* how it ended is unknown, and it would take CPUs from the next run */
		sd_say(s->sink, SD_LEVEL_ERROR,
			"the program is still there after its timeout: nothing more can be "
			"measured beside it");
		return -EBUSY;
	}
	if (s->launch->in_place)
		return 0;
	sd_program_output_copy(&s->tail[0], 1);
	sd_program_output_copy(&s->tail[1], 1);
	rc = sd_program_output_digest(
		s->out, s->launch->stop, &run->stdout_digest, &run->stdout_bytes);
	if (rc && rc != -EINTR)
		sd_say(s->sink, SD_LEVEL_ERROR, "cannot read the program's output back: %s",
			strerror(-rc));
	return rc;
}

static void close_session(struct session *s)
{
	sd_keeper_close(&s->keeper); /* first: nothing of the tree may outlive this */
	sd_probe_set_close(&s->probing);
	sd_run_groups_close(&s->groups);
	sd_held_cpus_close(&s->hold);
	sd_affinity_back(s->affinity);
	for (int i = 0; i < 3; i++) {
		const int fd = i == 0 ? s->in : i == 1 ? s->out : s->err;

		if (fd >= 0)
			close(fd);
	}
	free(s->path);
}

int sd_launch(const struct sd_launch *launch, struct sd_run *run, const struct sd_sink *sink)
{
	struct session s = {.launch = launch,
		.run = run,
		.sink = sink,
		.in = -1,
		.out = -1,
		.err = -1,
		.keeper = SD_KEEPER_NONE};
	int rc = launch->stop && *launch->stop ? -EINTR : 0;

	if (!rc)
		rc = find_program(&s);
	if (!rc)
		rc = open_files(&s);
	if (!rc && launch->cpus && !launch->in_place)
		s.affinity = sd_affinity_aside(launch->cpus);
	if (!rc)
		rc = open_keeper(&s);
	if (!rc)
		rc = bind_program(&s);
	if (!rc)
		rc = open_probes(&s);
	if (!rc)
		rc = release(&s);
	if (!rc)
		rc = watch(&s);
	if (!rc)
		rc = finish(&s);
	close_session(&s);
	return rc;
}
