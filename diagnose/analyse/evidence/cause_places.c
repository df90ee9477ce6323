#include "evidence/cause_places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

#include "analysis/code_place.h"
#include "analysis/cause_growth.h"
#include "evidence/late_drift.h"
#include "evidence/object_messages.h"
#include "hotspots/loss_by_stack.h"
#include "hotspots/top_functions.h"
#include "evidence/rates.h"
#include "evidence/stack_shares.h"
#include "runs/sampled_uses.h"

/* So many places of a cause, and none that is less of it (METHODS 3: the gate). */
#define PLACES 3
#define PLACE_LEAST .05

/* A function with less of a cause than this is no place to begin: the program that it is of is. */
#define FUNCTION_LEAST .1

static sd_cause_parts_tell tell_imbalance, tell_lock, tell_spinning, tell_kernel;

#define BIT(part) SD_PARTS_BY_STACK_BIT(part)
#define STALL(k) (1u << SD_STALL_##k)

const struct sd_cause_parts sd_cause_parts[SD_CAUSE_COUNT] = {
	[SD_CAUSE_BARRIER_OVERHEAD] = {.parts = BIT(SPIN) | BIT(SYSTEM_THREADS),
		.evened = BIT(SPIN),
		.tasking = 1},
	[SD_CAUSE_SPINNING] = {.parts = BIT(SPIN) | BIT(SYSTEM_YIELD), .tell = tell_spinning},
	[SD_CAUSE_LOCK_CONTENTION] = {.parts = BIT(LOCK) | BIT(SPIN_LOCK) | BIT(SYSTEM_LOCK),
		.locking = 1,
		.found = 1,
		.tell = tell_lock},
	[SD_CAUSE_SERIAL_CODE] = {.parts = BIT(SERIAL) | BIT(SPIN_SERIAL) | BIT(YIELD_SERIAL),
		.evened = ~0ul,
		.found = 1},
	[SD_CAUSE_LOAD_IMBALANCE] = {.parts = BIT(IMBALANCE) | BIT(SPIN_IMBALANCE) |
					      BIT(YIELD_IMBALANCE),
		.evened = ~0ul,
		.tell = tell_imbalance},
	[SD_CAUSE_KERNEL_MEMORY] = {.parts = BIT(SYSTEM) | BIT(KERNEL),
		.found = 1,
		.tell = tell_kernel},
	[SD_CAUSE_ALLOCATOR] = {.parts = SD_LOSS_BY_STACK_ALLOCATING, .allocating = 1},
	[SD_CAUSE_DISK] = {.parts = BIT(DISK)},
	[SD_CAUSE_MPI] = {.parts = BIT(MPI) | BIT(SPIN_MPI)},
	[SD_CAUSE_BUS_LOCKS] = {.atomics = 1},
	/* as are atomic instructions on a word that nobody need share */
	[SD_CAUSE_TRUE_SHARING] = {.atomics = 1},
	[SD_CAUSE_MEMORY_BANDWIDTH] = {.stalls = STALL(BANDWIDTH)},
	[SD_CAUSE_LLC_CAPACITY] = {.stalls = STALL(LLC)},
	[SD_CAUSE_DTLB] = {.stalls = STALL(DTLB)},
	[SD_CAUSE_NUMA] = {.stalls = STALL(NUMA)},
};

