#include "evidence/stack_shares.h"

#include <string.h>

#include "accounting/parts_by_stack.h"
#include "case/stated.h"

const char *const sd_stack_shares_broadcast[] = {
	"cond_broadcast", "cnd_broadcast", "notify_all", "notifyAll", "notifyListNotifyAll", NULL};
const char *const sd_stack_shares_created[] = {
	"pthread_create", "copy_process", "kernel_clone", "do_exit", "release_task", NULL};
const char *const sd_stack_shares_discarded[] = {"::~_Async_state", "::~__async_assoc_state", NULL};
/* asyncio's, not what imports it, and libuv's */
const char *const sd_stack_shares_event_loop[] = {
	"py::Handle._run:", "py::BaseEventLoop._run_once:", "uv_run", NULL};
const char *const sd_stack_shares_strand[] = {
	"strand_executor_service::", "strand_service::", NULL};
const char *const sd_stack_shares_manager[] = {"/multiprocessing/managers.py", NULL};

/* The beginning of a process that was forked with its parent's Python stack. */
static const char *const forked[] = {"py::BaseProcess._bootstrap:", NULL};

static int has_part(const char *name, const char *const *part)
{
	for (; *part; part++)
		if (strstr(name, *part))
			return 1;
	return 0;
}

static int is_below(const struct sd_stacks *s, unsigned node, const char *const *part)
{
	for (; node && node < s->n_node; node = s->node[node].parent) {
		const unsigned name = s->frame[s->node[node].frame].function;

		if (name >= s->n_text || !s->text[name])
			continue;
		if (has_part(s->text[name], part))
			return 1;
		if (has_part(s->text[name], forked))
			return 0;
	}
	return 0;
}

double sd_stack_shares_seconds(const struct sd_case *c, enum sd_activity activity,
	const char *const *part, double *all, double *weight)
{
	double below = 0;
	size_t runs = 0;

	*all = 0;
	for (size_t j = 0; j < c->last->n_run; j++) {
		const struct sd_run *const run = c->last->run[j];

		runs += (size_t)sd_parts_by_stack_sampled(run);
		for (size_t i = 0; sd_parts_by_stack_sampled(run) && i < run->sampled.n_use; i++) {
			const struct sd_use *const u = &run->sampled.use[i];

			if (u->activity != activity || !sd_run_parts_usable(SD_OK(u->seconds)))
				continue;
			*all += u->seconds;
			if (!is_below(&c->record->stacks, u->node, part))
				continue;
			below += u->seconds;
			if (weight)
				weight[sd_code_places_spot(&c->spread->places, u->node)] +=
					u->seconds;
		}
	}
	*all /= runs ? (double)runs : 1;
	return runs ? below / (double)runs : 0;
}

double sd_stack_shares_blamed(const struct sd_case *c, const char *const *part)
{
	double in = 0, all = 0;

	for (size_t j = 0; j < c->last->n_run; j++) {
		const struct sd_sampled *const s = &c->last->run[j]->sampled;

		for (size_t i = 0; sd_parts_by_stack_sampled(c->last->run[j]) && i < s->n_use;
			i++) {
			const double blame = s->use[i].blame_serial;

			if (!sd_run_parts_usable(SD_OK(blame)))
				continue;
			all += blame;
			in += is_below(&c->record->stacks, s->use[i].node, part) ? blame : 0;
		}
	}
	return all > 0 ? in / all : 0;
}

double sd_stack_shares_alone(const struct sd_case *c, enum sd_activity activity)
{
	double in = 0, all = 0;

	for (size_t j = 0; j < c->last->n_run; j++) {
		const struct sd_sampled *const s = &c->last->run[j]->sampled;

		for (size_t i = 0; sd_parts_by_stack_sampled(c->last->run[j]) && i < s->n_use;
			i++) {
			const double solo = s->use[i].solo;

			if (!sd_run_parts_usable(SD_OK(solo)))
				continue;
			all += solo;
			in += s->use[i].activity == activity ? solo : 0;
		}
	}
	return all > 0 ? in / all : 0;
}

/* The allocator on a stack: the one that names itself, if any does. */
static enum sd_allocator allocator_on(const struct sd_stacks *s, unsigned node)
{
	enum sd_allocator found = SD_ALLOCATOR_NONE;

	for (; node && node < s->n_node; node = s->node[node].parent) {
		const struct sd_frame *const f = &s->frame[s->node[node].frame];
		const enum sd_allocator a = sd_allocator_names_of(
			sd_stacks_text_at(s, f->function), sd_stacks_text_at(s, f->module));

		found = a > found ? a : found;
	}
	return found;
}

enum sd_allocator sd_stack_shares_allocator(const struct sd_case *c)
{
	double seconds[SD_ALLOCATOR_COUNT] = {0}, all = 0;
	enum sd_allocator most = SD_ALLOCATOR_NONE;

	for (size_t j = 0; j < c->last->n_run; j++) {
		const struct sd_run *const run = c->last->run[j];

		for (size_t i = 0; sd_parts_by_stack_sampled(run) && i < run->sampled.n_use; i++) {
			const struct sd_use *const u = &run->sampled.use[i];
			const enum sd_allocator a = allocator_on(&c->record->stacks, u->node);

			if (a == SD_ALLOCATOR_NONE || !sd_run_parts_usable(SD_OK(u->seconds)))
				continue;
			seconds[a] += u->seconds;
			all += u->seconds;
		}
	}
	for (int a = SD_ALLOCATOR_ANY + 1; a < SD_ALLOCATOR_COUNT; a++)
		if (seconds[a] > .05 * all && !(seconds[a] < seconds[most]))
			most = (enum sd_allocator)a;
	return most != SD_ALLOCATOR_NONE ? most : all > 0 ? SD_ALLOCATOR_ANY : SD_ALLOCATOR_NONE;
}

int sd_stack_shares_is_remedied(enum sd_activity a)
{
	static const enum sd_activity kind[] = {SD_ACTIVITY_KERNEL_FAULT,
		SD_ACTIVITY_KERNEL_ZEROING, SD_ACTIVITY_KERNEL_MMAP_LOCK,
		SD_ACTIVITY_KERNEL_SHOOTDOWN, SD_ACTIVITY_KERNEL_FORK, SD_ACTIVITY_KERNEL_NAMES,
		SD_ACTIVITY_KERNEL_DESCRIPTORS};

	for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
		if (kind[i] == a)
			return 1;
	return 0;
}

double sd_stack_shares_serial(const struct sd_case *c)
{
	double in = 0, all = 0;

	if (!c->spread->now ||
		!(sd_stated_added(c, SD_BIT(SYSTEM)).low >= SD_CASE_GATE * c->loss->n))
		return 0;
	for (size_t j = 0; j < c->last->n_run; j++) {
		const struct sd_sampled *const s = &c->last->run[j]->sampled;

		for (size_t i = 0; sd_parts_by_stack_sampled(c->last->run[j]) && i < s->n_use;
			i++) {
			const double blame = s->use[i].blame_serial;

			if (!sd_run_parts_usable(SD_OK(blame)))
				continue;
			all += blame;
			in += sd_stack_shares_is_remedied(s->use[i].activity) ? blame : 0;
		}
	}
	return in > .5 * all ? in / all : 0;
}
