#include "advice/advice_facts.h"

#include <math.h>
#include <string.h>

#include "analysis/kernel_lock_means.h"
#include "case/case.h"
#include "case/stated.h"
#include "evidence/cause_places.h"
#include "evidence/collector_time.h"
#include "evidence/evidence_os.h"
#include "evidence/rank_waits.h"
#include "evidence/stack_shares.h"
#include "experiments/experiment_results.h"
#include "metrics/metric_eval.h"
#include "metrics/os_metrics.h"
#include "runs/sampled_uses.h"

static struct sd_value metric_fact(const struct sd_case *c, const char *name)
{
	struct sd_metric_eval_result m;

	if (!c->model->row)
		return SD_NOT(ABSENT);
	m = sd_metric_eval_named(c->model, &c->after, name);
	return sd_metric_eval_usable(m) ? SD_OK(m.value) : SD_NOT(ABSENT);
}

/* The function's own name, cut to `size` bytes: std::vector<int, std::allocator<int>>::size()
 * allocates nothing. */
static void without_arguments(const char *function, char *name, size_t size)
{
	size_t n = 0, depth = 0;

	for (; *function && n + 1 < size; function++) {
		depth += *function == '<';
		if (!depth)
			name[n++] = *function;
		depth -= *function == '>' && depth;
	}
	name[n] = 0;
}

/* Did the program ask for it by a function that is no lock: localtime_r(), std::locale()? */
static int is_of_library(const struct sd_lock_row *l)
{
	static const char *const lock[] = {"lock", "Lock", "mutex", "Mutex", "sem_", "semaphore",
		"futex", "mtx_", "critical", "fcntl", "cond_", "syscall", "alloc", "free",
		"operator new", "operator delete"};
	char in[256];

	without_arguments(l->n_waiter && l->waiter[0].in ? l->waiter[0].in : "", in, sizeof in);
	for (size_t i = 0; i < sizeof lock / sizeof *lock; i++)
		if (strstr(in, lock[i]))
			return 0;
	return *in && (strcmp(l->kind, "mutex") == 0 || strcmp(l->kind, "rwlock") == 0);
}

/* Did a goroutine ask for it by sending, receiving or choosing among channels? */
static int is_of_channel(const struct sd_lock_row *l)
{
	const struct sd_where *const w = l->n_waiter ? &l->waiter[0] : NULL;
	const char *const asked = w && w->in ? w->in : w && w->function ? w->function : "";

	return strncmp(asked, "runtime.chan", 12) == 0 || strcmp(asked, "runtime.selectgo") == 0;
}

/* Not for a lock, which is a cause of its own. */
static int is_for_peers(enum sd_activity k)
{
	if (sd_activity_info[k].wait == SD_WAIT_LOCK)
		return 0;
	return sd_activity_info[k].at != SD_AT_NOWHERE || k == SD_ACTIVITY_JOIN ||
	       k == SD_ACTIVITY_PIPE;
}

/* Facts that the kind of the most contended lock makes true. */
static const struct {
	enum sd_fact fact;
	enum sd_activity kind;
	int object; /* the kernel takes it of an object that a system call names */
} lock_kinds[] = {
	{SD_FACT_MUTEX, SD_ACTIVITY_MUTEX, 0},
	{SD_FACT_RWLOCK, SD_ACTIVITY_RWLOCK, 0},
	{SD_FACT_FILE_LOCK, SD_ACTIVITY_FILE_LOCK, 0},
	{SD_FACT_WRITER_LOCK, SD_ACTIVITY_WRITER_LOCK, 1},
	{SD_FACT_RUNTIME_LOCK, SD_ACTIVITY_RUNTIME_LOCK, 0},
	{SD_FACT_SEMAPHORE, SD_ACTIVITY_SEMAPHORE, 0},
	{SD_FACT_POSITION_LOCK, SD_ACTIVITY_POSITION_LOCK, 1},
	{SD_FACT_INODE_LOCK, SD_ACTIVITY_INODE_LOCK, 1},
	{SD_FACT_DIRECTORY_LOCK, SD_ACTIVITY_DIRECTORY_LOCK, 1},
	{SD_FACT_PIPE_LOCK, SD_ACTIVITY_PIPE_LOCK, 1},
	{SD_FACT_SOCKET_LOCK, SD_ACTIVITY_SOCKET_LOCK, 1},
	{SD_FACT_RING_LOCK, SD_ACTIVITY_RING_LOCK, 1},
};

/* Its waiters wait at a word each (own_words.c names such a place), or at a condition variable that
 * is no queue's: one of them works for the others. */
static int is_of_turns(const struct sd_lock_row *l)
{
	static const char own[] = "a word of each of ";

	return strcmp(l->kind, sd_activity_info[SD_ACTIVITY_CONDITION].name) == 0 ||
	       (l->name && strncmp(l->name, own, sizeof own - 1) == 0);
}