static unsigned long parts_of(enum sd_cause cause)
{
	return sd_cause_growth[cause].grown ? BIT(USER) : sd_cause_parts[cause].parts;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Sets the cause's cores at each spot. */
static void weigh(const struct sd_case *c, enum sd_cause cause, double *weight)
{
	const struct sd_loss_by_stack *s = c->spread;
	const struct sd_code_places *p = &s->places;
	const int tasks = sd_cause_parts[cause].tasking && sd_cause_places_is_tasking(c);

	/* what runs is not to blame for who waits for it at once */
	if (cause == SD_CAUSE_SERIAL_CODE && sd_cause_places_discarded(c, NULL) > .5) {
		(void)sd_cause_places_discarded(c, weight);
		return;
	}
	for (size_t i = 0; i < p->n_spot; i++)
		if (tasks)
			weight[i] = p->spot[i].tasks
					    ? sd_loss_by_stack_sum(s, i, SD_PARTS_BY_STACK_PARTS)
					    : 0;
		else if (!sd_cause_parts[cause].allocating || p->spot[i].allocates)
			weight[i] = sd_loss_by_stack_sum(s, i, parts_of(cause));
	for (size_t i = 0; i < p->n_spot && sd_cause_parts[cause].locking; i++)
		if (sd_loss_by_stack_is_locking(&p->spot[i], SD_PART_USER))
			weight[i] += SD_LOSS_BY_STACK(s, i, SD_PART_USER);
}

/* A process that fork() made drops what was copied for it when it executes another program or ends,
 * on a stack without callers, as its memory is gone: whoever forks is the place of both. */
static void charge_forks(const struct sd_case *c, double *weight)
{
	const struct sd_code_places *p = &c->spread->places;
	double share[SD_ACTIVITY_COUNT], own = 0, all = 0, copied;

	if (!(sd_cause_places_mix(c->last, SD_GROUP_KERNEL, share) > 0) ||
		!(share[SD_ACTIVITY_KERNEL_FORK] + share[SD_ACTIVITY_KERNEL_THREADS] > .5) ||
		!(share[SD_ACTIVITY_KERNEL_FORK] > .2))
		return;
	(void)sd_stack_shares_seconds(
		c, SD_ACTIVITY_KERNEL_FORK, sd_stack_shares_forking, &copied, weight);
	for (size_t i = 0; i < p->n_spot; i++) {
		all += fmax(0, weight[i]);
		own += p->function[p->spot[i].function].own ? fmax(0, weight[i]) : 0;
	}
	for (size_t i = 0; i < p->n_spot && own > .1 * all; i++)
		weight[i] = p->function[p->spot[i].function].own ? weight[i] : 0;
}

/* Puts the program that runs as a child, or the library, ahead of functions that are hardly of it.
 */
static int put_module(struct sd_case *c, struct sd_finding *f, const double *weight)
{
	const struct sd_texts *const argv = &c->record->program.argv;
	struct sd_where module, *more;
	int rc;

	if (f->n_where && f->where[0].share >= FUNCTION_LEAST)
		return 0;
	rc = sd_top_module(&c->spread->places, weight, argv->n ? argv->text[0] : NULL, &module);
	if (rc || !module.function)
		return rc;
	more = realloc(f->where, (f->n_where + 1) * sizeof *more);
	if (!more) {
		sd_where_free(&module);
		return -ENOMEM;
	}
	memmove(more + 1, more, f->n_where * sizeof *more);
	more[0] = module;
	f->where = more;
	f->n_where++;
	return 0;
}

static void find_where(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_code_places *p = &c->spread->places;
	double *weight = calloc(p->n_spot, sizeof *weight);

	if (!weight) {
		c->rc = -ENOMEM;
		return;
	}
	weigh(c, f->cause, weight);
	if (f->cause == SD_CAUSE_KERNEL_MEMORY || f->cause == SD_CAUSE_BARRIER_OVERHEAD)
		charge_forks(c, weight);
	c->rc |= sd_top_functions(p, weight, 0, PLACE_LEAST, PLACES, &f->where, &f->n_where);
	c->rc |= put_module(c, f, weight);
	free(weight);
	if (sd_cause_parts[f->cause].found && f->n_where > 0) {
		free(f->next);
		f->next = strdup("scalediag report --long RECORD # its callers");
		c->rc |= f->next ? 0 : -ENOMEM;
	}
}

double sd_cause_places_discarded(const struct sd_case *c, double *weight)
{
	double all;

	return c->last->median_time > 0 ? sd_stack_shares_seconds(c, SD_ACTIVITY_JOIN,
						  sd_stack_shares_discarded, &all, weight) /
						  c->last->median_time
					: 0;
}

/* Share of the cores in these parts at spots of which the int at this offset is set; < 0: unknown.
 * `least`: a spot counts for no fewer cores. `which`: of spots below malloc and its like alone;
 * also user time that takes and releases locks. */
enum which { ALL, ALLOCATING, AND_LOCKING };
static double share_at(
	const struct sd_case *c, unsigned long parts, size_t at, double least, enum which which)
{
	const struct sd_loss_by_stack *s = c->spread;
	double in = 0, all = 0;

	for (size_t i = 0; s->now && i < s->places.n_spot; i++) {
		const struct sd_spot *const spot = &s->places.spot[i];
		double cores = sd_loss_by_stack_sum(s, i, parts);

		if (which == ALLOCATING && !spot->allocates)
			continue;
		if (which == AND_LOCKING && sd_loss_by_stack_is_locking(spot, SD_PART_USER))
			cores += SD_LOSS_BY_STACK(s, i, SD_PART_USER);
		cores = fmax(least, cores);
		all += cores;
		in += *(const int *)((const char *)spot + at) ? cores : 0;
	}
	return all > 0 ? in / all : -1;
}

double sd_cause_places_allocating(const struct sd_case *c, unsigned long parts)
{
	return share_at(c, parts, offsetof(struct sd_spot, allocates), -INFINITY, ALL);
}

double sd_cause_places_tasking(const struct sd_case *c, enum sd_cause cause)
{
	return share_at(c, parts_of(cause), offsetof(struct sd_spot, tasks), -INFINITY,
		sd_cause_parts[cause].allocating ? ALLOCATING : ALL);
}

double sd_cause_places_own(const struct sd_case *c, enum sd_cause cause)
{
	const struct sd_code_places *const p = &c->spread->places;
	double own = 0, all = 0;

	for (size_t i = 0; c->spread->now && i < p->n_spot; i++) {
		const double cores = fmax(0, sd_loss_by_stack_sum(c->spread, i, parts_of(cause)));

		all += cores;
		own += p->function[p->spot[i].function].own ? cores : 0;
	}
	return all > 0 ? own / all : -1;
}

double sd_cause_places_messages(const struct sd_case *c, enum sd_cause cause)
{
	return share_at(c, parts_of(cause), offsetof(struct sd_spot, messages), 0, ALL);
}

double sd_cause_places_locking(const struct sd_case *c, enum sd_cause cause)
{
	return share_at(c, parts_of(cause), offsetof(struct sd_spot, locks), 0, ALL);
}

double sd_cause_places_rwlock(const struct sd_case *c)
{
	return share_at(c, sd_cause_parts[SD_CAUSE_LOCK_CONTENTION].parts,
		offsetof(struct sd_spot, rwlock), -INFINITY, AND_LOCKING);
}

/* ---- sentences ------------------------------------------------------------------------------- */

double sd_cause_places_mix(
	const struct sd_chosen *p, enum sd_activity_group group, double share[SD_ACTIVITY_COUNT])
{
	const size_t runs = sd_sampled_uses_runs(p);
	struct sd_sampled_uses uses = {.p = p};
	double sum = 0;

	memset(share, 0, SD_ACTIVITY_COUNT * sizeof *share);
	for (const struct sd_use *u; (u = sd_sampled_uses_next(&uses));) {
		if (sd_activity_info[u->activity].group != group ||
			!sd_run_parts_usable(SD_OK(u->seconds)))
			continue;
		share[u->activity] += u->seconds;
		sum += u->seconds;
	}
	for (int i = 0; i < SD_ACTIVITY_COUNT && sum > 0; i++)
		share[i] /= sum;
	return runs ? sum / (double)runs : 0;
}

/* "page faults 45 %, zeroing pages 30 %, …": what is 5 % and more of the group. */
static void say_mix(
	struct sd_case *c, struct sd_finding *f, enum sd_activity_group group, const char *what)
{
	double share[SD_ACTIVITY_COUNT];
	char text[512] = "";
	size_t used = 0;

	if (!(sd_cause_places_mix(c->last, group, share) > 0))
		return;
	for (int turn = 0; turn < SD_ACTIVITY_COUNT; turn++) {
		int most = 0;

		for (int i = 1; i < SD_ACTIVITY_COUNT; i++)
			most = share[i] > share[most] ? i : most;
		if (share[most] < PLACE_LEAST || used >= sizeof text)
			break;
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %.0f %%",
			used ? ", " : "", sd_activity_info[most].label, 100 * share[most]);
		share[most] = 0;
	}
	if (used)
		sd_case_say(c, f, "%s: %s", what, text);
}

