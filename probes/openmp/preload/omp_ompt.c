/*
 * Regions of programs of clang, whose runtime is LLVM's: it finds ompt_start_tool() here and calls
 * back.
 *
 * At a region's end its other threads have long gone on, to wait for the next one, and report the
 * end of their last barrier when that begins. So each writes what it has seen so far at every
 * barrier that it comes to, before any thread can leave: the last time is the region's end.
 */
#include "preload/ompt_interface.h"
#include "preload/omp_preload.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- regions and their threads --------------------------------------------------------------- */

/* A thread's sums in a region when it last came to a barrier. Only it writes there: a line that
 * goes back and forth between two cores takes as long as all else. */
struct seen {
	_Alignas(
		128) uint64_t number; /* of the region; of another: it has not come into this one */
	uint64_t arrived;             /* 0: it has not come to any */
	uint64_t began;
	uint64_t imbalance, barrier, lock, scheduling, tasks, calls;
	uint64_t late, last_task; /* tasks that it ran since: ns, and when the last ended */
};

struct region {
	struct sd_omp_team team;
	unsigned threads;
	/* what its threads read */
	_Alignas(128) uint64_t number; /* odd: it is open; another region has another */
	struct seen *seen;             /* of each of its threads */
	unsigned room;
	struct region *next;
};

/* A thread in a region. */
struct place {
	struct sd_omp_member member;
	struct region *region; /* NULL: nothing is noted */
	struct seen *seen;
	uint64_t number;
	struct sd_omp_arrival arrival;
	uint64_t task_since; /* it runs an explicit task, and does not wait in it; 0: else */
	uint64_t wait_at, wait_tasks, acquire_at;
};

#define DEPTH 8u /* of regions inside one another */
static __thread struct {
	struct place place[DEPTH];
	unsigned depth;
} self;

/* Regions that have ended: never freed, as their threads may still look at the number. */
static struct region *spare;
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;

static struct region *take_region(unsigned threads)
{
	struct region *r;

	pthread_mutex_lock(&spare_lock);
	r = spare;
	if (r)
		spare = r->next;
	pthread_mutex_unlock(&spare_lock);
	if (!r && posix_memalign((void **)&r, _Alignof(struct region), sizeof *r) == 0)
		memset(r, 0, sizeof *r);
	if (!r)
		return NULL;
	if (r->room < threads) {
		free(r->seen);
		r->room = threads;
		if (posix_memalign(
			    (void **)&r->seen, _Alignof(struct seen), threads * sizeof *r->seen)) {
			r->seen = NULL;
			r->room = 0;
		} else {
			memset(r->seen, 0, r->room * sizeof *r->seen);
		}
	}
	memset(&r->team, 0, sizeof r->team);
	r->threads = 0;
	return r;
}

static void give_region(struct region *r)
{
	pthread_mutex_lock(&spare_lock);
	r->next = spare;
	spare = r;
	pthread_mutex_unlock(&spare_lock);
}

/* The calling thread's place in a region that is still open; NULL: there is none. */
static struct place *here(void)
{
	struct place *const p =
		self.depth && self.depth <= DEPTH ? &self.place[self.depth - 1] : NULL;

	return p && p->region && __atomic_load_n(&p->region->number, __ATOMIC_ACQUIRE) == p->number
		       ? p
		       : NULL;
}

/* ---- what the runtime reports ---------------------------------------------------------------- */

static void parallel_begin(union data *around, const void *frame, union data *parallel,
	unsigned threads, int flags, const void *code)
{
	const uintptr_t call = (uintptr_t)code - 1; /* it returns behind it */
	struct sd_omp_region *row = NULL;
	struct region *r;
	void (*fn)(void *data);

	(void)around;
	(void)frame;
	parallel->pointer = NULL;
	memcpy(&fn, &call, sizeof fn);
	if (code && !(flags & LEAGUE))
		row = sd_omp_log_row(fn);
	r = row ? take_region(threads) : NULL;
	if (!r)
		return;
	r->team.row = row;
	r->team.around = sd_omp_member ? sd_omp_member->team : NULL;
	r->team.entered = sd_omp_now();
	if (!r->team.around)
		sd_omp_add(&row->serial, sd_omp_log_begins(r->team.entered));
	__atomic_store_n(&r->number, r->number + 1, __ATOMIC_RELEASE);
	parallel->pointer = r;
}