static void lock_facts(const struct sd_analysis *a, struct sd_advice_facts *f)
{
	const char *const kind = a->n_lock ? a->lock[0].kind : NULL;

	f->value[SD_FACT_LIBRARY_LOCK] = f->value[SD_FACT_OBJECT_LOCK] = SD_OK(0);
	f->value[SD_FACT_LOCALE_LOCK] = SD_OK(0);
	if (!kind)
		return;
	for (size_t i = 0; i < sizeof lock_kinds / sizeof *lock_kinds; i++) {
		const int is = strcmp(kind, sd_activity_info[lock_kinds[i].kind].name) == 0;

		f->value[lock_kinds[i].fact] = SD_OK(is);
		if (is && lock_kinds[i].object)
			f->value[SD_FACT_OBJECT_LOCK] = SD_OK(1);
	}
	f->value[SD_FACT_TURNS] = SD_OK(is_of_turns(&a->lock[0]));
	if (is_of_turns(&a->lock[0])) /* none that more threads could be let in by */
		f->value[SD_FACT_SEMAPHORE] = SD_OK(0);
	f->value[SD_FACT_CHANNEL_LOCK] = SD_OK(is_of_channel(&a->lock[0]));
	if (is_of_channel(&a->lock[0])) /* nobody holds it for longer than a send takes */
		f->value[SD_FACT_OBJECT_LOCK] = SD_OK(1);
	f->value[SD_FACT_LIBRARY_LOCK] = SD_OK(is_of_library(&a->lock[0]));
	f->value[SD_FACT_LOCALE_LOCK] =
		SD_OK(a->lock[0].name && strstr(a->lock[0].name, "std::locale::"));
	f->value[SD_FACT_LOCK_BUSY] = a->lock[0].busy;
}

/* Facts of the kernel's own lock that threads wait for most, as configs/locks calls it. */
static void kernel_lock_facts(const struct sd_case *c, struct sd_advice_facts *f)
{
	static const struct {
		enum sd_fact fact;
		const char *name;
	} row[] = {
		{SD_FACT_FUTEX_BUCKET, "futex bucket ("},
		{SD_FACT_EPOLL_LOCK, "epoll ("},
	};
	struct sd_kernel_lock_means m;

	sd_kernel_lock_means_of(c->record, &m);
	for (size_t i = 0; i < sizeof row / sizeof *row && m.status == SD_STATUS_OK; i++)
		f->value[row[i].fact] =
			SD_OK(m.n_row && m.row[0].cores >= SD_CASE_GATE / 2 * c->last->n &&
				strncmp(m.row[0].name, row[i].name, strlen(row[i].name)) == 0);
}

/* Share of the added cost of locks, in cores, in which threads wait; they work in the rest. */
static struct sd_value waited(const struct sd_case *c)
{
	const struct sd_interval words = c->spread->locking;
	struct sd_interval waits;
	double all;

	if (!c->spread->now || words.status != SD_STATUS_OK)
		return SD_NOT(ABSENT);
	waits = sd_stated_added(c, SD_BIT(LOCK));
	all = fmax(0, waits.value) + fmax(0, words.value);
	return sd_status_bounded(waits) && all > 0 ? SD_OK(fmax(0, waits.value) / all)
						   : SD_NOT(ABSENT);
}

/* A program of which nothing is known may have any. */
static void construct_facts(const struct sd_constructs *k, struct sd_advice_facts *f)
{
	f->value[SD_FACT_OPENMP] = SD_OK(!sd_has(k->openmp) || k->openmp.value > 0);
	f->value[SD_FACT_PROCESSES] = SD_OK(sd_has(k->processes) && k->processes.value > 0 &&
					    sd_has(k->threads) && k->threads.value <= 0);
	f->value[SD_FACT_ONE_WORKS] = SD_OK(sd_has(k->processes) && k->processes.value <= 0 &&
					    sd_has(k->threads) && k->threads.value <= 0);
}

/* Share of the waits for peers, by count, that ended with a thread or process. A main thread that
 * waits for its threads once, and long, makes none over and over. */
static double joined(const struct sd_chosen *p)
{
	struct sd_sampled_uses uses = {.p = p};
	double all = 0, ends = 0;

	for (const struct sd_use *u; (u = sd_sampled_uses_next(&uses));) {
		all += is_for_peers(u->activity) ? u->count : 0;
		ends += u->activity == SD_ACTIVITY_JOIN ? u->count : 0;
	}
	return all > 0 ? ends / all : 0;
}

/* Sets the shares of what the program's threads wait for in each other. A main thread's one wait
 * for the others' ends is as long as they work, and no part of what they wait for. */