static void tell_imbalance(struct sd_case *c, struct sd_finding *f)
{
	sd_rates_spun(c, f, SD_PART_SPIN_IMBALANCE,
		"while others did work that all of them have a share of (spent spinning)");
	sd_late_drift_say(c, f);
}

static void tell_spinning(struct sd_case *c, struct sd_finding *f)
{
	say_mix(c, f, SD_GROUP_SPINNING, "samples in wait loops");
}

static void tell_kernel(struct sd_case *c, struct sd_finding *f)
{
	say_mix(c, f, SD_GROUP_KERNEL, "samples in the kernel");
	if (c->a->sampling.status == SD_STATUS_OK && c->a->sampling.kernel != SD_STATUS_OK)
		sd_case_say(c, f, "the kernel was not sampled: %s",
			sd_status_name(c->a->sampling.kernel));
}

/* "f() a.c:12", as far as it is known. */
static void put_place(const struct sd_where *w, char *out, size_t size)
{
	char line[24] = "";
	const char *file = w->file ? w->file : "";
	const char *slash = strrchr(file, '/');
	size_t n = 0;
	const char *const region = w->function ? sd_code_place_region(w->function, &n) : NULL;

	if (region) {
		snprintf(out, size, "parallel region at %.*s", (int)n, region);
		return;
	}
	if (w->line)
		snprintf(line, sizeof line, ":%u", w->line);
	snprintf(out, size, "%s%s%s%s%s", w->function ? w->function : "an unknown function",
		w->function && !strpbrk(w->function, "([") ? "()" : "", *file ? " " : "",
		slash ? slash + 1 : file, *file ? line : "");
}

