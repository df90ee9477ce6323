#include "pmu/counter_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"
#include "perf_event/perf_event.h"

/* No event happens so often: 256 requests in flight at 10 GHz, summed, are 2.6e12 a second. */
#define MOST_PER_NS 1e4

/* A set being opened. */
struct opening {
	struct sd_counter_set_fixed *set;
	const struct sd_counting *c;
	const size_t *member;
	size_t n;
	const struct sd_counter_set_target *target;
	struct sd_cpulist cpus[SD_ROLE_EVENTS_SOCKETS + 1]; /* where the others are opened */
	int cpus_error[SD_ROLE_EVENTS_SOCKETS + 1];
};

static int add_counter(struct sd_counter_set_fixed *set, const struct sd_counter_set *counter)
{
	if (SD_APPEND(set->counter, set->n, counter)) {
		sd_perf_event_close(counter->fd);
		return -ENOMEM;
	}
	return 0;
}

static int add_link(struct sd_counter_set_fixed *set, size_t role, size_t counter, double weight)
{
	return SD_APPEND(set->link, set->n_link,
		&(struct sd_counter_set_link){.role = role, .counter = counter, .weight = weight});
}

static int open_one(struct opening *o, size_t role, const struct sd_role_events_event *e,
	const struct perf_event_attr *attr, int cpu, int group)
{
	const enum sd_role_events_where where = o->c->role[role].where;
	const pid_t pid = where == SD_ROLE_EVENTS_TREE ? o->target->pid : -1;
	struct sd_counter_set counter = {.where = where, .event = e, .fd = -1};
	int rc;

	counter.fd = sd_perf_event_open_in(attr, pid, cpu, group);
	if (counter.fd < 0) {
		counter.error = counter.fd;
		counter.fd = -1;
	}
	rc = add_counter(o->set, &counter);
	return rc ? rc : add_link(o->set, role, o->set->n - 1, e->weight);
}

/* ---- on the tree ---- */

/* The first counter of a role, or -1. */
static int first_fd(
	const struct sd_counter_set_fixed *set, const struct sd_counting *c, enum sd_role r)
{
	for (size_t i = 0; i < set->n_link; i++)
		if (c->role[set->link[i].role].count.role == r)
			return set->counter[set->link[i].counter].fd;
	return -1;
}

static int first_tree_fd(const struct sd_counter_set_fixed *set)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->counter[i].where == SD_ROLE_EVENTS_TREE)
			return set->counter[i].fd;
	return -1;
}

/* Whose group an event joins. */
static int group_of(const struct opening *o, const struct sd_role_events_role *role, size_t event,
	size_t first_link)
{
	const struct sd_counter_set_fixed *set = o->set;

	if (o->target->trial && !o->c->multiplex)
		return first_tree_fd(set);
	if (role->leader != SD_ROLE_COUNT)
		return first_fd(set, o->c, role->leader);
	if (o->c->multiplex && event > 0)
		return set->counter[set->link[first_link].counter].fd;
	return -1;
}

/* An event that is there already, for another role. */
static int reuse(struct opening *o, size_t role, const struct sd_role_events_event *e, int *found)
{
	const struct sd_counter_set_fixed *set = o->set;
	const int alone = o->c->role[role].n == 1 && o->c->role[role].leader == SD_ROLE_COUNT;

	*found = 0;
	if (o->c->multiplex && !alone)
		return 0; /* it must take its turns with its own role */
	for (size_t i = 0; i < set->n; i++)
		if (set->counter[i].where == SD_ROLE_EVENTS_TREE &&
			sd_role_events_same(set->counter[i].event, e)) {
			*found = 1;
			return add_link(o->set, role, i, e->weight);
		}
	return 0;
}

static int open_tree(struct opening *o, size_t role)
{
	const struct sd_role_events_role *r = &o->c->role[role];
	const size_t first_link = o->set->n_link;
	int rc = 0, found;

	for (size_t i = 0; rc == 0 && i < r->n; i++) {
		struct perf_event_attr attr = r->event[i].attr;
		int group;

		rc = reuse(o, role, &r->event[i], &found);
		if (rc || found)
			continue;
		group = group_of(o, r, i, first_link);
		if (o->target->running)
			attr.enable_on_exec = 0;
		if (o->target->trial) {
			attr.inherit = attr.enable_on_exec = 0;
			attr.disabled = group < 0;
		}
		rc = open_one(o, role, &r->event[i], &attr, -1, group);
	}
	return rc;
}

/* ---- on cores, sockets and boxes ---- */

