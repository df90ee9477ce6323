#include "evidence/stack_shares.h"

#include <string.h>

#include "case/stated.h"
#include "runs/sampled_uses.h"

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

const char *const sd_stack_shares_forking[] = {"dup_mm", "copy_page_range", NULL};

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
	const size_t runs = sd_sampled_uses_runs(c->last);
	struct sd_sampled_uses uses = {.p = c->last};
	double below = 0;

	*all = 0;
	for (const struct sd_use *u; (u = sd_sampled_uses_next(&uses));) {
		if (u->activity != activity || !sd_run_parts_usable(SD_OK(u->seconds)))
			continue;
		*all += u->seconds;
		if (!is_below(&c->record->stacks, u->node, part))
			continue;
		below += u->seconds;
		if (weight)
			weight[sd_code_places_spot(&c->spread->places, u->node)] += u->seconds;
	}
	*all /= runs ? (double)runs : 1;
	return runs ? below / (double)runs : 0;
}

/* Selects stacks: below functions of these names; NULL: in this activity. */
struct meant {
	const char *const *part;
	enum sd_activity activity; /* SD_ACTIVITY_COUNT: the kernel's that have a remedy */
};

static int is_meant(const struct sd_case *c, const struct sd_use *u, const struct meant *m)
{
	if (m->part)
		return is_below(&c->record->stacks, u->node, m->part);
	return m->activity == SD_ACTIVITY_COUNT ? sd_stack_shares_is_remedied(u->activity)
						: u->activity == m->activity;
}

/* Share of these stacks in the seconds of all, which lie at this offset. */
static double share_of(const struct sd_case *c, size_t seconds, const struct meant *m)
{
	struct sd_sampled_uses uses = {.p = c->last};
	double in = 0, all = 0;

	for (const struct sd_use *u; (u = sd_sampled_uses_next(&uses));) {
		const double s = *(const double *)(const void *)((const char *)u + seconds);

		if (!sd_run_parts_usable(SD_OK(s)))
			continue;
		all += s;
		in += is_meant(c, u, m) ? s : 0;
	}
	return all > 0 ? in / all : 0;
}

double sd_stack_shares_blamed(const struct sd_case *c, const char *const *part)
{
	return share_of(c, offsetof(struct sd_use, blame_serial), &(struct meant){.part = part});
}

double sd_stack_shares_alone(const struct sd_case *c, enum sd_activity activity)
{
	return share_of(c, offsetof(struct sd_use, solo), &(struct meant){.activity = activity});
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
	struct sd_sampled_uses uses = {.p = c->last};
	double seconds[SD_ALLOCATOR_COUNT] = {0}, all = 0;
	enum sd_allocator most = SD_ALLOCATOR_NONE;

	for (const struct sd_use *u; (u = sd_sampled_uses_next(&uses));) {
		const enum sd_allocator a = allocator_on(&c->record->stacks, u->node);

		if (a == SD_ALLOCATOR_NONE || !sd_run_parts_usable(SD_OK(u->seconds)))
			continue;
		seconds[a] += u->seconds;
		all += u->seconds;
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
	const struct meant remedied = {.activity = SD_ACTIVITY_COUNT};
	const int grown = c->spread->now &&
			  sd_stated_added(c, SD_BIT(SYSTEM)).low >= SD_CASE_GATE * c->loss->n;
	const double share =
		grown ? share_of(c, offsetof(struct sd_use, blame_serial), &remedied) : 0;

	return share > .5 ? share : 0;
}