static void tell_lock(struct sd_case *c, struct sd_finding *f)
{
	const double in_kernel = c->last->mean.part[SD_PART_SYSTEM_LOCK] * c->last->n;
	const struct sd_lock_row *l = c->a->lock;
	char held[512] = "";

	sd_rates_spun(c, f, SD_PART_SPIN_LOCK, "for a lock (spent spinning)");
	if (in_kernel >= .005)
		sd_case_say(c, f,
			"%.2f of these cores were in the kernel, which puts threads to sleep and wakes them",
			in_kernel);
	if (c->a->n_lock == 0)
		return;
	if (l->n_holder)
		put_place(&l->holder[0], held, sizeof held);
	sd_case_say(c, f, "hottest lock: %s (%s), %.0f blocking waits per run, %.3g s in all%s%s",
		l->name ? l->name : "one without a name", l->kind, l->waits, l->wait_s,
		*held ? ", held meanwhile by " : "", held);
	if (c->a->n_lock_seen > 1)
		sd_case_say(c, f, "%zu locks were waited for", c->a->n_lock_seen);
}

void sd_cause_places_fill(struct sd_case *c)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		struct sd_finding *f = &c->a->finding[i];
		double messages;

		if (f->verdict > SD_VERDICT_POSSIBLE)
			continue;
		messages = sd_cause_places_messages(c, f->cause);
		if (messages >= SD_OBJECT_MESSAGES_LEAST)
			sd_object_messages_say(c, f, messages);
		if (sd_cause_parts[f->cause].tell)
			sd_cause_parts[f->cause].tell(c, f);
		/* the software PMU names the contested line itself */
		if (c->spread->now && parts_of(f->cause) && !f->where)
			find_where(c, f);
	}
}

int sd_cause_places_is_tasking(const struct sd_case *c)
{
	const struct sd_interval t = c->spread->tasking, all = c->spread->dispatch;

	return c->spread->now && t.status == SD_STATUS_OK && all.status == SD_STATUS_OK &&
	       !c->fixed_time && !c->scales && c->lost && t.low > 0 &&
	       t.value >= SD_CASE_GATE * c->loss->n && t.value > all.value / 2;
}
