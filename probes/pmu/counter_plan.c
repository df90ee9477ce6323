#include "probe/counter_plan.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/chosen_roles.h"
#include "pmu/counter_set.h"
#include "pmu/modelled_roles.h"
#include "pmu/pmu_status.h"
#include "proc/textfile.h"

/* In every pass, so that ratios have their divisor from the same run. */
static const enum sd_role bases[] = {SD_ROLE_CYCLES, SD_ROLE_INSTRUCTIONS};

static int is_base(enum sd_role role)
{
	for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
		if (bases[i] == role)
			return 1;
	return 0;
}

/* ---- the machine ---- */

static int smt_active(const char *root)
{
	char text[16];

	/* not to be read: rather count a core once too carefully */
	return sd_textfile_read(root, "/sys/devices/system/cpu/smt/active", text, sizeof text) ||
	       strcmp(text, "0") != 0;
}

/* ---- the roles ---- */

static int add_role(struct sd_counting *c, const struct sd_role_events_machine *m,
	const struct sd_modelled_pmu *model, enum sd_role role)
{
	int rc;

	for (size_t i = 0; i < c->n_role; i++)
		if (c->role[i].count.role == role)
			return 0;
	rc = model ? sd_modelled_roles_encode(&c->role[c->n_role], m, model, role)
		   : sd_role_events_encode(&c->role[c->n_role], m, role);
	if (rc) {
		sd_role_events_free(&c->role[c->n_role]);
		return rc;
	}
	c->n_role++;
	if (c->role[c->n_role - 1].leader != SD_ROLE_COUNT)
		return add_role(c, m, model, c->role[c->n_role - 1].leader);
	return 0;
}

/* Does the map have the role, of one thread or of any scope? */
static int has_role(const struct sd_role_events_machine *m, enum sd_role role, int any_scope)
{
	const struct sd_map_role *r = sd_event_map_set_role(m->maps, m->map, role, NULL);

	return r && r->n && (any_scope || r->scope == SD_SCOPE_THREAD) && !sd_role_is_sampled(role);
}

static int add_roles(struct sd_counting *c, const struct sd_role_events_machine *m,
	const struct sd_counter_plan_ask *ask)
{
	int rc = 0;

	c->role = calloc(SD_ROLE_COUNT, sizeof *c->role);
	if (!c->role)
		return -ENOMEM;
	for (size_t i = 0; rc == 0 && i < sizeof bases / sizeof *bases; i++)
		rc = add_role(c, m, ask->model, bases[i]);
	for (size_t i = 0; rc == 0 && ask->role && i < ask->n_role; i++)
		rc = add_role(c, m, ask->model, ask->role[i]);
	for (int r = 0; rc == 0 && !ask->role && r < SD_ROLE_COUNT; r++)
		if (has_role(m, (enum sd_role)r, ask->choose != NULL))
			rc = add_role(c, m, ask->model, (enum sd_role)r);
	return rc;
}

/* ---- what the kernel opens ---- */

/* Each role alone: why it cannot be counted, if it cannot. */
static int try_role(struct sd_counting *c, size_t i, const char *root)
{
	struct sd_role_count *count = &c->role[i].count;
	struct sd_counter_read_reading first = {0};
	size_t set[2] = {i}, n = 1;
	int rc;

	if (!sd_has(count->value))
		return 0;
	for (size_t j = 0; j < c->n_role; j++)
		if (c->role[j].count.role == c->role[i].leader)
			set[n++] = j;
	rc = sd_counter_set_try(c, set, n, root, &first);
	if (rc == -ENOMEM)
		return rc;
	/* some virtual machines let the event be opened and never count */
	if (rc == 0 && is_base(count->role) && first.value == 0)
		rc = -ENOENT;
	if (rc)
		count->value = (struct sd_value){.status = sd_counter_read_error(rc)};
	return 0;
}

/* A role whose leader cannot be counted cannot be counted either. */
static void drop_followers(struct sd_counting *c)
{
	for (size_t i = 0; i < c->n_role; i++)
		for (size_t j = 0; j < c->n_role; j++)
			if (c->role[j].count.role == c->role[i].leader &&
				!sd_has(c->role[j].count.value))
				c->role[i].count.value = c->role[j].count.value;
}

/* Nothing to count at all: for want of rights, of free counters, or of a PMU. */
static int none_left(const struct sd_counting *c)
{
	int denied = 0, busy = 0;

	for (size_t i = 0; i < c->n_role; i++) {
		if (sd_has(c->role[i].count.value))
			return 0;
		denied |= c->role[i].count.value.status == SD_STATUS_DENIED;
		busy |= c->role[i].count.value.status == SD_STATUS_ABSENT;
	}
	return denied ? -EACCES : busy ? -EBUSY : -ENODEV;
}