static int open_on(struct opening *o, size_t role, const struct sd_role_events_event *e,
	uint32_t type, const struct sd_cpulist *cpus)
{
	struct perf_event_attr attr = e->attr;
	int rc = 0;

	attr.type = type;
	for (size_t i = 0; rc == 0 && i < cpus->n && !(o->target->trial && i); i++)
		rc = open_one(o, role, e, &attr, (int)cpus->cpu[i], -1);
	return rc;
}

static int open_boxes(struct opening *o, size_t role, const struct sd_role_events_event *e)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < e->boxes.n && !(o->target->trial && i); i++) {
		const struct sd_pmubox *box = &e->boxes.box[i];
		unsigned zero = 0;
		const struct sd_cpulist any = {.cpu = &zero, .n = 1};

		rc = open_on(o, role, e, box->type, box->cpus.n ? &box->cpus : &any);
	}
	return rc;
}

/* A counter that could not even be tried: its role has no value, and this is why. */
static int add_failure(
	struct opening *o, size_t role, const struct sd_role_events_event *e, int error)
{
	const struct sd_counter_set counter = {
		.where = o->c->role[role].where, .event = e, .fd = -1, .error = error};
	const int rc = add_counter(o->set, &counter);

	return rc ? rc : add_link(o->set, role, o->set->n - 1, e->weight);
}

static int open_elsewhere(struct opening *o, size_t role)
{
	const struct sd_role_events_role *r = &o->c->role[role];
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->n; i++) {
		const struct sd_role_events_event *e = &r->event[i];

		if (e->boxes.n)
			rc = open_boxes(o, role, e);
		else if (o->cpus_error[r->where])
			rc = add_failure(o, role, e, o->cpus_error[r->where]);
		else
			rc = open_on(o, role, e, e->attr.type, &o->cpus[r->where]);
	}
	return rc;
}

/* ---- a set ---- */

static int leads(const struct opening *o, size_t role)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->c->role[o->member[i]].leader == o->c->role[role].count.role)
			return 1;
	return 0;
}

static void find_cpus(struct opening *o)
{
	for (int w = SD_ROLE_EVENTS_CORES; w <= SD_ROLE_EVENTS_SOCKETS; w++) {
		int needed = 0;

		for (size_t i = 0; i < o->n; i++)
			needed |= (int)o->c->role[o->member[i]].where == w;
		if (!needed)
			continue;
		o->cpus_error[w] = o->target->trial
					   ? sd_cpulist_add(&o->cpus[w], (unsigned)o->target->here)
					   : sd_role_events_cpus((enum sd_role_events_where)w,
						     o->target->cpus, o->target->root, &o->cpus[w]);
	}
}

int sd_counter_set_open(struct sd_counter_set_fixed *set, const struct sd_counting *c,
	const size_t *member, size_t n, const struct sd_counter_set_target *target)
{
	struct opening o = {.set = set, .c = c, .member = member, .n = n, .target = target};
	int rc = 0;

	*set = (struct sd_counter_set_fixed){.running = target->running};
	find_cpus(&o);
	for (int leaders = 1; leaders >= 0; leaders--)
		for (size_t i = 0; rc == 0 && i < n; i++) {
			if (leads(&o, member[i]) != leaders)
				continue;
			rc = c->role[member[i]].where == SD_ROLE_EVENTS_TREE
				     ? open_tree(&o, member[i])
				     : open_elsewhere(&o, member[i]);
		}
	for (int w = SD_ROLE_EVENTS_CORES; w <= SD_ROLE_EVENTS_SOCKETS; w++)
		sd_cpulist_free(&o.cpus[w]);
	if (rc)
		sd_counter_set_close(set);
	return rc;
}

void sd_counter_set_close(struct sd_counter_set_fixed *set)
{
	/* followers before their leaders: those that lose theirs would become leaders and go on */
	for (size_t i = set->n; i-- > 0;)
		sd_perf_event_close(set->counter[i].fd);
	free(set->counter);
	free(set->link);
	*set = (struct sd_counter_set_fixed){0};
}

void sd_counter_set_switch(struct sd_counter_set_fixed *set, int on)
{
	for (size_t i = 0; i < set->n; i++) {
		struct sd_counter_set *c = &set->counter[i];

		if (c->fd < 0 || (c->where == SD_ROLE_EVENTS_TREE && !set->running))
			continue;
		if (on && sd_perf_event_read(c->fd, &c->before))
			c->before = (struct sd_counter_read_reading){0};
		sd_perf_event_switch(c->fd, on);
	}
}

/* ---- readings ---- */