static void wait_facts(const struct sd_case *c, struct sd_advice_facts *f)
{
	double share[SD_ACTIVITY_COUNT], all = 0, ends, handed;

	if (!c->spread->now || !(sd_cause_places_mix(c->last, SD_GROUP_WAITING, share) > 0))
		return;
	for (int k = 0; k < SD_ACTIVITY_COUNT; k++)
		if (is_for_peers((enum sd_activity)k))
			all += share[k];
	if (!(all > 0))
		return;
	ends = fmin(share[SD_ACTIVITY_JOIN], joined(c->last) * all);
	handed = share[SD_ACTIVITY_CONDITION] + share[SD_ACTIVITY_SEMAPHORE] +
		 share[SD_ACTIVITY_PIPE];
	f->value[SD_FACT_JOINED] = SD_OK(ends / all);
	all -= share[SD_ACTIVITY_JOIN] - ends;
	f->value[SD_FACT_HANDED] = SD_OK(handed > 0 ? handed / all : 0);
}

/* Sets what threads are made and woken for, as shares of the kernel's work for it. */
static void thread_facts(const struct sd_case *c, struct sd_advice_facts *f)
{
	double all, below;

	f->value[SD_FACT_FORKS] = SD_OK(sd_stack_shares_blamed(c, sd_stack_shares_forking));
	if (!c->spread->now)
		return;
	below = sd_stack_shares_seconds(
		c, SD_ACTIVITY_KERNEL_THREADS, sd_stack_shares_broadcast, &all, NULL);
	f->value[SD_FACT_BROADCAST] = SD_OK(all > 0 ? below / all : 0);
	below = sd_stack_shares_seconds(
		c, SD_ACTIVITY_KERNEL_THREADS, sd_stack_shares_created, &all, NULL);
	f->value[SD_FACT_CREATED] = SD_OK(all > 0 ? below / all : 0);
	f->value[SD_FACT_DISCARDED] = SD_OK(sd_cause_places_discarded(c, NULL));
	f->value[SD_FACT_EVENT_LOOP] = SD_OK(sd_stack_shares_blamed(c, sd_stack_shares_event_loop));
	f->value[SD_FACT_STRAND] = SD_OK(sd_stack_shares_blamed(c, sd_stack_shares_strand));
	f->value[SD_FACT_MANAGER] = SD_OK(sd_stack_shares_blamed(c, sd_stack_shares_manager));
}

/* Sets whose memory it is, where samples in an allocator say so. */
static void allocator_facts(const struct sd_case *c, struct sd_advice_facts *f)
{
	static const struct {
		enum sd_fact fact;
		enum sd_allocator of;
	} row[] = {
		{SD_FACT_MUSL, SD_ALLOCATOR_MUSL},
		{SD_FACT_JEMALLOC, SD_ALLOCATOR_JEMALLOC},
		{SD_FACT_MIMALLOC, SD_ALLOCATOR_MIMALLOC},
		{SD_FACT_TCMALLOC, SD_ALLOCATOR_TCMALLOC},
		{SD_FACT_TBB_MALLOC, SD_ALLOCATOR_TBB},
	};
	const enum sd_allocator is = sd_stack_shares_allocator(c);

	for (size_t i = 0; is != SD_ALLOCATOR_NONE && i < sizeof row / sizeof *row; i++)
		f->value[row[i].fact] = SD_OK(is == row[i].of);
}

/* Part of the kernel's time that page tables of processes take; 0 where hardly any of it is
 * copying: processes that end drop their own as well. */
static double forking(const struct sd_case *c, double share)
{
	double all;
	const double copied = sd_stack_shares_seconds(
		c, SD_ACTIVITY_KERNEL_FORK, sd_stack_shares_forking, &all, NULL);

	return copied > .2 * all ? share : 0;
}

/* Sets the shares of what the kernel did for the program, by its kind. */
static void kernel_facts(const struct sd_case *c, struct sd_advice_facts *f)
{
	static const struct {
		enum sd_fact fact;
		enum sd_activity kind;
	} row[] = {
		{SD_FACT_ZEROING, SD_ACTIVITY_KERNEL_ZEROING},
		{SD_FACT_MMAP_LOCK, SD_ACTIVITY_KERNEL_MMAP_LOCK},
		{SD_FACT_SHOOTDOWN, SD_ACTIVITY_KERNEL_SHOOTDOWN},
		{SD_FACT_NAMES, SD_ACTIVITY_KERNEL_NAMES},
		{SD_FACT_DESCRIPTORS, SD_ACTIVITY_KERNEL_DESCRIPTORS},
	};
	double share[SD_ACTIVITY_COUNT];

	if (!c->spread->now || !(sd_cause_places_mix(c->last, SD_GROUP_KERNEL, share) > 0))
		return;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		f->value[row[i].fact] = SD_OK(share[row[i].kind]);
	f->value[SD_FACT_FORKING] = SD_OK(forking(c, share[SD_ACTIVITY_KERNEL_FORK]));
	f->value[SD_FACT_FAULTS] =
		SD_OK(share[SD_ACTIVITY_KERNEL_FAULT] + share[SD_ACTIVITY_KERNEL_ZEROING]);
}