static int try_roles(struct sd_counting *c, const char *root)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->n_role; i++)
		rc = try_role(c, i, root);
	drop_followers(c);
	return rc ? rc : none_left(c);
}

/* ---- passes ---- */

struct fitting {
	const struct sd_counting *c;
	const char *root;
	const struct sd_event_map *map;
	int busy, files; /* was that why something did not fit? */
};

static int fits(void *ctx, const size_t *member, size_t n)
{
	struct fitting *f = ctx;
	const int rc = sd_counter_set_try(f->c, member, n, f->root, NULL);

	f->busy |= rc == -EBUSY;
	f->files |= rc == -EMFILE || rc == -ENFILE;
	return rc == -ENOMEM ? rc : rc == 0;
}

static int fits_modelled(void *ctx, const size_t *member, size_t n)
{
	const struct fitting *const f = ctx;

	return sd_modelled_roles_fit(f->c, f->map, member, n);
}

/* When multiplexing, everything fits. */
static int fits_by_turns(void *ctx, const size_t *member, size_t n)
{
	(void)ctx;
	(void)member;
	(void)n;
	return 1;
}

/* Chooses those wanted of the roles that the map has and that can be counted. */
static int choose_roles(struct sd_counting *c, const struct sd_counter_plan_ask *ask)
{
	unsigned char can[SD_ROLE_COUNT] = {0};
	enum sd_role chosen[SD_ROLE_COUNT];
	size_t n = 0;
	int rc;

	if (!ask->choose)
		return 0;
	for (size_t i = 0; i < c->n_role; i++)
		can[c->role[i].count.role] = sd_has(c->role[i].count.value);
	rc = ask->choose(ask->ctx, c->source, can, chosen, &n);
	return rc ? rc : sd_chosen_roles_keep(c, chosen, n, is_base);
}

static int pack(struct sd_counting *c, struct fitting *f, const struct sd_counter_plan_ask *of)
{
	struct sd_counter_passes_item *item = calloc(c->n_role + 1, sizeof *item);
	const struct sd_counter_passes_ask ask = {.item = item,
		.n = c->n_role,
		.most = of->most,
		.fits = c->multiplex ? fits_by_turns
			: of->model  ? fits_modelled
				     : fits,
		.ctx = f};
	int rc = -ENOMEM;

	if (!item)
		return rc;
	for (size_t i = 0; i < c->n_role; i++)
		item[i] = (struct sd_counter_passes_item){.skip = !sd_has(c->role[i].count.value),
			.base = is_base(c->role[i].count.role),
			.leader = sd_chosen_roles_find(c, c->role[i].leader)};
	rc = sd_counter_passes_make(&c->passes, &ask);
	free(item);
	return rc;
}

/* ---- words ---- */

static void say_left(
	const struct sd_counting *c, const struct fitting *f, const struct sd_sink *sink)
{
	char text[16] = "";
	size_t n = 0;

	for (size_t i = 0; i < c->n_role; i++)
		n += c->passes.left[i] == 1;
	if (n)
		sd_say(sink, SD_LEVEL_NOTE,
			"hardware counters: %zu event%s left out, the least telling ones: the "
			"others take %zu runs a point",
			n, n == 1 ? " is" : "s are", c->passes.n);
	if (f->files)
		sd_say(sink, SD_LEVEL_NOTE,
			"hardware counters: fewer events a run, as no more files may be open "
			"(ulimit -n)");
	if (!f->busy)
		return;
	if (!sd_textfile_read(f->root, "/proc/sys/kernel/nmi_watchdog", text, sizeof text) &&
		strcmp(text, "1") == 0)
		sd_say(sink, SD_LEVEL_NOTE,
			"hardware counters: the kernel's NMI watchdog holds one of them; `sysctl "
			"kernel.nmi_watchdog=0` frees it");
	else
		sd_say(sink, SD_LEVEL_NOTE,
			"hardware counters: somebody else holds some of them, so that more runs "
			"are needed");
}

/* ---- the contract ---- */

static int look(struct sd_counting *c, const struct sd_counter_plan_ask *ask,
	const struct sd_role_events_machine *m, const struct sd_sink *sink)
{
	struct fitting f = {.c = c, .root = m->root, .map = m->map};
	int rc = add_roles(c, m, ask);

	snprintf(c->source, sizeof c->source, "%s", m->map->family);
	if (!rc)
		rc = ask->model ? none_left(c) : try_roles(c, m->root);
	if (!rc)
		rc = choose_roles(c, ask);
	if (!rc)
		rc = pack(c, &f, ask);
	if (!rc && c->passes.n == 0)
		rc = -ENODEV;
	if (rc)
		return rc;
	for (size_t i = 0; i < c->n_role; i++)
		if (c->passes.left[i] == 2) /* more events than counters */
			c->role[i].count.value = SD_NOT(UNSUPPORTED);
	say_left(c, &f, sink);
	return 0;
}