static void parallel_end(union data *parallel, union data *around, int flags, const void *code)
{
	struct region *const r = parallel->pointer;
	struct sd_omp_team *const t = r ? &r->team : NULL;

	(void)around;
	(void)flags;
	(void)code;
	if (!r)
		return;
	t->threads = r->threads;
	t->last = t->entered;
	for (unsigned i = 0; i < r->threads && i < r->room; i++) {
		const struct seen *const s = &r->seen[i];

		if (s->number != r->number || !s->arrived) {
			t->whole++;
			continue;
		}
		t->began += s->began - t->entered;
		t->ended += s->arrived - t->entered;
		sd_omp_later(&t->last, s->arrived);
		sd_omp_later(&t->last, s->last_task);
		t->late_tasks += s->late;
		t->imbalance += s->imbalance;
		t->barrier += s->barrier;
		t->lock += s->lock;
		t->scheduling += s->scheduling;
		t->calls += s->calls;
		t->tasks += s->tasks;
	}
	t->whole += !r->threads || r->threads > r->room;
	sd_omp_leave_team(t);
	__atomic_store_n(&r->number, r->number + 1, __ATOMIC_RELEASE);
	give_region(r);
}

static void come_into(struct place *p, struct region *r, unsigned threads, unsigned index)
{
	memset(p, 0, sizeof *p);
	if (!r || index >= r->room)
		return;
	p->region = r;
	p->number = r->number;
	p->seen = &r->seen[index];
	p->member.team = &r->team;
	*p->seen = (struct seen){.number = p->number, .began = sd_omp_now()};
	if (!index) /* which is always there */
		r->threads = threads;
}

static void write_down(struct place *p, uint64_t now)
{
	const struct sd_omp_member *const m = &p->member;
	struct seen *const s = p->seen;

	s->imbalance = m->imbalance;
	s->barrier = m->barrier;
	s->lock = m->lock;
	s->scheduling = m->scheduling;
	s->calls = m->calls;
	s->late = 0;
	s->arrived = now;
}

static void implicit_task(int endpoint, union data *parallel, union data *task, unsigned threads,
	unsigned index, int flags)
{
	struct place *p;

	(void)task;
	if (flags & INITIAL_TASK)
		return;
	if (endpoint == BEGIN) {
		if (++self.depth <= DEPTH)
			come_into(&self.place[self.depth - 1], parallel ? parallel->pointer : NULL,
				threads, index);
	} else if (endpoint == END && self.depth) {
		p = here();
		if (p && p->region->threads == 1) /* which meets nobody at a barrier */
			write_down(p, sd_omp_now());
		self.depth--;
	}
	p = self.depth && self.depth <= DEPTH ? &self.place[self.depth - 1] : NULL;
	sd_omp_member = p && p->region ? &p->member : NULL;
}

/* Data of a task: 0 of those that a region's threads begin with. */
#define IS_EXPLICIT 1u
#define WAITS 2u /* it is one of these, and others may be run meanwhile */

static void pause_task(struct place *p, uint64_t now)
{
	struct seen *const s = p->seen;

	if (!p->task_since)
		return;
	p->member.in_tasks += now - p->task_since;
	if (p->member.at_barrier) {
		sd_omp_later(&p->region->team.arrival[p->member.barriers & 1], now);
		s->late += now - p->task_since;
		s->last_task = now;
	}
	p->task_since = 0;
}

static void wait_for_tasks(struct place *p, int endpoint, union data *task)
{
	const uint64_t now = sd_omp_now(), tasks = p->member.in_tasks;

	if (endpoint == BEGIN) {
		pause_task(p, now);
		p->wait_at = now;
		p->wait_tasks = p->member.in_tasks;
		if (task && task->value)
			task->value |= WAITS;
		return;
	}
	if (task && task->value) {
		task->value &= ~(uint64_t)WAITS;
		p->task_since = now;
	}
	if (now - p->wait_at > tasks - p->wait_tasks)
		p->member.imbalance += now - p->wait_at - (tasks - p->wait_tasks);
}