/* The value of a counter from two readings, or its status if they are not credible. */
static struct sd_value value_between(const struct sd_counter_read_reading *before,
	const struct sd_counter_read_reading *after, double *running)
{
	const uint64_t enabled = after->enabled - before->enabled,
		       ran = after->running - before->running;
	const double value = (double)after->value - (double)before->value;

	*running = 0;
	if (after->running < before->running || after->enabled < before->enabled)
		return SD_NOT(ABSENT);
	if (ran == 0)
		return SD_NOT(ABSENT);
	*running = ran >= enabled ? 1 : (double)ran / (double)enabled;
	if (value < 0) /* backwards: no number to believe */
		return SD_NOT(ABSENT);
	/* a counter that wrapped unseen, or a write from elsewhere */
	if (value > (double)ran * MOST_PER_NS)
		return (struct sd_value){.value = value, .status = SD_STATUS_NOISY};
	if (*running < 1)
		return (struct sd_value){.value = value, .status = SD_STATUS_MULTIPLEXED};
	return SD_OK(value);
}

/* The worse of two statuses of parts of a sum: what is missing, then what is doubtful. */
static enum sd_status worse(enum sd_status a, enum sd_status b)
{
	static const unsigned char rank[SD_STATUS_COUNT] = {
		[SD_STATUS_OK] = 0,
		[SD_STATUS_MULTIPLEXED] = 1,
		[SD_STATUS_NOISY] = 2,
		[SD_STATUS_ABSENT] = 3,
		[SD_STATUS_UNSUPPORTED] = 4,
		[SD_STATUS_DENIED] = 5,
	};

	return rank[a] >= rank[b] ? a : b;
}

/* A counter that stood still while its thread ran: whatever runs takes cycles and instructions. */
static int stood(enum sd_role role, const struct sd_counter_read_reading *r)
{
	return (role == SD_ROLE_CYCLES || role == SD_ROLE_INSTRUCTIONS) && r->value == 0 &&
	       r->running > 1000000;
}

static struct sd_value read_counter(
	const struct sd_counter_set *c, enum sd_role role, int slept, double *running)
{
	struct sd_counter_read_reading r;
	struct sd_value v;

	*running = 0;
	if (c->fd < 0)
		return (struct sd_value){.status = sd_counter_read_error(c->error)};
	if (sd_perf_event_read(c->fd, &r))
		return SD_NOT(ABSENT);
	/* a thread that did not run in the window: its events were not even enabled */
	if (slept && r.enabled == c->before.enabled && r.value == c->before.value) {
		*running = 1;
		return SD_OK(0);
	}
	v = value_between(&c->before, &r, running);
	if (sd_has(v) && c->where == SD_ROLE_EVENTS_TREE && stood(role, &r))
		v.status = SD_STATUS_NOISY;
	return v;
}

static void read_role(
	const struct sd_counter_set_fixed *set, size_t role, struct sd_role_count *out)
{
	size_t parts = 0;

	for (size_t i = 0; i < set->n_link; i++) {
		struct sd_value v;
		double running;

		if (set->link[i].role != role)
			continue;
		v = read_counter(
			&set->counter[set->link[i].counter], out->role, set->running, &running);
		out->value.value += v.value * set->link[i].weight;
		out->value.status = parts ? worse(out->value.status, v.status) : v.status;
		out->running = parts && out->running < running ? out->running : running;
		parts++;
	}
	if (parts == 0)
		out->value = SD_NOT(ABSENT);
	/* events counted at different times can differ where their roles cannot */
	if (sd_has(out->value) && out->value.value < 0)
		out->value = SD_NOT(ABSENT);
	if (!sd_has(out->value)) {
		out->value.value = 0;
		out->running = 0;
	}
}

void sd_counter_set_read(struct sd_counter_set_fixed *set, const struct sd_counting *c,
	const size_t *member, size_t n, struct sd_role_count *out)
{
	for (size_t i = 0; i < n; i++) {
		out[i] = c->role[member[i]].count;
		out[i].value = SD_NOT(ABSENT);
		read_role(set, member[i], &out[i]);
	}
}

void sd_counter_set_add(struct sd_role_count *to, const struct sd_role_count *more, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const enum sd_status both = worse(to[i].value.status, more[i].value.status);

		to[i].value.value += more[i].value.value;
		to[i].value.status = both;
		to[i].running = more[i].running < to[i].running ? more[i].running : to[i].running;
		if (!sd_has(to[i].value)) {
			to[i].value.value = 0;
			to[i].running = 0;
		}
	}
}
