#include "threads/thread_state.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "symbols/task_runtimes.h"

/*
 * A thread in state R whose run time has not moved for so long is not on a CPU: the tick that
 * brings it up to date comes every 10 ms at the most (CONFIG_HZ=100).
 */
#define STILL_NS UINT64_C(15000000)

#define TEXT 512 /* longest file read: stat has 52 numbers, of which few are long */

static const char *const file_name[SD_THREAD_STATE_FILES] = {
	[SD_THREAD_STATE_STAT] = "stat",
	[SD_THREAD_STATE_SCHEDSTAT] = "schedstat",
	[SD_THREAD_STATE_SYSCALL] = "syscall",
};

void sd_thread_state_init(struct sd_thread_state *t, int pid, int tid)
{
	*t = (struct sd_thread_state){
		.pid = pid, .tid = tid, .fd = {-1, -1, -1}, .fresh = 1, .processor = -1};
}

static int open_file(
	const struct sd_thread_state *t, const struct sd_thread_state_env *env, const char *name)
{
	char path[4096];
	int fd;

	if (snprintf(path, sizeof path, "%s/proc/%d/task/%d/%s", env->root, t->pid, t->tid, name) >=
		(int)sizeof path)
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int read_text(int fd, char buf[TEXT])
{
	const ssize_t n = pread(fd, buf, TEXT - 1, 0);

	buf[n > 0 ? n : 0] = '\0';
	if (n < 0)
		return -errno;
	return n ? 0 : -ESRCH;
}

/* Reads one of its files, and keeps it open while there are descriptors for that. */
static int read_file(struct sd_thread_state *t, struct sd_thread_state_env *env,
	enum sd_thread_state_file file, char buf[TEXT])
{
	int fd = t->fd[file], rc;

	if (fd >= 0)
		return read_text(fd, buf);
	fd = open_file(t, env, file_name[file]);
	if (fd < 0)
		return fd;
	rc = read_text(fd, buf);
	if (rc || env->files == 0) {
		close(fd);
		return rc;
	}
	env->files--;
	t->fd[file] = fd;
	return 0;
}

static void read_wchan(
	const struct sd_thread_state *t, const struct sd_thread_state_env *env, char buf[TEXT])
{
	const int fd = open_file(t, env, "wchan");

	buf[0] = '\0';
	if (fd < 0)
		return;
	if (read_text(fd, buf))
		buf[0] = '\0';
	close(fd);
}

/* Notes the kind of the descriptor that a call waits on. */
static void note_descriptor(const struct sd_thread_state *t, const struct sd_thread_state_env *env,
	const struct sd_proc_syscall *call, struct sd_wait_facts *facts)
{
	static const char pipe[] = "pipe:[", event[] = "anon_inode:[eventfd]",
			  timer[] = "anon_inode:[timerfd]";
	char path[4096], target[sizeof timer] = "";

	if (call->where != SD_PROC_SYSCALL || !sd_wait_classes_names_file(call->nr))
		return;
	if (snprintf(path, sizeof path, "%s/proc/%d/task/%d/fd/%u", env->root, t->pid, t->tid,
		    (unsigned)call->arg[0]) >= (int)sizeof path)
		return;
	if (readlink(path, target, sizeof target - 1) < 0)
		return;
	facts->on_pipe = strncmp(target, pipe, sizeof pipe - 1) == 0 || strcmp(target, event) == 0;
	facts->on_timer = strcmp(target, timer) == 0;
}

/* A runtime's thread without a task waits like one that waits for a peer, or sleeps before it looks
 * for one again. */
static int lacks_task(const struct sd_thread_state *t, struct sd_thread_state_env *env)
{
	const unsigned i = (unsigned)t->pid % SD_THREAD_STATE_RUNTIMES;

	if (t->seen.wait != SD_WAIT_SLEEP && (t->seen.wait != SD_WAIT_SYNC || !t->seen.plain))
		return 0;
	if (env->runtime[i].pid != t->pid) {
		env->runtime[i].pid = t->pid;
		env->runtime[i].schedules = sd_task_runtimes_runs(env->root, t->pid);
	}
	return env->runtime[i].schedules;
}

/* A process that is new under its number, or has another name since an exec, runs another
 * program. */
static void note_program(
	const struct sd_thread_state *t, const char *name, struct sd_thread_state_env *env)
{
	const unsigned i = (unsigned)t->pid % SD_THREAD_STATE_RUNTIMES;

	if (t->tid == t->pid && env->runtime[i].pid == t->pid &&
		(t->fresh || strncmp(t->name, name, sizeof t->name) != 0))
		env->runtime[i].pid = 0;
}

/* Finds out what a thread waits for that does not run. */
static void read_wait(struct sd_thread_state *t, struct sd_thread_state_env *env)
{
	struct sd_wait_facts facts = {
		.state = t->state, .is_thread = env->is_thread, .ctx = env->ctx};
	struct sd_proc_syscall call;
	char text[TEXT], wchan[TEXT];
	int rc = -EPERM;

	if (!t->no_syscall) {
		rc = read_file(t, env, SD_THREAD_STATE_SYSCALL, text);
		t->no_syscall = rc == -EPERM || rc == -EACCES || rc == -ENOENT;
	}
	if (!rc && !sd_proc_parse_syscall(text, &call)) {
		if (call.where == SD_PROC_RUNNING) {
			/* it woke up between the two reads */
			t->state = 'R';
			t->seen = (struct sd_wait_seen){.wait = SD_WAIT_NONE};
			return;
		}
		facts.syscall = &call;
		note_descriptor(t, env, &call, &facts);
	}
	if (!facts.syscall || t->state == 'D') {
		read_wchan(t, env, wchan);
		facts.wchan = wchan;
	}
	t->seen = sd_wait_classes_classify(&facts);
	sd_wait_classes_again(&t->seen, &t->maybe_lock);
	if (lacks_task(t, env))
		t->seen.wait = SD_WAIT_TASK;
	t->new_wait = 1;
	t->habit = t->seen.wait;
	t->gomp = SD_LIBGOMP_BARRIER_UNKNOWN;
	if (t->seen.wait == SD_WAIT_SYNC && t->seen.address && !*env->root)
		t->gomp = sd_libgomp_barrier_read(t->pid, t->seen.address, env->threads);
}

static double seconds(uint64_t ns)
{
	return (double)ns * 1e-9;
}

/* Decides whether a thread in state R is on a CPU or waiting for one. */
static void place(struct sd_thread_state *t, const struct sd_thread_state_env *env, int was_on_cpu,
	int was_queued, uint64_t arrivals)
{
	const double step = seconds(env->now - env->before);

	if (!env->has_sched || t->fresh || (arrivals && !was_on_cpu && !was_queued)) {
		t->on_cpu = 1;
	} else if (arrivals) {
		/*
		 * It had to wait for the CPU, as far as delay tells, and ran on; or it also waited
		 * for something, shortly. Both are the same to the counter, which lags by what it
		 * ran since it was put on the CPU last: the more often it was, the less that is.
		 */
		const double lag = fmin(seconds(STILL_NS), 2 * step / (double)arrivals);

		t->on_cpu = 1;
		t->run = fmax(t->run,
			fmin(t->run - t->run_step + step - fmax(t->delay_step, 0), t->run + lag));
	} else if (was_on_cpu && env->now - t->advanced < STILL_NS) {
		t->on_cpu = 1;
		/* it never left: the counter only lags */
		t->run = fmax(t->run, t->run - t->run_step + step);
	} else if (was_on_cpu) {
		t->queued = 1;
		t->delay += seconds(env->now - t->advanced);
	} else {
		/* woken, or waiting still, and not put on a CPU since */
		t->queued = 1;
		t->delay =
			fmax(t->delay, t->delay - t->delay_step + (was_queued ? step : step / 2));
	}
}

/* Takes the counters just read as the estimates, and their difference to the last as the step. */
static void take_sched(struct sd_thread_state *t, const struct sd_proc_sched *now, uint64_t at)
{
	if (now->run_ns != t->sched.run_ns || t->fresh)
		t->advanced = at;
	t->sched = *now;
	t->run_step = seconds(now->run_ns) - t->run;
	t->delay_step = seconds(now->delay_ns) - t->delay;
	t->run = seconds(now->run_ns);
	t->delay = seconds(now->delay_ns);
}

static void take_stat(struct sd_thread_state *t, const struct sd_proc_stat *s)
{
	memcpy(t->name, s->comm, sizeof t->name);
	t->state = s->state;
	t->ppid = s->ppid;
	t->ticks = s->utime + s->stime;
	t->processor = s->processor;
	t->blkio = s->blkio;
	t->has_blkio = s->has_blkio;
}

static int gone(int rc)
{
	return rc == -ESRCH || rc == -ENOENT;
}

int sd_thread_state_read(struct sd_thread_state *t, struct sd_thread_state_env *env)
{
	const int was_on_cpu = t->on_cpu, was_queued = t->queued;
	const int was_waiting = !t->fresh && !was_on_cpu && !was_queued;
	const double run = t->run, delay = t->delay;
	const uint64_t slices = t->sched.slices;
	struct sd_proc_sched sched;
	struct sd_proc_stat stat;
	char text[TEXT];
	int rc;

	t->new_wait = 0;
	t->run_step = t->delay_step = 0;
	if (env->has_sched) {
		rc = read_file(t, env, SD_THREAD_STATE_SCHEDSTAT, text);
		if (rc || sd_proc_parse_schedstat(text, &sched))
			return -ESRCH;
		take_sched(t, &sched, env->now);
		if (env->sparse && was_waiting && sched.slices == slices)
			return 0;
	}
	rc = read_file(t, env, SD_THREAD_STATE_STAT, text);
	if (rc || sd_proc_parse_stat(text, &stat))
		return gone(rc) || rc == 0 ? -ESRCH : rc;
	note_program(t, stat.comm, env);
	take_stat(t, &stat);
	if (t->state != 'R' && (!was_waiting || !env->has_sched || t->sched.slices != slices))
		read_wait(t, env);
	t->on_cpu = t->queued = 0;
	if (t->state == 'R') {
		t->seen = (struct sd_wait_seen){.wait = SD_WAIT_NONE};
		place(t, env, was_on_cpu, was_queued, t->sched.slices - slices);
	}
	t->run_step = t->run - run;
	t->delay_step = t->delay - delay;
	t->fresh = 0;
	return 0;
}

void sd_thread_state_close(struct sd_thread_state *t, struct sd_thread_state_env *env)
{
	for (int i = 0; i < SD_THREAD_STATE_FILES; i++)
		if (t->fd[i] >= 0) {
			close(t->fd[i]);
			t->fd[i] = -1;
			env->files++;
		}
}