static void sync_region_wait(
	int kind, int endpoint, union data *parallel, union data *task, const void *code)
{
	struct place *const p = here();

	(void)parallel;
	(void)code;
	if (!p)
		return;
	if (kind == TASKWAIT || kind == TASKGROUP) {
		wait_for_tasks(p, endpoint, task);
	} else if (endpoint == BEGIN) {
		p->arrival = sd_omp_arrive(&p->member);
		write_down(p, p->arrival.at);
	} else if (p->member.at_barrier) {
		sd_omp_leave(&p->member, &p->arrival);
	}
}

static void task_create(union data *by, const void *frame, union data *task, int flags,
	int dependences, const void *code)
{
	struct place *const p = here();

	(void)by;
	(void)frame;
	(void)dependences;
	(void)code;
	if (!(flags & EXPLICIT_TASK))
		return;
	task->value = IS_EXPLICIT;
	if (p)
		p->seen->tasks++;
}

static void task_schedule(union data *before, int status, union data *next)
{
	struct place *const p = here();
	uint64_t now;

	(void)before;
	(void)status;
	if (!p)
		return;
	now = sd_omp_now();
	pause_task(p, now);
	p->task_since = next && next->value == IS_EXPLICIT ? now : 0;
}

static int is_timed(int kind)
{
	return kind == CRITICAL || kind == ATOMIC || kind == ORDERED;
}

static void mutex_acquire(int kind, unsigned hint, unsigned how, uint64_t wait, const void *code)
{
	struct place *const p = is_timed(kind) ? here() : NULL;

	(void)hint;
	(void)how;
	(void)wait;
	(void)code;
	if (p)
		p->acquire_at = sd_omp_now();
}

static void mutex_acquired(int kind, uint64_t wait, const void *code)
{
	struct place *const p = is_timed(kind) ? here() : NULL;

	(void)wait;
	(void)code;
	if (p && p->acquire_at)
		p->member.lock += sd_omp_now() - p->acquire_at;
	if (p)
		p->acquire_at = 0;
}

/* ---- its start ------------------------------------------------------------------------------- */

int sd_omp_by_ompt;

static int initialize(look_up *look, int device, union data *tool)
{
	static const struct {
		enum event event;
		function *callback;
	} rows[] = {
		{PARALLEL_BEGIN, (function *)parallel_begin},
		{PARALLEL_END, (function *)parallel_end},
		{TASK_CREATE, (function *)task_create},
		{TASK_SCHEDULE, (function *)task_schedule},
		{IMPLICIT_TASK, (function *)implicit_task},
		{SYNC_REGION_WAIT, (function *)sync_region_wait},
		{MUTEX_ACQUIRE, (function *)mutex_acquire},
		{MUTEX_ACQUIRED, (function *)mutex_acquired},
	};
	set_callback *const set = (set_callback *)look("ompt_set_callback");

	(void)device;
	(void)tool;
	for (size_t i = 0; set && i < sizeof rows / sizeof *rows; i++)
		(void)set(rows[i].event, rows[i].callback);
	sd_omp_by_ompt = set != NULL;
	return sd_omp_by_ompt;
}

static void finalize(union data *tool)
{
	(void)tool;
}

SD_OMP_EXPORT struct start_tool_result *ompt_start_tool(unsigned version, const char *runtime);
SD_OMP_EXPORT struct start_tool_result *ompt_start_tool(unsigned version, const char *runtime)
{
	static struct start_tool_result ours = {initialize, finalize, {0}};
	struct start_tool_result *(*next)(unsigned version, const char *runtime);

	/* a tool that the user has chosen goes first; and what comes by GOMP_parallel() is noted
	 * there, also when this runtime has it */
	if (getenv("SCALEDIAG_OMP_FOLDER") && !getenv("OMP_TOOL_LIBRARIES") && !sd_omp_by_gomp)
		return &ours;
	*(void **)(&next) = dlsym(RTLD_NEXT, "ompt_start_tool");
	return next ? next(version, runtime) : NULL;
}