/* At their lower ends: what is sure. */
static void experiment_facts(const struct sd_case *c, struct sd_advice_facts *f)
{
	for (size_t i = 0; i < c->a->n_tested; i++) {
		const struct sd_tested *t = &c->a->tested[i];
		const enum sd_fact fact =
			t->experiment == SD_EXPERIMENT_PREFETCHERS  ? SD_FACT_PREFETCH_GAIN
			: t->experiment == SD_EXPERIMENT_WARM_CACHE ? SD_FACT_WARM_GAIN
								    : SD_FACT_COUNT;

		if (fact != SD_FACT_COUNT && t->loss.status == SD_STATUS_OK)
			f->value[fact] = SD_OK(t->loss.low);
	}
	f->value[SD_FACT_READ_CACHED] = sd_experiment_results_cached(c->record, SD_ARM_PLAIN);
}

/* One for each thread where so many wait for the one that they are bound to. */
static struct sd_value usable(const struct sd_case *c)
{
	const struct sd_value bound = sd_os_metrics_bound(c->last);
	const int one = sd_has(bound) && bound.value >= SD_CASE_GATE * c->last->n;

	return SD_OK((one ? 1 : sd_os_metrics_usable(c->last)) / c->last->n);
}

void sd_advice_facts_gather(const struct sd_case *c, struct sd_advice_facts *f)
{
	struct sd_collector_time collector;
	unsigned most;

	for (int i = 0; i < SD_FACT_COUNT; i++)
		f->value[i] = SD_NOT(ABSENT);
	f->value[SD_FACT_CORES] = SD_OK(c->last->n);
	f->value[SD_FACT_WEAK] = SD_OK(c->record->program.scaling == SD_SCALING_WEAK);
	f->value[SD_FACT_RFO_SHARE] = metric_fact(c, "rfo-share");
	f->value[SD_FACT_HITM] = metric_fact(c, "hitm-per-1000");
	f->value[SD_FACT_LOCKED] = metric_fact(c, "locks-per-1000");
	f->value[SD_FACT_WALKS] = metric_fact(c, "dtlb-walk-share");
	if (c->spread->now)
		f->value[SD_FACT_ALLOCATED] =
			(struct sd_value){c->spread->allocated.value, c->spread->allocated.status};
	f->value[SD_FACT_TASKING] =
		SD_OK(sd_cause_places_is_tasking(c) ? c->spread->tasking.value : 0);
	kernel_facts(c, f);
	thread_facts(c, f);
	allocator_facts(c, f);
	if (c->a->ranks.known)
		f->value[SD_FACT_RANKS] = SD_OK(c->a->ranks.ranks);
	f->value[SD_FACT_MESSAGE_BYTES] = SD_OK(sd_rank_waits_message_bytes(c));
	f->value[SD_FACT_FILES_ALONE] = SD_OK(sd_stack_shares_alone(c, SD_ACTIVITY_KERNEL_FILE));
	f->value[SD_FACT_USABLE] = usable(c);
	f->value[SD_FACT_BOUND] =
		SD_OK(sd_os_metrics_bound(c->last).value >= SD_CASE_GATE * c->last->n);
	f->value[SD_FACT_CROWDED] = sd_os_metrics_crowded(c->last, &most);
	construct_facts(&c->a->constructs, f);
	/* others start it, and wait for its end */
	if (c->a->threads.n_row > 0 && c->a->threads.n_seen < SD_SAMPLED_THREADS &&
		!c->a->threads.row[0].processes && c->a->threads.row[0].share >= 1 - SD_CASE_GATE)
		f->value[SD_FACT_ONE_WORKS] = SD_OK(1);
	f->value[SD_FACT_COUNT_GIVEN] = SD_OK(sd_program_gives_count(&c->record->program));
	if (c->record->program.attached) /* nothing can be handed to it any more */
		f->value[SD_FACT_ONE_WORKS] = SD_OK(0);
	f->value[SD_FACT_COLLECTORS] = SD_OK(c->ref && sd_collector_time_find(c, &collector));
	f->value[SD_FACT_RACE] = SD_OK(c->ref && sd_evidence_output_differs(c));
	lock_facts(c->a, f);
	kernel_lock_facts(c, f);
	f->value[SD_FACT_LOCK_WAITED] = waited(c);
	f->value[SD_FACT_RWLOCK_WORD] = SD_OK(c->spread->now && sd_cause_places_rwlock(c) > .5);
	wait_facts(c, f);
	experiment_facts(c, f);
}