/* The trials compare counters of this process and of this CPU: it stays here meanwhile. */
static int look_from_here(struct sd_counting *c, const struct sd_counter_plan_ask *ask,
	const struct sd_role_events_machine *m, const struct sd_sink *sink)
{
	const int here = sched_getcpu();
	cpu_set_t before, one;
	int rc, bound = 0;

	if (here >= 0 && here < CPU_SETSIZE && !sched_getaffinity(0, sizeof before, &before)) {
		CPU_ZERO(&one);
		CPU_SET(here, &one);
		bound = !sched_setaffinity(0, sizeof one, &one);
	}
	rc = look(c, ask, m, sink);
	if (bound)
		sched_setaffinity(0, sizeof before, &before);
	return rc;
}

static int find_map(struct sd_role_events_machine *m, struct sd_eventmaps *maps,
	const struct sd_counter_plan_ask *ask, const struct sd_sink *sink)
{
	int rc;

	if (ask->model)
		return sd_modelled_roles_map(m, maps, ask, sink);
	/* where there is no PMU, the start need not wait for the maps */
	if (!*m->root && sd_pmu_status_find(NULL) == SD_STATUS_UNSUPPORTED)
		return -ENODEV;
	rc = sd_event_encode_open();
	return rc ? rc : sd_role_events_find_map(m, maps, ask->maps, sink);
}

int sd_counter_plan_open(
	struct sd_counting **out, const struct sd_counter_plan_ask *ask, const struct sd_sink *sink)
{
	struct sd_eventmaps maps = {0};
	struct sd_role_events_machine m = {.maps = &maps, .root = ask->root ? ask->root : ""};
	struct sd_counting *c = calloc(1, sizeof *c);
	int rc = c ? 0 : -ENOMEM;

	*out = NULL;
	if (!rc)
		rc = find_map(&m, &maps, ask, sink);
	if (!rc) {
		m.smt = smt_active(m.root);
		c->multiplex = ask->multiplex;
		rc = look_from_here(c, ask, &m, sink);
	}
	sd_event_map_set_free(&maps);
	if (rc)
		sd_counter_plan_free(c);
	else
		*out = c;
	return rc;
}

void sd_counter_plan_free(struct sd_counting *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_role; i++)
		sd_role_events_free(&c->role[i]);
	free(c->role);
	sd_counter_passes_free(&c->passes);
	free(c);
}

const char *sd_counter_plan_source(const struct sd_counting *c)
{
	return c->source;
}

void sd_counter_plan_role(const struct sd_counting *c, enum sd_role role, struct sd_role_count *out)
{
	const size_t i = sd_chosen_roles_find(c, role);

	if (i != SD_COUNTER_PASSES_NO_LEADER)
		*out = c->role[i].count;
}

int sd_counter_plan(const struct sd_counting *c, struct sd_plan *plan)
{
	struct sd_plan_pass *pass = calloc(c->passes.n, sizeof *pass);
	int bad = !pass;

	for (size_t i = 0; !bad && i < c->passes.n; i++) {
		const struct sd_pass *p = &c->passes.pass[i];

		pass[i].role = calloc(p->n + 1, sizeof *pass[i].role);
		bad = !pass[i].role;
		for (size_t j = 0; !bad && j < p->n; j++)
			pass[i].role[pass[i].n_role++] = c->role[p->member[j]].count.role;
	}
	if (bad) {
		for (size_t i = 0; pass && i < c->passes.n; i++)
			free(pass[i].role);
		free(pass);
		return -ENOMEM;
	}
	plan->pass = pass;
	plan->n_pass = c->passes.n;
	plan->multiplex = c->multiplex;
	return 0;
}

int sd_counter_plan_fits(const struct sd_counting *c, const struct sd_plan *plan)
{
	if (plan->n_pass != (c ? c->passes.n : 0))
		return 0;
	for (size_t i = 0; i < plan->n_pass; i++) {
		const struct sd_plan_pass *then = &plan->pass[i];
		const struct sd_pass *now = &c->passes.pass[i];

		if (then->n_role != now->n)
			return 0;
		for (size_t j = 0; j < now->n; j++)
			if (then->role[j] != c->role[now->member[j]].count.role)
				return 0;
	}
	return plan->n_pass == 0 || plan->multiplex == c->multiplex;
}
